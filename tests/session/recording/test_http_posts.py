"""Streamable HTTP as entries of a cassette: what answers a POST."""

from __future__ import annotations

import pytest

from tests.session.http_talk import Talk, expected, introduced

CALL = {"id": 1, "method": "tools/call", "params": {"name": "a"}}
LOG = {"method": "notifications/message", "params": {"level": "info", "data": "x"}}


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


def test_ht_02_what_answers_an_answer_among_others_can_be_played() -> None:
    """HT-02: the label of a client's answer named nothing, and the cassette could not be played at all."""
    talk = introduced()
    call = talk.post(CALL)
    talk.open(call)
    talk.event(call, {"id": 7, "method": "sampling/createMessage", "params": {}})
    answer = talk.post({"id": 7, "result": {}})
    talk.post({"method": "notifications/roots/list_changed"})
    talk.answer(answer, "no", status=400, Content_Type="text/plain")
    talk.event(call, {"id": 1, "result": {}})
    talk.close()
    assert talk.entries() == expected("""
        - client: {id: 1, method: tools/call, params: {name: a}}
        - server: {id: 7, method: sampling/createMessage, params: {}}
        - client: {id: 7, result: {}}
          label: answer
        - client: {method: notifications/roots/list_changed}
        - http: {post: 400, type: text/plain, body: '"no"'}
          in: answer
        - server: {id: 1, result: {}}
          http: {answers: stream}
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


def test_rp_02_two_requests_in_flight_with_one_id() -> None:
    """RP-02: a response belongs to the POST that it came on."""
    talk = introduced(stream=True)
    slow = talk.post({"id": 1, "method": "tools/call", "params": {"name": "slow"}})
    fast = talk.post({"id": 1, "method": "tools/call", "params": {"name": "fast"}})
    for number in (slow, fast):
        talk.open(number)
    talk.event(fast, LOG)
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


@pytest.mark.parametrize("media", ["Application/JSON; charset=utf-8", "application/json;charset=UTF-8"])
def test_ht_08_a_body_of_json_in_any_spelling(media: str) -> None:
    """HT-08: and even without a media type, if it is the answer."""
    talk = introduced()
    talk.answer(talk.post(CALL), {"id": 1, "result": {}}, Content_Type=media)
    talk.head(call := talk.post(CALL), 200)
    talk.body(call, b'{"jsonrpc":"2.0","id":1,"result":{}}')
    talk.end(call)
    talk.answer(talk.post({"id": 2, "method": "ping"}), {"no": "message"}, Content_Type=media)
    entries = talk.entries()
    assert entries.count("- server: {id: 1, result: {}}\n") == 2
    assert entries.endswith('- http: {post: 200, type: application/json, body: {"no": message}}\n')


def test_ht_08_an_event_stream_in_any_spelling() -> None:
    """HT-08."""
    talk = introduced()
    talk.head(call := talk.post(CALL), 200, {"content-TYPE": "Text/Event-Stream;charset=UTF-8"})
    talk.event(call, {"id": 1, "result": {}})
    assert talk.entries().endswith("- server: {id: 1, result: {}}\n  http: {answers: stream}\n")
