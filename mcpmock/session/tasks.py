"""The states of a task (PROTOCOL 3.9 and 3.10, case SC-03), which the number of its polls must not decide.

Polls are reads: the next state, and the last again; what a client changes (`tasks/update`, `tasks/cancel`) moves them
on. In revision 2025-11-25 `tasks/result` does so as well, though it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcpmock.session.interaction import Interaction
from mcpmock.session.order import Played
from mcpmock.wire.message import Json, Missing
from mcpmock.wire.values import value_at

__all__ = ["Tasks"]


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


def _task_of(interaction: Interaction) -> str:
    """The id of a task, spelt so that a text and a number are two."""
    return repr(value_at(interaction.request.body, ("params", "taskId")) if interaction.request is not None else None)


def _status_of(poll: Interaction) -> Json | Missing:
    answer = poll.answer_message
    return value_at(answer.body, ("result", "status")) if answer is not None else None
