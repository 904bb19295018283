"""Streamable HTTP as entries of a cassette: what answers a POST, a GET, a DELETE."""

from __future__ import annotations

from typing import Any

import pytest

from mcpmock.cassette.model import NORM, HttpNorm
from tests.session.http_talk import Talk, expected, introduced, redacted_talk

CALL = {"id": 1, "method": "tools/call", "params": {"name": "a"}}
PROGRESS = {"method": "notifications/message", "params": {"level": "info", "data": "x"}}


# -- the norm


def test_the_norm_is_what_the_first_answered_request_shows() -> None:
    """Ours (DESIGN 3): and nothing is given before it is known, because it stands in the head."""
    talk = Talk()
    first = talk.post({"id": 0, "method": "initialize"}, session="")
    assert talk.session().norm is None
    talk.open(first, Mcp_Session_Id="s")
    talk.event(first, "", name="", id="e0", retry=500)
    talk.event(first, PROGRESS, id="e1")
    assert (talk.session().norm, talk.session().take_entries()) == (None, [])
    talk.event(first, {"id": 0, "result": {}}, id="e2")
    assert talk.session().norm == HttpNorm(ids=True, priming=True, retry=500)
    assert talk.session().key == "s"
    assert talk.entries() == expected("""
        - client: {id: 0, method: initialize}
        - server: {method: notifications/message, params: {level: info, data: x}}
        - server: {id: 0, result: {}}
    """)


def test_json_without_a_session_is_a_norm_too() -> None:
    """Ours (cassettes/README.md, HTTP)."""
    talk = Talk()
    talk.answer(talk.post({"id": 0, "method": "initialize"}, session=""), {"id": 0, "result": {}})
    assert talk.session().norm == HttpNorm(answers="json", session=False)


def test_an_answer_that_comes_otherwise_says_so() -> None:
    """Ours (DESIGN 3): the head says the norm, an entry only the exception."""
    talk = introduced(stream=True)
    talk.answer(talk.post(CALL), {"id": 1, "result": {}})
    assert talk.entries() == expected("""
        - client: {id: 1, method: tools/call, params: {name: a}}
        - server: {id: 1, result: {}}
          http: {answers: json}
    """)


def test_a_first_answer_that_takes_too_long_shows_no_norm() -> None:
    """Ours: what was seen must be on the disk after a second, or a crash would take it."""
    talk = Talk()
    first = talk.post({"id": 0, "method": "initialize"}, session="")
    talk.passes(999)
    assert talk.session().norm is None
    talk.passes(10)
    assert talk.session().norm == NORM
    talk.answer(first, {"id": 0, "result": {}}, Mcp_Session_Id="s")
    assert talk.entries().endswith("\n- server: {id: 0, result: {}}\n  http: {answers: json}\n")


def test_its_head_shows_what_it_can_before() -> None:
    """Ours: a stream whose first event takes its time."""
    talk = Talk()
    talk.open(talk.post({"id": 0, "method": "initialize"}, session=""), Mcp_Session_Id="s")
    talk.passes(2000)
    assert talk.session().norm == HttpNorm(session=True)


def test_times_are_those_of_the_session() -> None:
    """Ours (cassettes/README.md, timing): from its own start, one for each entry that was given."""
    talk = introduced()
    talk.passes(5000)
    talk.answer(talk.post({"id": 0, "method": "initialize"}, session=""), {"id": 0, "result": {}}, Mcp_Session_Id="t")
    talk.passes(100)
    talk.post(CALL, session="t")
    assert list(talk.session(1).all_times()) == []
    talk.entries(1)
    times = list(talk.session(1).all_times())
    assert len(times) == 3
    assert 0 <= times[0] <= times[1] < 10 < 100 < times[2] < 120


# -- HT-02


@pytest.mark.parametrize(
    ("status", "body", "headers", "entry"),
    [
        (202, b"", {}, ""),
        (202, b"", {"Content-Type": "application/json"}, ""),
        (202, b"Accepted", {"Content-Type": "text/plain"}, ""),
        (204, b"", {}, "- http: {post: 204}\n"),
        (200, b"", {"Content-Type": "application/json"}, "- http: {post: 200}\n"),
        (200, b"null", {}, "- http: {post: 200, type: application/json, body: null}\n"),
        (200, b"{}", {}, "- http: {post: 200, type: application/json, body: {}}\n"),
        (200, b'{"ok":true}', {}, "- http: {post: 200, type: application/json, body: {ok: true}}\n"),
        (200, b'{"jsonrpc":"2.0","id":null}', {}, None),
    ],
)
def test_ht_02_whatever_answers_a_notification(
    status: int, body: bytes, headers: dict[str, str], entry: str | None
) -> None:
    """HT-02: never taken for a message; a 202 is the norm."""
    talk = introduced()
    number = talk.post({"method": "notifications/roots/list_changed"})
    talk.head(number, status, {"Content-Type": "application/json", **headers} if body else headers)
    talk.body(number, body)
    talk.end(number)
    if entry is None:
        entry = '- http: {post: 200, type: application/json, body: {jsonrpc: "2.0", id: null}}\n'
    assert talk.entries() == "\n- client: {method: notifications/roots/list_changed}\n" + entry


def test_ht_02_an_answer_to_a_notification_among_others_gets_a_label() -> None:
    """HT-02: the entry waits until it is known whether it needs one, a second at most."""
    talk = introduced()
    notification = talk.post({"method": "notifications/roots/list_changed"})
    call = talk.post(CALL)
    assert talk.session().take_entries() == []
    talk.answer(notification, status=204)
    talk.answer(call, {"id": 1, "result": {}})
    assert talk.entries() == expected("""
        - client: {method: notifications/roots/list_changed}
          label: list_changed
        - client: {id: 1, method: tools/call, params: {name: a}}
        - http: {post: 204}
          in: list_changed
        - server: {id: 1, result: {}}
    """)


def test_ht_02_nothing_waits_longer_than_a_second() -> None:
    """HT-02: a status that comes later, when nobody could tell of what, is not kept."""
    talk = introduced()
    notification = talk.post({"id": 7, "result": {}})
    talk.post(CALL)
    talk.passes(1000)
    assert talk.entries().count("client") == 2
    talk.answer(notification, status=204)
    assert talk.entries() == "\n"


def test_ht_02_a_request_that_is_only_accepted_has_no_answer() -> None:
    """HT-02: recorded, and told."""
    talk = introduced()
    talk.answer(talk.post({"id": 5, "method": "tools/list"}), status=202)
    assert talk.entries() == "\n- client: {id: 5, method: tools/list}\n- http: {post: 202}\n"
    assert talk.session().open_requests == 0
    (warning,) = talk.session().take_warnings()
    assert "tools/list" in warning


# -- what answers a request and is no message


def test_rp_08_what_answers_a_request_and_is_no_message() -> None:
    """RP-08, issue 5: HTML where JSON was due; said of its request, whatever was sent meanwhile."""
    talk = introduced()
    call = talk.post(CALL)
    other = talk.post({"id": 2, "method": "tools/list"})
    talk.answer(call, b"<html>down</html>", 502, Content_Type="text/html; charset=utf-8", Retry_After="7")
    talk.answer(other, b"caf\xe9", 500, Content_Type="text/plain")
    assert talk.entries() == expected("""
        - client: {id: 1, method: tools/call, params: {name: a}}
        - client: {id: 2, method: tools/list}
        - http:
            post: 502
            type: text/html
            headers: {retry-after: "7"}
            body: <html>down</html>
          in: 1
        - http: {post: 500, type: text/plain, base64: Y2Fm6Q==}
    """)


def test_an_error_keeps_its_status_beside_it() -> None:
    """PROTOCOL 5, trap 41: body and status together."""
    talk = introduced()
    talk.answer(talk.post(CALL), {"id": 1, "error": {"code": -32602, "message": "no"}}, 400)
    assert talk.entries().endswith("""
- server: {id: 1, error: {code: -32602, message: "no"}}
  http: {status: 400}
""")


def test_a_lost_session_is_answered_by_what_is_no_answer() -> None:
    """Issue 5: a 404 under another id, and the `initialize` after it begins another session."""
    talk = introduced()
    error = {"id": "server-error", "error": {"code": -32600, "message": "Session not found"}}
    talk.answer(talk.post(CALL), error, 404)
    assert talk.entries() == expected("""
        - client: {id: 1, method: tools/call, params: {name: a}}
        - http:
            post: 404
            type: application/json
            body:
              jsonrpc: "2.0"
              id: server-error
              error: {code: -32600, message: Session not found}
    """)
    assert talk.session().is_over
    talk.answer(talk.post({"id": 2, "method": "initialize"}, session=""), {"id": 2, "result": {}}, Mcp_Session_Id="t")
    assert talk.entries(1) == "\n- client: {id: 2, method: initialize}\n- server: {id: 2, result: {}}\n"


@pytest.mark.parametrize("body", [b"{not json", b"", b'{"method":"ping"}'])
def test_garbage_of_the_client_is_kept_with_the_error_that_answers_it(body: bytes) -> None:
    """RP-04, HT-10: an error without an id belongs to the line before it."""
    talk = introduced()
    talk.answer(talk.post(body), {"id": None, "error": {"code": -32700, "message": "Parse error"}}, 400)
    entries = talk.entries()
    assert "- raw: " in entries
    assert entries.endswith("""  from: client
- server: {id: null, error: {code: -32700, message: Parse error}}
  http: {status: 400}
""")


def test_garbage_that_is_answered_by_a_page() -> None:
    """HT-10."""
    talk = introduced()
    talk.answer(talk.post(b"x"), b"what?", 400, Content_Type="text/plain")
    assert talk.entries() == expected("""
        - raw: x
          from: client
        - http: {post: 400, type: text/plain, body: "what?"}
    """)


def test_batches_are_kept_as_they_were_sent() -> None:
    """RP-06: answered by an array, or by events of which each is one."""
    talk = introduced()
    batch = [{"id": 1, "method": "ping"}, {"id": 2, "method": "ping"}]
    talk.answer(talk.post(batch), [{"id": 1, "result": {}}, {"id": 2, "result": {}}])
    call = talk.post(batch)
    talk.open(call)
    talk.event(call, {"id": 2, "result": {}})
    talk.event(call, [{"id": 1, "result": {}}])
    talk.end(call)
    assert talk.entries() == expected("""
        - client: [{id: 1, method: ping}, {id: 2, method: ping}]
        - server: [{id: 1, result: {}}, {id: 2, result: {}}]
        - client: [{id: 1, method: ping}, {id: 2, method: ping}]
        - server: {id: 2, result: {}}
          http: {answers: stream}
        - server: [{id: 1, result: {}}]
          http: {answers: stream}
    """)
    assert talk.session().open_requests == 0


# -- RP-02


def test_rp_02_two_requests_in_flight_with_one_id() -> None:
    """RP-02: a response belongs to the POST that it came on."""
    talk = introduced(stream=True)
    slow = talk.post({"id": 1, "method": "tools/call", "params": {"name": "slow"}})
    fast = talk.post({"id": 1, "method": "tools/call", "params": {"name": "fast"}})
    for number in (slow, fast):
        talk.open(number)
    talk.event(fast, PROGRESS)
    talk.event(fast, {"id": 1, "result": {"fast": True}})
    talk.event(slow, {"id": 1, "result": {"slow": True}})
    talk.end(fast)
    talk.end(slow)
    assert talk.entries() == expected("""
        - client: {id: 1, method: tools/call, params: {name: slow}}
        - client: {id: 1, method: tools/call, params: {name: fast}}
          label: 1-2
        - server: {method: notifications/message, params: {level: info, data: x}}
          in: 1-2
        - server: {id: 1, result: {fast: true}}
          in: 1-2
        - server: {id: 1, result: {slow: true}}
    """)
    assert talk.session().take_warnings() == []


def test_rp_02_one_id_one_after_another_needs_no_label() -> None:
    """RP-02: as clients do that send every request with id 1."""
    talk = introduced()
    for _ in range(2):
        talk.answer(talk.post(CALL), {"id": 1, "result": {}})
    assert "label" not in talk.entries()


def test_rp_02_two_sessions_with_the_same_ids() -> None:
    """RP-02: no cross-talk; each session has its entries."""
    talk = Talk()
    numbers = [talk.post({"id": 0, "method": "initialize", "params": {"n": n}}, session="", on=n) for n in (1, 2)]
    for number, session in zip(reversed(numbers), "ba", strict=True):
        talk.answer(number, {"id": 0, "result": {"for": session}}, Mcp_Session_Id=session)
    calls = [talk.post(CALL, session=session) for session in "ab"]
    for number, session in zip(reversed(calls), "ba", strict=True):
        talk.answer(number, {"id": 1, "result": {"for": session}})
    for place, session in enumerate("ab"):
        assert talk.entries(place) == expected(f"""
            - client: {{id: 0, method: initialize, params: {{n: {place + 1}}}}}
            - server: {{id: 0, result: {{for: {session}}}}}
            - client: {{id: 1, method: tools/call, params: {{name: a}}}}
            - server: {{id: 1, result: {{for: {session}}}}}
        """)


def test_rp_02_sessions_without_ids_are_told_apart_by_their_connections() -> None:
    """Ours: as far as that goes; a new connection belongs to the latest session."""
    talk = Talk()
    for connection in (1, 2):
        number = talk.post({"id": 0, "method": "initialize"}, session="", on=connection)
        talk.answer(number, {"id": 0, "result": {}})
    for connection in (1, 2, 3):
        talk.answer(talk.post({"id": connection, "method": "ping"}, session="", on=connection), status=404)
    assert talk.entries(0).count("method: ping") == 1
    assert talk.entries(1).count("method: ping") == 2


# -- HT-03


def test_ht_03_a_refused_get_is_recorded_once() -> None:
    """HT-03: with what it allows; retries do not bloat the cassette, another status is another thing."""
    talk = introduced()
    for _ in range(5):
        talk.answer(
            talk.get(), {"id": None, "error": {"code": -32000, "message": "Method not allowed."}}, 405, Allow="POST"
        )
    talk.answer(talk.get(), b"gone", 404, Content_Type="text/plain")
    talk.answer(talk.get(), {"name": "a server"})
    talk.answer(talk.post(CALL), {"id": 1, "result": {}})
    assert talk.entries() == expected("""
        - http: {get: 405, headers: {allow: POST}}
        - http: {get: 404}
        - http: {get: 200, type: application/json, body: {name: a server}}
        - client: {id: 1, method: tools/call, params: {name: a}}
        - server: {id: 1, result: {}}
    """)


def test_ht_03_a_stream_that_is_closed_again_and_again_is_told_once() -> None:
    """HT-03, PROTOCOL 2.3: clients open it once a second for ever; a later one is told when something comes on it."""
    talk = introduced()
    for _ in range(5):
        stream = talk.get()
        talk.open(stream)
        talk.end(stream)
    talk.open(stream := talk.get())
    talk.event(stream, PROGRESS)
    assert talk.entries() == expected("""
        - http: {get: stream}
          label: get
        - http: {closed: server}
          in: get
        - http: {get: stream}
          label: get-2
        - server: {method: notifications/message, params: {level: info, data: x}}
    """)


# -- HT-04


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
        - http: {delete: 404}
        - client: {id: 3, method: ping}
        - http: {post: 404, type: text/plain, body: "no"}
    """)
    assert len(talk.recording.sessions) == 1


@pytest.mark.parametrize("status", [204, 404, 405, 501])
def test_ht_04_a_delete_that_is_refused_ends_nothing(status: int) -> None:
    """HT-04."""
    talk = introduced()
    talk.answer(talk.delete(), status=status)
    assert talk.entries() == f"\n- http: {{delete: {status}}}\n"
    assert talk.session().is_over == (status == 204)


# -- HT-12


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


# -- HT-13


def test_ht_13_a_client_that_leaves_before_the_answer() -> None:
    """HT-13: the exchange is recorded as aborted, with what was seen."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.event(call, PROGRESS)
    talk.abort(call, "client")
    assert talk.entries() == expected("""
        - client: {id: 1, method: tools/call, params: {name: a}}
        - server: {method: notifications/message, params: {level: info, data: x}}
        - http: {aborted: client}
          in: 1
    """)


@pytest.mark.parametrize("begin", [None, "json", "stream"])
def test_ht_13_a_server_that_dies_in_the_middle(begin: str | None) -> None:
    """Issue 5: before the head of its response, in its body, in its stream."""
    talk = introduced(stream=True)
    call = talk.post(CALL)
    if begin == "stream":
        talk.open(call)
        talk.body(call, b'data: {"jsonrpc":"2.0","id":1,"res')
    elif begin:
        talk.head(call, 200, {"Content-Type": "application/json"})
        talk.body(call, b'{"jsonrpc":"2.0","id":1,"res')
    talk.abort(call, "server")
    assert talk.entries().endswith("\n- http: {aborted: server}\n  in: 1\n")


def test_ht_13_who_leaves_after_the_answer_tells_nothing() -> None:
    """Ours: every stream ends somehow; also one whose request was cancelled, and what asks for no answer."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.event(call, {"id": 1, "result": {}})
    talk.abort(call, "client")
    cancelled = talk.post({"id": 2, "method": "tools/list"})
    cancel = talk.post({"method": "notifications/cancelled", "params": {"requestId": 2}})
    talk.abort(cancelled, "client")
    talk.abort(cancel, "client")
    talk.open(stream := talk.get())
    talk.abort(stream, "client")
    assert "abort" not in talk.entries()


def test_ht_13_a_request_after_an_aborted_one_with_its_id_is_told_apart() -> None:
    """HT-13, RP-02: nothing has answered the first, so the rules would take it for the asker."""
    talk = introduced()
    talk.abort(talk.post(CALL), "client")
    talk.answer(talk.post(CALL), {"id": 1, "result": {}})
    assert talk.entries().endswith('  label: "1-2"\n- server: {id: 1, result: {}}\n  in: "1-2"\n')


# -- AU-01


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


# -- sessions


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
