"""What the plugin knows of a run: the mocks that are open, and the cassettes that were used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpmock.plugin import STATE
from pytest_mcpmock.verdict import Verdict

if TYPE_CHECKING:
    pass

__all__ = ["State", "state_of"]


class State:
    """One for each process of a run."""

    def __init__(self) -> None:
        self.verdict = Verdict()
        self.used: set[str] = set()
        self.reports: list[dict[str, Any]] = []


def state_of(config: pytest.Config) -> State:
    """The state of this run."""
    if STATE not in config.stash:
        config.stash[STATE] = State()
    return config.stash[STATE]
