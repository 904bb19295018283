"""The states of a task (PROTOCOL 3.9 and 3.10, case SC-03), which the number of its polls must not decide.

Polls are reads: the next state, and the last again; what a client changes (`tasks/update`, `tasks/cancel`) moves them
on. In revision 2025-11-25 `tasks/result` does so as well, though it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mcpmock.session.interaction import Interaction
from mcpmock.session.order import Played
from mcpmock.session.performance import Performance
from mcpmock.wire.message import Json, Message, Missing
from mcpmock.wire.values import value_at

__all__ = ["Tasks", "caught_up", "patience"]

_PATIENCE: Final = (1.0, 2.0, 30.0)  # seconds: the least, where the server says nothing, and the most


class Tasks:
    """The tasks of one timeline, by the recorded requests for their `results`."""

    def __init__(self, results: Iterable[Interaction]) -> None:
        self._results: dict[str, list[Interaction]] = {}
        for result in results:
            self._results.setdefault(_task_of(result), []).append(result)

    def state_held(self, polls: Sequence[Interaction], played: Played) -> Interaction | None:
        """The poll of a task that has to be played, however often it was asked for; None where any may be.

        A task whose result was told has ended, and one that asks for input goes on only when the client comes for its
        result, in which it is asked.
        """
        own = self._results.get(_task_of(polls[0]), ())
        if any(map(played.has_told, own)):
            return polls[-1]
        following = played.first_unplayed(polls, None)
        latest = max((poll for poll in polls if played.count(poll)), key=lambda poll: poll.number, default=None)
        if following is None or latest is None or _status_of(latest) != "input_required":
            return None
        awaited = [result for result in own if latest.number < result.number < following.number]
        return latest if awaited and not any(map(played.count, awaited)) else None


def patience(maker: Interaction) -> float:
    """Seconds that a state waits for the poll before which it was told: what the server asks for between two polls,
    twice. Who does not poll by then waits for the states."""
    least, usual, most = _PATIENCE
    answer = maker.answer_message
    interval = value_at(answer.body, ("result", "task", "pollInterval")) if answer is not None else None
    return max(least, min(interval, most * 500) * 2 / 1000) if isinstance(interval, int | float) else usual


def caught_up(
    poll: Performance, waiting: Iterable[Sequence[Performance]], now: float, *, is_answered: bool
) -> list[Performance]:
    """The performances whose next step tells of the task that is asked after; they know now how far the client is."""
    place = (poll.interaction.number, is_answered)
    task = _live_task(poll, poll.interaction.request)
    own = [one for some in waiting for one in some if one.played is poll.played and _tells_of(one, task)]
    for performance in own:
        performance.polled = max(performance.polled, place)
        performance.restart_clock(now, poll.interaction.entry.at)
    return own


def _tells_of(maker: Performance, task: str | None) -> bool:
    """Whether the next step tells the state of this task, by its live id."""
    steps = maker.interaction.steps
    step = steps[maker.at] if maker.at < len(steps) else None
    return step is not None and step.poll is not None and task == _live_task(maker, step.message)


def _live_task(performance: Performance, message: Message | None) -> str | None:
    """The id that the task of a recorded message has live."""
    recorded = value_at(message.body, ("params", "taskId")) if message is not None else None
    return performance.renames.get(recorded, recorded) if isinstance(recorded, str) else None


def _task_of(interaction: Interaction) -> str:
    """The id of a task, spelt so that a text and a number are two."""
    return repr(value_at(interaction.request.body, ("params", "taskId")) if interaction.request is not None else None)


def _status_of(poll: Interaction) -> Json | Missing:
    answer = poll.answer_message
    return value_at(answer.body, ("result", "status")) if answer is not None else None
