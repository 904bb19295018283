"""The recorder of HTTP as a proxy: whatever clients do."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.cases.http_cases import INITIALIZED, TOOL, result
from tests.transports.http_upstream import STREAM, Asked, Upstream
from tests.transports.proxying import Client, is_served, open_session, proxied, recording


@pytest.mark.parametrize(
    "garbage",
    [
        b"GARBAGE\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 200,  # a TLS handshake
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /mcp HTTP/1.1\r\n\r\n",  # no Host
        b"GET /" + b"x" * 400_000,
        b"\0" * 400_000,
    ],
)
def test_garbage_is_answered_with_an_error_and_harms_nobody_else(tmp_path: Path, garbage: bytes) -> None:
    """Issue 5: a client's fault never takes it down."""
    with proxied(tmp_path, result) as (_, proxy, client), Client(proxy.url) as other:
        open_session(other)
        client.send(garbage)
        status, _ = client.head()
        assert 400 <= status < 500
        assert other.call({**TOOL, "id": 5}).message["id"] == 5
        assert is_served(proxy.url)


def test_clients_that_go_in_the_middle_of_anything_harm_nobody_else(tmp_path: Path) -> None:
    """Issue 5: half requests, resets, in every state."""
    whole = (
        b'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 40\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"ping"}'
    )
    with Upstream(result) as upstream, recording(tmp_path / "c.yaml", f"{upstream.url}/mcp") as proxy:
        for cut in range(0, len(whole) + 1, 9):
            with Client(proxy.url) as client:
                client.send(whole[:cut])
                if cut % 2:
                    client.reset()
        assert is_served(proxy.url)


def test_a_slow_reader_slows_the_server_down_and_nothing_else(tmp_path: Path) -> None:
    """Issue 5: what a client does not read is not heaped up, and others do not wait for it."""
    sent = threading.Event()
    piece = b"x" * 65536

    def serve(asked: Asked) -> None:
        if asked.message["id"] != 7:
            result(asked)
            return
        asked.head(200, "Content-Type: text/plain")
        for _ in range(800):
            asked.chunk(piece)
        sent.set()
        asked.end()

    with proxied(tmp_path, serve) as (_, proxy, slow):
        slow.post({**TOOL, "id": 7})
        slow.head()
        for _ in range(20):
            assert is_served(proxy.url)
        assert not sent.is_set()  # 50 MB are more than all buffers on the way
        assert sum(len(chunk) for chunk in iter(slow.chunk, b"")) == 800 * len(piece)


def test_large_bodies_pass_in_both_directions(tmp_path: Path) -> None:
    """FR-01's brother: chunked requests too."""
    text = "y" * 5_000_000

    def serve(asked: Asked) -> None:
        asked.result({"echo": asked.message["params"]["text"]})

    body = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"%b"}}' % text.encode()
    with proxied(tmp_path, serve) as (_, proxy, client):
        client.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        for at in range(0, len(body), 100_000):
            piece = body[at : at + 100_000]
            client.send(b"%x\r\n%b\r\n" % (len(piece), piece))
        client.send("0\r\n\r\n")
        assert client.answer().message["result"] == {"echo": text}
    assert proxy.text.count(text) == 2


def test_requests_behind_each_other_on_one_connection_are_answered_in_order(tmp_path: Path) -> None:
    """RFC 9112, 9.3.2: pipelining."""
    with proxied(tmp_path, result) as (upstream, _, client):
        for number in range(20):
            client.post({**TOOL, "id": number})
        assert [client.answer().message["id"] for _ in range(20)] == list(range(20))
        assert upstream.connections == 1


def test_a_client_of_http_1_0_gets_its_answer_and_the_end(tmp_path: Path) -> None:
    """RFC 9112, 9.3."""

    def serve(asked: Asked) -> None:
        asked.stream({"id": 1, "result": {}})

    with proxied(tmp_path, serve) as (_, _, client):
        client.send('POST /mcp HTTP/1.0\r\nContent-Length: 40\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"ping"}')
        assert b"chunked" not in client.until(b"\r\n\r\n")
        assert b'"result": {}' in client.until(b"\n\n")
        assert client.is_broken_off()


def test_many_clients_at_once_have_sessions_of_their_own(tmp_path: Path) -> None:
    """Issue 5: with the same ids in each; and no connection, of ours or to the server, is left behind."""

    def serve(asked: Asked) -> None:
        if asked.method == "DELETE":
            asked.answer(200)
        elif asked.message["method"] == "initialize":
            name = asked.message["params"]["clientInfo"]["name"]
            asked.answer(200, {"id": 0, "result": {}}, f"Mcp-Session-Id: {name}")
        elif "id" in asked.message:
            asked.result({"session": asked.all("mcp-session-id")[0]})
        else:
            asked.answer(202)

    def live(url: str, name: str) -> None:
        with Client(url) as client:
            open_session(client, clientInfo={"name": name})
            client.call(INITIALIZED, f"Mcp-Session-Id: {name}")
            for number in range(1, 6):
                answer = client.call({**TOOL, "id": number}, f"Mcp-Session-Id: {name}")
                assert answer.message["result"] == {"session": name}
            client.ask("DELETE", f"Mcp-Session-Id: {name}")
            assert client.answer().status == 200

    with Upstream(serve) as upstream, recording(tmp_path / "c.yaml", f"{upstream.url}/mcp") as proxy:
        threads = [threading.Thread(target=live, args=(proxy.url, f"S{number}")) for number in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert len(proxy.sessions) == 30
    for session in proxy.sessions:
        assert [entry.kind for entry in session.entries] == [
            "client",
            "server",
            "client",
            *["client", "server"] * 5,
            "http",
        ]


def test_what_still_runs_when_the_proxy_ends_is_kept(tmp_path: Path) -> None:
    """Issue 5: with a stream that is still open."""

    def serve(asked: Asked) -> None:
        if asked.method == "GET":
            asked.head(200, STREAM)
        else:
            result(asked)

    with Upstream(serve) as upstream:
        with Client(upstream.url + "/mcp"):
            pass
        with recording(tmp_path / "c.yaml", f"{upstream.url}/mcp") as proxy:
            one, two = Client(proxy.url), Client(proxy.url)
            open_session(one)
            two.get()
            two.head()
    one.leave()
    two.leave()
    assert "get: stream" in proxy.text
    assert "aborted" not in proxy.text
