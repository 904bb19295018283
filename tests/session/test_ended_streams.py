"""A request whose stream the server has ended is open no more, unless its client asks for the rest."""

from __future__ import annotations

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.showing.doubts import doubts
from mcpmock.session.showing.selfcheck import selfcheck
from tests.session.dialogue import HANDSHAKE, dialogue, recorded

META = "_meta: {io.modelcontextprotocol/protocolVersion: '2026-07-28'}"
SUB = "io.modelcontextprotocol/subscriptionId"
ENDS = ["closed: server", "aborted: server"]
BROKEN = "< {id: 7, error: {code: -32603, message: the recorded stream %s before the answer}}\n"


def call(number: int, name: str, meta: str = "x: 1") -> str:
    """A call, as the client sends it."""
    return f"> {{id: {number}, method: tools/call, params: {{name: {name}, {meta}}}}}\n"


def error(end: str) -> str:
    """What a client that speaks no HTTP is told."""
    return BROKEN % ("broke" if "aborted" in end else "was closed")


@pytest.mark.parametrize("meta", [META, "x: 1"])
@pytest.mark.parametrize("end", ENDS)
def test_the_next_answer_to_its_id_is_that_of_the_next_request(end: str, meta: str) -> None:
    """Ours: of many stateless clients each counts from 1; the answer of the second was given to the first."""
    head = HANDSHAKE if meta != META else ""
    entries = (
        call(1, "a", meta) + f"- {{http: {{{end}}}, in: 1}}\n" + call(1, "b", meta) + "< {id: 1, result: {b: 1}}\n"
    )
    text = recorded(head + entries)
    dialogue(text, head + call(7, "a", meta) + error(end) + call(7, "b", meta) + "< {id: 7, result: {b: 1}}")
    assert (selfcheck(load(text.encode())), doubts(load(text.encode()))) == ([], [])


@pytest.mark.parametrize("end", ENDS)
def test_what_comes_later_is_not_because_of_it(end: str) -> None:
    """Ours: it counted as the latest open call for the rest of the session."""
    changed = "< {method: notifications/tools/list_changed}\n"
    entries = call(1, "a") + f"- {{http: {{{end}}}, in: 1}}\n" + call(2, "b") + "< {id: 2, result: {b: 1}}\n" + changed
    live = call(7, "a") + error(end) + call(8, "b") + "< {id: 8, result: {b: 1}}\n" + changed
    dialogue(recorded(HANDSHAKE + entries), HANDSHAKE + live)


@pytest.mark.parametrize("end", ENDS)
def test_one_that_goes_on_in_a_get_is_answered_first(end: str) -> None:
    """SS-06 and rule 1: it is open, and the oldest."""
    stream = f"- {{http: {{{end}}}, in: 1}}\n- {{http: {{get: stream, resumes: 1}}, label: get}}\n"
    answers = "< {id: 1, result: {a: 1}}\n< {id: 1, result: {b: 1}}\n"
    live = call(7, "a") + "< {id: 7, result: {a: 1}}\n" + call(8, "b") + "< {id: 8, result: {b: 1}}\n"
    dialogue(recorded(HANDSHAKE + call(1, "a") + stream + call(1, "b") + answers), HANDSHAKE + live)


@pytest.mark.parametrize("end", [f"- {{http: {{{end}}}, in: 1}}\n" for end in ENDS] + ["< {id: 1, result: {}}\n"])
def test_of_two_subscriptions_with_one_id_the_second_begins_where_the_first_has_ended(end: str) -> None:
    """PROTOCOL 2.4: what came on each, and what ended it, comes on it again."""

    def listen(number: int) -> str:
        about = f"{{method: notifications/%s, params: {{_meta: {{{SUB}: {number}}}%s}}}}\n"
        acknowledged = "< " + about % ("subscriptions/acknowledged", ", notifications: {toolsListChanged: true}")
        asked = f"> {{id: {number}, method: subscriptions/listen, params: {{notifications: {{toolsListChanged: true}}, "
        return asked + f"{META}}}}}\n" + acknowledged + "< " + about % ("tools/list_changed", "")

    ended = end.replace("id: 1", "id: 7") if "result" in end else error(end)
    talk = listen(7) + ended + listen(8) + ended.replace("id: 7", "id: 8")
    text = recorded(listen(1) + end + listen(1) + end)
    dialogue(text, talk)
    assert selfcheck(load(text.encode())) == []


@pytest.mark.parametrize("end", [*ENDS, "result"])
def test_what_a_subscription_is_told_because_of_an_older_call_waits_for_it(end: str) -> None:
    """DESIGN 3: for the stream, and for its own cause; the other one, with the same filter, has its own."""
    tools = "notifications: {toolsListChanged: true}"
    told = "< {method: notifications/%s, params: {_meta: {" + SUB + ": %s}, " + tools + "}}\n"
    result = "< {id: %s, result: {resultType: complete}}\n"

    def listen(name: str) -> str:
        asked = f"> {{id: {name}, method: subscriptions/listen, params: {{{tools}, {META}}}}}\n"
        return asked + told % ("subscriptions/acknowledged", name)

    def changed(name: str) -> str:
        return told % ("tools/list_changed", name)

    ended = result % "L2" if end == "result" else f"- {{http: {{{end}}}, in: L2}}\n"
    slow, other = call(1, "slow", META), call(2, "other", META)
    talk = listen("L1") + slow + listen("L2") + changed("L2")
    done = "< {id: 1, result: {}}\n"
    live_end = result % "L2" if end == "result" else error(end).replace("id: 7", "id: L2")
    text = recorded(talk + ended + other + "< {id: 2, result: {}}\n" + done)
    live = listen("L1") + slow + done + listen("L2") + changed("L2") + live_end + other + "< {id: 2, result: {}}\n"
    dialogue(text, live)
    assert selfcheck(load(text.encode())) == []
