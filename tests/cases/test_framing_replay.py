"""Cases from public bug reports: stdio framing, the replayer's side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE
from tests.session.dialogue import HANDSHAKE, recorded
from tests.transports.client import call, line, replay

PING = {"id": 1, "method": "ping"}
PONG = {"id": 1, "result": {}}


def written(tmp_path: Path, text: str) -> Path:
    """A cassette with this text."""
    path = tmp_path / "case.yaml"
    path.write_bytes(text.encode())
    return path


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """A handshake of revision 2025-06-18, in which an error without an id has `id: null`."""
    return written(tmp_path, recorded(HANDSHAKE))


@pytest.mark.parametrize("size", [65536, 65537, 1 << 20, 10 << 20])
def test_fr_01_a_line_longer_than_64_kib(tmp_path: Path, size: int) -> None:
    """FR-01: the big line whole, and what follows at once; in both directions."""
    text = "x" * size
    path = written(
        tmp_path,
        recorded(f"""
        > {{id: 1, method: tools/call, params: {{name: take}}}}
        < {{id: 1, result: {text}}}
        > {{id: 2, method: tools/call, params: {{name: put, arguments: {{text: {text}}}}}}}
        < {{id: 2, result: small}}
        """),
    )
    with replay(path) as client:
        client.send(call("take", 1), PING, call("put", 2, text=text), PING)
        assert client.read() == {"id": 1, "result": text}
        assert client.read() == PONG
        assert client.read() == {"id": 2, "result": "small"}
        assert client.read() == PONG


def test_fr_02_a_client_that_never_sends_lf(cassette: Path) -> None:
    """FR-02: beyond the cap -32700 once, the rest of the line is drained and no message; the next one is served."""
    with replay(cassette) as client:
        megabyte = b"x" * (1 << 20)
        for _ in range(DEFAULT_MAX_MESSAGE // len(megabyte) + 2):
            client.write(megabyte)
        client.write(line(PING).rstrip() + b"\n" + line(PING))
        refused = client.read()
        assert (refused["id"], refused["error"]["code"]) == (None, -32700)
        assert "too long" in refused["error"]["message"]
        assert client.read() == PONG
        assert client.finish() == (0, b"")


def test_fr_04_line_separators_of_unicode_inside_a_string(tmp_path: Path) -> None:
    """FR-04: U+2028, U+2029 and U+0085 end no line, on the way in and on the way out."""
    text = "a\u2028b\u2029c\u0085d"
    path = written(
        tmp_path,
        recorded("""
        > {id: 1, method: tools/call, params: {name: t, arguments: {text: "a\\u2028b\\u2029c\\x85d"}}}
        < {id: 1, result: {content: [{type: text, text: "a\\u2028b\\u2029c\\x85d"}]}}
        """),
    )
    request = {"jsonrpc": "2.0", **call("t", text=text)}
    with replay(path) as client:
        client.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
        told = client.read_line()
        assert json.loads(told)["result"]["content"][0]["text"] == text
        assert len(told.decode().splitlines()) == 1
        assert client.finish() == (0, b"")


def test_fr_05_crlf_is_read_and_lf_is_written(cassette: Path) -> None:
    """FR-05: also a blank line between two messages, and a cassette that was checked out with CRLF."""
    cassette.write_bytes(cassette.read_bytes().replace(b"\n", b"\r\n"))
    with replay(cassette) as client:
        client.write(line(PING).replace(b"\n", b"\r\n") + b"\r\n" + line(PING).replace(b"\n", b"\r\n"))
        assert client.finish() == (0, 2 * b'{"jsonrpc":"2.0","id":1,"result":{}}\n')


NOISE = """
- raw: "Server v1.2 ready"
- raw: "\\e[32mINFO\\e[0m started"
- raw: "[]"
- raw: "42"
- raw: "null"
- raw: '{"level":"info"}'
"""


def test_fr_06_noise_is_left_out_or_played_in_place(tmp_path: Path) -> None:
    """FR-06: clean by default, byte for byte where it is asked for; and nothing of our own on stdout."""
    path = written(tmp_path, recorded(NOISE + HANDSHAKE))
    request = {"id": 0, "method": "initialize", "params": {"capabilities": {}}}
    result = b'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}\n'
    noise = b'Server v1.2 ready\n\x1b[32mINFO\x1b[0m started\n[]\n42\nnull\n{"level":"info"}\n'
    for options, told in (((), result), (("--noise",), noise + result)):
        with replay(path, *options) as client:
            client.send(request)
            assert client.finish() == (0, told)


def test_fr_07_bytes_that_are_no_utf_8(tmp_path: Path) -> None:
    """FR-07: a bad line of the client is -32700; a recorded bad line is played byte for byte only on request."""
    bad = b'{"jsonrpc":"2.0","id":1,"result":{"t":"\xff"}}\n'
    path = written(
        tmp_path,
        recorded("""
        > {id: 1, method: tools/call, params: {name: t}}
        - raw: {base64: eyJqc29ucnBjIjoiMi4wIiwiaWQiOjEsInJlc3VsdCI6eyJ0Ijoi/yJ9fQ==}
        > {id: 2, method: tools/call, params: {name: next}}
        < {id: 2, result: {}}
        """),
    )
    for options, told in (((), b""), (("--noise",), bad)):
        with replay(path, *options) as client:
            client.write(b"\xff\xfe\n" + line(PING))
            assert client.read()["error"]["code"] == -32700
            assert client.read() == PONG
            client.send(call("t", 1), call("next", 2))
            assert client.finish() == (0, told + b'{"jsonrpc":"2.0","id":2,"result":{}}\n')


def test_fr_08_lone_surrogates_in_keys_and_values(tmp_path: Path) -> None:
    """FR-08: written as an ASCII escape; a request with one in a key or a value is matched by it."""
    path = written(
        tmp_path,
        recorded(
            r"""- client: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"""
            r"""{"name":"t","arguments":{"k\ud800":"v\udc00"}}}'"""
            "\n"
            r"""- server: '{"jsonrpc":"2.0","id":1,"result":{"text":"x\ud800y"}}'"""
        ),
    )
    with replay(path) as client:
        near = (
            rb'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"t","arguments":{"k\ud801":"v\udc00"}}}'
        )
        client.write(near + b"\n")
        assert client.read()["error"]["data"]["mcpmock"]["miss"] == "near miss"
        exact = (
            rb'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{"k\uD800":"v\udc00"},"name":"t"}}'
        )
        client.write(exact + b"\n")
        assert client.read_line() == rb'{"jsonrpc":"2.0","id":7,"result":{"text":"x\ud800y"}}'
        assert client.finish() == (3, b"")


def test_fr_09_a_bom_at_the_start(cassette: Path) -> None:
    """FR-09: of the client's first line, and of the cassette; never written."""
    cassette.write_bytes(b"\xef\xbb\xbf" + cassette.read_bytes())
    with replay(cassette) as client:
        client.write(b"\xef\xbb\xbf" + line(PING))
        assert client.finish() == (0, b'{"jsonrpc":"2.0","id":1,"result":{}}\n')


def test_fr_11_content_length_framing_and_pretty_printed_json(cassette: Path) -> None:
    """FR-11: -32700 once per bad line, and it stays alive; the message behind a header is a line like any other."""
    with replay(cassette) as client:
        body = line(PING)
        client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        assert client.read()["error"]["code"] == -32700
        assert client.read() == PONG
        client.write(b'{\n "jsonrpc":"2.0",\n "id":1,\n "method":"ping"\n}\n')
        assert [client.read()["error"]["code"] for _ in range(5)] == [-32700] * 5
        assert client.ask(PING) == PONG
        assert client.finish() == (0, b"")
