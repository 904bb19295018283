"""Cassettes written by hand (DESIGN 3): the short form, absent ids, the handshake that a session gets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpmock.session.playing.live import Options
from mcpmock.session.playing.order import Order
from mcpmock.session.playing.playback import Playback
from mcpmock.wire.methods import LEGACY_REVISIONS
from tests.session.dialogue import continue_dialogue, dialogue, playback, recorded

# -- the short form

SHORT = recorded(
    """
    - {client: {method: tools/call, params: {name: add, arguments: {a: 1}}}, server: {result: {sum: 1}}}
    - {client: {method: tools/call, params: {name: add, arguments: {a: 2}}}, server: {error: {code: 7, message: nay}}}
    """
)


def test_the_short_form_is_a_request_and_its_answer_under_the_live_id() -> None:
    """Ours (DESIGN 3): ids are left out; a result or an error."""
    dialogue(
        SHORT,
        """
    > {id: "x", method: tools/call, params: {name: add, arguments: {a: 2}}}
    < {id: "x", error: {code: 7, message: nay}}
    > {id: 0, method: tools/call, params: {name: add, arguments: {a: 1}}}
    < {id: 0, result: {sum: 1}}
    """,
    )


def test_the_short_form_may_stand_among_entries_with_ids() -> None:
    """Ours (DESIGN 3): each entry by itself; it takes no id from anybody, and closes nothing that is open."""
    dialogue(
        recorded("""
    > {id: 1, method: tools/call, params: {name: slow}}
    - {client: {method: resources/read, params: {uri: "a:1"}}, server: {result: {quick: 1}}}
    < {method: notifications/message, params: {data: of-slow}}
    < {id: 1, result: {slow: 1}}
    """),
        """
    > {id: 5, method: resources/read, params: {uri: "a:1"}}
    < {id: 5, result: {quick: 1}}
    > {id: 6, method: tools/call, params: {name: slow}}
    < {method: notifications/message, params: {data: of-slow}}
    < {id: 6, result: {slow: 1}}
    """,
    )


def test_in_entries_of_their_own_an_absent_id_means_absent() -> None:
    """Ours (DESIGN 3): a call without an id is a notification, and an answer without one answers nothing."""
    dialogue(
        recorded("""
    > {method: tools/call, params: {name: add}}
    < {result: {sum: 1}}
    """),
        """
    > {id: 1, method: tools/call, params: {name: add}}
    < miss unknown 1
    > {method: tools/call, params: {name: add}}
    < {result: {sum: 1}}
    """,
    )


# -- a session without a handshake gets one


def answered(machine: Playback, method: str, params: dict[str, Any] | None = None) -> Any:
    """The result, or the error, that the machine answers to a request."""
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    (action,) = machine.receive(json.dumps(request).encode())
    answer = json.loads(action.text)  # type: ignore[union-attr]
    assert answer["id"] == 1
    return answer.get("result", answer.get("error"))


@pytest.mark.parametrize("version", LEGACY_REVISIONS)
def test_the_version_is_as_asked(version: str) -> None:
    """Ours (DESIGN 3)."""
    assert answered(playback(SHORT), "initialize", {"protocolVersion": version})["protocolVersion"] == version


@pytest.mark.parametrize("version", ["2026-07-28", "1.0.0", "", None, 7, ["2025-06-18"]])
def test_a_version_that_no_handshake_can_agree_on_becomes_the_latest_that_one_can(version: object) -> None:
    """PROTOCOL 4.5: "another version it supports"; never the stateless one in a handshake."""
    asked = {"protocolVersion": version}
    assert answered(playback(SHORT), "initialize", asked)["protocolVersion"] == LEGACY_REVISIONS[-1]


@pytest.mark.parametrize(
    ("entries", "capabilities"),
    [
        ("> {id: 1, method: tools/call, params: {name: a}}", {"tools": {}}),
        ("> {id: 1, method: tools/list}", {"tools": {}}),
        ("> {id: 1, method: resources/read, params: {uri: 'a:1'}}", {"resources": {}}),
        ("> {id: 1, method: resources/templates/list}", {"resources": {}}),
        ("> {id: 1, method: resources/subscribe, params: {uri: 'a:1'}}", {"resources": {"subscribe": True}}),
        ("> {id: 1, method: prompts/get, params: {name: p}}", {"prompts": {}}),
        ("> {id: 1, method: completion/complete}", {"completions": {}}),
        ("> {id: 1, method: logging/setLevel, params: {level: info}}", {"logging": {}}),
        ("> {id: 1, method: tasks/get, params: {taskId: t}}", {"tasks": {}}),
        ("> {id: 1, method: x/own}", {}),
        ("> {method: notifications/initialized}", {}),
        ("< {method: notifications/message, params: {data: x}}", {"logging": {}}),
        ("< {method: notifications/tools/list_changed}", {"tools": {"listChanged": True}}),
        ("< {method: notifications/prompts/list_changed}", {"prompts": {"listChanged": True}}),
        ("< {method: notifications/resources/list_changed}", {"resources": {"listChanged": True}}),
        ("< {method: notifications/resources/updated, params: {uri: 'a:1'}}", {"resources": {"subscribe": True}}),
        ("< {id: 1, method: roots/list}\n< {id: 2, method: tasks/get}", {}),
        (
            "> {id: 1, method: resources/subscribe}\n< {method: notifications/resources/list_changed}\n"
            "> {id: 2, method: tools/list}",
            {"resources": {"subscribe": True, "listChanged": True}, "tools": {}},
        ),
    ],
)
def test_the_capabilities_are_those_of_the_methods_that_occur(entries: str, capabilities: object) -> None:
    """Ours (DESIGN 3): what the client asks and what the server tells."""
    assert answered(playback(recorded(entries)), "initialize")["capabilities"] == capabilities


def test_the_server_is_called_as_the_session_says() -> None:
    """Ours (DESIGN 3): the spec wants a name and a version."""
    assert answered(playback(SHORT), "initialize")["serverInfo"] == {"name": "mcpmock", "version": "0"}
    named = recorded("> {id: 1, method: ping}", server="weather")
    assert answered(playback(named), "initialize")["serverInfo"]["name"] == "weather"


def test_the_tool_list_is_that_of_the_tools_called() -> None:
    """Ours (DESIGN 3): each once, in the order of their first call, with the arguments that were given."""
    machine = playback(
        recorded("""
    - {client: {method: tools/call, params: {name: b}}, server: {result: {}}}
    - {client: {method: tools/call, params: {name: a, arguments: {x: 1}}}, server: {result: {}}}
    - {client: {method: tools/call, params: {name: b}}, server: {result: {}}}
    - {client: {method: tools/call, params: {name: a, arguments: {y: 1, x: 2}}}, server: {result: {}}}
    - {client: {method: tools/call, params: {name: 7}}, server: {result: {}}}
    - {client: {method: tools/call}, server: {result: {}}}
    """)
    )
    answered(machine, "initialize")
    assert answered(machine, "tools/list") == {
        "tools": [
            {"name": "b", "inputSchema": {"type": "object"}},
            {"name": "a", "inputSchema": {"type": "object", "properties": {"x": {}, "y": {}}}},
        ]
    }


def test_the_other_lists_are_made_the_same_way() -> None:
    """Ours (DESIGN 3): clients list before they get or read."""
    machine = playback(
        recorded("""
    - {client: {method: prompts/get, params: {name: p, arguments: {x: "1"}}}, server: {result: {}}}
    - {client: {method: prompts/get, params: {name: q}}, server: {result: {}}}
    - {client: {method: resources/read, params: {uri: "a:1"}}, server: {result: {}}}
    - {client: {method: resources/read, params: {uri: "a:1"}}, server: {result: {}}}
    """)
    )
    assert answered(machine, "prompts/list") == {
        "prompts": [{"name": "p", "arguments": [{"name": "x"}]}, {"name": "q"}]
    }
    assert answered(machine, "resources/list") == {"resources": [{"uri": "a:1", "name": "a:1"}]}
    assert answered(machine, "resources/templates/list") == {"resourceTemplates": []}
    assert answered(machine, "tools/list") == {"tools": []}


def test_what_was_recorded_of_a_handshake_or_a_list_is_not_made_up() -> None:
    """Ours (DESIGN 3): only what a session lacks."""
    dialogue(
        recorded("""
    - {client: {method: tools/list}, server: {result: {tools: [{name: other}]}}}
    - {client: {method: tools/call, params: {name: a}}, server: {result: {}}}
    """),
        """
    > {id: 1, method: tools/list}
    < {id: 1, result: {tools: [{name: other}]}}
    """,
    )
    dialogue(
        recorded("""
    - {client: {method: initialize}, server: {result: {protocolVersion: "2024-11-05"}}}
    - {client: {method: tools/call, params: {name: a}}, server: {result: {}}}
    """),
        """
    > {id: 1, method: initialize, params: {protocolVersion: "2025-11-25"}}
    < {id: 1, result: {protocolVersion: "2024-11-05"}}
    > {id: 2, method: tools/list}
    < miss unknown 2
    """,
    )


def test_the_rest_of_a_handshake_needs_no_recording_either() -> None:
    """Ours (DESIGN 3): `initialized` is taken, and what is made up is no miss and is told apart in the report."""
    machine = dialogue(
        SHORT.replace("-\n", "- server: it\n", 1),
        """
    > {id: 0, method: initialize, params: {protocolVersion: "2024-11-05"}}
    < {id: 0, result: {protocolVersion: "2024-11-05", capabilities: {tools: {}}, serverInfo: {name: it, version: "0"}}}
    > {method: notifications/initialized}
    > {id: 1, method: tools/list}
    < {id: 1, result: {tools: [{name: add, inputSchema: {type: object, properties: {a: {}}}}]}}
    > {id: 2, method: tools/call, params: {name: add, arguments: {a: 1}}}
    < {id: 2, result: {sum: 1}}
    """,
    )
    assert [call.outcome for call in machine.report.calls] == ["made up", "ignored", "made up", "played"]
    assert machine.report.misses == []


def test_a_client_may_leave_out_the_handshake_as_the_cassette_does() -> None:
    """Ours (DESIGN 3)."""
    dialogue(
        SHORT, "> {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}\n< {id: 1, result: {sum: 1}}"
    )


BATCH = """
    > [{id: 1, method: tools/call, params: {name: a}}, {method: notifications/own}, {id: 2, method: resources/list}]
    < [{id: 1, result: {a: 1}}, {id: 2, result: {resources: []}}]
"""


def test_a_recorded_batch_is_answered_as_one_without_a_handshake_too() -> None:
    """Ours (DESIGN 3); case RP-06: such a session can only be of the revision that has batches."""
    dialogue(recorded(BATCH), BATCH)


def test_whoever_asks_for_a_revision_without_batches_gets_none() -> None:
    """Ours (DESIGN 3); case RP-06: the version is as asked, whatever was recorded."""
    machine = playback(recorded(BATCH))
    answered(machine, "initialize", {"protocolVersion": "2025-03-26"})
    continue_dialogue(machine, BATCH)
    machine = playback(recorded(BATCH))
    answered(machine, "initialize", {"protocolVersion": "2025-06-18"})
    (action,) = machine.receive(b'[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}]')
    assert json.loads(action.text)["error"]["code"] == -32600  # type: ignore[union-attr]


@pytest.mark.parametrize("order", ["stateful", "strict"])
@pytest.mark.parametrize("cassette", ["version: 1\nsessions:\n", recorded("")])
def test_a_cassette_without_entries_or_sessions_still_shakes_hands(cassette: str, order: Order) -> None:
    """Ours (DESIGN 3): an empty cassette is a valid one; all else misses."""
    machine = playback(cassette, Options(order=order))
    assert answered(machine, "initialize")["capabilities"] == {}
    assert answered(machine, "tools/list") == {"tools": []}
    missed = answered(machine, "tools/call", {"name": "a"})["data"]["mcpmock"]["miss"]
    assert missed == ("unknown" if order == "stateful" else "out of order")
