"""What a replay over stdio is started with: closed descriptors, terminals (issue 4)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.session.dialogue import recorded
from tests.transports.client import call, line

REPLAY = [sys.executable, "-m", "mcpmock", "replay"]


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """One call."""
    path = tmp_path / "one.yaml"
    path.write_text(recorded("> {id: 1, method: tools/call, params: {name: a}}\n< {id: 1, result: {}}\n"))
    return path


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_a_descriptor_that_is_closed_is_one_that_nobody_is_at(cassette: Path, closed: str) -> None:
    """Ours: as for `record`; and no file of ours takes its place, or what is said would be written into it."""
    state = cassette.parent / "state"
    words = ["sh", "-c", f'exec "$@" {closed}', "sh", *REPLAY, str(cassette), "--state", str(state)]
    done = subprocess.run(words, input=line(call("a")), capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not any(b"jsonrpc" in path.read_bytes() for path in state.rglob("*") if path.is_file())


def test_a_terminal_that_is_closed_is_the_end_of_the_input(cassette: Path) -> None:
    """Ours: a read from it fails where a read from a pipe says nothing."""
    master, slave = os.openpty()
    with subprocess.Popen(
        [*REPLAY, str(cassette)], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        os.close(slave)
        os.write(master, line(call("a")))
        assert process.stdout is not None
        assert process.stdout.readline()
        os.close(master)
        assert process.stderr is not None
        assert (process.wait(60), process.stderr.read()) == (0, b"")
