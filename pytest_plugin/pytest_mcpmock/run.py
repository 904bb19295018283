"""What is told about a whole run: the report, and the cassettes that no test used. Workers of xdist pass it on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_mcpmock.options import option
from pytest_mcpmock.orphans import Collected, find_orphans
from pytest_mcpmock.state import state_of

if TYPE_CHECKING:
    from mcpmock import MockServer

__all__ = ["collect", "finish", "hear_from_worker", "report_of", "summarize", "write_json"]

FROM_WORKERS: Final = pytest.StashKey[list[dict[str, Any] | None]]()
COLLECTED: Final = pytest.StashKey[Collected]()
ORPHANS: Final = pytest.StashKey[list[str]]()
KEY: Final = "mcpmock"


def collect(config: pytest.Config, items: list[pytest.Item]) -> None:
    """All tests that were found, before any of them is deselected."""
    config.stash[COLLECTED] = Collected.of(config, items)


def report_of(server: MockServer, test: str) -> dict[str, Any]:
    """What one mock saw, as JSON."""
    calls = [
        {"server": one.server, "session": one.session, "method": one.method, "params": one.params,
         "outcome": one.outcome, "line": one.line, "at": round(one.at, 6)}
        for one in server.calls()
    ]  # fmt: skip
    seen = {
        "test": test,
        "cassette": server.cassette,
        "sessions": len(server.sessions),
        "calls": calls,
        "misses": [{"kind": one.kind, "method": one.method, "params": one.params} for one in server.misses],
        "unplayed": [{"method": one.method, "params": one.params, "line": one.line} for one in server.unplayed],
        "remarks": server.remarks,
        "recording": server.recording,
    }
    clean: dict[str, Any] = server.veiled(seen)  # reports are published by CI
    return clean


def write_json(path: Path, content: object) -> None:
    """Writes a report."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8", newline="\n")


def hear_from_worker(config: pytest.Config, output: dict[str, Any] | None) -> None:
    """A worker of xdist has ended; without output where it crashed."""
    told = (output or {}).get(KEY)
    config.stash.setdefault(FROM_WORKERS, []).append(json.loads(told) if told else None)


def finish(session: pytest.Session) -> None:
    """The run has ended in this process."""
    config = session.config
    state = state_of(config)
    told: list[dict[str, Any] | None] = [
        {
            "used": sorted(state.used),
            "reports": state.reports,
            "ran": sorted(state.ran),
            "collected": config.stash[COLLECTED].to_json() if COLLECTED in config.stash else None,
        }
    ]
    output = getattr(config, "workeroutput", None)
    if output is not None:
        output[KEY] = json.dumps(told[0])
        return
    if FROM_WORKERS in config.stash:
        workers = config.stash[FROM_WORKERS]
        told += workers
    if report := option(config, "report"):
        tests = sorted((one for part in told if part for one in part["reports"]), key=lambda one: str(one["test"]))
        write_json(config.invocation_params.dir / report, {"version": 1, "tests": tests})
    if option(config, "orphans") in ("tell", "fail"):
        config.stash[ORPHANS] = find_orphans(session, told)
        if config.stash[ORPHANS] and option(config, "orphans") == "fail" and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def summarize(reporter: pytest.TerminalReporter) -> None:
    """What is told at the end of the run."""
    orphans = reporter.config.stash.get(ORPHANS, [])
    if orphans:
        reporter.section("mcpmock: cassettes that no test used")
        for path in orphans:
            reporter.line(path)
