"""Tasks of the extension (2026-07-28) on the SDK of others, polled at other paces than recorded (issue 6, SC-03)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.over_http import SECONDS, mcpmock, running
from tests.e2e.pair import clean_environment
from tests.e2e.software import HERE
from tests.program import ENVIRONMENT, MCPMOCK, run
from tests.real.conftest import require
from tests.real.software import python_of

pytestmark = [pytest.mark.real]

SERVER: Final = HERE / "small" / "tasks_python2.py"
DRIVER: Final = HERE / "drivers" / "tasks_python2.py"


def drive(pace: float, *target: str) -> list[Any]:
    """What the client saw of the tasks of a server."""
    command = [str(python_of("sdk2")), str(DRIVER), str(pace), *target]
    environment = {**clean_environment(), **ENVIRONMENT}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    seen: list[Any] = json.loads(done.stdout)
    return seen


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_sc_03_tasks_are_the_same_at_every_pace_and_on_either_transport(transport: str, tmp_path: Path) -> None:
    """SC-03, issue 6: several at once, questions, a failure, a cancel, an id given twice, states that are heard."""
    require("sdk2")
    cassette, program = str(tmp_path / "tasks.yaml"), [str(python_of("sdk2")), str(SERVER)]
    if transport == "stdio":
        direct = drive(0.05, *program)
        recorded = drive(0.05, *MCPMOCK, "record", "-o", cassette, "--", *program)
    else:
        with running(lambda way, port: [*program, "streamable-http", str(port)], lambda port: {}, "mcp") as url:
            direct = drive(0.05, url)
            with mcpmock("record", "-o", cassette, url) as (proxy, _):
                recorded = drive(0.05, proxy)
    assert recorded == direct
    assert drive(0.2, *MCPMOCK, "replay", cassette) == recorded
    with mcpmock("replay", cassette, "--port", "0") as (url, _):
        assert drive(0.01, url) == recorded
    assert run("check", cassette).returncode == 0
