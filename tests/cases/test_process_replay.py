"""Cases from public bug reports: the life of a process, the replayer's side over stdio."""

from __future__ import annotations

import os
import resource
import select
import subprocess
from pathlib import Path

import pytest

from tests.program import ENVIRONMENT, MCPMOCK, SECONDS
from tests.session.dialogue import recorded
from tests.transports.client import call, line, replay

CALLS = """
> {id: 1, method: tools/call, params: {name: add}}
< {id: 1, result: {sum: 3}}
> {id: 2, method: tools/call, params: {name: sub}}
"""


def written(tmp_path: Path, rest: str) -> Path:
    """A cassette of two calls, and what came of the second."""
    path = tmp_path / "case.yaml"
    path.write_text(recorded(CALLS + rest), encoding="utf-8")
    return path


def test_pr_03_the_end_of_input_ends_it(tmp_path: Path) -> None:
    """PR-03: with an answer that was never given still open, in good order."""
    with replay(written(tmp_path, "")) as client:
        assert client.ask(call("add", 1)) == {"id": 1, "result": {"sum": 3}}
        client.send(call("sub", 2))
        assert client.finish() == (0, b"")


def test_pr_03_who_waits_for_a_client_takes_no_time(tmp_path: Path) -> None:
    """PR-03: no spinning, neither before the end of the input nor after it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with replay(written(tmp_path, "< {id: 2, result: {}}"), "--delays", "1") as client:
        client.ask(call("add", 1))
        select.select([], [], [], 1.0)
        assert client.finish() == (0, b"")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.9, "less than the second it waited"


def test_pr_03_a_client_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    """PR-03: both pipes break at once, with an answer under way."""
    with replay(written(tmp_path, f"< {{id: 2, result: {'x' * 300_000}}}")) as client:
        client.send(call("sub", 2))
        client.read_chunk(1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), client.stdout)
        client.close_stdin()
        assert client.process.wait(SECONDS) == 0


@pytest.mark.parametrize(("status", "code"), [("3", 3), ("0", 0)])
def test_pr_05_the_servers_end_comes_at_its_place(tmp_path: Path, status: str, code: int) -> None:
    """PR-05, PR-08: after the same request, with the same code; that request is never answered by another's answer."""
    with replay(written(tmp_path, f"- eof: server\n- exit: {status}")) as client:
        assert client.ask(call("add", 1)) == {"id": 1, "result": {"sum": 3}}
        client.send(call("sub", 2))
        assert client.read_line() == b""
        assert client.process.wait(SECONDS) == code


def test_pr_05_a_server_that_crashed_at_the_start_does_so_again(tmp_path: Path) -> None:
    """PR-05: it is not waited for."""
    path = tmp_path / "case.yaml"
    path.write_text(recorded("> {id: 0, method: initialize}\n- eof: server\n- exit: 3"), encoding="utf-8")
    with replay(path) as client:
        client.send({"id": 0, "method": "initialize"})
        assert client.read_line() == b""
        assert client.process.wait(SECONDS) == 3


def test_pr_06_neither_command_nor_environment_nor_folder_is_needed(tmp_path: Path) -> None:
    """PR-06: from any folder, without a single variable, though the recorded command is nowhere."""
    path = written(tmp_path, "< {id: 2, result: {}}")
    path.write_text(path.read_text().replace("-\n  entries:", "- command: [/nowhere/server, --token]\n  entries:"))
    assert "/nowhere" in path.read_text()
    done = subprocess.run(
        [*MCPMOCK, "replay", path],
        input=line(call("add", 1)),
        capture_output=True,
        cwd="/",
        env=dict(ENVIRONMENT),
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert b'"sum":3' in done.stdout.replace(b" ", b"")


def test_pr_08_a_server_that_answered_once_does_so_again(tmp_path: Path) -> None:
    """PR-08: it answers, and leaves; what is written after that meets nobody."""
    path = tmp_path / "case.yaml"
    path.write_text(recorded("> {id: 0, method: initialize}\n< {id: 0, result: {}}\n- eof: server\n- exit: 0"))
    with replay(path) as client:
        assert client.ask({"id": 0, "method": "initialize"}) == {"id": 0, "result": {}}
        assert client.read_line() == b""
        assert client.process.wait(SECONDS) == 0
        with pytest.raises(BrokenPipeError):
            client.send({"id": 1, "method": "tools/list"})
