"""An anchor that the live client skips (DESIGN 4, "Answering")."""

from __future__ import annotations

from tests.session.dialogue import HANDSHAKE, continue_dialogue, dialogue, recorded

SKIPPED = recorded(
    HANDSHAKE
    + """
    < {method: notifications/message, params: {data: ready}}
    > {id: 1, method: tools/list}
    < {id: 1, result: {tools: [{name: look, annotations: {readOnlyHint: true}}]}}
    < {method: notifications/message, params: {data: listed}}
    > {id: 2, method: tools/call, params: {name: change}}
    < {id: 2, result: {}}
    < {method: notifications/message, params: {data: changed}}
    > {id: 3, method: resources/read, params: {uri: a}}
    > {id: 4, method: resources/read, params: {uri: b}}
    < {method: notifications/message, params: {data: in the midst}}
    < {id: 3, result: a}
    < {id: 4, result: b}
    > {id: 5, method: ping}
    < {id: 5, result: {}}
    < {method: notifications/message, params: {data: pinged}}
    > {id: 6, method: prompts/get, params: {name: p}}
    < {id: 6, result: {}}
    """
)


def test_what_was_anchored_to_a_skipped_message_comes_once_the_session_has_passed_it() -> None:
    """Ours (DESIGN 4): but not what came in the midst of others, and not what a change brought about."""
    machine = dialogue(
        SKIPPED,
        """
    > {id: 0, method: initialize}
    < {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
    > {id: 9, method: prompts/get, params: {name: p}}
    < {method: notifications/message, params: {data: ready}}
    < {method: notifications/message, params: {data: listed}}
    < {method: notifications/message, params: {data: pinged}}
    < {id: 9, result: {}}
    """,
    )
    continue_dialogue(
        machine,
        """
    > {method: notifications/initialized}
    > {id: 1, method: tools/list}
    < {id: 1, result: {tools: [{name: look, annotations: {readOnlyHint: true}}]}}
    > {id: 2, method: tools/call, params: {name: change}}
    < {id: 2, result: {}}
    < {method: notifications/message, params: {data: changed}}
    """,
    )


def test_an_anchor_that_is_not_passed_yet_waits() -> None:
    """Ours (DESIGN 4): noise passes nothing, `initialized` does."""
    dialogue(
        recorded("< {method: notifications/message, params: {data: hello}}" + HANDSHAKE + "> {id: 1, method: ping}"),
        """
    > {id: 9, method: ping}
    < {id: 9, result: {}}
    > {method: notifications/initialized}
    < {method: notifications/message, params: {data: hello}}
    """,
    )


def test_what_the_server_said_unasked_at_first_comes_before_its_first_answer() -> None:
    """PROTOCOL 2.1: it may log before `initialized`, and does before `initialize` is answered."""
    dialogue(
        recorded("< {method: notifications/message, params: {data: hello}}" + HANDSHAKE),
        """
    > {id: 0, method: initialize}
    < {method: notifications/message, params: {data: hello}}
    < {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
    """,
    )
