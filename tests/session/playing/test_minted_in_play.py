"""Values that the server minted: handed out as recorded, fresh only where one would be handed out twice (DESIGN 4)."""

from __future__ import annotations

from mcpmock.session.playing.live import Options
from tests.session.dialogue import continue_dialogue, dialogue, recorded

RELATED = '_meta: {"io.modelcontextprotocol/related-task": {taskId: %s}}'
TASK = recorded(f"""
> {{id: 1, method: tools/call, params: {{name: t, task: {{ttl: 1}}}}}}
< {{id: 1, result: {{task: {{taskId: t1, status: working}}}}}}
< {{method: notifications/tasks/status, params: {{taskId: t1, status: working}}}}
> {{id: 2, method: tasks/get, params: {{taskId: t1}}}}
< {{id: 2, result: {{taskId: t1, status: completed}}}}
> {{id: 3, method: tasks/result, params: {{taskId: t1}}}}
< {{id: 8, method: roots/list, params: {{{RELATED % "t1"}}}}}
> {{id: 8, result: {{roots: []}}}}
< {{id: 3, result: {{content: [t1], {RELATED % "t1"}}}}}
> {{id: 4, method: tasks/cancel, params: {{taskId: t1}}}}
< {{id: 4, result: {{taskId: t1, status: cancelled}}}}
""")
REPEATS = Options(repeats=True)


def life(task: str, question: int) -> str:
    """One task from its beginning to its end."""
    return f"""
    > {{id: 1, method: tools/call, params: {{name: t, task: {{ttl: 1}}}}}}
    < {{id: 1, result: {{task: {{taskId: {task}, status: working}}}}}}
    < {{method: notifications/tasks/status, params: {{taskId: {task}, status: working}}}}
    > {{id: 2, method: tasks/get, params: {{taskId: {task}}}}}
    < {{id: 2, result: {{taskId: {task}, status: completed}}}}
    > {{id: 3, method: tasks/result, params: {{taskId: {task}}}}}
    < {{id: {question}, method: roots/list, params: {{{RELATED % task}}}}}
    > {{id: {question}, result: {{roots: []}}}}
    < {{id: 3, result: {{content: [t1], {RELATED % task}}}}}
    > {{id: 4, method: tasks/cancel, params: {{taskId: {task}}}}}
    < {{id: 4, result: {{taskId: {task}, status: cancelled}}}}
    """


def test_a_task_is_handed_out_as_recorded() -> None:
    """Ours (DESIGN 4)."""
    dialogue(TASK, life("t1", 8))


def test_a_task_that_would_be_handed_out_twice_gets_a_fresh_id_which_is_translated_back() -> None:
    """Ours (DESIGN 4): in requests, answers, questions and notifications; what only looks like it is left alone."""
    machine = dialogue(TASK, life("t1", 8), options=REPEATS)
    continue_dialogue(machine, life("t1-2", 9))
    continue_dialogue(machine, life("t1-3", 10))
    assert machine.report.misses == []


def test_two_tasks_that_run_at_once_are_told_apart() -> None:
    """Ours (DESIGN 4): also where a rule says that the call is played several times."""
    twice = TASK.replace("ttl: 1}}}", "ttl: 1}}}\n    times: 2", 1)
    dialogue(
        twice,
        """
    > {id: 1, method: tools/call, params: {name: t, task: {ttl: 1}}}
    < {id: 1, result: {task: {taskId: t1, status: working}}}
    < {method: notifications/tasks/status, params: {taskId: t1, status: working}}
    > {id: 2, method: tools/call, params: {name: t, task: {ttl: 1}}}
    < {id: 2, result: {task: {taskId: t1-2, status: working}}}
    < {method: notifications/tasks/status, params: {taskId: t1-2, status: working}}
    > {id: 3, method: tasks/get, params: {taskId: t1}}
    < {id: 3, result: {taskId: t1, status: completed}}
    > {id: 4, method: tasks/get, params: {taskId: t1-2}}
    < {id: 4, result: {taskId: t1-2, status: completed}}
    > {id: 5, method: tasks/get, params: {taskId: t1-3}}
    < miss near miss 5
    > {id: 6, method: resources/read, params: [t1-2]}
    < miss unknown 6
    """,
    )


def test_what_was_recorded_twice_is_handed_out_twice() -> None:
    """Ours (DESIGN 4): as recorded; whoever recorded one id for two tasks has a server that minted it twice."""
    dialogue(
        recorded("""
        > {id: 1, method: tools/call, params: {name: t}}
        < {id: 1, result: {task: {taskId: same}}}
        > {id: 2, method: tools/call, params: {name: t}}
        < {id: 2, result: {task: {taskId: same}}}
        """),
        """
    > {id: 1, method: tools/call, params: {name: t}}
    < {id: 1, result: {task: {taskId: same}}}
    > {id: 2, method: tools/call, params: {name: t}}
    < {id: 2, result: {task: {taskId: same}}}
    """,
    )


def test_a_page_that_is_read_again_has_its_recorded_cursor() -> None:
    """Ours (DESIGN 4): "then the last again"; its cursor leads to the same page as before, so nothing is confused."""
    page = """
    > {id: 1, method: tools/list}
    < {id: 1, result: {tools: [a], nextCursor: c1}}
    > {id: 2, method: tools/list, params: {cursor: c1}}
    < {id: 2, result: {tools: [b]}}
    """
    machine = dialogue(recorded(page), page)
    continue_dialogue(machine, page)
