"""SC-03 for tasks of the extension (2026-07-28, PROTOCOL 3.10): each is a state machine of its own."""

from __future__ import annotations

from typing import Final

import pytest

from mcpmock.session.playing.live import Options
from tests.session.dialogue import continue_dialogue, dialogue, recorded

META: Final = (
    '_meta: {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": '
    "{elicitation: {form: {}}}}"
)
ON: Final = '_meta: {"io.modelcontextprotocol/subscriptionId": s1}'


def call(name: str = "a", task: str = "T1") -> str:
    """A call that the server answers by a task."""
    return f"""
    > {{id: 1, method: tools/call, params: {{name: {name}, {META}}}}}
    < {{id: 1, result: {{resultType: task, taskId: {task}, status: working, ttlMs: null, pollIntervalMs: 500}}}}
    """


def poll(*states: str, task: str = "T1") -> str:
    """Polls of the task, and what they are told."""
    asked = f"> {{id: 2, method: tasks/get, params: {{taskId: {task}, {META}}}}}\n"
    told = "< {id: 2, result: {resultType: complete, taskId: %s, status: %s}}\n"
    return "".join(asked + told % (task, state) for state in states)


def change(what: str, task: str = "T1") -> str:
    """The client answers questions, or cancels."""
    given = "inputResponses: {who: {action: accept}}, " if what == "update" else ""
    return f"""
    > {{id: 3, method: tasks/{what}, params: {{taskId: {task}, {given}{META}}}}}
    < {{id: 3, result: {{resultType: complete}}}}
    """


def listen(task: str = "T1") -> str:
    """The client listens to what becomes of the task."""
    return f"""
    > {{id: s1, method: subscriptions/listen, params: {{notifications: {{taskIds: [{task}]}}, {META}}}}}
    < {{method: notifications/subscriptions/acknowledged, params: {{{ON}, notifications: {{taskIds: [{task}]}}}}}}
    """


def told(state: str, task: str = "T1") -> str:
    """A state that is told on the subscription."""
    return f"< {{method: notifications/tasks, params: {{{ON}, taskId: {task}, status: {state}}}}}\n"


ASKS: Final = poll("working", "input_required")
LIFE: Final = call() + ASKS + change("update") + poll("working", "completed")


@pytest.mark.parametrize("times", [1, 2, 20])
def test_sc_03_it_asks_until_it_is_answered_and_then_goes_on(times: int) -> None:
    """SC-03: `tasks/update` moves it on, however often it is polled."""
    asks = poll("working", *["input_required"] * times)
    dialogue(recorded(LIFE), call() + asks + change("update") + poll("working", *["completed"] * times))


def test_sc_03_it_is_not_cancelled_before_the_client_cancels() -> None:
    """SC-03: no state comes before its cause; and some servers go on for a while after it."""
    life = recorded(call() + poll("working") + change("cancel") + poll("working", "cancelled"))
    many = poll("working", "working", "working")
    dialogue(life, call() + many + change("cancel") + poll("working", "cancelled", "cancelled"))


def test_sc_03_what_is_done_to_one_task_moves_no_other() -> None:
    """SC-03: a client that drives two tasks one after the other, where they were recorded side by side."""
    life = call("a", "A") + call("b", "B") + poll("working", task="A") + poll("input_required", task="B")
    life += change("update", "B") + poll("completed", task="A") + poll("completed", task="B")
    first = call("a", "A") + poll("working", "completed", "completed", task="A")
    second = call("b", "B") + poll("input_required", "input_required", task="B")
    dialogue(recorded(life), first + second + change("update", "B") + poll("completed", task="B"))
    last = call("b", "B") + poll("input_required", task="B") + change("update", "B") + poll("completed", task="B")
    dialogue(recorded(life), last + first)


def test_sc_03_an_id_that_the_server_gave_to_two_tasks_begins_anew() -> None:
    """SC-03: the terminal state is that of the first task, not of the second."""
    life = call() + poll("working", "completed") + call("b") + poll("working", "failed")
    dialogue(recorded(life), call() + poll("working", *["completed"] * 5) + call("b") + poll("working", "failed"))


def test_a_task_that_is_handed_out_twice_has_a_life_of_its_own_each_time() -> None:
    """Ours (DESIGN 4): two that run at once share no states, and each is answered, or cancelled, for itself."""
    twice = recorded(LIFE).replace(
        'clientCapabilities": {elicitation: {form: {}}}}}}',
        'clientCapabilities": {elicitation: {form: {}}}}}}\n    times: 2',
        1,
    )
    both = call() + call(task="T1-2") + poll("working") + poll("working", task="T1-2") + poll("input_required")
    rest = poll("input_required", "input_required", task="T1-2") + change("update") + poll("working", "completed")
    end = poll("input_required", task="T1-2") + change("update", "T1-2") + poll("working", "completed", task="T1-2")
    machine = dialogue(twice, both + rest + end)
    assert machine.report.misses == []


def test_a_task_that_is_handed_out_again_can_be_cancelled_again() -> None:
    """Ours (DESIGN 4): with repeats, and with a rule that says how often; one that has ended stays so."""
    life = call() + poll("working") + change("cancel") + poll("cancelled")
    again = life.replace("taskId: T1", "taskId: T1-2")
    machine = dialogue(recorded(life), life, options=Options(repeats=True))
    continue_dialogue(machine, again + poll("cancelled"))


STATES: Final = told("working") + told("input_required")
HEARD: Final = call() + listen() + STATES + change("update") + told("working") + told("completed")


def test_sc_03_states_on_a_subscription_come_in_their_order() -> None:
    """SC-03: without any poll."""
    dialogue(recorded(HEARD), HEARD)


def test_sc_03_a_state_on_a_subscription_comes_after_the_poll_that_came_before_it() -> None:
    """SC-03: no server tells that a task is complete, and then that it goes on."""
    life = call() + listen() + poll("working") + told("working") + poll("working") + told("completed")
    dialogue(recorded(life + poll("completed")), life + poll("completed", "completed"))


def test_sc_03_a_client_that_polls_less_hears_all_states_before_the_last() -> None:
    """SC-03: "fewer never skip"."""
    life = call() + listen() + poll("working") + told("working") + poll("working") + told("completed")
    live = call() + listen() + poll("working") + told("working") + ".. 0.9\n.. 0.2\n" + told("completed")
    dialogue(recorded(life + poll("completed")), live + poll("completed"))


def test_sc_03_a_poll_is_not_told_what_came_before_the_state_that_was_heard() -> None:
    """SC-03: never completed, then working, neither by a notification nor by a poll."""
    life = call() + listen() + poll("working") + told("working") + poll("working") + told("completed")
    live = call() + listen() + ".. 0.9\n.. 0.2\n" + told("working") + told("completed")
    dialogue(recorded(life + poll("completed")), live + poll("completed"))


def test_sc_03_only_the_tasks_of_the_filter_are_heard() -> None:
    """PROTOCOL 3.10: `taskIds`; an id that begins like another is another."""
    life = call(task="T1") + call("b", "T12") + listen("T12") + told("working", "T12") + told("completed", "T12")
    dialogue(recorded(life), call() + call("b", "T12") + listen("T1").replace("taskIds: [T12]", "taskIds: [T1]"))


def test_a_task_that_is_handed_out_again_is_heard_under_its_own_id() -> None:
    """Ours (DESIGN 4): on the subscription that names it."""
    machine = dialogue(recorded(HEARD), HEARD, options=Options(repeats=True))
    again = HEARD.replace("T1", "T1-2").replace("s1", "s2")
    continue_dialogue(machine, again)
