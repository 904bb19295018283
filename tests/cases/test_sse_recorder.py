"""Cases from public bug reports: event streams and the legacy transport, the recorder's side, over real sockets."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases.http_cases import TOOL, after_handshake
from tests.transports.http_upstream import STREAM, Asked, Upstream
from tests.transports.proxying import Client, open_session, proxied, recording


def sending(*chunks: bytes) -> Callable[[Asked], None]:
    """A server that answers the handshake, and anything else with a stream of these chunks."""

    def stream(asked: Asked) -> None:
        asked.head(200, STREAM)
        for chunk in chunks:
            asked.chunk(chunk)
        asked.end()

    return after_handshake(stream)


RESULT = b'{"jsonrpc":"2.0","id":1,"result":{"text":"whole"}}'


@pytest.mark.parametrize("eol", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_ss_02_several_data_lines_field_order_no_space_unknown_fields(tmp_path: Path, eol: bytes, size: int) -> None:
    """SS-02: joined with LF, however the stream is cut and its lines end; passed on byte for byte."""
    lines = (
        b'data:{"jsonrpc":"2.0",',
        b'data:"id":1,',
        b'data: "result":{"text":"whole"}}',
        b"event: message",
        b"id:7",
    )
    stream = eol.join((*lines, b"foo: bar", b"data", b"", b""))
    chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
    with proxied(tmp_path, sending(*chunks)) as (_, proxy, client):
        open_session(client)
        assert client.call(TOOL).body == stream
    proxy.holds("""
        - server: {id: 1, result: {text: whole}}
          http: {answers: stream}
    """)


def test_ss_03_priming_events_with_empty_data(tmp_path: Path) -> None:
    """SS-03: passed on, noted in the norm, and no message."""

    def serve(asked: Asked) -> None:
        asked.head(200, STREAM)
        asked.chunk(b"id: s1_0\nretry: 500\ndata: \n\n")
        asked.chunk(b"id: s1_1\nevent: message\ndata: " + RESULT.replace(b"1,", b"%d," % asked.message["id"]) + b"\n\n")
        asked.end()

    with proxied(tmp_path, serve) as (_, proxy, client):
        open_session(client)
        assert client.call(TOOL).body.startswith(b"id: s1_0\nretry: 500\ndata: \n\n")
    [session] = proxy.sessions
    assert (session.http.ids, session.http.priming, session.http.retry) == (True, True, 500)
    assert [entry.kind for entry in session.entries] == ["client", "server"] * 2


def test_ss_04_comments_and_heartbeats(tmp_path: Path) -> None:
    """SS-04: passed on; the file does not grow with them."""
    beats = [b": ping - 2026-01-01\n\n", b"event: ping\ndata: {}\n\n", b'data: {"type":"heartbeat"}\n\n'] * 60
    with proxied(tmp_path, sending(*beats, b"data: " + RESULT + b"\n\n")) as (_, proxy, client):
        open_session(client)
        assert client.call(TOOL).body == b"".join(beats) + b"data: " + RESULT + b"\n\n"
    assert proxy.text.count("heartbeat") == 1
    assert len(proxy.text) < 1500


@pytest.mark.parametrize("tail", [b"", b"\n"])
def test_ss_05_a_stream_that_ends_without_its_last_blank_line(tmp_path: Path, tail: bytes) -> None:
    """SS-05: passed on as it is; a complete message in it is recorded."""
    stream = b"event: message\ndata: " + RESULT + tail
    with proxied(tmp_path, sending(stream)) as (_, proxy, client):
        open_session(client)
        assert client.call(TOOL).body == stream
    assert "text: whole" in proxy.text


@pytest.mark.parametrize("last", ["e1", "nonsense"])
def test_ss_06_resuming_with_last_event_id(tmp_path: Path, last: str) -> None:
    """SS-06: passed on; the answer that comes on the second stream belongs to the first one's request."""

    def serve(asked: Asked) -> None:
        if asked.method == "GET":
            assert asked.all("last-event-id") == [last]
            asked.head(200, STREAM)
            asked.chunk(b"id: e2\ndata: " + RESULT + b"\n\n")
            asked.end()
        elif asked.message["method"] == "initialize":
            asked.answer(200, {"id": 0, "result": {}}, "Mcp-Session-Id: S")
        else:
            asked.head(200, STREAM)
            asked.chunk(b"id: e1\ndata:\n\n")
            asked.end()

    with proxied(tmp_path, serve) as (_, proxy, client):
        open_session(client)
        assert client.call(TOOL, "Mcp-Session-Id: S").body == b"id: e1\ndata:\n\n"
        client.get("Mcp-Session-Id: S", f"Last-Event-ID: {last}")
        assert RESULT in client.answer().body
    [session] = proxy.sessions
    resumed = [entry.http.resumes for entry in session.entries if entry.http and entry.http.is_stream]
    assert resumed[0] == 1 or last != "e1"
    answers = [entry for entry in session.entries if entry.kind == "server"]
    assert answers[-1].messages[0].id == 1


def test_ours_an_event_reaches_the_client_before_the_next_one_is_produced(tmp_path: Path) -> None:
    """Issue 5, item 2: nothing is held back."""
    read = threading.Semaphore(0)

    def stream(asked: Asked) -> None:
        asked.head(200, STREAM)
        for number in range(50):
            asked.event({"method": "notifications/message", "params": {"level": "info", "data": number}})
            assert read.acquire(timeout=20)
        asked.event({"id": 1, "result": {}})
        asked.end()

    with proxied(tmp_path, after_handshake(stream)) as (_, _, client):
        open_session(client)
        client.post(TOOL)
        client.head()
        for number in range(50):
            assert b'"data": %d' % number in client.chunk()
            read.release()
        assert b"result" in client.chunk()
        assert client.chunk() == b""


# -- the legacy transport


def legacy(endpoint: bytes, path: str = "/messages") -> Callable[[Asked], None]:
    """A server of HTTP+SSE: answers come on the stream, which begins with this `endpoint` event."""
    streams: list[Asked] = []

    def serve(asked: Asked) -> None:
        if asked.method == "GET" and asked.target.endswith("sse"):
            streams.append(asked)
            asked.head(200, STREAM)
            asked.chunk(endpoint)
        elif asked.method == "POST" and asked.target.partition("?")[0] == path:
            asked.answer(202, b"Accepted")
            streams[-1].event({"id": asked.message["id"], "result": {"query": asked.target.partition("?")[2]}})
        else:
            asked.answer(404 if asked.method == "GET" else 405)

    return serve


@pytest.mark.parametrize(
    ("event", "path", "seen"),
    [
        (
            b"event: endpoint\ndata: /v1/messages/?session_id=abc&x=1\n\n",
            "/v1/messages/",
            "/v1/messages/?session_id=abc&x=1",
        ),
        (b"event: endpoint\ndata: messages?sessionId=abc\n\n", "/gw/v1/messages", "/gw/v1/messages?sessionId=abc"),
        (b"event: endpoint\ndata: ?sessionId=abc\n\n", "/gw/v1/sse", "/gw/v1/sse?sessionId=abc"),
        (
            b"event: endpoint\ndata: http://10.0.0.5:9000/v1/messages?sessionId=abc\n\n",
            "/v1/messages",
            "/v1/messages?sessionId=abc",
        ),
        (b"data: /v1/m?s=1\r\nevent: endpoint\r\n\r\n", "/v1/m", "/v1/m?s=1"),
    ],
)
def test_lg_01_the_endpoint_event_leads_to_the_recorder(tmp_path: Path, event: bytes, path: str, seen: str) -> None:
    """LG-01: whatever its form, with the query as it is."""
    with (
        Upstream(legacy(event, path)) as upstream,
        recording(tmp_path / "c.yaml", f"{upstream.url}/gw/v1/sse") as proxy,
        Client(proxy.url) as stream,
        Client(proxy.url) as client,
    ):
        stream.get()
        stream.head()
        assert f"data: {seen}".encode() in stream.chunk()
        found = client.call({"id": 0, "method": "initialize", "params": {}}, path=seen)
        assert (found.status, found.body) == (202, b"Accepted")
        assert seen.partition("?")[2].encode() in stream.chunk()
    [session] = proxy.sessions
    assert session.transport == "sse"
    assert [entry.kind for entry in session.entries] == ["client", "server"]


def test_lg_02_a_client_that_tries_streamable_http_first(tmp_path: Path) -> None:
    """LG-02: the refusal is passed on as it is, and the transport that was seen is recorded."""
    with (
        Upstream(legacy(b"event: endpoint\ndata: /messages?s=1\n\n")) as upstream,
        recording(tmp_path / "c.yaml", f"{upstream.url}/sse") as proxy,
        Client(proxy.url) as stream,
        Client(proxy.url) as client,
    ):
        assert client.call({"id": 0, "method": "initialize", "params": {}}).status == 405
        stream.get()
        stream.head()
        stream.chunk()
        client.call({"id": 0, "method": "initialize", "params": {}}, path="/messages?s=1")
        assert b"result" in stream.chunk()
    [session] = proxy.sessions
    assert session.transport == "sse"


def test_lg_02_a_genuine_refusal_of_initialize(tmp_path: Path) -> None:
    """LG-02's other side: a 400 for another reason is no hint of a transport."""

    def serve(asked: Asked) -> None:
        asked.answer(400, {"id": None, "error": {"code": -32602, "message": "protocolVersion?"}})

    with proxied(tmp_path, serve) as (_, _, client):
        found = client.call({"id": 0, "method": "initialize", "params": {}})
        assert (found.status, found.message["error"]["message"]) == (400, "protocolVersion?")


def test_ours_a_client_that_leaves_the_legacy_stream_ends_it_upstream(tmp_path: Path) -> None:
    """PROTOCOL 2.2: closing the stream ends the session."""
    left = threading.Event()

    def serve(asked: Asked) -> None:
        asked.head(200, STREAM)
        asked.chunk(b"event: endpoint\ndata: /m?s=1\n\n")
        if asked.is_left():
            left.set()

    with Upstream(serve) as upstream, recording(tmp_path / "c.yaml", f"{upstream.url}/sse") as proxy:
        with Client(proxy.url) as stream:
            stream.get()
            stream.head()
            stream.chunk()
        assert left.wait(20)
