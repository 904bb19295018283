"""`mcpmock demo`, and the server and client that it ships."""

from __future__ import annotations

import sys
from pathlib import Path

from mcpmock.cassette.reader import load
from mcpmock.demo.client import call, converse
from tests.program import run

SERVER = (sys.executable, "-m", "mcpmock.demo.server")


def test_the_demo_records_replays_misses_and_shows(tmp_path: Path) -> None:
    """Ours (issue 2): all of it in seconds, with a result to look at."""
    done = run("demo", "--output", tmp_path / "here")
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert "messages are equal, in the same order" in text
    assert "exit code is 3" in text
    assert len(load((tmp_path / "here" / "demo.yaml").read_bytes()).sessions) == 1


def test_the_demo_can_be_run_again(tmp_path: Path) -> None:
    """Ours: the second run replaces the cassette of the first."""
    assert run("demo", cwd=tmp_path).returncode == 0
    assert run("demo", cwd=tmp_path).returncode == 0
    assert len(load((tmp_path / "mcpmock-demo" / "demo.yaml").read_bytes()).sessions) == 1


def test_the_demo_says_so_where_it_cannot_write(tmp_path: Path) -> None:
    """Ours: an error, and no traceback."""
    (tmp_path / "file").write_text("")
    done = run("demo", "--output", tmp_path / "file" / "folder")
    assert done.returncode == 1
    assert done.stderr.decode().startswith(
        f"mcpmock: {tmp_path / 'file' / 'folder'}: the cassette cannot be put here: "
    )
    assert done.stderr.endswith(b"; use --output FOLDER\n")


def test_the_demo_server_answers_what_the_script_asks() -> None:
    """Ours: progress, a question, a state, a resource and an error are in the script."""
    talk = converse(SERVER)
    assert talk.exit_code == 0
    assert talk.count("<") == 13
    assert talk.count("<", "notifications/progress") == 3
    assert talk.count("<", "sampling/createMessage") == 1
    assert talk.errors() == [{"code": -32602, "message": "Unknown tool: no_such_tool"}]


def test_the_demo_server_tells_a_tool_error_from_a_protocol_error() -> None:
    """Spec (tools): wrong arguments are a result with `isError`."""
    talk = converse(SERVER, [call("add", a=1), ("no/such/method", {})])
    assert talk.said[-3][1]["result"]["isError"] is True
    assert talk.errors()[0]["code"] == -32601


def test_a_server_that_ends_early_shortens_the_conversation() -> None:
    """Ours: the exit code tells, nothing hangs."""
    talk = converse([sys.executable, "-c", "import sys; sys.exit(7)"])
    assert talk.exit_code == 7
    assert talk.count("<") == 0
