"""A server that sends its client elsewhere: the client comes back to the proxy, and a replay sends nobody away."""

from __future__ import annotations

from mcpmock.session.playing.actions import Send
from tests.session.http_talk import Talk, expected
from tests.session.playing.test_exchanges import introduced, send

AWAY = "http://internal:9000/mcp/"


def test_ht_05_a_redirected_initialize_begins_the_session_that_follows() -> None:
    """Case HT-05: it is no session of its own, which would never be answered."""
    talk = Talk(redactor=None)
    talk.answer(talk.post({"id": 0, "method": "initialize"}, session=""), b"", 307, Location=AWAY)
    talk.answer(talk.post({"id": 0, "method": "initialize"}, session=""), {"id": 0, "result": {}}, Mcp_Session_Id="s")
    assert talk.entries() == expected(f"""
        - client: {{id: 0, method: initialize}}
        - http: {{post: 307, headers: {{location: {AWAY}}}}}
        - client: {{id: 0, method: initialize}}
        - server: {{id: 0, result: {{}}}}
    """)
    assert talk.session().take_warnings() == []


def test_ht_05_a_replay_redirects_nobody() -> None:
    """Case HT-05: requests and notifications are played as they were in the end, GET and DELETE too."""
    away = f"- {{http: {{post: 307, headers: {{location: {AWAY}}}}}}}\n"
    call = "> {id: 1, method: tools/call, params: {name: a}}\n"
    changed = "> {method: notifications/roots/list_changed}\n"
    gone = "- {http: {get: 307}}\n- {http: {get: 405}}\n- {http: {delete: 307}}\n- {http: {delete: 204}}\n"
    machine = introduced(changed + away + changed + call + away + call + "< {id: 1, result: {}}\n" + gone)
    assert not send(machine, "n", method="notifications/roots/list_changed")
    (answer,) = send(machine, "a", id=7, method="tools/call", params={"name": "a"})
    assert isinstance(answer, Send)
    assert '"result":{}' in answer.text
    assert machine.unplayed() == []
    assert (machine.norm.get, machine.norm.delete) == (405, 204)
