"""Cases under versions, lists and schemas: what the machine plays of them (issue 6, 6)."""

from __future__ import annotations

import json

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.playing.actions import WriteStderr
from mcpmock.session.recording.stdio import Recording
from mcpmock.session.showing.doubts import doubts
from tests.session.dialogue import HANDSHAKE, dialogue, recorded

META = "_meta: {io.modelcontextprotocol/protocolVersion: '2026-07-28', io.modelcontextprotocol/clientCapabilities: {}}"


def test_pv_02_a_first_request_without_a_handshake_is_served() -> None:
    """PV-02: works without a session; the protocol's `_meta` is left out of the key; the process does not end."""
    call = "> {id: %s, method: tools/call, params: {name: x, %s}}\n"
    done = "< {id: %s, result: {resultType: complete, content: []}}\n"
    other = META.replace("clientCapabilities: {}", "clientCapabilities: {sampling: {}}, traceparent: '00-1'")
    dialogue(recorded(call % (1, META) + done % 1), call % (5, other) + done % 5)


def test_pv_02_a_probe_that_was_not_recorded_makes_clients_fall_back() -> None:
    """PV-02: -32601 at once, and the handshake follows on the same pipe."""
    probe = f"> {{id: 1, method: server/discover, params: {{{META}}}}}\n"
    refused = "< {id: 1, error: {code: -32601, message: Method not found}}\n"
    dialogue(recorded(HANDSHAKE), probe + refused + HANDSHAKE)


LISTED = "> {id: 1, method: tools/list%s}\n< {id: 1, result: {tools: [%s]%s}}\n"


@pytest.mark.parametrize("order", ["forth", "back"])
def test_sc_01_cursors_are_opaque_and_the_empty_one_is_one(order: str) -> None:
    """SC-01: `{cursor: ""}` and `{}` are different requests; every page is an exchange of its own."""
    pages = [
        LISTED % ("", "{name: a}", ", nextCursor: ''"),
        LISTED % (", params: {cursor: ''}", "{name: b}", ", nextCursor: 'p=2&x'"),
        LISTED % (", params: {cursor: 'p=2&x'}", "{name: c}", ""),
    ]
    dialogue(recorded(HANDSHAKE + "".join(pages)), HANDSHAKE + "".join(pages if order == "forth" else pages[::-1]))


def test_sc_01_a_page_that_leads_to_itself_is_served_again() -> None:
    """SC-01, the twin: a repeat of the last page is served again, without growth."""
    asked, answered = page("A", "A").splitlines(keepends=True)
    same = asked + answered
    cassette = recorded(HANDSHAKE + LISTED % ("", "", ", nextCursor: A") + same)
    told = f"the client asks for the same page of tools/list again and again (line 11): the recorded {CIRCLE}"
    machine = dialogue(cassette, HANDSHAKE + 2 * same + asked + f"< stderr: mcpmock: {told}\n" + answered + 20 * same)
    assert not machine.report.misses


CIRCLES = {
    "to itself": [("A", "A")],
    "the empty cursor": [("", "")],
    "by way of others": [("A", "B"), ("B", "C"), ("C", "B")],
}


def page(cursor: str, following: str) -> str:
    """A page of tools that leads to another one."""
    return LISTED % (f", params: {{cursor: '{cursor}'}}", "{name: a}", f", nextCursor: '{following}'")


def circle(name: str) -> str:
    """A whole list that has no end, and how often a client has gone round before it gave up: not at all."""
    pages = CIRCLES[name]
    return HANDSHAKE + LISTED % ("", "", f", nextCursor: '{pages[0][0]}'") + "".join(page(*each) for each in pages)


CIRCLE = "pages lead in a circle: a client that follows nextCursor never ends"
TOLD = f"the {CIRCLE.replace('pages', 'pages of tools/list')}"


@pytest.mark.parametrize("name", list(CIRCLES))
def test_sc_01_a_client_that_follows_a_circle_is_told_of_and_answered(name: str) -> None:
    """SC-01: a guard reports loops; on stderr and in the report, once, and a client that stops itself is let be."""
    pages = CIRCLES[name]
    machine = dialogue(recorded(circle(name)), HANDSHAKE + "".join(page(*each) for each in pages[-2:]) * 2)
    assert machine.report.notes == []
    said = [
        action.text
        for _ in range(50)
        for cursor, _ in pages[-2:]
        for action in machine.receive(encode_page(cursor))
        if isinstance(action, WriteStderr)
    ]
    (told,) = machine.report.notes
    assert told.startswith("the client asks for the same page of tools/list again and again (line ")
    assert told.endswith(TOLD.removeprefix("the pages of tools/list "))
    assert said == [f"mcpmock: {told}\n"]
    assert not machine.report.misses


def encode_page(cursor: str) -> bytes:
    """A live request for a page."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": cursor}}).encode()


@pytest.mark.parametrize("name", list(CIRCLES))
def test_sc_01_check_tells_of_a_circle(name: str) -> None:
    """SC-01: as a warning, once; such a recording is sound."""
    cassette = load(recorded(circle(name)).encode())
    assert [doubt.text for doubt in doubts(cassette)] == [TOLD]


def test_sc_01_a_list_that_is_read_again_is_no_circle() -> None:
    """SC-01: pages that come to an end may be asked for as often as one likes, by two clients at once as well."""
    last = LISTED % (", params: {cursor: 'B'}", "{name: b}", "")
    pages = [LISTED % ("", "", ", nextCursor: 'A'"), page("A", "B"), last]
    whole = HANDSHAKE + "".join(pages)
    assert doubts(load(recorded(whole + "".join(pages)).encode())) == []
    machine = dialogue(recorded(whole), whole + "".join(pages[:2] * 2 + pages[1:] * 5))
    assert machine.report.notes == []


@pytest.mark.parametrize("name", list(CIRCLES))
def test_sc_01_the_recorder_tells_of_a_circle(name: str) -> None:
    """SC-01: every page is an entry, and a person is told once while it still goes on."""
    recording = Recording()
    for cursor, following in [("start", CIRCLES[name][0][0]), *CIRCLES[name] * 3]:
        recording.received("client", encode_page(cursor) + b"\n", 1)
        result = {"tools": [], "nextCursor": following}
        recording.received("server", json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode() + b"\n", 2)
    assert recording.take_warnings() == [TOLD]
    assert len(recording.take_entries()) == 2 + 6 * len(CIRCLES[name])


def test_sc_02_what_breaks_its_own_schema_is_served_as_it_was() -> None:
    """SC-02: recorded results are served though invalid; a client may ask for the schema at any time, and again."""
    tool = "{name: t, outputSchema: {type: object, required: [n], properties: {n: {type: number}}}}"
    listed = LISTED % ("", tool, "")
    call = "> {id: 2, method: tools/call, params: {name: %s}}\n< {id: 2, result: %s}\n"
    broken = call % ("t", "{content: [], structuredContent: {n: no number}}")
    failed = call % ("u", "{content: [], isError: true}")
    nothing = call % ("v", "{content: [], structuredContent: null}")
    cassette = recorded(HANDSHAKE + listed + broken + failed + nothing)
    dialogue(cassette, HANDSHAKE + broken + listed + listed + nothing + failed + listed)


def test_sc_05_a_list_changes_with_the_call_that_changed_it() -> None:
    """SC-05: the first list until that call has been played, then the second; the notification comes at that point."""
    old, new = LISTED % ("", "{name: add}", ""), LISTED % ("", "{name: add}, {name: x}", "")
    call = "> {id: 2, method: tools/call, params: {name: add}}\n"
    changes = call + "< {method: notifications/tools/list_changed}\n< {id: 2, result: {}}\n"
    cassette = recorded(HANDSHAKE + old + changes + new)
    dialogue(cassette, HANDSHAKE + old + old + changes + new + new)
    dialogue(cassette, HANDSHAKE + old.replace("id: 1", "id: 7") + changes)
