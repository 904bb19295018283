"""The legacy HTTP+SSE transport as entries of a cassette: found out by itself, and then as on pipes."""

from __future__ import annotations

import pytest

from mcpmock.cassette.model import NORM
from tests.session.http_talk import Talk, expected

INITIALIZE = {"id": 0, "method": "initialize"}
VERSION = "io.modelcontextprotocol/protocolVersion"
LOG = {"method": "notifications/message", "params": {"level": "info", "data": "x"}}


def connected(talk: Talk, uri: str, *, path: str = "/gw/v1/sse") -> int:
    """A stream that has told where to send messages."""
    stream = talk.get(path, session="")
    talk.open(stream)
    talk.body(stream, f"data: {uri}\r\nevent: endpoint\r\n\r\n".encode())
    return stream


def say(talk: Talk, target: str, message: object, status: int = 202) -> None:
    """A POST to the endpoint."""
    talk.answer(talk.post(message, session="", target=target), b"Accepted", status, Content_Type="text/plain")


@pytest.mark.parametrize(
    ("uri", "target"),
    [
        ("/v1/messages/?session_id=abc&x=1", "/v1/messages/?session_id=abc&x=1"),
        ("messages?sessionId=abc", "/gw/v1/messages?sessionId=abc"),
        ("?sessionId=abc", "/gw/v1/sse?sessionId=abc"),
        ("http://10.0.0.5:9000/v1/messages?sessionId=abc", "/v1/messages?sessionId=abc"),
        ("http://10.0.0.5:9000", "/"),
        ("/v1/messages/abc", "/v1/messages/abc"),
        ("/v1/messages?sessionId=abc", "/moved/by/the/proxy?sessionId=abc"),
    ],
)
def test_lg_01_any_kind_of_endpoint(uri: str, target: str) -> None:
    """LG-01: relative, from the root, absolute, with a prefix; the token in it is opaque."""
    talk = Talk()
    stream = connected(talk, uri)
    say(talk, target, INITIALIZE)
    talk.event(stream, {"id": 0, "result": {}})
    assert (talk.session().transport, talk.session().norm) == ("sse", NORM)
    assert talk.entries() == expected("""
        - client: {id: 0, method: initialize}
        - server: {id: 0, result: {}}
    """)


def test_lg_01_everything_comes_on_the_one_stream() -> None:
    """LG-01: so nothing says on which, however many requests are open; a 202 may come after the answer."""
    talk = Talk()
    stream = connected(talk, "/messages?s=1")
    numbers = [talk.post({"id": number, "method": "ping"}, session="", target="/messages?s=1") for number in (1, 1, 2)]
    talk.event(stream, LOG)
    talk.event(stream, {"id": 2, "result": {}})
    for number in numbers:
        talk.answer(number, b"Accepted", 202, Content_Type="text/plain")
    talk.event(stream, {"id": 1, "result": {}})
    entries = talk.entries()
    assert entries.count("- ") == 6
    assert not any(word in entries for word in ("in:", "label:", "http:"))


@pytest.mark.parametrize("status", [200, 204])
def test_lg_01_whatever_accepts_a_post(status: int) -> None:
    """PROTOCOL 2.2: any 2xx does."""
    talk = Talk()
    connected(talk, "/messages?s=1")
    say(talk, "/messages?s=1", {"id": 1, "method": "ping"}, status)
    say(talk, "/messages?s=1", {"method": "notifications/initialized"}, status)
    assert "http:" not in talk.entries()


def test_lg_01_a_post_that_fails_is_told() -> None:
    """LG-01: an expired session."""
    talk = Talk()
    connected(talk, "/messages?s=1")
    say(talk, "/messages?s=1", {"id": 1, "method": "ping"}, 404)
    assert talk.entries() == expected("""
        - client: {id: 1, method: ping}
        - http: {post: 404, type: text/plain, body: Accepted}
    """)


def test_lg_01_many_clients_at_once() -> None:
    """Issue 5: each stream is a session, though their ids are the same."""
    talk = Talk()
    streams = [connected(talk, f"/messages?s={number}") for number in range(3)]
    for number in (2, 0, 1):
        say(talk, f"/messages?s={number}", {"id": 0, "method": "ping", "params": {"of": number}})
    for number, stream in enumerate(streams):
        talk.event(stream, {"id": 0, "result": {"of": number}})
        assert talk.entries(number) == expected(f"""
            - client: {{id: 0, method: ping, params: {{of: {number}}}}}
            - server: {{id: 0, result: {{of: {number}}}}}
        """)


def test_lg_01_a_probe_of_the_other_era_is_part_of_the_session() -> None:
    """LG-01: clients of both eras ask on this transport, too, what is spoken; the answer comes on the one stream."""
    talk = Talk()
    streams = [connected(talk, f"/messages?s={number}") for number in (1, 2)]
    probe = {"id": 0, "method": "server/discover", "params": {"_meta": {VERSION: "2026-07-28"}}}
    unknown = {"id": 0, "error": {"code": -32601, "message": "unknown"}}
    for number, stream in enumerate(streams, 1):
        say(talk, f"/messages?s={number}", probe)
        talk.event(stream, unknown)
        say(talk, f"/messages?s={number}", {**INITIALIZE, "id": 1})
        talk.event(stream, {"id": 1, "result": {}})
    assert [session.answers for session in talk.recording.sessions] == [2, 2]
    assert [session.transport for session in talk.recording.sessions] == ["sse", "sse"]


def test_lg_01_a_server_that_ends_the_stream_has_left() -> None:
    """PROTOCOL 2.2: closing the stream ends the session; as the end of stdout does."""
    talk = Talk()
    stream = connected(talk, "/messages?s=1")
    say(talk, "/messages?s=1", {"id": 1, "method": "ping"})
    talk.end(stream)
    assert talk.entries().endswith("- eof: server\n")
    assert talk.session().is_over


def test_lg_01_a_client_that_leaves_ends_it_in_order() -> None:
    """PROTOCOL 2.2."""
    talk = Talk()
    stream = connected(talk, "/messages?s=1")
    say(talk, "/messages?s=1", {"id": 1, "method": "ping"})
    talk.abort(stream, "client")
    assert talk.entries() == "\n- client: {id: 1, method: ping}\n"
    assert talk.session().is_over


def test_lg_02_a_client_that_tries_streamable_http_first() -> None:
    """LG-02: the codes as they are; what was tried belongs to the session that follows."""
    talk = Talk()
    talk.answer(talk.post(INITIALIZE, session="", target="/"), b"", 405, Allow="GET")
    stream = connected(talk, "/messages?s=1", path="/")
    say(talk, "/messages?s=1", INITIALIZE)
    talk.event(stream, {"id": 0, "result": {}})
    assert talk.session().transport == "sse"
    assert talk.entries() == expected("""
        - client: {id: 0, method: initialize}
        - http: {post: 405, headers: {allow: GET}}
        - client: {id: 0, method: initialize}
        - server: {id: 0, result: {}}
    """)


def test_lg_02_an_initialize_that_fails_for_another_reason() -> None:
    """LG-02: a genuine 400, with its JSON-RPC error; the next attempt is of the same session."""
    talk = Talk()
    error = {"id": 0, "error": {"code": -32602, "message": "bad version"}}
    talk.answer(talk.post(INITIALIZE, session="", target="/mcp"), error, 400)
    talk.answer(talk.post(INITIALIZE, session="", target="/mcp"), {"id": 0, "result": {}}, Mcp_Session_Id="s")
    assert talk.session().transport == "streamable_http"
    assert talk.entries() == expected("""
        - client: {id: 0, method: initialize}
        - server: {id: 0, error: {code: -32602, message: bad version}}
          http: {status: 400}
        - client: {id: 0, method: initialize}
        - server: {id: 0, result: {}}
    """)


def test_a_stream_without_a_session_id_is_not_always_a_legacy_one() -> None:
    """Ours: a server that gives out no ids has standing streams too; the first event tells, or the path."""
    talk = Talk()
    talk.answer(talk.post(INITIALIZE, session=""), {"id": 0, "result": {}})
    talk.open(talk.get(session=""))
    assert talk.entries().endswith("- http: {get: stream}\n  label: get\n")
    talk.open(other := talk.get("/elsewhere", session=""))
    assert talk.entries() == "\n"
    talk.event(other, LOG)
    assert talk.entries().startswith("\n- http: {get: stream}\n  label: get-2\n")
    talk.open(silent := talk.get("/elsewhere", session=""))
    talk.end(silent)
    talk.open(silent := talk.get("/elsewhere", session=""))
    talk.abort(silent, "client")
    assert talk.entries() == "\n"


def test_lg_01_a_post_that_breaks_off_is_no_end() -> None:
    """LG-01: the answer comes on the stream all the same."""
    talk = Talk()
    stream = connected(talk, "/messages?s=1")
    talk.abort(talk.post({"id": 1, "method": "ping"}, session="", target="/messages?s=1"), "server")
    talk.event(stream, {"id": 1, "result": {}})
    assert talk.entries() == "\n- client: {id: 1, method: ping}\n- server: {id: 1, result: {}}\n"
    assert not talk.session().is_over
