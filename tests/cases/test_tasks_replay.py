"""SC-03: tasks are polled as often as time will have it; each is a state machine (PROTOCOL 3.9 and 3.10)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mcpmock.session.live import Options
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
