"""Streamable HTTP as entries of a cassette: the norm in the head, the exception in the entry, times."""

from __future__ import annotations

from mcpmock.cassette.model import NORM, HttpNorm
from tests.session.http_talk import Talk, expected, introduced

CALL = {"id": 1, "method": "tools/call", "params": {"name": "a"}}
LOG = {"method": "notifications/message", "params": {"level": "info", "data": "x"}}


def test_the_norm_is_what_the_first_answered_request_shows() -> None:
    """Ours (DESIGN 3): and nothing is given before it is known, because it stands in the head."""
    talk = Talk()
    first = talk.post({"id": 0, "method": "initialize"}, session="")
    assert (talk.session().norm, talk.session().open_entry) == (None, None)
    talk.open(first, Mcp_Session_Id="s")
    talk.event(first, "", name="", id="e0", retry=500)
    talk.event(first, LOG, id="e1")
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
