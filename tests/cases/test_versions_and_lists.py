"""Cases under versions, lists and schemas: what the machine plays of them (issue 6, 6)."""

from __future__ import annotations

import pytest

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
    same = LISTED % (", params: {cursor: A}", "{name: a}", ", nextCursor: A")
    machine = dialogue(recorded(HANDSHAKE + LISTED % ("", "", ", nextCursor: A") + same), HANDSHAKE + same * 5)
    assert not machine.report.misses


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
