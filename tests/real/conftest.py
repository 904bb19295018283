"""Real software as fixtures. A test that lacks it is skipped, or fails where MCPMOCK_REQUIRE_REAL is set."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import pytest

from tests.real import software

DRIVER: Final = Path(__file__).with_name("driver.py")
DRIVER_SECONDS: Final = 100


class RealServer(NamedTuple):
    """A server that others wrote: its command, and the scenario of the driver that fits it."""

    command: tuple[str, ...]
    scenario: str


class Drive(Protocol):
    """Run a scenario of the official SDK against a command; the log of what happened to the client."""

    def __call__(self, scenario: str, command: Sequence[str], env: Mapping[str, str] = ...) -> list[Any]: ...


class Once(Protocol):
    """What a function makes in a folder of its own, as JSON values: made by the first worker that wants it."""

    def __call__(self, name: str, make: Callable[[Path], Any]) -> Any: ...


def require(part: str) -> None:
    """Skip or fail, with the reason, where a part of the real software is missing."""
    if software.PARTS[part].is_installed() and (part != "npm" or software.node() is not None):
        return
    reason = f"the part {part!r} is not installed: python tests/real/software.py"
    if os.environ.get("MCPMOCK_REQUIRE_REAL"):
        pytest.fail(reason)
    pytest.skip(reason)


def server(name: str) -> RealServer:
    """A real server by its name: everything, memory or time."""
    if name == "time":
        require("time")
        return RealServer((str(software.python_of("time")), "-m", "mcp_server_time", "--local-timezone", "UTC"), name)
    require("npm")
    return RealServer(software.npm_server(f"server-{name}"), name)


@pytest.fixture(scope="session")
def drive() -> Drive:
    """The official Python SDK 1.x as client."""
    require("client")

    def run(scenario: str, command: Sequence[str], env: Mapping[str, str] = {}) -> list[Any]:
        variables = [f"--env={name}={value}" for name, value in env.items()]
        argv = [software.python_of("client"), DRIVER, scenario, *variables, "--", *command]
        # tests/run.py keeps Python from looking into the folder of a script; the driver is one that must.
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
        done = subprocess.run(argv, capture_output=True, text=True, encoding="utf-8", env=clean, timeout=DRIVER_SECONDS)
        assert done.returncode == 0, done.stderr
        log: list[Any] = json.loads(done.stdout)
        return log

    return run


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Real sessions take seconds, and their tests may be spread over the workers of one run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base

    def run(name: str, make: Callable[[Path], Any]) -> Any:
        folder = shared / f"once-{name}"
        folder.mkdir(exist_ok=True)
        with software.locked(folder / "lock"):
            made = folder / "made.json"
            if not made.exists():
                made.write_text(json.dumps(make(folder)))
            return json.loads(made.read_text())

    return run
