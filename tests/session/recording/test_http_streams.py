"""Streamable HTTP as entries of a cassette: streams, and how they end."""

from __future__ import annotations

import pytest

from tests.session.http_talk import expected, introduced

CALL = {"id": 1, "method": "tools/call", "params": {"name": "a"}}
LOG = {"method": "notifications/message", "params": {"level": "info", "data": "x"}}
WITH_TOKEN = {"id": 1, "method": "tools/call", "params": {"name": "a", "_meta": {"progressToken": "t"}}}


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
        - http:
            get: 405
            type: application/json
            headers: {allow: POST}
            body: {jsonrpc: "2.0", id: null, error: {code: -32000, message: Method not allowed.}}
        - http: {get: 404, type: text/plain, body: gone}
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
    talk.event(stream, LOG)
    assert talk.entries() == expected("""
        - http: {get: stream}
          label: get
        - http: {closed: server}
          in: get
        - http: {get: stream}
          label: get-2
        - server: {method: notifications/message, params: {level: info, data: x}}
    """)


def test_ht_13_a_client_that_leaves_before_the_answer() -> None:
    """HT-13: the exchange is recorded as aborted, with what was seen."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.event(call, LOG)
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


# -- whose stream


def test_what_comes_on_the_stream_of_the_only_open_request_needs_no_word() -> None:
    """Ours (cassettes/README.md): the rules find it."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(WITH_TOKEN))
    talk.event(call, LOG)
    talk.event(call, {"method": "notifications/progress", "params": {"progressToken": "t", "progress": 1}})
    talk.event(call, {"id": 0, "method": "sampling/createMessage", "params": {}})
    talk.answer(talk.post({"id": 0, "result": {}}), status=202)
    talk.event(call, {"id": 1, "result": {}})
    talk.end(call)
    entries = talk.entries()
    assert entries.count("- ") == 6
    assert "in:" not in entries
    assert "http:" not in entries


def test_where_several_are_open_the_stream_is_named() -> None:
    """Ours (cassettes/README.md): but where an id or a token of its own tells."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(WITH_TOKEN))
    talk.open(other := talk.post({"id": 2, "method": "tools/list"}))
    talk.event(call, LOG)
    talk.event(call, {"method": "notifications/progress", "params": {"progressToken": "t", "progress": 1}})
    talk.event(other, {"method": "notifications/progress", "params": {"progressToken": "t", "progress": 2}})
    talk.event(other, {"id": 0, "method": "elicitation/create", "params": {}})
    talk.event(other, {"id": 2, "result": {}})
    talk.event(call, LOG)
    assert (
        talk.entries().partition("tools/list}\n")[2]
        == expected("""
        - server: {method: notifications/message, params: {level: info, data: x}}
          in: 1
        - server: {method: notifications/progress, params: {progressToken: t, progress: 1}}
        - server: {method: notifications/progress, params: {progressToken: t, progress: 2}}
          in: 2
        - server: {id: 0, method: elicitation/create, params: {}}
          in: 2
        - server: {id: 2, result: {}}
        - server: {method: notifications/message, params: {level: info, data: x}}
    """)[1:]
    )


@pytest.mark.parametrize("method", ["notifications/tools/list_changed", "notifications/resources/updated"])
def test_what_the_rules_move_is_named_on_the_stream_of_a_request(method: str) -> None:
    """Ours (cassettes/README.md, rule 3): they would look for another cause."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.event(call, {"method": method, "params": {"uri": "a:b"}})
    assert talk.entries().endswith("\n  in: 1\n")


def test_what_comes_after_the_answer_is_named_too() -> None:
    """Ours: a stream may go on."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.event(call, {"id": 1, "result": {}})
    talk.event(call, LOG)
    talk.end(call)
    assert talk.entries().endswith("data: x}}\n  in: 1\n")


def test_a_cancelled_request_is_open_no_more() -> None:
    """Ours (rule 1): so what comes on its stream must say so, and an error that ends it need not."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.open(other := talk.post({"id": 2, "method": "tools/list"}))
    talk.answer(talk.post({"method": "notifications/cancelled", "params": {"requestId": 1}}), status=202)
    talk.event(call, LOG)
    talk.event(other, LOG)
    talk.event(call, {"id": 1, "error": {"code": -32800, "message": "cancelled"}})
    talk.end(call)
    assert (
        talk.entries().partition("requestId: 1}}\n")[2]
        == expected("""
        - server: {method: notifications/message, params: {level: info, data: x}}
          in: 1
        - server: {method: notifications/message, params: {level: info, data: x}}
        - server: {id: 1, error: {code: -32800, message: cancelled}}
    """)[1:]
    )


def test_what_comes_on_the_standing_stream_names_it_while_something_is_open() -> None:
    """Ours (HTTP in cassettes/README.md): its cause still follows from the rules."""
    talk = introduced()
    talk.open(stream := talk.get())
    talk.event(stream, LOG)
    talk.post(CALL)
    talk.event(stream, LOG)
    assert talk.entries() == expected("""
        - http: {get: stream}
          label: get
        - server: {method: notifications/message, params: {level: info, data: x}}
        - client: {id: 1, method: tools/call, params: {name: a}}
        - server: {method: notifications/message, params: {level: info, data: x}}
          in: get
    """)


def test_a_message_on_the_stream_of_a_delete_can_be_played() -> None:
    """Ours: whatever a server does, `in:` names nothing that does not stand there."""
    talk = introduced()
    talk.post(CALL)
    delete = talk.delete()
    talk.open(delete)
    talk.event(delete, LOG)
    talk.close()
    assert talk.entries() == expected("""
        - client: {id: 1, method: tools/call, params: {name: a}}
        - server: {method: notifications/message, params: {level: info, data: x}}
    """)
