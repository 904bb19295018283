"""Server questions are really asked, their answers awaited and compared (DESIGN 4, "Answering")."""

from __future__ import annotations

from tests.session.dialogue import HANDSHAKE, continue_dialogue, dialogue, recorded

ASK = recorded(
    HANDSHAKE
    + """
    > {id: 1, method: tools/call, params: {name: ask}}
    < {id: 3, method: sampling/createMessage, params: {maxTokens: 1}}
    > {id: 3, result: {text: first}}
    < {method: notifications/message, params: {data: thanks}}
    < {id: 4, method: sampling/createMessage, params: {maxTokens: 2}}
    > {id: 4, result: {text: second}}
    < {id: 1, result: done}
    """
)
BEGIN = """
> {id: 0, method: initialize, params: {capabilities: {sampling: {}}}}
< {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
> {id: 1, method: tools/call, params: {name: ask}}
< {id: 3, method: sampling/createMessage, params: {maxTokens: 1}}
"""


def test_questions_are_asked_one_after_the_other_and_their_answers_awaited() -> None:
    """Ours (DESIGN 4): "Server questions are really asked; the live client's answer is awaited"."""
    machine = dialogue(
        ASK,
        BEGIN
        + """
    > {id: 3, result: {text: first}}
    < {method: notifications/message, params: {data: thanks}}
    < {id: 4, method: sampling/createMessage, params: {maxTokens: 2}}
    > {id: 4, result: {text: second}}
    < {id: 1, result: done}
    """,
    )
    assert machine.report.different_answers == []
    assert machine.report.misses == []
    assert machine.unplayed() == []


def test_another_answer_is_reported_and_not_fatal() -> None:
    """Ours (DESIGN 4): "compared (reported, not fatal by default), and the script goes on"."""
    machine = dialogue(
        ASK,
        BEGIN
        + """
    > {id: 3, result: {text: other}}
    < {method: notifications/message, params: {data: thanks}}
    < {id: 4, method: sampling/createMessage, params: {maxTokens: 2}}
    > {id: 4, error: {code: -1, message: user refused}}
    < {id: 1, result: done}
    """,
    )
    assert [(one["recorded"], one["live"]) for one in machine.report.different_answers] == [
        ({"text": "first"}, {"text": "other"}),
        ({"text": "second"}, {"code": -1, "message": "user refused"}),
    ]
    assert machine.report.misses == []


def test_answers_are_compared_as_values() -> None:
    """Ours (DESIGN 4, Key): the order of members and the kind of a number make no difference."""
    asked = recorded("""
    > {id: 1, method: tools/call, params: {name: t}}
    < {id: 3, method: sampling/createMessage}
    > {id: 3, result: {a: 1, b: 2}}
    < {id: 1, result: {}}
    """)
    machine = dialogue(
        asked,
        """
    > {id: 1, method: tools/call, params: {name: t}}
    < {id: 3, method: sampling/createMessage}
    > {id: 3, result: {b: 2.0, a: 1}}
    < {id: 1, result: {}}
    """,
    )
    assert machine.report.different_answers == []


def test_an_answer_whose_id_changed_its_type_is_taken() -> None:
    """PROTOCOL 4.2-4: the client's answer is routed type-insensitively, as the official SDKs do."""
    dialogue(
        ASK,
        BEGIN
        + """
    > {id: "3", result: {text: first}}
    < {method: notifications/message, params: {data: thanks}}
    < {id: 4, method: sampling/createMessage, params: {maxTokens: 2}}
    """,
    )


def test_an_answer_that_nobody_awaits_is_noted_and_changes_nothing() -> None:
    """Ours (DESIGN 4)."""
    machine = dialogue(
        ASK,
        BEGIN
        + """
    > {id: 77, result: {text: first}}
    > {id: 3, result: {text: first}}
    < {method: notifications/message, params: {data: thanks}}
    < {id: 4, method: sampling/createMessage, params: {maxTokens: 2}}
    > {id: 3, result: {text: again}}
    > {id: 4, result: {text: second}}
    < {id: 1, result: done}
    """,
    )
    assert len(machine.report.notes) == 2


def test_a_question_that_the_recorded_client_never_answered_is_not_waited_for() -> None:
    """Ours (DESIGN 2.3): the recorded server went on without."""
    dialogue(
        recorded("""
        > {id: 1, method: tools/call, params: {name: t}}
        < {id: 3, method: roots/list}
        < {id: 1, result: {}}
        """),
        """
    > {id: 1, method: tools/call, params: {name: t}}
    < {id: 3, method: roots/list}
    < {id: 1, result: {}}
    > {id: 3, result: {roots: []}}
    """,
    )


def test_a_question_that_the_server_withdrew_is_withdrawn_under_its_live_id() -> None:
    """PROTOCOL 4.2-3: `notifications/cancelled` in both directions through the ids."""
    withdrawn = recorded("""
    > {id: 1, method: tools/call, params: {name: t}}
    < {id: 3, method: roots/list}
    < {method: notifications/cancelled, params: {requestId: 3, reason: late}}
    < {id: 1, result: {}}
    """)
    machine = dialogue(
        withdrawn.replace("params: {name: t}}", "params: {name: t}}\n    times: 2"),
        """
    > {id: 1, method: tools/call, params: {name: t}}
    < {id: 3, method: roots/list}
    < {method: notifications/cancelled, params: {requestId: 3, reason: late}}
    < {id: 1, result: {}}
    """,
    )
    continue_dialogue(
        machine,
        """
    > {id: 2, method: tools/call, params: {name: t}}
    < {id: 4, method: roots/list}
    < {method: notifications/cancelled, params: {requestId: 4, reason: late}}
    < {id: 2, result: {}}
    """,
    )


def test_the_server_may_cancel_what_the_client_asked_for() -> None:
    """PROTOCOL 4.2-3: under the id that the request has live; an id that nobody knows stays as it was recorded."""
    dialogue(
        recorded("""
        > {id: 1, method: tools/call, params: {name: t}}
        < {method: notifications/cancelled, params: {requestId: 1}}
        < {method: notifications/cancelled, params: {requestId: 77}}
        < {id: 1, error: {code: -1, message: gave up}}
        """),
        """
    > {id: x, method: tools/call, params: {name: t}}
    < {method: notifications/cancelled, params: {requestId: x}}
    < {method: notifications/cancelled, params: {requestId: 77}}
    < {id: x, error: {code: -1, message: gave up}}
    """,
    )


def test_a_cancel_of_the_server_that_names_nothing_is_passed_on_as_it_is() -> None:
    """Ours (DESIGN 3): whatever a server said is a message like any other."""
    dialogue(
        recorded("""
        - {client: {method: tools/call, params: {name: t}}, server: {result: {}}}
        < {method: notifications/cancelled, params: {reason: none}}
        """),
        """
    > {id: 1, method: tools/call, params: {name: t}}
    < {id: 1, result: {}}
    < {method: notifications/cancelled, params: {reason: none}}
    """,
    )


def test_questions_that_come_again_get_fresh_ids_of_their_type() -> None:
    """PROTOCOL 4.2-4: recorded ids, unless an interaction is played twice."""
    asked = recorded("""
    > {id: 1, method: resources/read, params: {uri: a}}
    < {id: 0, method: roots/list}
    < {id: q, method: roots/list}
    < {id: 1, result: {}}
    """)
    dialogue(
        asked,
        """
    > {id: 1, method: resources/read, params: {uri: a}}
    < {id: 0, method: roots/list}
    < {id: q, method: roots/list}
    < {id: 1, result: {}}
    > {id: 2, method: resources/read, params: {uri: a}}
    < {id: 1, method: roots/list}
    < {id: q-2, method: roots/list}
    < {id: 2, result: {}}
    """,
    )
