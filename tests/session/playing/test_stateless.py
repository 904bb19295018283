"""The stateless revision (2026-07-28) and the ones with a handshake, side by side (PROTOCOL 2.4, 2.6, 4.2, 4.5)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpmock.cassette.reader import load
from mcpmock.matching.words import sentence
from mcpmock.session.playing.actions import Send
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.order import Order
from mcpmock.session.showing.selfcheck import selfcheck
from mcpmock.wire.envelope import SERVER_KEY
from mcpmock.wire.message import encode
from tests.session.dialogue import HANDSHAKE, dialogue, playback, recorded

VERSION = "io.modelcontextprotocol/protocolVersion"
META = f"_meta: {{{VERSION}: '2026-07-28'}}"
CALL = f"> {{id: 1, method: tools/call, params: {{name: t, {META}}}}}\n"
DONE = "< {id: 1, result: {resultType: complete}}\n"
MODERN = recorded(CALL + DONE)
LEGACY = recorded(HANDSHAKE + "> {id: 1, method: tools/call, params: {name: t}}\n< {id: 1, result: {}}")


def ask(cassette: str, method: str, version: object = "2026-07-28", **params: object) -> Any:
    """The answer to one request of a fresh client; without an envelope where the version is None."""
    envelope = {"_meta": {VERSION: version}} if version is not None else {}
    body = {"jsonrpc": "2.0", "id": 5, "method": method, "params": {**params, **envelope}}
    (action,) = playback(cassette, Options(http=True)).receive(encode(body), ticket="t")
    assert isinstance(action, Send)
    return {**json.loads(action.text), "status": action.fact.status if action.fact else 200}


def test_a_handshake_is_refused_by_a_server_that_knows_none() -> None:
    """PROTOCOL 4.5, modern and `initialize`: -32022 that names the versions in message and data; HTTP 400."""
    answer = ask(MODERN, "initialize", None, protocolVersion="2025-11-25")
    assert answer["error"]["code"] == -32022
    assert "2026-07-28" in answer["error"]["message"]
    assert answer["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2025-11-25"}
    assert answer["status"] == 400


def test_people_are_told_why_a_client_was_refused() -> None:
    """Issue 6.3: not that nothing like its request was recorded, where nothing recorded could serve it."""
    speak = "let the client speak 2026-07-28"
    told = {
        f"initialize is refused: Unsupported protocol version; supported: 2026-07-28; {speak}": (
            MODERN,
            "initialize",
            None,
        ),
        'tools/call "t" is refused: Unsupported protocol version; supported: 2026-07-28; '
        f"this client asks for 1; {speak}": (
            MODERN,
            "tools/call",
            "1",
        ),
        'tools/call "t" is refused: the recorded server asks for roots, which this client has not declared': (
            recorded(CALL + f"< {{id: 1, result: {ROUND}}}"),
            "tools/call",
            "2026-07-28",
        ),
        'tools/call "t" is refused: what is recorded begins with a handshake, which this client does without; '
        "let the client speak 2025-06-18": (
            LEGACY,
            "tools/call",
            "2026-07-28",
        ),
    }
    for sentence_of_it, (cassette, method, version) in told.items():
        machine = playback(cassette)
        envelope = {"_meta": {VERSION: version}} if version else {}
        machine.receive(encode({"jsonrpc": "2.0", "id": 5, "method": method, "params": {"name": "t", **envelope}}))
        assert [sentence(miss) for miss in machine.report.misses] == [sentence_of_it]


def test_a_secret_that_a_client_sends_for_its_version_is_not_told() -> None:
    """Issue 3: what is told of a miss goes to terminals and logs."""
    machine, secret = playback(MODERN), "ghp_" + "A9b8C7d6E5f4G3h2J1k0" * 2
    params = {"protocolVersion": secret, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    machine.receive(encode({"jsonrpc": "2.0", "id": 5, "method": "initialize", "params": params}))
    (told,) = map(sentence, machine.report.misses)
    assert "this client asks for ~secret.github_token.1~; let the client speak 2026-07-28" in told


def test_a_version_that_json_cannot_spell_again_is_told_as_text() -> None:
    """Ours: a replay ended by a traceback."""
    line = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1e400}}'
    (action,) = playback(MODERN).receive(line)
    assert isinstance(action, Send)
    assert json.loads(action.text)["error"]["data"]["requested"] == "Infinity"


def test_a_version_that_is_listed_is_served() -> None:
    """PROTOCOL 4.5, modern, version listed: served."""
    assert ask(MODERN, "tools/call", name="t")["result"] == {"resultType": "complete"}


@pytest.mark.parametrize("version", ["2027-01-15", "2025-11-25"])
def test_a_version_that_is_not_listed_is_refused(version: str) -> None:
    """PROTOCOL 4.5, modern, version not listed: -32022 with `supported`, HTTP 400."""
    answer = ask(MODERN, "tools/call", version, name="t")
    assert answer["error"]["code"] == -32022
    assert answer["error"]["data"] == {"supported": ["2026-07-28"], "requested": version}
    assert answer["status"] == 400


def test_the_versions_are_those_that_the_server_told() -> None:
    """PROTOCOL 2.6: `supportedVersions` of `server/discover`."""
    told = recorded(
        f"> {{id: 0, method: server/discover, params: {{{META}}}}}\n"
        "< {id: 0, result: {supportedVersions: ['2026-07-28', '2027-01-15']}}\n" + CALL + DONE
    )
    assert "result" in ask(told, "tools/call", "2027-01-15", name="t")


def test_a_version_that_is_no_text_is_an_invalid_parameter() -> None:
    """PROTOCOL 2.4: -32602 for what `_meta` has wrong."""
    assert ask(MODERN, "tools/call", 7, name="t")["error"]["code"] == -32602


@pytest.mark.parametrize("method", ["server/discover", "tools/call"])
def test_over_http_a_server_with_a_handshake_refuses_in_a_way_that_clients_fall_back_from(method: str) -> None:
    """PROTOCOL 4.5, legacy and enveloped: HTTP 400 with a body of no modern error; never -32020 to -32022."""
    answer = ask(LEGACY, method, name="t")
    assert (answer["id"], answer["error"]["code"], answer["status"]) == (None, -32600, 400)


def test_a_probe_is_answered_from_what_was_recorded_of_the_server() -> None:
    """Issue 6.3, trap 36: discovery that was not recorded is made up where the recording speaks this revision."""
    result = ask(MODERN, "server/discover")["result"]
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["capabilities"] == {"tools": {}}
    assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == ("complete", 0, "private")


def test_a_probe_that_was_not_recorded_hears_the_name_that_the_server_gives_itself_in_its_results() -> None:
    """Issue 6.1: a client with the revision pinned asks for no discovery, and every result says who answers."""
    named = "< {id: 1, result: {resultType: complete, _meta: {io.modelcontextprotocol/serverInfo: %s}}}"
    told = recorded(CALL + named % "{name: s, version: '3'}")
    assert ask(told, "server/discover")["result"]["_meta"] == {SERVER_KEY: {"name": "s", "version": "3"}}
    odd = recorded(CALL + named % "s")
    assert ask(odd, "server/discover")["result"]["_meta"] == {SERVER_KEY: {"name": "mcpmock", "version": "0"}}


ROUND = "{resultType: input_required, inputRequests: {a: {method: roots/list}}, requestState: s}"
BY_HAND = {
    "a round of input": f"- {{client: {{method: tools/call, params: {{name: t}}}}, server: {{result: {ROUND}}}}}",
    "a task": "- {client: {method: tools/call, params: {name: t}}, server: {result: {resultType: task, taskId: T}}}",
    "a subscription": "> {id: 1, method: subscriptions/listen, params: {notifications: {toolsListChanged: true}}}",
}


@pytest.mark.parametrize("holds", list(BY_HAND))
def test_what_was_written_by_hand_is_of_this_revision_if_no_other_client_would_understand_it(holds: str) -> None:
    """Issue 6.2 and 6.3: a probe that is refused would lead to a client that cannot read the answers."""
    assert ask(recorded(BY_HAND[holds]), "server/discover")["result"]["supportedVersions"] == ["2026-07-28"]
    twice = recorded(BY_HAND[holds], BY_HAND[holds])  # one request each: a joined timeline
    assert ask(twice, "server/discover")["result"]["supportedVersions"] == ["2026-07-28"]
    with_handshake = recorded(HANDSHAKE + BY_HAND[holds])
    assert ask(with_handshake, "server/discover")["error"]["code"] == -32600  # over HTTP; what clients fall back from


PLAIN = "- {client: {method: tools/call, params: {name: t}}, server: {result: {content: []}}}"
ALL_VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]


def test_what_was_written_by_hand_and_belongs_to_no_era_is_served_in_both() -> None:
    """Issue 6.3, trap 36: a client with the revision pinned asks `server/discover`, and fails where that is refused."""
    for cassette in (recorded(PLAIN), recorded(PLAIN, PLAIN), recorded(PLAIN, CALL + DONE)):
        assert "result" in ask(cassette, "server/discover")
        assert ask(cassette, "tools/call", name="t")["result"]["resultType"] == "complete"
    assert ask(recorded(PLAIN), "server/discover")["result"]["supportedVersions"] == ALL_VERSIONS
    assert ask(recorded(PLAIN), "initialize", None)["result"]["protocolVersion"] == "2025-11-25"
    assert ask(recorded(PLAIN, CALL + DONE), "server/discover")["result"]["supportedVersions"] == ["2026-07-28"]


NEEDS_HANDSHAKE = {
    "a question": "> {id: 1, method: tools/call, params: {name: t}}\n< {id: 0, method: roots/list}\n"
    "> {id: 0, result: {roots: []}}\n< {id: 1, result: {}}",
    "a log": "> {id: 1, method: tools/call, params: {name: t}}\n< {method: notifications/message, params: {data: x}}\n"
    "< {id: 1, result: {}}",
    "a change": PLAIN + "\n< {method: notifications/tools/list_changed}",
    "a subscription": "> {id: 1, method: resources/subscribe, params: {uri: 'x:y'}}\n< {id: 1, result: {}}",
    "a ping": PLAIN + "\n> {id: 2, method: ping}\n< {id: 2, result: {}}",
    "a task": "> {id: 1, method: tools/call, params: {name: t, task: {}}}\n< {id: 1, result: {}}",
    "a batch": "> [{id: 1, method: tools/call, params: {name: t}}]\n< [{id: 1, result: {}}]",
}


@pytest.mark.parametrize("holds", list(NEEDS_HANDSHAKE))
def test_what_a_client_without_a_handshake_would_not_be_told_keeps_those_that_can_to_the_handshake(holds: str) -> None:
    """Ours: a client that asks first would else miss what is recorded; one that does not ask is served all the same."""
    for cassette in (recorded(NEEDS_HANDSHAKE[holds]), recorded(PLAIN, NEEDS_HANDSHAKE[holds])):
        assert ask(cassette, "server/discover")["error"]["code"] == -32600
        assert "result" in ask(cassette, "tools/list")


def test_who_wants_another_answer_writes_the_probe_down() -> None:
    """Ours: a written `server/discover` is played as it is, whatever else a session holds."""
    result = "{supportedVersions: ['2026-07-28'], capabilities: {}}"
    probe = f"- {{client: {{method: server/discover}}, server: {{result: {result}}}}}\n"
    assert ask(recorded(probe + NEEDS_HANDSHAKE["a log"]), "server/discover")["result"]["capabilities"] == {}


def test_the_first_request_decides_which_recorded_session_is_taken() -> None:
    """Issue 6.3: a cassette of a server that speaks both serves either client its own."""
    legacy = HANDSHAKE + "> {id: 1, method: tools/call, params: {name: t}}\n< {id: 1, result: {content: old}}"
    modern = CALL + "< {id: 1, result: {resultType: complete, content: new}}"
    for cassette in (recorded(legacy, modern), recorded(modern, legacy)):
        dialogue(cassette, CALL + "< {id: 1, result: {resultType: complete, content: new}}")
        dialogue(cassette, legacy)


def test_a_handshake_that_came_to_nothing_does_not_hide_the_era() -> None:
    """PROTOCOL 4.5: a client whose probe is not answered in time tries the handshake, is told the versions, and probes
    once more. One that need not wait does neither; nor is it a miss where one waits again."""
    probe = "> {id: %d, method: server/discover, params: {" + META + "}}\n"
    versions = (
        "< {id: %d, result: {resultType: complete, supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: private}}\n"
    )
    handshake = "> {id: 2, method: initialize, params: {protocolVersion: '2025-11-25'}}\n"
    refusal = "< {id: 2, error: {code: -32022, message: no handshake, data: {supported: ['2026-07-28']}}}\n"
    late = probe % 1 + handshake + versions % 1 + refusal
    rest = probe % 3 + versions % 3 + CALL.replace("id: 1", "id: 4") + DONE.replace("id: 1", "id: 4")
    cassette = recorded(late + rest)
    assert selfcheck(load(cassette.encode())) == []
    for talk in (probe % 1 + versions % 1 + handshake + refusal + rest, rest):
        machine = dialogue(cassette, talk)
        assert machine.report.misses == machine.unplayed() == []


def test_lists_reads_and_discovery_repeat_and_are_never_left() -> None:
    """Issue 6.2, trap 36: how long a client keeps them depends on its clock."""
    kept = "resultType: complete, ttlMs: 0, cacheScope: private"
    read = f"> {{id: 1, method: resources/read, params: {{uri: a, {META}}}}}\n< {{id: 1, result: {{{kept}}}}}\n"
    tools = f"> {{id: 2, method: tools/list, params: {{{META}}}}}\n< {{id: 2, result: {{{kept}, tools: []}}}}\n"
    cassette = recorded(read + tools + CALL + DONE)
    assert dialogue(cassette, CALL + DONE).unplayed() == []
    orders: tuple[Order, ...] = ("stateful", "sequence")
    for order in orders:
        dialogue(cassette, read + read + tools + tools + CALL + DONE, options=Options(order=order))


def test_a_result_that_was_written_without_is_completed() -> None:
    """PROTOCOL 4.2, 8: every result needs `resultType`; the six cacheable ones `ttlMs` and `cacheScope`."""
    written = recorded("> {id: 1, method: resources/read, params: {uri: a}}\n< {id: 1, result: {contents: []}}")
    expected = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "contents": []}
    assert ask(written, "resources/read", uri="a")["result"] == expected
    assert "resultType" not in ask(written, "resources/read", None, uri="a")["result"]
    listed = ask(recorded("> {id: 1, method: tools/call, params: {name: t}}\n< {id: 1, result: {}}"), "tools/list")
    assert {"resultType", "ttlMs", "cacheScope"} < listed["result"].keys()


def test_a_result_that_a_stateless_client_was_given_without_is_left_so() -> None:
    """Ours (issue 5, 7): a server that forgets them makes clients fall back to the handshake, live as recorded."""
    discovery = f"> {{id: 1, method: server/discover, params: {{{META}}}}}\n"
    answer = "< {id: 1, result: {resultType: complete, supportedVersions: ['2026-07-28']}}\n"
    handshake = "> {id: 2, method: initialize}\n< {id: 2, result: {protocolVersion: '2025-11-25'}}\n"
    cassette = recorded(discovery + answer + handshake)
    dialogue(cassette, discovery + answer + handshake)
    assert selfcheck(load(cassette.encode())) == []


def test_sc_03_a_task_of_the_extension_is_polled_as_often_as_one_likes() -> None:
    """SC-03, PROTOCOL 3.10: extra polls repeat the current state, the last one stays; fewer polls skip nothing."""

    def poll(number: int, status: str) -> str:
        asked = f"> {{id: {number}, method: tasks/get, params: {{taskId: T, {META}}}}}\n"
        return asked + f"< {{id: {number}, result: {{resultType: complete, status: {status}}}}}\n"

    start = CALL + "< {id: 1, result: {resultType: task, taskId: T}}\n"
    update = f"> {{id: 5, method: tasks/update, params: {{taskId: T, inputResponses: {{a: {{v: %s}}}}, {META}}}}}\n"
    updated = "< {id: 5, result: {resultType: complete}}\n"
    waits = poll(2, "working") + poll(3, "working") + poll(4, "input_required")
    cassette = recorded(start + waits + update % 1 + updated + poll(6, "working") + poll(7, "completed"))
    ends = update % 2 + updated + poll(6, "working") + 3 * poll(7, "completed")
    assert dialogue(cassette, start + waits + 5 * poll(4, "input_required") + ends).unplayed() == []
    assert dialogue(cassette, start + poll(2, "working") + ends).unplayed() == []


def test_what_is_gone_is_refused_as_it_was_recorded_or_in_our_words() -> None:
    """DESIGN 4, Noise: any recorded answer to that method serves; else it follows the era of the live request."""
    ping = f"> {{id: 2, method: ping, params: {{{META}}}}}\n"
    refused = "< {id: 2, error: {code: -32601, message: Method not found, data: ping}}\n"
    dialogue(recorded(ping + refused + CALL + DONE), ping + refused + ping + refused)
    dialogue(MODERN, ping + "< {id: 2, error: {code: -32601, message: Method not found}}\n")
    dialogue(recorded(ping + refused + CALL + DONE), "> {id: 3, method: ping}\n< {id: 3, result: {}}")
