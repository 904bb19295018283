"""The stdio shell of a replay, real processes: bytes in, bytes out (DESIGN 5, "stdio replay")."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.session.dialogue import HANDSHAKE, recorded
from tests.transports.client import INITIALIZE, call, line, replay, until

TALK = recorded(
    HANDSHAKE
    + """
    > {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}
    < {id: 1, result: {sum: 1}}
    > {id: 2, method: tools/call, params: {name: ask, arguments: {}, _meta: {progressToken: 1}}}
    < {method: notifications/progress, params: {progressToken: 1, progress: 1}}
    < {id: 5, method: roots/list}
    > {id: 5, result: {roots: []}}
    < {id: 2, result: {text: "a\\u2028b é"}}
    """
)


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """A cassette in a folder of its own."""
    path = tmp_path / "cassettes" / "talk.yaml"
    path.parent.mkdir()
    path.write_text(TALK, encoding="utf-8")
    return path


def written(tmp_path: Path, text: str) -> Path:
    """A cassette with this text."""
    path = tmp_path / "written.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def initialize(**capabilities: object) -> dict[str, object]:
    return {"id": 0, "method": "initialize", "params": {**INITIALIZE, "capabilities": capabilities}}


def test_a_whole_session_over_real_pipes(cassette: Path) -> None:
    """Ours (DESIGN 4): handshake, call, progress on the live token, a question, an orderly end with 0."""
    with replay(cassette) as client:
        assert client.ask(initialize(roots={}))["result"]["protocolVersion"] == "2025-06-18"
        client.send({"method": "notifications/initialized"})
        assert client.ask(call("add", 1, a=1)) == {"id": 1, "result": {"sum": 1}}
        client.send(call("ask", "two", token=0))
        progress = {"method": "notifications/progress", "params": {"progressToken": 0, "progress": 1}}
        assert client.read() == progress
        assert client.read() == {"id": 5, "method": "roots/list"}
        assert client.ask({"id": 5, "result": {"roots": []}}) == {"id": "two", "result": {"text": "a\u2028b é"}}
        assert client.finish() == (0, b"")
        assert client.stderr() == ""


def test_several_messages_in_one_chunk_are_answered_one_by_one(cassette: Path) -> None:
    """Ours (DESIGN 5): the whole session in one write, which ends with EOF."""
    with replay(cassette) as client:
        client.send(
            initialize(), {"method": "notifications/initialized"}, call("add", 1, a=1), {"id": 2, "method": "ping"}
        )
        code, told = client.finish()
    assert [json.loads(one)["id"] for one in told.splitlines()] == [0, 1, 2]
    assert code == 0


def test_one_message_in_many_chunks_is_one_message(cassette: Path) -> None:
    """Ours (DESIGN 5): cut at every byte, in the middle of a character too."""
    with replay(cassette) as client:
        data = json.dumps({"jsonrpc": "2.0", "id": "é", "method": "ping"}, ensure_ascii=False).encode()
        for byte in data + b"\n":
            client.write(bytes([byte]))
        assert client.read() == {"id": "é", "result": {}}


def test_blank_lines_and_cr_and_bom_are_tolerated_on_the_way_in_and_never_written(cassette: Path) -> None:
    """Cases FR-05 and FR-09: LF only, on every platform."""
    with replay(cassette) as client:
        client.write(b"\xef\xbb\xbf" + line({"id": 1, "method": "ping"}))
        client.write(b"\r\n\n\r\n" + line({"id": 2, "method": "ping"}).replace(b"\n", b"\r\n"))
        _, told = client.finish()
    assert told == b'{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":2,"result":{}}\n'


def test_a_last_line_without_lf_is_taken(cassette: Path) -> None:
    """Issue 2 (framing): at EOF, before the end."""
    with replay(cassette) as client:
        client.write(line({"id": 1, "method": "ping"}).rstrip())
        assert client.finish() == (0, b'{"jsonrpc":"2.0","id":1,"result":{}}\n')


def test_an_end_without_a_word_is_an_orderly_one(cassette: Path) -> None:
    """Case PR-03: EOF ends it at once."""
    with replay(cassette) as client:
        assert client.finish() == (0, b"")


@pytest.mark.parametrize("blocking", [True, False], ids=["blocking", "non-blocking"])
def test_large_messages_pass_whole_both_ways(tmp_path: Path, *, blocking: bool) -> None:
    """Case FR-01: 50 MiB in, 50 MiB out, and what follows is answered; also where the descriptors do not block."""
    size = 50 * 1024 * 1024
    big = written(
        tmp_path,
        "version: 1\nmatch: [{method: tools/call, name: put, ignore: [/arguments/blob]}]\nsessions:\n- entries:\n"
        "  - client: {method: tools/call, params: {name: put, arguments: {blob: x}}}\n    server: {result: {ok: 1}}\n"
        "  - client: {method: tools/call, params: {name: take}}\n    server:\n      result:\n"
        f'        content: [{{type: text, text: "{"y" * size}"}}]\n',
    )
    with replay(big, blocking=blocking) as client:
        client.send(call("put", 1, blob="x" * size), call("take", 2), {"id": 3, "method": "ping"})
        assert client.read() == {"id": 1, "result": {"ok": 1}}
        took = client.read_line()
        assert len(took) > size
        assert json.loads(took)["result"]["content"][0]["text"] == "y" * size
        assert client.read() == {"id": 3, "result": {}}
        assert client.finish()[0] == 0


def test_a_client_that_reads_slowly_gets_everything(tmp_path: Path) -> None:
    """Case FR-01: the shell waits where nobody reads yet, and goes on."""
    many = written(
        tmp_path,
        f"version: 1\nsessions:\n- entries:\n  - client: {{method: ping}}\n    server: {{result: {'z' * 5000}}}\n",
    )
    with replay(many) as client:
        client.write(b"".join(line({"id": at, "method": "ping"}) for at in range(200)))
        client.close_stdin()
        told = b""
        while chunk := client.read_chunk(1000):
            told += chunk
    assert [json.loads(one)["id"] for one in told.splitlines()] == list(range(200))


@pytest.mark.parametrize("stdout", ["pipe", "socket"])
@pytest.mark.parametrize("size", [50, 20_000])
def test_a_client_that_sends_all_before_it_reads_anything_gets_everything(
    tmp_path: Path, stdout: str, size: int
) -> None:
    """Case FR-01: more than the pipes hold, in both directions; nobody waits for the other for ever."""
    many = written(
        tmp_path,
        f"version: 1\nsessions:\n- entries:\n  - client: {{method: ping}}\n    server: {{result: {'z' * size}}}\n",
    )
    asked = b"".join(line({"id": at, "method": "ping", "params": {"pad": "y" * 500}}) for at in range(3000))
    with replay(many, stdout=stdout) as client:
        client.write(asked)
        code, told = client.finish()
    assert [json.loads(one)["id"] for one in told.splitlines()] == list(range(3000))
    assert code == 0


@pytest.mark.parametrize("stdout", ["pipe", "socket"])
def test_a_client_that_has_gone_ends_it(cassette: Path, stdout: str) -> None:
    """Case PR-03: a broken pipe, or a reset socket, is the client's way to leave, not an error of ours."""
    with replay(cassette, stdout=stdout) as client:
        assert client.ask({"id": 1, "method": "ping"}) == {"id": 1, "result": {}}
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, client.stdout)
        os.close(null)
        client.send({"id": 2, "method": "ping"}, {"id": 3, "method": "ping"})
        until(lambda: client.process.poll() is not None, "the replay ends")
        assert client.process.returncode == 0
        assert client.stderr() == ""


def test_a_client_that_never_reads_its_stderr_is_served_all_the_same(cassette: Path) -> None:
    """Ours (DESIGN 2.5): more pages about misses than a pipe holds; the error answers come, and exit 3."""
    with replay(cassette, stderr="unread") as client:
        for at in range(400):
            assert client.ask(call("add", at, a=2, text="x" * 300))["error"]["code"] == -31404
        assert client.finish() == (3, b"")


def test_input_that_is_no_message_is_answered_and_survived(cassette: Path) -> None:
    """Case FR-07."""
    with replay(cassette) as client:
        client.write(b"\xff\xfe\n" + line({"id": 1, "method": "ping"}))
        assert client.read()["error"]["code"] == -32700
        assert client.read() == {"id": 1, "result": {}}
        assert client.finish() == (0, b"")
