"""Whose message is it (DESIGN 3, rule 2): the request whose progress token, related task or subscription it carries."""

from __future__ import annotations

from tests.session.dialogue import HANDSHAKE, dialogue, recorded


def test_progress_belongs_to_the_request_whose_token_it_carries() -> None:
    """Ours (DESIGN 3, rule 2): for the right call when calls overlap, on the live token."""
    dialogue(
        recorded(
            HANDSHAKE
            + """
    > {id: 1, method: tools/call, params: {name: a, _meta: {progressToken: 1}}}
    > {id: 2, method: tools/call, params: {name: b, _meta: {progressToken: "1"}}}
    < {method: notifications/progress, params: {progressToken: "1", progress: 10}}
    < {method: notifications/progress, params: {progressToken: 1, progress: 1}}
    < {method: notifications/progress, params: {progressToken: "1", progress: 20}}
    < {id: 1, result: {a: 1}}
    < {id: 2, result: {b: 1}}
    """
        ),
        HANDSHAKE
        + """
    > {id: 5, method: tools/call, params: {name: a, _meta: {progressToken: "1"}}}
    < {method: notifications/progress, params: {progressToken: "1", progress: 1}}
    < {id: 5, result: {a: 1}}
    > {id: 6, method: tools/call, params: {name: b, _meta: {progressToken: 0}}}
    < {method: notifications/progress, params: {progressToken: 0, progress: 10}}
    < {method: notifications/progress, params: {progressToken: 0, progress: 20}}
    < {id: 6, result: {b: 1}}
    """,
    )


def test_late_progress_comes_after_its_answer_even_when_another_call_is_open() -> None:
    """Ours (DESIGN 3, rule 2): the token decides, not who is open."""
    dialogue(
        recorded(
            HANDSHAKE
            + """
    > {id: 1, method: tools/call, params: {name: a, _meta: {progressToken: 1}}}
    > {id: 2, method: tools/call, params: {name: b, _meta: {progressToken: 2}}}
    < {id: 1, result: {a: 1}}
    < {method: notifications/progress, params: {progressToken: 1, progress: 9}}
    < {id: 2, result: {b: 1}}
    """
        ),
        HANDSHAKE
        + """
    > {id: 2, method: tools/call, params: {name: b, _meta: {progressToken: 2}}}
    < {id: 2, result: {b: 1}}
    > {id: 1, method: tools/call, params: {name: a, _meta: {progressToken: 1}}}
    < {id: 1, result: {a: 1}}
    < {method: notifications/progress, params: {progressToken: 1, progress: 9}}
    """,
    )


def test_progress_with_a_token_that_nobody_gave_is_like_anything_else() -> None:
    """Ours (DESIGN 3, rule 5): it carries no owner, and goes out as it was."""
    dialogue(
        recorded(
            HANDSHAKE
            + """
    > {id: 1, method: tools/call, params: {name: a, _meta: {progressToken: 1}}}
    < {method: notifications/progress, params: {progressToken: who, progress: 1}}
    < {id: 1, result: {a: 1}}
    """
        ),
        HANDSHAKE
        + """
    > {id: 5, method: tools/call, params: {name: a}}
    < {method: notifications/progress, params: {progressToken: who, progress: 1}}
    < {id: 5, result: {a: 1}}
    """,
    )


TASK = (
    HANDSHAKE
    + """
    > {id: 1, method: tools/call, params: {name: a, task: {}}}
    < {id: 1, result: {task: {taskId: t1, status: working}}}
    > {id: 2, method: tools/call, params: {name: b, task: {}}}
    < {id: 2, result: {task: {taskId: t2, status: working}}}
    < {method: notifications/tasks/status, params: {taskId: t1, status: working}}
    < {method: notifications/message, params: {data: x, _meta: {io.modelcontextprotocol/related-task: {taskId: t1}}}}
    > {id: 3, method: tasks/result, params: {taskId: t1}}
    > {id: 4, method: tasks/result, params: {taskId: t2}}
    < {id: 0, method: sampling/createMessage, params: {_meta: {io.modelcontextprotocol/related-task: {taskId: t2}}}}
    > {id: 0, result: {text: hi}}
    < {method: notifications/tasks/status, params: {taskId: t1, status: completed}}
    < {id: 4, result: {b: 1}}
    < {id: 3, result: {a: 1}}
    > {id: 5, method: tasks/cancel, params: {taskId: t2}}
    < {method: notifications/tasks/status, params: {taskId: t2, status: cancelled}}
    < {id: 5, result: {taskId: t2, status: cancelled}}
    """
)


def test_what_carries_a_task_belongs_to_the_request_for_that_task() -> None:
    """Ours (DESIGN 3, rule 2); PROTOCOL 3.9: the open `tasks/result`, else the request that made the task, or the one
    that has cancelled it since."""
    dialogue(
        recorded(TASK),
        HANDSHAKE
        + """
    > {id: 12, method: tools/call, params: {name: b, task: {}}}
    < {id: 12, result: {task: {taskId: t2, status: working}}}
    > {id: 14, method: tasks/result, params: {taskId: t2}}
    < {id: 0, method: sampling/createMessage, params: {_meta: {io.modelcontextprotocol/related-task: {taskId: t2}}}}
    > {id: 0, result: {text: hi}}
    < {id: 14, result: {b: 1}}
    > {id: 11, method: tools/call, params: {name: a, task: {}}}
    < {id: 11, result: {task: {taskId: t1, status: working}}}
    < {method: notifications/tasks/status, params: {taskId: t1, status: working}}
    < {method: notifications/message, params: {data: x, _meta: {io.modelcontextprotocol/related-task: {taskId: t1}}}}
    > {id: 15, method: tasks/cancel, params: {taskId: t2}}
    < {method: notifications/tasks/status, params: {taskId: t2, status: cancelled}}
    < {id: 15, result: {taskId: t2, status: cancelled}}
    > {id: 13, method: tasks/result, params: {taskId: t1}}
    < {method: notifications/tasks/status, params: {taskId: t1, status: completed}}
    < {id: 13, result: {a: 1}}
    """,
    )


def test_what_carries_an_unknown_task_or_subscription_is_like_anything_else() -> None:
    """Ours (DESIGN 3, rule 5)."""
    dialogue(
        recorded(
            HANDSHAKE
            + """
    > {id: 1, method: tools/call, params: {name: a}}
    < {method: notifications/tasks/status, params: {taskId: t9, status: working}}
    < {method: notifications/message, params: {data: x, _meta: {io.modelcontextprotocol/subscriptionId: 7}}}
    < {method: notifications/message, params: {data: y, _meta: {io.modelcontextprotocol/related-task: 7}}}
    < {id: 1, result: {a: 1}}
    """
        ),
        HANDSHAKE
        + """
    > {id: 5, method: tools/call, params: {name: a}}
    < {method: notifications/tasks/status, params: {taskId: t9, status: working}}
    < {method: notifications/message, params: {data: x, _meta: {io.modelcontextprotocol/subscriptionId: 7}}}
    < {method: notifications/message, params: {data: y, _meta: {io.modelcontextprotocol/related-task: 7}}}
    < {id: 5, result: {a: 1}}
    """,
    )
