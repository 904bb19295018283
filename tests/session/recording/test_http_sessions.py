"""Streamable HTTP as entries of a cassette: which session what belongs to, and what is no message at all."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import pytest

from mcpmock.cassette.model import NORM, HttpNorm
from mcpmock.cassette.reader import load
from mcpmock.cassette.redaction.secrets import find_secrets
from tests.session.http_talk import Talk, encoded, expected, introduced, redacted_talk

CALL = {"id": 1, "method": "tools/call", "params": {"name": "a"}}


def test_ht_04_the_end_of_a_session() -> None:
    """HT-04: the DELETE, a second one, a POST that comes too late; the GET stream ends with it, and tells nothing."""
    talk = introduced()
    talk.open(stream := talk.get())
    talk.answer(talk.delete())
    assert talk.session().is_over
    talk.end(stream)
    talk.answer(talk.delete(), b"no", 404)
    talk.answer(talk.post({"id": 3, "method": "ping"}), b"no", 404, Content_Type="text/plain")
    assert talk.entries() == expected("""
        - http: {get: stream}
          label: get
        - http: {delete: 200}
        - http: {delete: 404, type: application/json, sent: {mcp-session-id: unknown}, body: "no"}
        - client: {id: 3, method: ping}
        - http: {post: 404, type: text/plain, sent: {mcp-session-id: unknown}, body: "no"}
    """)
    assert len(talk.recording.sessions) == 1


def test_a_session_that_is_begun_under_an_old_id_has_the_new_one() -> None:
    """Ours: a client that comes back may still send it; what it says next was in a session without a handshake."""
    talk = Talk()
    talk.answer(
        talk.post({"id": 0, "method": "initialize"}, session="old"), {"id": 0, "result": {}}, Mcp_Session_Id="s"
    )
    talk.answer(talk.post(CALL), {"id": 1, "result": {}})
    assert talk.session().key == "s"
    assert talk.entries() == expected("""
        - client: {id: 0, method: initialize}
        - server: {id: 0, result: {}}
        - client: {id: 1, method: tools/call, params: {name: a}}
        - server: {id: 1, result: {}}
    """)


@pytest.mark.parametrize("status", [204, 404, 405, 501])
def test_ht_04_a_delete_that_is_refused_ends_nothing(status: int) -> None:
    """HT-04."""
    talk = introduced()
    talk.answer(talk.delete(), status=status)
    assert talk.entries() == f"\n- http: {{delete: {status}}}\n"
    assert talk.session().is_over == (status == 204)


def test_ht_12_the_query_is_kept_without_its_secrets() -> None:
    """HT-12: where a path is told at all; that of the endpoint is not."""
    talk = redacted_talk()
    talk.answer(talk.post(CALL, target="/mcp?api_key=sk-SECRETSECRETSECRET&x="), {"id": 1, "result": {}})
    talk.answer(
        talk.get("/status?api_key=sk-SECRETSECRETSECRET&features=docs%2Cdb&x=", session=""),
        b"ok",
        Content_Type="text/plain",
    )
    entries = talk.entries()
    assert "SECRET" not in entries
    assert "&features=docs%2Cdb&x=" in entries
    assert entries.startswith("\n- client: {id: 1")


def test_au_01_a_challenge_and_what_follows_from_it() -> None:
    """AU-01: part of the session that begins when the client has its token; tokens are never stored."""
    talk = Talk(redactor=None)
    challenge = 'Bearer resource_metadata="https://up.example/.well-known/oauth-protected-resource/mcp"'
    talk.answer(talk.post({"id": 0, "method": "initialize"}, session=""), b"", 401, WWW_Authenticate=challenge)
    metadata = talk.get("/.well-known/oauth-protected-resource/mcp", session="")
    talk.answer(metadata, {"resource": "https://up.example/mcp"})
    talk.answer(talk.get("/.well-known/oauth-authorization-server", session=""), b"no", 404)
    talk.passes(60_000)
    talk.answer(talk.post({"id": 0, "method": "initialize"}, session=""), {"id": 0, "result": {}}, Mcp_Session_Id="s")
    assert talk.session().norm == HttpNorm(answers="json")
    assert talk.entries() == expected("""
        - client: {id: 0, method: initialize}
        - http:
            post: 401
            headers:
              www-authenticate: Bearer resource_metadata="https://up.example/.well-known/oauth-protected-resource/mcp"
        - http:
            get: 200
            path: /.well-known/oauth-protected-resource/mcp
            type: application/json
            body: {resource: https://up.example/mcp}
        - http: {get: 404, path: /.well-known/oauth-authorization-server, type: application/json, body: "no"}
        - client: {id: 0, method: initialize}
        - server: {id: 0, result: {}}
    """)


def test_au_01_what_was_asked_before_any_session_belongs_to_the_next() -> None:
    """AU-01: a client may look for metadata first."""
    talk = Talk()
    talk.answer(talk.get("/.well-known/oauth-protected-resource", session=""), {"resource": "x"})
    talk.answer(talk.post({"id": 0, "method": "initialize"}, session=""), {"id": 0, "result": {}})
    assert talk.entries().startswith("\n- http:\n    get: 200\n    path: /.well-known/oauth-protected-resource\n")


def test_au_01_and_is_kept_where_none_follows() -> None:
    """AU-01: the proxy ends; nothing that was seen is lost."""
    talk = Talk()
    talk.answer(talk.get("/.well-known/oauth-protected-resource", session=""), {"resource": "x"})
    talk.close()
    assert "oauth-protected-resource" in talk.entries()


def test_au_01_tokens_are_never_stored() -> None:
    """AU-01: a form with a code goes out, a token comes back; of the request nothing is kept but its path."""
    talk = redacted_talk()
    number = talk.post(
        b"grant_type=authorization_code&code=SECRET1&code_verifier=SECRET2", target="/token?a=1", session=""
    )
    talk.answer(
        number, {"access_token": "SECRETSECRETSECRET3", "token_type": "Bearer", "refresh_token": "SECRETSECRET4"}
    )
    entries = talk.entries()
    assert entries.startswith("\n- http:\n    post: 200\n    path: /token?a=1\n    type: application/json\n")
    assert "SECRET" not in entries
    assert "token_type: Bearer" in entries


def test_a_session_that_nobody_knows_begins_one() -> None:
    """Ours: the proxy was started anew while its clients went on."""
    talk = Talk()
    talk.answer(talk.post(CALL, session="old"), {"id": 1, "result": {}})
    talk.open(talk.get(session="older"))
    assert [session.key for session in talk.recording.sessions] == ["old", "older"]


def test_a_session_that_was_kept_can_be_dropped() -> None:
    """Issue 5: ten thousand sessions leave nothing behind."""
    talk = introduced()
    talk.recording.drop(talk.session())
    assert talk.recording.sessions == []
    talk.answer(talk.post(CALL), {"id": 1, "result": {}})
    assert [session.key for session in talk.recording.sessions] == ["s"]


def test_sessions_that_idle_are_not_looked_at() -> None:
    """Ours: a look costs what has moved, not what there is; what is held back is waited for."""
    talk = introduced()
    session = talk.session()
    talk.recording.take_moved()
    assert session not in talk.recording.take_moved()
    waits = talk.post({"method": "notifications/initialized"})
    assert talk.recording.take_moved() == [session]
    assert talk.recording.take_moved() == [session], "its label is not known yet"
    talk.answer(waits, status=202)
    session.take_entries()
    assert talk.recording.take_moved() == [session]
    assert talk.recording.take_moved() == []
    talk.answer(talk.get("/elsewhere"), b"no", 404)
    assert talk.recording.take_moved() == [session]


def test_each_session_that_was_refused_goes_on_once() -> None:
    """Ours: two clients are refused at the same moment; the latest to be refused goes on first."""
    talk = Talk()
    numbers = [talk.post({"id": 0, "method": "initialize"}, session="", on=on) for on in (1, 2)]
    for number in numbers:
        talk.answer(number, status=401)
    for name in ("a", "b", "c"):
        number = talk.post({"id": 0, "method": "initialize"}, session="")
        talk.answer(number, {"id": 0, "result": {}}, Mcp_Session_Id=name)
    assert [session.key for session in talk.recording.sessions] == ["b", "a", "c"]


def test_a_refused_client_cannot_fill_the_memory() -> None:
    """Ours: without an answer there is no norm, but what is held back has an end."""
    talk = Talk()
    for _ in range(300):
        talk.answer(talk.post({"id": 0, "method": "initialize"}, session=""), status=401)
    assert talk.session().norm == NORM
    assert talk.entries().count("initialize") > 250


def test_messages_that_are_too_long_are_told_by_their_size() -> None:
    """FR-02, over HTTP: from either side, in a body and in an event."""
    talk = introduced(max_message=100)
    talk.answer(talk.post({"id": 1, "method": "x" * 200}), status=413)
    talk.answer(talk.post(CALL), {"id": 1, "result": {"x": "y" * 200}})
    talk.open(call := talk.post({"id": 2, "method": "ping"}))
    talk.event(call, {"id": 2, "result": {"x": "y" * 200}})
    talk.end(call)
    entries = talk.entries()
    assert entries.count("dropped: ") == 3
    assert "- http: {post: 200}\n" in entries
    assert entries.endswith("- http: {closed: server}\n  in: 2\n")
    assert any("max-message" in warning for warning in talk.session().take_warnings())


def test_what_a_shell_tells_of_exchanges_that_are_over_counts_for_nothing() -> None:
    """Ours: a late word of a connection that has gone is no trouble."""
    talk = introduced()
    talk.answer(call := talk.post(CALL), {"id": 1, "result": {}})
    talk.entries()
    talk.head(call, 500)
    talk.body(call, b"x")
    talk.recording.request_body(call, b"x", talk.now)
    talk.end(call)
    talk.abort(call, "client")
    assert talk.entries() == "\n"


def test_a_response_may_begin_before_the_request_has_ended() -> None:
    """HTTP allows it: a refusal of what is too large. What was sent comes first in the transcript all the same."""
    talk = introduced()
    number = talk.begin("POST", headers={"Mcp-Session-Id": "s"})
    talk.recording.request_body(number, b'{"jsonrpc":"2.0","id":1,', talk.now)
    talk.answer(number, b"too large", 413, Content_Type="text/plain")
    entries = talk.entries()
    assert entries.index("raw:") < entries.index("post: 413")
    talk.recording.request_complete(number, talk.now)
    assert talk.entries() == "\n"


@pytest.mark.parametrize("request_id", [None, True, [1]])
def test_a_request_whose_id_is_none_gets_a_label(request_id: Any) -> None:
    """RP-04: a request with id null is neither taken for a notification nor crashed on."""
    talk = introduced()
    call = talk.post({"id": request_id, "method": "ping"})
    talk.post({"method": "notifications/roots/list_changed"})
    talk.answer(call, b"what?", 400, Content_Type="text/plain")
    talk.close()
    entries = talk.entries()
    assert "method: ping}\n  label: ping\n" in entries
    assert entries.endswith('- http: {post: 400, type: text/plain, body: "what?"}\n  in: ping\n')


def test_au_02_what_a_client_sent_beside_its_messages_is_never_stored() -> None:
    """AU-02: not one of its headers."""
    talk = introduced()
    sent = {"Mcp-Session-Id": "s", "Authorization": "Bearer SECRET", "X-A": "SECRET", "Cookie": "a=SECRET"}
    number = talk.begin("POST", headers=sent)
    talk.recording.request_body(number, encoded(CALL), talk.now)
    talk.recording.request_complete(number, talk.now)
    talk.answer(number, {"id": 1, "result": {}}, Set_Cookie="b=SECRET", X_Request_Id="SECRET")
    assert "SECRET" not in talk.entries()


def test_what_is_recorded_holds_no_secret_for_the_check() -> None:
    """Ours (DESIGN 3): in paths, headers and bodies as in messages."""
    talk = redacted_talk()
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    talk.answer(talk.get(f"/x?token={secret}", session=""), {"a": {"password": "hunter2hunter2"}, "b": secret})
    talk.answer(
        talk.post(CALL), f"token {secret}".encode(), 500, Content_Type="text/plain", Location=f"/y?key={secret}"
    )
    talk.answer(talk.get("/z", session=""), b"\xff" + secret.encode(), Content_Type="image/png")
    text = talk.entries()
    assert secret not in text
    assert text.count("~secret.") >= 4
    cassette = load(f"version: 1\nsessions:\n- entries:\n{indent(text, '  ')}".encode())
    assert find_secrets(cassette) == []


def test_paths_that_always_differ_do_not_let_the_file_grow() -> None:
    """HT-03: neither with their queries, nor for ever."""
    talk = introduced()
    for number in range(2000):
        talk.answer(talk.get(f"/health?at={number}", session=""))
    assert talk.entries() == expected("- http: {get: 200, path: /health?at=0}")
    for number in range(2000):
        talk.answer(talk.get(f"/{number}", session=""), status=404)
    assert 1000 < talk.entries().count("- http:") < 1100


def test_connections_are_not_remembered_for_ever() -> None:
    """Ours (DESIGN 6): one that is forgotten belongs to the latest session."""
    talk = Talk()
    for connection in (1, 2):
        number = talk.post({"id": 0, "method": "initialize"}, session="", on=connection)
        talk.answer(number, {"id": 0, "result": {}})
    for connection in range(3, 4200):
        talk.answer(talk.post({"method": "notifications/initialized"}, session="", on=connection), status=202)
    talk.entries(0)
    talk.answer(talk.post({"id": 1, "method": "ping"}, session="", on=1), {"id": 1, "result": {}})
    assert talk.entries(0) == "\n"
    assert "method: ping" in talk.entries(1)
