"""SC-03: the states that a server tells unasked come in the order in which the client can follow them."""

from __future__ import annotations

import pytest

from mcpmock.session.playing.live import Options
from tests.session.dialogue import HANDSHAKE, continue_dialogue, dialogue, recorded

CALL = """
> {id: 1, method: tools/call, params: {name: t, task: {ttl: 60000}}}
< {id: 1, result: {task: {taskId: T1, status: working, pollInterval: 500}}}
"""
RESULT = """
> {id: 50, method: tasks/result, params: {taskId: T1}}
< {id: 50, result: {content: [], _meta: {"io.modelcontextprotocol/related-task": {taskId: T1}}}}
"""


def poll(state: str) -> str:
    """A poll of the task, and what it is told."""
    asked = "> {id: 2, method: tasks/get, params: {taskId: T1}}\n"
    return asked + f"< {{id: 2, result: {{taskId: T1, status: {state}}}}}\n"


def told(state: str, step: int = 0) -> str:
    """A state that is told unasked."""
    said = f"{{taskId: T1, status: {state}, statusMessage: step {step}}}"
    return f"< {{method: notifications/tasks/status, params: {said}}}\n"


START = HANDSHAKE + CALL
STATES = poll("working") + told("working", 1) + poll("working") + told("working", 2) + told("completed")
LIFE = START + told("working") + STATES + poll("completed") + RESULT


def test_sc_03_a_state_is_told_after_the_poll_that_came_before_it() -> None:
    """SC-03: no server tells that a task is complete, and then that it goes on."""
    machine = dialogue(recorded(LIFE), LIFE)
    assert machine.report.misses == []


def test_sc_03_in_strict_order_too() -> None:
    """SC-03, ours (DESIGN 4)."""
    dialogue(recorded(LIFE), LIFE, options=Options(order="strict"))


def test_sc_03_a_client_that_polls_less_is_told_all_states_before_the_result() -> None:
    """SC-03: "fewer never skip"."""
    all_told = told("working", 1) + told("working", 2) + told("completed")
    once = poll("working") + told("working", 1)
    result, answer = RESULT.strip().splitlines()
    rest = f"{result}\n{told('working', 2)}{told('completed')}{answer}\n"
    dialogue(recorded(LIFE), START + told("working") + once + rest + poll("completed"))
    dialogue(recorded(LIFE), START + told("working") + f"{result}\n{all_told}{answer}\n" + poll("completed"))


def test_sc_03_a_client_that_polls_more_is_told_no_state_twice() -> None:
    """SC-03: "extra polls repeat the current state"."""
    dialogue(recorded(LIFE), LIFE + poll("completed") + poll("completed"))


def test_sc_03_a_state_that_was_told_while_a_poll_waited_comes_before_its_answer() -> None:
    """SC-03: the order on the wire."""
    asked, answer = poll("completed").splitlines()
    life = START + poll("working") + f"{asked}\n{told('completed')}{answer}\n" + RESULT
    dialogue(recorded(life), life)


def test_sc_03_what_the_client_cancels_was_told_before() -> None:
    """SC-03: a cancel asks after the task, too."""
    cancel, answer = (
        "> {id: 3, method: tasks/cancel, params: {taskId: T1}}\n",
        "< {id: 3, result: {taskId: T1, status: cancelled}}\n",
    )
    life = START + poll("working") + told("working", 1) + cancel + told("cancelled") + answer
    dialogue(recorded(life), life)
    dialogue(recorded(life), START + cancel + told("working", 1) + told("cancelled") + answer)


def test_sc_03_a_client_that_never_polls_is_told_all_states_nevertheless() -> None:
    """Ours: it waits for the states themselves, twice as long as the server wants between two polls at most."""
    rest = told("working", 1) + told("working", 2) + told("completed")
    dialogue(recorded(LIFE), START + told("working") + ".. 0.9\n.. 0.1\n" + rest + RESULT)
    dialogue(recorded(LIFE), START + told("working") + "> eof\n" + rest)


@pytest.mark.parametrize(("interval", "seconds"), [("10", 1), ("4000", 8), (f"1{'0' * 400}", 30), ("soon", 2)])
def test_sc_03_states_are_kept_for_two_intervals(interval: str, seconds: int) -> None:
    """Ours: for a second at least, for half a minute at most, for two seconds where the server does not say."""
    life, start = (talk.replace("500", interval) for talk in (LIFE, START))
    rest = told("working", 1) + told("working", 2) + told("completed")
    dialogue(recorded(life), start + told("working") + f".. {seconds - 0.1}\n.. 0.2\n" + rest)


def test_sc_03_each_task_has_its_own_states_told() -> None:
    """SC-03: the polls of one task tell nothing of another, whichever was polled first in the recording."""

    def other(talk: str) -> str:
        return talk.replace("T1", "T2").replace("name: t", "name: u")

    first = poll("working") + told("completed") + poll("completed")
    life = START + other(CALL) + first + other(first)
    live = START + other(CALL) + other(first) + first
    dialogue(recorded(life), live)


def test_sc_03_a_task_that_is_made_again_has_its_states_told_again() -> None:
    """Ours (DESIGN 4): a task with a fresh id tells of itself, and waits for its own polls."""
    once = START + poll("working") + told("working", 1) + poll("completed")
    machine = dialogue(recorded(once), once, options=Options(repeats=True))
    again = (CALL + told("working", 1)).replace("T1", "T1-2").replace("< {method", ".. 9\n< {method")
    continue_dialogue(machine, again)


def test_sc_03_recorded_delays_count_from_the_poll() -> None:
    """Ours (DESIGN 4): with recorded delays each state has its moment, and a poll that was recorded later brings it."""
    life = HANDSHAKE + CALL + poll("working") + told("completed") + poll("completed")
    timed = recorded(life + "timing: [0, 0, 0, 100, 100, 200, 200, 700, 900, 900]\n")
    dialogue(timed, START + poll("working") + ".. 0.4\n.. 0.2\n" + told("completed"), options=Options(delays=1.0))
    asked, answer = poll("completed").splitlines()
    early = f"{asked}\n{told('completed')}{answer}\n"
    dialogue(timed, START + poll("working") + early, options=Options(delays=1.0))
