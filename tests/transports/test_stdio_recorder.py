"""The recorder between a client and real processes: what it passes on, and what it keeps."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpmock.cassette.model import Entry
from mcpmock.cassette.variables import VariableMask
from mcpmock.folders import recorded_folders
from tests.transports.recorder_client import SERVER, SMALL, Studio, shape


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    """A folder to record in."""
    return Studio(tmp_path)


def test_a_session_is_passed_on_and_recorded(studio: Studio) -> None:
    """Ours (DESIGN 2.4): what the client gets is what the server sent; what was said is in the cassette."""
    with studio.record("echo") as client:
        client.send({"id": 0, "method": "initialize", "params": {}})
        assert client.receive() == {"jsonrpc": "2.0", "id": 0, "result": {"text": "", "size": 65}}
        assert client.ask("a", size=3)["result"]["text"] == "xxx"
        assert client.finish() == 0
        assert client.stderr() == ""
    assert shape(studio.entries()) == ["client initialize", "server 0", "client tools/call", "server a", "exit 0"]
    assert not studio.parts()
    (session,) = studio.cassette().sessions
    assert session.server == "small"
    folders = VariableMask(recorded_folders(studio.environment, None, {}))
    assert session.command == (folders.text(sys.executable), folders.text(SERVER), "echo")
    assert all(entry.at is not None for entry in session.entries)


@pytest.mark.parametrize("size", [64 * 1024 + 1, 1024 * 1024, 10 * 1024 * 1024])
def test_fr_01_long_lines_pass_both_ways_and_are_kept(studio: Studio, size: int) -> None:
    """FR-01: every message whole, and the small one behind it too."""
    with studio.record("echo") as client:
        answer = client.ask(1, size=size, pad="y" * size)
        assert len(answer["result"]["text"]) == size
        assert answer["result"]["size"] > size
        assert client.ask(2)["id"] == 2
        assert client.finish() == 0
    request, response, *_ = studio.entries()
    assert request.messages[0].body["params"]["pad"] == "y" * size  # type: ignore[call-overload,index]
    assert response.messages[0].body["result"]["text"] == "x" * size  # type: ignore[call-overload,index]


def test_fr_01_fifty_mebibytes_in_one_line(studio: Studio) -> None:
    """FR-01: time linear in size, nothing lost."""
    size = 50 * 1024 * 1024
    with studio.record("echo") as client:
        assert len(client.ask(1, size=size)["result"]["text"]) == size
        assert client.ask(2)["id"] == 2
        assert client.finish() == 0
    assert shape(studio.entries()) == ["client tools/call", "server 1", "client tools/call", "server 2", "exit 0"]


def test_fr_02_what_is_too_long_is_passed_on_and_noted_by_its_size(studio: Studio) -> None:
    """FR-02: the cap bounds what is kept, never what is forwarded."""
    noise = "x" * 300_000
    with studio.record("echo", options=["--max-message", "100K"]) as client:
        client.send({"id": 1, "method": "tools/call", "params": {"raw": noise + "\n"}})
        assert client.read_line() == noise.encode() + b"\n"
        assert client.receive()["id"] == 1
        assert client.finish() == 0
        assert "a line of 300,000 bytes" in client.stderr()
    assert Entry("raw", size=300_000) in studio.entries()


def test_bytes_are_passed_on_untouched(studio: Studio) -> None:
    """FR-05, FR-06, FR-07, FR-09, FR-11: whatever it is, the client meets the real thing; kept as what it was."""
    odd = b"\xef\xbb\xbf\xff\xfe\r\n\x1b[32mINFO\x1b[0m\n\n[]\nContent-Length: 5\r\n\r\n{ \xe2\x80\xa8 }\n\x00\n"
    with studio.record("echo") as client:
        client.send(b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"raw":%s}}\r\n' % _latin(odd))
        expected = b'{"jsonrpc": "2.0", "id": 1, "result": {"text": "", "size": '
        received = b"".join(client.read_line() for _ in range(odd.count(b"\n") + 1))
        assert received.startswith(odd + expected)
        assert client.finish() == 0
        assert client.stderr().count("mcpmock:") == 2, "one warning for noise, one that names LSP framing"
    assert [entry.text for entry in studio.entries() if entry.kind == "raw"] == [
        b"\xef\xbb\xbf\xff\xfe",
        "\x1b[32mINFO\x1b[0m",
        "[]",
        "Content-Length: 5",
        "{ \u2028 }",
        "\x00",
    ]


def test_fr_08_a_lone_surrogate_ends_up_in_the_cassette(studio: Studio) -> None:
    """FR-08: forwarded as it came, recorded as it was."""
    text = r'{"jsonrpc":"2.0","id":1,"method":"x\ud800y"}'
    with studio.record("echo") as client:
        client.send(text.encode() + b"\n")
        client.receive()
        client.finish()
    assert studio.entries()[0].messages[0].text == text


def test_rp_06_a_batch_travels_as_one(studio: Studio) -> None:
    """RP-06: one line in, one line out, one entry each."""
    with studio.record("echo") as client:
        client.send([{"id": 1, "method": "ping"}, {"method": "notifications/x"}, {"id": 2, "method": "tools/list"}])
        assert [member["id"] for member in client.receive()] == [1, 2]
        client.finish()
    request, response, _ = studio.entries()
    assert request.is_batch
    assert len(request.messages) == 3
    assert response.is_batch


def test_rp_04_an_error_with_a_null_id_passes(studio: Studio) -> None:
    """RP-04, FR-07: a bad line is answered by the server itself, not by the recorder."""
    with studio.record("echo") as client:
        client.send(b"not json\n")
        assert client.receive()["error"]["code"] == -32700
        assert client.ask(1)["id"] == 1
        client.finish()
    assert shape(studio.entries())[:2] == ["raw not json", "server None"]


def test_stderr_passes_live_and_is_recorded(studio: Studio) -> None:
    """Ours (issue 2): live means before the answer that follows it."""
    with studio.record("echo") as client:
        client.send({"id": 1, "method": "tools/call", "params": {"stderr": "one\ntwo\n\x1b[1mbold\x1b[0m\n"}})
        client.wait_for_stderr("one\ntwo\n\x1b[1mbold\x1b[0m\n")
        client.receive()
        client.finish()
    texts = [entry.text for entry in studio.entries() if entry.kind == "stderr"]
    assert texts == ["one\ntwo\n", "\x1b[1mbold\x1b[0m\n"]


def test_stderr_that_nobody_reads_never_blocks_the_server(studio: Studio) -> None:
    """Ours (issue 2): megabytes of it, and a client that looks only at stdout."""
    with studio.record("floods_stderr") as client:
        client.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}\n')
        assert b'"id": 1' in os.read(client.process.stdout.fileno(), 65536)
        client.close()
        client.process.wait(60)
    texts = "".join(str(entry.text) for entry in studio.entries() if entry.kind == "stderr")
    assert texts.count("\n") == 20000


def test_two_recordings_of_one_session_are_equal_but_for_timing(studio: Studio, tmp_path: Path) -> None:
    """CA-04 (DESIGN 3, Stable): the same bytes."""
    texts = []
    for name in ("one", "two"):
        with studio.record("echo", options=["--run", name]) as client:
            for number in range(20):
                client.ask(number, size=number * 100, stderr=f"line {number}\nanother\n")
            client.finish()
        text = studio.path.read_bytes()
        texts.append(text[: text.index(b"  timing:")])
    assert texts[0] == texts[1]


def test_recorded_or_not_a_client_gets_the_same_bytes(studio: Studio) -> None:
    """Ours (DESIGN 2.4): direct against recorded, with what a client may do to a server."""

    def talk(words: list[str]) -> tuple[bytes, int]:
        with studio.start(words) as client:
            client.send(b"".join(_lines(200)))
            client.close()
            return client.read_rest(), client.wait()

    server = [sys.executable, SERVER, "echo"]
    assert talk(server) == talk(studio.words(shlex.join(server)))


def test_what_is_closed_at_the_start_stays_harmless(studio: Studio) -> None:
    """Ours: with stderr closed, no file of ours becomes descriptor 2."""
    words = studio.words(f"{SMALL} echo")
    with studio.start(["sh", "-c", 'exec "$@" 2>&-', "sh", *words]) as client:
        client.ask(1, stderr="into the void\n")
        client.send(b"noise\n")
        client.receive()
        assert client.finish() == 0
    assert shape(studio.entries())[1:3] == ["stderr into the void", "server 1"]


def _lines(count: int) -> Iterator[bytes]:
    for number in range(count):
        params = {"size": number * 37 % 5000, "raw": "noise\r\n" if number % 7 == 0 else ""}
        yield json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode() + b"\n"


def _latin(data: bytes) -> bytes:
    return json.dumps(data.decode("latin-1")).encode()
