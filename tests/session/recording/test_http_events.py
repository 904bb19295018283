"""Streamable HTTP as entries of a cassette: events in any form, and streams that resume."""

from __future__ import annotations

import pytest

from tests.session.http_talk import expected, introduced

CALL = {"id": 1, "method": "tools/call", "params": {"name": "a"}}
LOG = {"method": "notifications/message", "params": {"level": "info", "data": "x"}}
LINE_OF_LOG = "- server: {method: notifications/message, params: {level: info, data: x}}\n"


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_ss_02_an_event_in_any_form_and_chunking(end: bytes, size: int) -> None:
    """SS-02: data lines are joined; a CRLF may be cut in two."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    data = b'data:{"jsonrpc":"2.0",\ndata:"id":1,\ndata: "result":{}}\nevent: message\nid:7\nfoo: bar\ndata\n\n'
    data = data.replace(b"\n", end)
    for at in range(0, len(data), size):
        talk.body(call, data[at : at + size])
    assert talk.entries().endswith("- server: {id: 1, result: {}}\n")


def test_ss_03_a_priming_event_is_no_message() -> None:
    """SS-03: id and retry belong to the stream."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.body(call, b'id: s1_0\nretry: 500\ndata: \n\nid: s1_1\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n')
    talk.end(call)
    assert talk.entries().count("- ") == 2


def test_ss_04_heartbeats_do_not_let_the_file_grow() -> None:
    """SS-04: comments leave nothing; what is no JSON-RPC is kept as noise, once each."""
    talk = introduced(stream=True)
    talk.open(stream := talk.get())
    for _ in range(60):
        talk.body(stream, b': ping - 2026-01-01\n\nevent: ping\ndata: {}\n\ndata: {"type":"heartbeat"}\n\n')
    for number in range(1000):
        talk.body(stream, b"data: %d\n\n" % number)
    lines = talk.entries().splitlines()
    assert lines[3:5] == ['- raw: "{}"', """- raw: '{"type":"heartbeat"}'"""]
    assert len(lines) < 300
    (warning,) = talk.session().take_warnings()
    assert "no message" in warning


def test_ss_04_a_message_under_another_name_is_noise() -> None:
    """SS-04: no client takes it for a message."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.event(call, {"id": 1, "result": {}}, name="ping")
    assert "- raw: " in talk.entries()


@pytest.mark.parametrize("rest", [b"", b"\n"])
def test_ss_05_a_stream_without_its_last_empty_line(rest: bytes) -> None:
    """SS-05: a message that is complete counts; anything else does not."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.body(call, b'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}' + rest)
    talk.end(call)
    assert talk.entries().endswith("- server: {id: 1, result: {}}\n")
    talk.open(call := talk.post(CALL))
    talk.body(call, b'event: message\ndata: {"jsonrpc":"2.0","id":1,' + rest)
    talk.end(call)
    assert talk.entries().endswith("- http: {closed: server}\n  in: 1\n")


def test_ss_06_an_answer_on_a_stream_that_resumes() -> None:
    """SS-06: the server ends the POST's stream early, and answers on a later GET: one answer, by its id."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.event(call, "", name="", id="e1", retry=150)
    talk.end(call)
    talk.post({"id": 2, "method": "ping"})
    talk.open(resumed := talk.get(after="e1"))
    talk.event(resumed, LOG, id="e2")
    talk.event(resumed, {"id": 1, "result": {}}, id="e3")
    talk.end(resumed)
    assert talk.entries() == expected("""
        - client: {id: 1, method: tools/call, params: {name: a}}
        - http: {closed: server}
          in: 1
        - client: {id: 2, method: ping}
        - http: {get: stream, resumes: 1}
        - server: {method: notifications/message, params: {level: info, data: x}}
          in: 1
        - server: {id: 1, result: {}}
    """)
    assert talk.session().open_requests == 1


def test_ss_06_a_stream_that_resumes_and_breaks_again() -> None:
    """SS-06: the connection breaks, and again, until the answer is there."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.event(call, "", name="", id="e1")
    talk.abort(call, "server")
    talk.open(resumed := talk.get(after="e1"))
    talk.event(resumed, LOG, id="e2")
    talk.abort(resumed, "server")
    talk.open(resumed := talk.get(after="e2"))
    talk.event(resumed, {"id": 1, "result": {}})
    talk.end(resumed)
    entries = talk.entries()
    assert entries.count("- http: {aborted: server}\n  in: 1\n") == 2
    assert entries.count("- http: {get: stream, resumes: 1}\n") == 2
    assert entries.endswith("- server: {id: 1, result: {}}\n")


def test_ss_06_a_stream_that_is_primed_as_it_goes_on() -> None:
    """SS-06: behind what was missed comes an event without data; where it comes again (SS-04) the first is kept."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.event(call, "", name="", id="e1")
    talk.end(call)
    talk.open(resumed := talk.get(after="e1"))
    talk.event(resumed, LOG, id="e2")
    talk.event(resumed, "", name="", id="e3")
    talk.event(resumed, "", name="", id="e4")
    talk.event(resumed, {"id": 1, "result": {}}, id="e5")
    talk.event(resumed, "", name="", id="e6")
    talk.end(resumed)
    assert talk.entries() == expected("""
        - client: {id: 1, method: tools/call, params: {name: a}}
        - http: {closed: server}
          in: 1
        - http: {get: stream, resumes: 1}
        - server: {method: notifications/message, params: {level: info, data: x}}
        - http: {priming: server}
          in: 1
        - server: {id: 1, result: {}}
    """)


def test_ss_06_an_id_of_nothing_or_of_another_session() -> None:
    """SS-06: a fresh stream."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    talk.event(call, "", name="", id="e1")
    talk.end(call)
    talk.open(talk.get(after="nonsense"))
    talk.open(talk.get(after="e1", session="t"))
    assert talk.entries().endswith("- http: {get: stream}\n  label: get\n")
    talk.close()
    assert talk.entries(1) == "\n- http: {get: stream}\n  label: get\n"


def test_ss_06_a_standing_stream_that_resumes() -> None:
    """SS-06: told when something comes on it."""
    talk = introduced()
    talk.open(stream := talk.get())
    talk.event(stream, LOG, id="g1")
    talk.end(stream)
    talk.open(stream := talk.get(after="g1"))
    talk.event(stream, LOG, id="g2")
    assert talk.entries().endswith("- http: {get: stream, resumes: get}\n  label: get-2\n" + LINE_OF_LOG)


def test_ss_06_an_answer_that_comes_on_the_standing_stream() -> None:
    """SS-06: some servers do so; it answers the oldest request that waits."""
    talk = introduced(stream=True)
    talk.open(stream := talk.get())
    talk.open(call := talk.post(CALL))
    talk.event(stream, {"id": 1, "result": {}})
    talk.end(call)
    assert talk.entries().endswith("- server: {id: 1, result: {}}\n  in: get\n")
    assert talk.session().open_requests == 0


def test_event_ids_are_not_remembered_for_ever() -> None:
    """Ours (DESIGN 6): memory does not grow with the number of messages."""
    talk = introduced(stream=True)
    talk.open(call := talk.post(CALL))
    for number in range(1100):
        talk.event(call, LOG, id=f"e{number}")
    talk.open(talk.get(after="e0"))
    talk.open(talk.get(after="e1099"))
    entries = talk.entries()
    assert entries.count("get: stream}") == 1
    assert entries.endswith("- http: {get: stream, resumes: 1}\n")
