"""SC-03: tasks are polled as often as time will have it; each is a state machine (PROTOCOL 3.9 and 3.10)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.playing.live import Options
from mcpmock.session.showing.selfcheck import selfcheck
from tests.session.dialogue import HANDSHAKE, dialogue, playback, recorded

CALL = """
> {id: 1, method: tools/call, params: {name: t, task: {ttl: 60000}}}
< {id: 1, result: {task: {taskId: T1, status: working}}}
"""
RELATED = '_meta: {"io.modelcontextprotocol/related-task": {taskId: T1}}'
COMES = """
> {id: 50, method: tasks/result, params: {taskId: T1}}
"""
ASKED = f"""
< {{id: 9, method: elicitation/create, params: {{message: who, {RELATED}}}}}
> {{id: 9, result: {{action: accept}}}}
"""
GETS = f"""
< {{id: 50, result: {{content: [], {RELATED}}}}}
"""


def poll(*states: str) -> str:
    """Polls of the task, and what they are told."""
    asked = "> {id: 2, method: tasks/get, params: {taskId: T1}}\n"
    return "".join(asked + f"< {{id: 2, result: {{taskId: T1, status: {state}}}}}\n" for state in states)


START = HANDSHAKE.replace("sampling: {}", "elicitation: {}") + CALL
WAITS = poll("working", "working", "working", "input_required")
LIFE = recorded(START + WAITS + COMES + ASKED + poll("working") + GETS + poll("completed"))


@pytest.mark.parametrize("times", [0, 1, 4, 20])
@pytest.mark.parametrize("later", [0, 1, 20])
def test_sc_03_a_task_moves_along_its_states_however_often_it_is_polled(times: int, later: int) -> None:
    """SC-03: extra polls repeat the current state, the terminal one stays; fewer never skip the result."""
    states = (["working"] * 3 + ["input_required"] * 17)[:times]
    machine = dialogue(LIFE, START + poll(*states) + COMES + ASKED + GETS + poll(*["completed"] * later))
    assert machine.report.misses == []
    assert machine.unplayed() == []


def test_sc_03_a_task_that_asks_goes_on_when_the_client_comes_for_its_result() -> None:
    """SC-03: `tasks/result` blocks; the state that waits for the user's answer is not passed by polling."""
    polled = poll("working", "working", "working", *["input_required"] * 20)
    dialogue(LIFE, START + polled + COMES + ASKED + GETS + poll("completed", "completed"))


def test_sc_03_a_client_that_only_polls_comes_to_the_end() -> None:
    """SC-03: where nothing was asked, nobody need come for the result to see that the task has ended."""
    life = recorded(START + poll("working", "working") + COMES + GETS + poll("completed"))
    machine = dialogue(life, START + poll("working", "working", "completed", "completed"))
    assert machine.unplayed() == []


def test_sc_03_a_task_whose_result_was_told_has_ended() -> None:
    """SC-03: who polls less than the recorded client must not be told `working` after the result."""
    life = recorded(START + poll("working", "working", "working") + COMES + GETS + poll("completed"))
    dialogue(life, START + poll("working") + COMES + GETS + poll("completed", "completed"))
    dialogue(life, START + poll("working") + COMES + GETS + COMES + GETS + poll("completed"))


def test_sc_03_each_task_has_its_own_states() -> None:
    """SC-03: task ids in results are honoured in later requests; one task's result ends no other."""

    def of_two(talk: str) -> str:
        return talk.replace("T1", "T2").replace("name: t", "name: u").replace("id: 50", "id: 60")

    one = START + poll("working", "working") + COMES + GETS + poll("completed")
    two = of_two(CALL + poll("working", "working") + COMES + GETS + poll("completed"))
    live = START + poll("working") + of_two(CALL + poll("working")) + COMES + GETS + poll("completed")
    dialogue(recorded(one + two), live + of_two(poll("working") + COMES + GETS + poll("completed", "completed")))


def test_sc_03_in_strict_order_polls_are_those_that_were_recorded() -> None:
    """Ours (DESIGN 4): `strict` is the recorded order."""
    dialogue(
        recorded(START + poll("working", "completed") + COMES + GETS),
        START + poll("working", "completed") + COMES + GETS,
        options=Options(order="strict"),
    )


@contextmanager
def counting_calls() -> Iterator[list[int]]:
    """The calls of functions of Python in the block."""
    calls = [0]

    def seen(_frame: object, event: str, _argument: object) -> None:
        calls[0] += event == "call"

    sys.setprofile(seen)
    try:
        yield calls
    finally:
        sys.setprofile(None)


def test_a_poll_costs_no_more_where_there_are_many_tasks() -> None:
    """Ours (DESIGN 6, look-up): each poll looked at the results of all tasks."""

    def cost(tasks: int) -> int:
        talks = ((poll("working", "completed") + COMES + GETS).replace("T1", f"T{number}") for number in range(tasks))
        machine = playback(recorded("".join(talks)))
        asked = b'{"jsonrpc":"2.0","id":%d,"method":"tasks/get","params":{"taskId":"T1"}}'
        machine.receive(asked % 1)  # the first one makes the indexes
        with counting_calls() as calls:
            machine.receive(asked % 2)
        return calls[0]

    assert cost(200) < cost(2) + 100  # some calls may be the garbage collector's


def test_sc_03_a_result_that_was_told_because_of_a_cancel_waits_for_it() -> None:
    """SC-03, ours (DESIGN 4, "A cancel is a step"): `tasks/result` blocks until the task has ended."""
    cancel, ack = (
        "> {id: 51, method: tasks/cancel, params: {taskId: T1}}\n",
        "< {id: 51, result: {taskId: T1, status: cancelled}}\n",
    )
    failed = "< {id: 50, error: {code: -32603, message: Task cancelled}}\n"
    for end in (cancel + ack + failed, cancel + failed + ack):
        dialogue(recorded(START + COMES + end), START + COMES + poll("working") + end)
    dialogue(recorded(START + COMES + cancel + ack + failed), START + COMES + ".. 2.1\n" + failed + cancel + ack)


@pytest.mark.parametrize("failed", [False, True])
def test_sc_03_a_poll_that_was_not_recorded_is_told_the_last_state(failed: bool) -> None:
    """SC-03, PROTOCOL 3.9: the terminal state is sticky, be it told by a poll, by a cancel or by the result."""
    cancel = (
        "> {id: 51, method: tasks/cancel, params: {taskId: T1}}\n< {id: 51, result: {taskId: T1, status: cancelled}}\n"
    )
    dialogue(recorded(START + poll("working") + cancel), START + cancel + poll("cancelled"))
    gets = f"< {{id: 50, result: {{content: [], isError: {str(failed).lower()}, {RELATED}}}}}\n"
    end = poll("failed" if failed else "completed")
    dialogue(recorded(START + poll("working") + COMES + gets), START + poll("working") + COMES + gets + end)


def test_sc_03_a_task_of_the_client_is_asked_after_by_its_live_id() -> None:
    """PROTOCOL 3.9: tasks are symmetric; the server polls what the client runs, whose ids are the live client's."""

    def talk(task: str) -> str:
        return f"""
        > {{id: 1, method: tools/call, params: {{name: asks}}}}
        < {{id: 7, method: elicitation/create, params: {{message: who, task: {{}}}}}}
        > {{id: 7, result: {{task: {{taskId: {task}, status: working}}}}}}
        < {{id: 8, method: tasks/get, params: {{taskId: {task}}}}}
        > {{id: 8, result: {{taskId: {task}, status: completed}}}}
        < {{id: 9, method: tasks/result, params: {{taskId: {task}}}}}
        > {{id: 9, result: {{action: accept}}}}
        < {{id: 1, result: {{content: []}}}}
        """

    start = HANDSHAKE.replace("sampling: {}", "elicitation: {}, tasks: {}")
    machine = dialogue(recorded(start + talk("recorded")), start + talk("live"))
    assert machine.report.misses == []


def test_sc_03_a_recording_of_states_that_are_told_replays_itself() -> None:
    """Ours: `check` plays the recorded client, which polls when it polled."""
    told = "< {method: notifications/tasks/status, params: {taskId: T1, status: completed}}\n"
    life = START + poll("working", "working") + told + poll("completed") + COMES + GETS
    assert selfcheck(load(recorded(life).encode(), path="t.yaml")) == []
