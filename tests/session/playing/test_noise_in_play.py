"""Noise, and what is played again (DESIGN 4, "Answering")."""

from __future__ import annotations

import pytest

from mcpmock.session.playing.live import Options
from mcpmock.session.playing.order import ORDERS, Order
from tests.session.dialogue import HANDSHAKE, continue_dialogue, dialogue, playback, recorded

ENVELOPE = '_meta: {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}'
NOT_FOUND = "error: {code: -32601, message: Method not found}"

# -- noise

SPARE = recorded(
    HANDSHAKE
    + """
    > {id: 1, method: ping}
    < {id: 1, result: {n: 1}}
    > {id: 2, method: logging/setLevel, params: {level: info}}
    < {id: 2, result: {level: info}}
    > {id: 3, method: ping}
    < {id: 3, result: {n: 2}}
    > {id: 4, method: tools/call, params: {name: t}}
    < {id: 4, result: {}}
    > {id: 5, method: ping}
    """
)


def test_noise_is_answered_by_any_recorded_answer_as_often_as_asked() -> None:
    """Ours (DESIGN 4): first the recorded ones in turn, then the last again; a ping that got no answer is none."""
    dialogue(
        SPARE,
        """
    > {id: 1, method: ping}
    < {id: 1, result: {n: 1}}
    > {id: 2, method: ping}
    < {id: 2, result: {n: 2}}
    > {id: 3, method: ping}
    < {id: 3, result: {n: 2}}
    > {id: 4, method: logging/setLevel, params: {level: debug}}
    < {id: 4, result: {level: info}}
    """,
    )


@pytest.mark.parametrize("order", ORDERS)
def test_noise_uses_up_nothing(order: Order) -> None:
    """Ours (DESIGN 4): whatever the order, and however often it comes."""
    machine = playback(SPARE, Options(order=order))
    for _ in range(3):
        for method in ("ping", "logging/setLevel"):
            assert len(machine.receive(f'{{"jsonrpc":"2.0","id":1,"method":"{method}"}}'.encode())) == 1
    continue_dialogue(
        machine,
        """
    > {id: 0, method: initialize}
    < {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
    > {id: 4, method: tools/call, params: {name: t}}
    < {id: 4, result: {}}
    """,
    )
    assert machine.report.misses == []


def test_noise_that_was_not_recorded_is_made_up() -> None:
    """Ours (DESIGN 4): by the era of the live request: `{}` for a legacy one, -32601 for an enveloped ping."""
    machine = dialogue(
        recorded(HANDSHAKE),
        f"""
    > {{id: 1, method: ping}}
    < {{id: 1, result: {{}}}}
    > {{id: 2, method: ping, params: {{}}}}
    < {{id: 2, result: {{}}}}
    > {{id: 3, method: logging/setLevel, params: {{level: info}}}}
    < {{id: 3, result: {{}}}}
    > {{id: 4, method: ping, params: {{{ENVELOPE}}}}}
    < {{id: 4, {NOT_FOUND}}}
    > {{id: 5, method: server/discover, params: {{{ENVELOPE}}}}}
    < {{id: 5, {NOT_FOUND}}}
    """,
    )
    assert machine.report.misses == []


def test_an_enveloped_ping_is_not_answered_by_a_legacy_one() -> None:
    """Ours (DESIGN 4): "synthesised by the era of the live request"."""
    dialogue(
        SPARE,
        f"""
    > {{id: 1, method: ping, params: {{{ENVELOPE}}}}}
    < {{id: 1, {NOT_FOUND}}}
    """,
    )


def test_a_recorded_probe_answers_a_probe() -> None:
    """Ours (DESIGN 4): any recorded answer to that method serves."""
    dialogue(
        recorded("> {id: 1, method: server/discover}\n< {id: 1, error: {code: -32600, message: what}}", HANDSHAKE),
        f"""
    > {{id: 7, method: server/discover, params: {{{ENVELOPE}}}}}
    < {{id: 7, error: {{code: -32600, message: what}}}}
    > {{id: 0, method: initialize}}
    < {{id: 0, result: {{protocolVersion: "2025-06-18", capabilities: {{}}}}}}
    """,
    )


def test_initialized_and_cancels_may_come_as_often_as_they_like() -> None:
    """Ours (DESIGN 4): sloppy clients send it twice, or never; in strict order too."""
    talk = """
    > {id: 0, method: initialize}
    < {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
    > {method: notifications/initialized}
    > {method: notifications/initialized}
    > {method: notifications/cancelled, params: {requestId: 99}}
    > {method: notifications/cancelled}
    > {id: 4, method: tools/call, params: {name: t}}
    < {id: 4, result: {}}
    """
    machine = dialogue(SPARE, talk, options=Options(order="strict"))
    assert machine.report.misses == []


def test_recorded_server_pings_are_not_played() -> None:
    """Ours (DESIGN 4): and the client's answer to one was part of nothing."""
    dialogue(
        recorded("""
        > {id: 1, method: tools/call, params: {name: t}}
        < {id: 0, method: ping}
        > {id: 0, result: {}}
        < {id: 1, result: {}}
        """),
        "> {id: 1, method: tools/call, params: {name: t}}\n< {id: 1, result: {}}",
    )


# -- played again

AGAIN = recorded(
    HANDSHAKE
    + """
    > {id: 9, method: tools/list}
    < {id: 9, result: {tools: []}}
    > {id: 1, method: tools/call, params: {name: t, _meta: {progressToken: 1}}}
    < {method: notifications/progress, params: {progressToken: 1, progress: 1}}
    < {method: notifications/message, params: {data: alone}}
    - stderr: "to stderr\\n"
    < {method: notifications/tools/list_changed}
    < {method: notifications/resources/updated, params: {uri: a}}
    < {id: 8, method: roots/list}
    > {id: 8, result: {roots: []}}
    < {id: 1, result: {}}
    < {method: notifications/message, params: {data: unsolicited}}
    """
)


def test_an_interaction_played_again_repeats_only_what_it_owns() -> None:
    """Ours (DESIGN 4): answer, progress, questions, and logs seen while it alone was open; the rest goes once."""
    call = "> {id: %s, method: tools/call, params: {name: t, _meta: {progressToken: %s}}}"
    dialogue(
        AGAIN,
        f"""
    > {{id: 0, method: initialize, params: {{capabilities: {{roots: {{}}}}}}}}
    < {{id: 0, result: {{protocolVersion: "2025-06-18", capabilities: {{}}}}}}
    {call % (1, 1)}
    < {{method: notifications/progress, params: {{progressToken: 1, progress: 1}}}}
    < {{method: notifications/message, params: {{data: alone}}}}
    < stderr: to stderr
    < {{method: notifications/tools/list_changed}}
    < {{method: notifications/resources/updated, params: {{uri: a}}}}
    < {{id: 8, method: roots/list}}
    > {{id: 8, result: {{roots: []}}}}
    < {{id: 1, result: {{}}}}
    < {{method: notifications/message, params: {{data: unsolicited}}}}
    {call % (2, 2)}
    < {{method: notifications/progress, params: {{progressToken: 2, progress: 1}}}}
    < {{method: notifications/message, params: {{data: alone}}}}
    < {{id: 9, method: roots/list}}
    > {{id: 9, result: {{roots: []}}}}
    < {{id: 2, result: {{}}}}
    """,
        options=Options(repeats=True, noise=True),
    )


def test_logs_of_overlapping_requests_go_once() -> None:
    """Ours (DESIGN 4): only those seen while it alone was open come again."""
    dialogue(
        recorded("""
        > {id: 1, method: prompts/get, params: {name: a}}
        > {id: 2, method: prompts/get, params: {name: b}}
        < {method: notifications/message, params: {data: whose}}
        < {id: 1, result: a}
        < {id: 2, result: b}
        """),
        """
    > {id: 1, method: prompts/get, params: {name: a}}
    < {method: notifications/message, params: {data: whose}}
    < {id: 1, result: a}
    > {id: 2, method: prompts/get, params: {name: a}}
    < {id: 2, result: a}
    """,
    )


def test_a_client_that_lists_again_on_list_changed_does_not_loop() -> None:
    """Ours (DESIGN 4): `list_changed` goes once per live session (4,297 rounds a second, seen)."""
    dialogue(
        recorded("""
        > {id: 1, method: tools/list}
        < {id: 1, result: {tools: []}}
        < {method: notifications/tools/list_changed}
        """),
        """
    > {id: 1, method: tools/list}
    < {id: 1, result: {tools: []}}
    < {method: notifications/tools/list_changed}
    > {id: 2, method: tools/list}
    < {id: 2, result: {tools: []}}
    > {id: 3, method: tools/list}
    < {id: 3, result: {tools: []}}
    """,
    )
