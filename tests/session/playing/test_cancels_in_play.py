"""A cancel is a step of the request that it cancels; what stays unanswered (DESIGN 4, "Answering")."""

from __future__ import annotations

import pytest

from tests.session.dialogue import HANDSHAKE, dialogue, recorded

CANCELLED = recorded("""
> {id: 1, method: tools/call, params: {name: slow, _meta: {progressToken: 1}}}
< {method: notifications/progress, params: {progressToken: 1, progress: 1}}
< {method: notifications/progress, params: {progressToken: 1, progress: 2}}
> {method: notifications/cancelled, params: {requestId: 1}}
< {method: notifications/progress, params: {progressToken: 1, progress: 3}}
< {id: 1, error: {code: -32800, message: cancelled}}
> {id: 2, method: tools/call, params: {name: next}}
< {id: 2, result: {}}
""")


def test_what_was_recorded_after_a_cancel_waits_for_the_live_cancel_and_is_then_played() -> None:
    """Ours (DESIGN 4): real servers go on with progress, or answer with an error."""
    dialogue(
        CANCELLED,
        """
    > {id: a, method: tools/call, params: {name: slow, _meta: {progressToken: t}}}
    < {method: notifications/progress, params: {progressToken: t, progress: 1}}
    < {method: notifications/progress, params: {progressToken: t, progress: 2}}
    > {id: b, method: tools/call, params: {name: next}}
    < {id: b, result: {}}
    > {method: notifications/cancelled, params: {requestId: a, reason: user}}
    < {method: notifications/progress, params: {progressToken: t, progress: 3}}
    < {id: a, error: {code: -32800, message: cancelled}}
    """,
    )


ASKED = recorded(
    HANDSHAKE
    + """
    > {id: 9, method: tools/list}
    < {id: 9, result: {}}
    > {id: 1, method: tools/call, params: {name: ask, _meta: {progressToken: 1}}}
    < {id: 7, method: roots/list}
    > {id: 7, result: {roots: []}}
    < {method: notifications/progress, params: {progressToken: 1, progress: 1}}
    < {method: notifications/tools/list_changed}
    > {method: notifications/cancelled, params: {requestId: 1}}
    < {method: notifications/progress, params: {progressToken: 1, progress: 2}}
    """
)
ASKING = """
> {id: 0, method: initialize, params: {capabilities: {roots: {}}}}
< {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
> {id: 1, method: tools/call, params: {name: ask, _meta: {progressToken: 1}}}
< {id: 7, method: roots/list}
"""


def test_an_earlier_live_cancel_skips_the_requests_own_steps_up_to_it() -> None:
    """Ours (DESIGN 4): but not what it does not own; a late answer to the question is no trouble."""
    machine = dialogue(
        ASKED,
        ASKING
        + """
    > {method: notifications/cancelled, params: {requestId: 1}}
    < {method: notifications/tools/list_changed}
    < {method: notifications/progress, params: {progressToken: 1, progress: 2}}
    > {id: 7, result: {roots: []}}
    > {id: 2, method: ping}
    < {id: 2, result: {}}
    """,
    )
    assert machine.report.misses == []


def test_with_no_recorded_cancel_a_live_one_drops_the_requests_own_rest() -> None:
    """Ours (DESIGN 4): it is never answered; what is not its own still comes."""
    dialogue(
        recorded(
            HANDSHAKE
            + """
            > {id: 9, method: tools/list}
            < {id: 9, result: {}}
            > {id: 1, method: tools/call, params: {name: ask, _meta: {progressToken: 1}}}
            < {id: 7, method: roots/list}
            > {id: 7, result: {roots: []}}
            < {method: notifications/progress, params: {progressToken: 1, progress: 1}}
            < {method: notifications/tools/list_changed}
            < {id: 1, result: {}}
            """
        ),
        ASKING
        + """
    > {method: notifications/cancelled, params: {requestId: 1}}
    < {method: notifications/tools/list_changed}
    > {id: 7, result: {roots: []}}
    > {id: 2, method: ping}
    < {id: 2, result: {}}
    """,
    )


def test_a_call_that_was_cancelled_without_an_answer_stays_silent() -> None:
    """Spec (cancellation): the receiver should not answer afterwards."""
    dialogue(
        recorded("""
        > {id: 1, method: tools/call, params: {name: slow}}
        > {method: notifications/cancelled, params: {requestId: 1}}
        > {id: 2, method: tools/call, params: {name: next}}
        < {id: 2, result: {}}
        """),
        """
    > {id: 1, method: tools/call, params: {name: slow}}
    > {method: notifications/cancelled, params: {requestId: 1}}
    > {id: 2, method: tools/call, params: {name: next}}
    < {id: 2, result: {}}
    """,
    )


def test_a_cancel_that_came_too_late_is_no_step() -> None:
    """Spec (cancellation): races make late answers legal, and late cancels; the next client may well not send it."""
    dialogue(
        recorded("""
        > {id: 1, method: tools/call, params: {name: t}}
        < {id: 1, result: {}}
        > {method: notifications/cancelled, params: {requestId: 1}}
        < {method: notifications/message, params: {data: too late}}
        """),
        """
    > {id: 5, method: tools/call, params: {name: t}}
    < {id: 5, result: {}}
    < {method: notifications/message, params: {data: too late}}
    > {method: notifications/cancelled, params: {requestId: 5}}
    """,
    )


def test_a_cancel_reaches_the_oldest_open_request_of_its_id() -> None:
    """Case RP-02: one well-known client sends every request with id 1."""
    dialogue(
        recorded("""
        > {id: 1, method: tools/call, params: {name: first}}
        > {method: notifications/cancelled, params: {requestId: 1}}
        < {id: 1, error: {code: -1, message: first}}
        > {id: 2, method: tools/call, params: {name: second}}
        > {method: notifications/cancelled, params: {requestId: 2}}
        < {id: 2, error: {code: -1, message: second}}
        """),
        """
    > {id: 1, method: tools/call, params: {name: first}}
    > {id: 1, method: tools/call, params: {name: second}}
    > {method: notifications/cancelled, params: {requestId: 1}}
    < {id: 1, error: {code: -1, message: first}}
    > {method: notifications/cancelled, params: {requestId: 1}}
    < {id: 1, error: {code: -1, message: second}}
    > {method: notifications/cancelled, params: {requestId: 1}}
    """,
    )


@pytest.mark.parametrize("params", ["", ", params: {}", ", params: {requestId: null}", ", params: [1]"])
def test_a_cancel_that_names_nothing_does_nothing(params: str) -> None:
    """Ours: whatever a client sends, the session goes on."""
    dialogue(
        CANCELLED,
        f"""
    > {{id: 1, method: tools/call, params: {{name: slow}}}}
    > {{method: notifications/cancelled{params}}}
    > {{method: notifications/cancelled, params: {{requestId: 1}}}}
    < {{id: 1, error: {{code: -32800, message: cancelled}}}}
    """,
    )


def test_what_is_asked_after_a_cancel_is_awaited_as_ever() -> None:
    """Ours (DESIGN 4): the server went on, and what it did with the client's answer comes after that."""
    talk = """
    > {id: 1, method: tools/call, params: {name: slow}}
    > {method: notifications/cancelled, params: {requestId: 1}}
    < {id: 7, method: roots/list}
    > {id: 7, result: {roots: []}}
    < {method: notifications/message, params: {data: thanks}}
    """
    dialogue(recorded(HANDSHAKE + talk), HANDSHAKE + talk)


def test_a_cancel_of_what_is_answered_does_not_stop_what_comes_after_the_answer() -> None:
    """Spec (cancellation): a cancel that came too late is ignored."""
    talk = """
    > {id: 1, method: tools/call, params: {name: quick, _meta: {progressToken: 1}}}
    < {id: 7, method: roots/list}
    < {id: 1, result: {}}
    > {method: notifications/cancelled, params: {requestId: 1}}
    > {id: 7, result: {roots: []}}
    < {method: notifications/progress, params: {progressToken: 1, progress: 1}}
    """
    dialogue(recorded(HANDSHAKE + talk), HANDSHAKE + talk)


def test_initialize_cannot_be_cancelled() -> None:
    """Spec (cancellation): nor does anything break when a client tries."""
    dialogue(
        recorded(HANDSHAKE),
        """
    > {id: 0, method: initialize}
    < {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
    > {method: notifications/cancelled, params: {requestId: 0}}
    > {id: 1, method: ping}
    < {id: 1, result: {}}
    """,
    )


def test_unanswered_calls_stay_unanswered() -> None:
    """Ours (DESIGN 4): no miss, no error, no made-up answer; their progress and questions come."""
    machine = dialogue(
        recorded("""
        > {id: 1, method: tools/call, params: {name: hang, _meta: {progressToken: 1}}}
        < {method: notifications/progress, params: {progressToken: 1, progress: 1}}
        < {id: 3, method: roots/list}
        > {id: 3, result: {roots: []}}
        > {id: 2, method: tools/call, params: {name: next}}
        < {id: 2, result: {}}
        """),
        """
    > {id: 1, method: tools/call, params: {name: hang, _meta: {progressToken: 5}}}
    < {method: notifications/progress, params: {progressToken: 5, progress: 1}}
    < {id: 3, method: roots/list}
    > {id: 3, result: {roots: []}}
    > {id: 2, method: tools/call, params: {name: next}}
    < {id: 2, result: {}}
    > eof
    """,
    )
    assert machine.report.misses == []
    assert machine.unplayed() == []
