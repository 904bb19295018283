"""How a replay over stdio ends: misses, signals, recorded ends, reports (DESIGN 4, "The end" and "Miss")."""

from __future__ import annotations

import json
import os
import select
import signal
from pathlib import Path

import pytest

from tests.session.dialogue import recorded
from tests.transports.client import call, line, replay

CALLS = recorded("""
> {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}
< {id: 1, result: {sum: 1}}
> {id: 2, method: tools/call, params: {name: rest, arguments: {}}}
< {id: 2, result: {}}
""")


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """Two calls."""
    path = tmp_path / "calls.yaml"
    path.write_text(CALLS, encoding="utf-8")
    return path


def test_a_miss_is_an_error_answer_a_page_on_stderr_and_exit_3(cassette: Path) -> None:
    """Ours (DESIGN 2.5); case MA-04: the page names the cassette, what differs, and what to type next."""
    with replay(cassette) as client:
        answer = client.ask(call("add", 7, a=2))
        assert answer["id"] == 7
        assert answer["error"]["data"]["mcpmock"]["miss"] == "near miss"
        assert client.ask(call("add", 8, a=1)) == {"id": 8, "result": {"sum": 1}}
        assert client.finish() == (3, b"")
        page = client.stderr()
    assert "calls.yaml:6" in page
    assert "/arguments/a" in page
    assert "--ignore" in page


def test_the_page_is_there_before_the_session_ends(cassette: Path) -> None:
    """Ours (DESIGN 2.5): as soon as the client has its error."""
    with replay(cassette) as client:
        client.ask(call("sub"))
        client.ask({"id": 2, "method": "ping"})
        assert "sub" in client.stderr()


def test_unplayed_interactions_count_only_where_they_are_asked_for(cassette: Path) -> None:
    """Ours (DESIGN 4): `--fail-unplayed`, exit 3 and a page that names them."""
    for options, code in (((), 0), (("--fail-unplayed",), 3)):
        with replay(cassette, *options) as client:
            client.ask(call("add", a=1))
            assert client.finish() == (code, b"")
            assert ("rest" in client.stderr()) is bool(options)
    with replay(cassette, "--fail-unplayed") as client:
        client.ask(call("add", a=1))
        client.ask(call("rest"))
        assert client.finish() == (0, b"")
        assert client.stderr() == ""


def test_a_report_tells_calls_misses_and_what_was_left(cassette: Path, tmp_path: Path) -> None:
    """Issue 2: `--report FILE`, as JSON, whole or not at all; the exit code is not changed by it."""
    target = tmp_path / "report.json"
    with replay(cassette, "--report", str(target)) as client:
        client.ask(call("add", a=1))
        client.ask(call("sub", 2))
        client.ask({"id": 3, "method": "ping"})
        assert client.finish()[0] == 3
    report = json.loads(target.read_text(encoding="utf-8"))
    assert [(one["method"], one["outcome"], one["line"]) for one in report["calls"]] == [
        ("tools/call", "played", 6),
        ("tools/call", "missed", 0),
        ("ping", "made up", 0),
    ]
    assert [one["error"]["data"]["mcpmock"]["miss"] for one in report["misses"]] == ["unknown"]
    assert [(one["params"]["name"], one["line"]) for one in report["unplayed"]] == [("rest", 8)]
    assert report["cassette"] == str(cassette)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["calls.yaml", "report.json"]


def test_a_report_goes_to_what_is_there_and_does_not_replace_it(cassette: Path, tmp_path: Path) -> None:
    """Ours: root may put a file where /dev/stderr is; a link stays a link."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with replay(cassette, "--report", str(pipe)) as client:
        assert client.finish()[0] == 0
    assert json.loads(os.read(reader, 1 << 16))["requests"] == 0
    os.close(reader)
    assert pipe.is_fifo()
    (tmp_path / "link").symlink_to(tmp_path / "report.json")
    with replay(cassette, "--report", str(tmp_path / "link")) as client:
        assert client.finish()[0] == 0
    assert (tmp_path / "link").is_symlink()
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["requests"] == 0


def test_a_folder_is_no_report(cassette: Path, tmp_path: Path) -> None:
    """Ours: told before the client has done its work for nothing."""
    with replay(cassette, "--report", str(tmp_path)) as client:
        assert client.finish()[0] == 2
        assert "this is a folder; name a file" in client.stderr()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_ends_it_with_its_report_written(cassette: Path, tmp_path: Path, name: str) -> None:
    """Issue 2; DESIGN 4: hosts end their servers by SIGTERM, often without EOF; the process ends by that signal."""
    target = tmp_path / "report.json"
    with replay(cassette, "--report", str(target)) as client:
        client.ask(call("add", a=1))
        client.process.send_signal(getattr(signal, name))
        assert client.process.wait(60) == -getattr(signal, name)
        assert client.stderr() == ""
    assert json.loads(target.read_text(encoding="utf-8"))["requests"] == 1


def test_a_signal_after_a_miss_is_exit_3(cassette: Path) -> None:
    """Ours (DESIGN 2.5): a miss is never silent, however the client ends its server."""
    with replay(cassette) as client:
        client.ask(call("sub"))
        client.process.send_signal(signal.SIGTERM)
        assert client.process.wait(60) == 3


def test_a_signal_is_heeded_while_a_moment_is_waited_for(tmp_path: Path) -> None:
    """Ours (DESIGN 5): the reading thread does not keep the process."""
    slow = tmp_path / "slow.yaml"
    slow.write_text(CALLS.rstrip() + "\n  timing: [0, 600000, 600001, 600002]\n", encoding="utf-8")
    with replay(slow, "--delays", "1") as client:
        client.send(call("add", a=1), {"id": 2, "method": "ping"})
        assert client.read() == {"id": 2, "result": {}}
        client.process.send_signal(signal.SIGTERM)
        assert client.process.wait(60) == -signal.SIGTERM


@pytest.mark.parametrize(
    ("exit_", "code"),
    [("7", 7), ("0", 0), ("255", 255), ("SIGKILL", -9), ("SIGTERM", -15), ("SIGSEGV", -11), ("SIGHUP", -1)],
)
def test_a_recorded_end_is_played_with_its_own_code_or_signal(tmp_path: Path, exit_: str, code: int) -> None:
    """Ours (DESIGN 4); case PR-05: the client sees EOF at the same place, and the request is never answered."""
    path = tmp_path / "crash.yaml"
    path.write_text(
        recorded(f"> {{id: 7, method: tools/call, params: {{name: crash}}}}\n- eof: server\n- exit: {exit_}"),
        encoding="utf-8",
    )
    with replay(path, "--report", str(tmp_path / "report.json")) as client:
        client.ask({"id": 0, "method": "ping"})
        client.send(call("crash"), {"id": 2, "method": "ping"})
        assert client.read_line() == b""
        assert client.process.wait(60) == code
    assert (tmp_path / "report.json").exists()


@pytest.mark.parametrize(("exit_", "code"), [("0", 3), ("7", 7), ("SIGKILL", -9)])
def test_a_miss_before_a_recorded_end(tmp_path: Path, exit_: str, code: int) -> None:
    """Ours (DESIGN 4): an end of its own comes first; an orderly one does not hide the miss."""
    path = tmp_path / "crash.yaml"
    path.write_text(
        recorded(f"> {{id: 7, method: tools/call, params: {{name: crash}}}}\n- eof: server\n- exit: {exit_}"),
        encoding="utf-8",
    )
    with replay(path) as client:
        client.ask(call("other"))
        client.send(call("crash"))
        assert client.process.wait(60) == code
        assert "other" in client.stderr()


def test_a_recorded_end_by_signal_after_eof_is_orderly(tmp_path: Path) -> None:
    """Ours (DESIGN 4, The end)."""
    path = tmp_path / "killed.yaml"
    path.write_text(CALLS + "  - exit: SIGKILL\n", encoding="utf-8")
    with replay(path) as client:
        client.ask(call("add", a=1))
        assert client.finish() == (0, b"")


def test_it_never_writes_to_the_cassette_nor_beside_it(tmp_path: Path) -> None:
    """Issue 2: also from a folder that cannot be written to."""
    folder = tmp_path / "read-only"
    folder.mkdir()
    path = folder / "calls.yaml"
    path.write_text(CALLS, encoding="utf-8")
    path.chmod(0o444)
    folder.chmod(0o555)
    before = os.stat(path)
    try:
        with replay(path, "--fail-unplayed") as client:
            client.ask(call("sub"))
            assert client.finish()[0] == 3
        assert os.listdir(folder) == ["calls.yaml"]
        after = os.stat(path)
        assert (after.st_mtime_ns, after.st_ino, after.st_size) == (before.st_mtime_ns, before.st_ino, before.st_size)
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize("cancels", [False, True])
def test_a_client_that_was_left_waiting_is_explained(tmp_path: Path, *, cancels: bool) -> None:
    """Ours: a request that was recorded without an answer gets none, which is no miss; unless the client gave up."""
    path = tmp_path / "typo.yaml"
    path.write_text(recorded("> {id: 1, method: tools/call, params: {name: t}}\n< {id: 2, result: one}\n"))
    with replay(path) as client:
        client.send({"id": 7, "method": "tools/call", "params": {"name": "t"}})
        if cancels:
            client.send({"method": "notifications/cancelled", "params": {"requestId": 7}})
        assert client.finish()[0] == 0
        told = f"the request at {path}:6 was recorded without an answer, and so got none"
        assert client.stderr().count(told) == (not cancels)


@pytest.mark.parametrize("cancels", [False, True])
def test_a_client_that_does_not_cancel_what_was_cancelled_is_explained(tmp_path: Path, *, cancels: bool) -> None:
    """Ours (DESIGN 4): a cancel is a step, and what waits for it waits for ever."""
    path = tmp_path / "cancelled.yaml"
    path.write_text(
        recorded(
            "> {id: 1, method: tools/call, params: {name: t}}\n"
            "> {method: notifications/cancelled, params: {requestId: 1}}\n"
        )
    )
    with replay(path) as client:
        client.send({"id": 7, "method": "tools/call", "params": {"name": "t"}})
        if cancels:
            client.send({"method": "notifications/cancelled", "params": {"requestId": 7}})
        assert client.finish()[0] == 0
        told = f"the request at {path}:6 was cancelled when it was recorded, and so got no answer"
        assert client.stderr().count(told) == (not cancels)


def test_a_client_that_sends_without_end_and_never_reads_has_to_wait(tmp_path: Path) -> None:
    """Ours (DESIGN 5): what a replay keeps for a client that does not read is bounded, as with a real server."""
    cassette = tmp_path / "long.yaml"
    cassette.write_text(CALLS.replace("sum: 1", f"text: {'x' * 200_000}"))
    filler = line({"id": 1, "method": "ping", "params": {"filler": "x" * 100_000}})
    with replay(cassette) as client:
        client.send(call("add", a=1))
        sent, most = 0, 100 << 20
        while sent < most and select.select([], [client.stdin], [], 1.0)[1]:
            sent += os.write(client.stdin, filler)
        assert 60 << 20 < sent < most
        client.process.send_signal(signal.SIGTERM)
        assert client.process.wait(60) == -signal.SIGTERM
