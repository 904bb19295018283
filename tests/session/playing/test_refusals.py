"""What a server of the stateless revision refused for what `_meta` holds, or headers (PROTOCOL 2.4 and 4.5).

A suite of conformance checks asks for each of these on purpose, and goes on with sound requests.
"""

from __future__ import annotations

import pytest

from mcpmock.cassette.reader import load
from mcpmock.matching.pages import page
from mcpmock.session.playing.live import Options
from mcpmock.session.showing.selfcheck import selfcheck
from tests.session.dialogue import dialogue, recorded

VERSION = "io.modelcontextprotocol/protocolVersion: '2026-07-28'"
ABLE = "io.modelcontextprotocol/clientCapabilities"
SOUND = f"{{{VERSION}, {ABLE}: {{}}}}"
BARE = "> {id: 1, method: tools/list, params: {}}\n"
UNABLE = f"> {{id: 2, method: tools/list, params: {{_meta: {{{VERSION}}}}}}}\n"
LIST = f"> {{id: 3, method: tools/list, params: {{_meta: {SOUND}}}}}\n"
STRANGE = "_meta: {io.modelcontextprotocol/protocolVersion: v9, io.modelcontextprotocol/clientCapabilities: {}}"
LISTED = "< {id: 3, result: {resultType: complete, ttlMs: 0, cacheScope: private, tools: []}}\n"
CASSETTE = recorded(
    BARE
    + "< {id: 1, error: {code: -32602, message: no _meta}}\n"
    + UNABLE
    + "< {id: 2, error: {code: -32602, message: no capabilities}}\n"
    + LIST
    + LISTED
)


def test_what_lacks_something_is_refused_as_the_like_was_and_nothing_else_is() -> None:
    """Ours (PROTOCOL 2.4): `_meta` does not count where requests are compared, but here it was all that counted."""
    dialogue(
        CASSETTE,
        LIST
        + LISTED
        + UNABLE
        + "< {id: 2, error: {code: -32602, message: no capabilities}}\n"
        + BARE
        + "< {id: 1, error: {code: -32602, message: no _meta}}\n"
        + LIST
        + LISTED,
    )


def test_a_refusal_uses_up_nothing_however_often_it_is_played() -> None:
    """Ours: it changed nothing on the server."""
    ask = "> {id: 1, method: tools/call, params: {name: t}}\n< {id: 1, error: {code: -32600, message: sorry}}\n"
    dialogue(recorded(ask + LIST + LISTED), ask * 3)


def test_a_request_that_somebody_has_written_without_meta_is_still_found() -> None:
    """Ours: who writes a cassette leaves out what does not matter; an error of a tool is no refusal."""
    call = "method: tools/call, params: {name: t"
    cassette = recorded(
        f"> {{id: 1, {call}}}}}\n< {{id: 1, error: {{code: -32602, message: sorry}}}}\n" + LIST + LISTED
    )
    dialogue(cassette, f"> {{id: 4, {call}, _meta: {SOUND}}}}}\n< {{id: 4, error: {{code: -32602, message: sorry}}}}")


def test_a_version_that_was_refused_is_refused_in_the_same_words_and_is_no_miss() -> None:
    """PROTOCOL 4.5: -32022; another unknown version is refused in ours."""
    probe = f"> {{id: 1, method: server/discover, params: {{{STRANGE}}}}}\n"
    refused = "< {id: 1, error: {code: -32022, message: theirs, data: {supported: ['2026-07-28'], requested: v9}}}\n"
    lied = probe + "< {id: 1, error: {code: -32020, message: headers}}\n"
    machine = dialogue(recorded(probe + refused + lied + LIST + LISTED), LIST + LISTED + probe + refused)
    assert machine.report.misses == []


def test_a_probe_with_a_refused_version_is_told_so_where_nothing_else_was_recorded() -> None:
    """Ours: as recorded, and no miss; a sound probe, or one with another version, is not told about that one. Where
    nothing was recorded of the version, the page says nothing of placeholders."""
    probe = f"> {{id: 1, method: server/discover, params: {{{STRANGE}}}}}\n"
    refused = "< {id: 1, error: {code: -32022, message: no v9, data: {supported: ['2026-07-28'], requested: v9}}}\n"
    sound = f"> {{id: 2, method: server/discover, params: {{_meta: {SOUND}}}}}\n"
    machine = dialogue(
        recorded(probe + refused),
        f"{probe}{refused}{sound}< {{id: 2, error: {{code: -32601, message: Method not found}}}}",
    )
    assert machine.report.misses == []
    assert selfcheck(load(recorded(probe + refused).encode(), path="x.yaml")) == []
    machine.receive(
        b'{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{"_meta":{%s}}}'
        % (b'"io.modelcontextprotocol/protocolVersion":"v8"')
    )
    (miss,) = machine.report.misses
    assert "placeholder" not in page(miss)


def test_who_lacks_a_capability_is_refused_and_who_has_it_is_served() -> None:
    """Spec (2026-07-28): -32021 names what the client would have to declare."""
    call = "method: tools/call, params: {name: t, _meta: {" + VERSION
    lacking = f"> {{id: 1, {call}, {ABLE}: {{roots: {{}}}}}}}}}}\n"
    refused = "< {id: 1, error: {code: -32021, message: m, data: {requiredCapabilities: {sampling: {}}}}}\n"
    able = f"> {{id: 2, {call}, {ABLE}: {{sampling: {{}}}}}}}}}}\n"
    done = "< {id: 2, result: {resultType: complete}}\n"
    dialogue(recorded(lacking + refused + able + done), able + done + lacking + refused + lacking + refused)


NEEDS = "{code: -32021, message: m, data: {requiredCapabilities: {elicitation: {url: {}}}}}"


def test_who_lacks_a_part_of_a_capability_is_refused_and_who_has_it_is_served() -> None:
    """Spec (2026-07-28): what is required may be a part, such as the `url` of `elicitation`."""
    call = "method: tools/call, params: {name: t, _meta: {" + VERSION
    lacking = f"> {{id: 1, {call}, {ABLE}: {{elicitation: {{form: {{}}}}}}}}}}}}\n"
    none = f"> {{id: 1, {call}, {ABLE}: {{}}}}}}}}\n"
    able = f"> {{id: 2, {call}, {ABLE}: {{elicitation: {{form: {{}}, url: {{}}}}}}}}}}}}\n"
    refused, done = f"< {{id: 1, error: {NEEDS}}}\n", "< {id: 2, result: {resultType: complete}}\n"
    machine = dialogue(
        recorded(lacking + refused + able + done), able + done + (lacking + refused) * 2 + none + refused
    )
    assert machine.report.misses == []


def test_who_was_refused_for_what_it_had_declared_gets_that_again() -> None:
    """Ours: a gateway may not pass on what its client declares; npm's mcp-proxy 6.7 does not."""
    call = "method: tools/call, params: {name: t, _meta: {" + VERSION
    ask = f"> {{id: 1, {call}, {ABLE}: {{elicitation: {{form: {{}}, url: {{}}}}}}}}}}}}\n"
    refused = f"< {{id: 1, error: {NEEDS}}}\n"
    machine = dialogue(recorded(ask + refused + LIST + LISTED), LIST + LISTED + ask + refused)
    assert machine.report.misses == []


@pytest.mark.parametrize("order", ["stateful", "strict"])
def test_headers_that_were_refused_are_no_answer_to_the_request(order: str) -> None:
    """Ours: the cassette does not hold them, and over HTTP a replay looks at the live ones itself."""
    mismatch = LIST + "< {id: 3, error: {code: -32020, message: headers}}\n"
    cassette = recorded(mismatch + LIST + LISTED)
    dialogue(cassette, LIST + LISTED, options=Options(order=order))  # type: ignore[arg-type]
    assert selfcheck(load(cassette.encode())) == []


def test_refusals_have_their_place_in_the_strict_order() -> None:
    """Ours (DESIGN 4): nothing is passed over there."""
    refused = "< {id: 1, error: {code: -32602, message: no _meta}}\n"
    talk = BARE + refused + UNABLE + "< {id: 2, error: {code: -32602, message: no capabilities}}\n" + LIST + LISTED
    dialogue(CASSETTE, talk, options=Options(order="strict"))
    dialogue(CASSETTE, UNABLE + "< miss out of order 2", options=Options(order="strict"))


def test_a_version_that_was_served_is_served_though_the_server_does_not_name_it() -> None:
    """Issue 6: an official server over stdio looks at the version once; a replay refused what it had answered."""
    told = "{resultType: complete, supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 0, cacheScope: private}"
    probe = f"> {{id: 1, method: server/discover, params: {{_meta: {SOUND}}}}}\n< {{id: 1, result: {told}}}\n"
    call = f"> {{id: 2, method: tools/call, params: {{name: t, {STRANGE}}}}}\n"
    done = "< {id: 2, result: {resultType: complete}}\n"
    assert dialogue(recorded(probe + call + done), probe + call + done).report.misses == []


def test_a_try_of_the_handshake_makes_no_session_of_the_other_era() -> None:
    """Ours: with an envelope `initialize` is one of the methods that the revision has no more."""
    tried = f"> {{id: 1, method: initialize, params: {{_meta: {SOUND}}}}}\n"
    gone = "< {id: 1, error: {code: -32601, message: Method not found}}\n"
    cassette = recorded(tried + gone + LIST + LISTED)
    dialogue(cassette, tried + gone + LIST + LISTED)
    dialogue(cassette, LIST + LISTED + tried + gone)


def test_a_version_that_was_refused_once_and_then_served_is_so_again() -> None:
    """Ours: a server that starts up, or wants to see the client try again, refuses what it lists itself."""
    probe = f"> {{id: 1, method: server/discover, params: {{_meta: {SOUND}}}}}\n"
    refused = "< {id: 1, error: {code: -32022, message: later, data: {supported: ['2026-07-28']}}}\n"
    known = "supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 0, cacheScope: private"
    told = f"< {{id: 1, result: {{resultType: complete, {known}}}}}\n"
    talk = probe + refused + probe + told + LIST + LISTED
    machine = dialogue(recorded(talk), talk)
    assert machine.report.misses == []


def test_who_has_shaken_hands_is_not_refused_for_what_the_others_lack() -> None:
    """Issue 6.3: one cassette for both eras; a request without `_meta` was refused in the stateless session."""
    hello = '> {id: 0, method: initialize, params: {protocolVersion: "2025-11-25"}}\n'
    legacy = hello + '< {id: 0, result: {protocolVersion: "2025-11-25"}}\n' + BARE + "< {id: 1, result: {tools: []}}\n"
    dialogue(recorded(BARE + "< {id: 1, error: {code: -32602, message: no _meta}}\n" + LIST + LISTED, legacy), legacy)
