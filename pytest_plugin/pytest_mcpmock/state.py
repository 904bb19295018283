"""What the plugin knows of a run, in this process."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from pytest_mcpmock.plugin import STATE
from pytest_mcpmock.verdict import Verdict

__all__ = ["State", "state_of"]


class State:
    """One for each process of a run.

    run       names the run; the workers of xdist have the same one
    used      the cassettes that tests have asked for, absolute paths
    reports   what every mock saw, for --mcpmock-report
    ran       the tests whose body has begun
    """

    def __init__(self, run: str) -> None:
        self.run = run
        self.verdict = Verdict()
        self.used: set[str] = set()
        self.reports: list[dict[str, Any]] = []
        self.ran: set[str] = set()


def state_of(config: pytest.Config) -> State:
    """The state of this run."""
    if STATE not in config.stash:
        worker = getattr(config, "workerinput", {})
        config.stash[STATE] = State(worker.get("testrunuid") or uuid.uuid4().hex)
    return config.stash[STATE]
