"""The states of a task (PROTOCOL 3.9 and 3.10, case SC-03), which the number of its polls must not decide.

Each task is a state machine of its own. What makes it and what a client changes of it (`tasks/update`, `tasks/cancel`)
move it on, nothing that concerns another. In between polls are reads: the next state, and the last again. In revision
2025-11-25 `tasks/result` moves it as well, though it changes nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, MutableMapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from mcpmock.session.interaction import Interaction, Step
from mcpmock.session.minted import Renames, task_made_by, task_of
from mcpmock.session.playing.live import Live, Told
from mcpmock.session.playing.order import Played
from mcpmock.session.playing.performance import Performance
from mcpmock.wire.message import Json, Message, Missing, Object
from mcpmock.wire.values import value_at

__all__ = ["PlayedAgain", "Tasks", "caught_up", "made_up_poll", "note_answer", "note_step", "patience"]

_PATIENCE: Final = (1.0, 2.0, 30.0)  # seconds: the least, where the server says nothing, and the most
_MOVES: Final = ("tasks/update", "tasks/cancel")
_GOES_ON: Final = ("working", "input_required")


class PlayedAgain(Played):
    """What has been played of a timeline for a task that was handed out again; its changes count for all."""

    def __init__(self, whole: Played, maker: Interaction, task: str) -> None:
        super().__init__()
        self.task = task
        self._whole = whole
        self.answered(maker)

    @property
    def whole(self) -> Played:
        """What has been played of the whole timeline."""
        return self._whole

    @property
    def position(self) -> int:
        """That of the whole timeline."""
        return self._whole.position

    def answered(self, interaction: Interaction) -> None:
        """A change counts from its answer on."""
        super().answered(interaction)
        self._whole.reach(interaction.effect)


class _Life(NamedTuple):
    """A recorded task from its making on, until one is made under the same id.

    parts   its polls before its first move, between that and the next, and so on
    final   those that say that it has ended
    """

    results: list[Interaction]
    parts: list[list[Interaction]]
    final: list[Interaction]


class _Task:
    """What was recorded under one id: what makes tasks and moves them, in order, and the requests for their results."""

    def __init__(self) -> None:
        self.moves: list[Interaction] = []
        self.results: list[Interaction] = []
        self._lives: dict[tuple[int, int], _Life] = {}

    def reached(self, played: Played) -> int:
        """How many of the moves have happened, those that were passed over included."""
        return next((at for at in range(len(self.moves), 0, -1) if played.has_told(self.moves[at - 1])), 0)

    def life(self, polls: Sequence[Interaction], reached: int) -> tuple[_Life, int]:
        """The life that it is in after so many moves, and how many of these belong to it.

        One that nobody was told of is in its first: a task may be polled that was not recorded from its beginning.
        """
        if not reached and self.moves and self.moves[0].minted:
            reached = 1
        first = next((at for at in range(reached - 1, -1, -1) if self.moves[at].minted), -1)
        key = (id(polls), first)
        if key not in self._lives:
            self._lives[key] = self._cut_out(polls, first)
        return self._lives[key], reached - first - 1

    def _cut_out(self, polls: Sequence[Interaction], first: int) -> _Life:
        following = (at for at in range(first + 1, len(self.moves)) if self.moves[at].minted)
        end = next(following, len(self.moves))
        bounds = [0 if first < 0 else self.moves[first].number, *(move.number for move in self.moves[first + 1 : end])]
        bounds.append(self.moves[end].number if end < len(self.moves) else max(bounds[-1], polls[-1].number) + 1)
        cuts = [bisect_left(polls, bound, key=_number_of) for bound in bounds]
        parts = [_in_order(polls[begin:end]) for begin, end in pairwise(cuts)]
        own = polls[cuts[0] : cuts[-1]]
        results = [
            result
            for result in self.results
            if bounds[0] < result.number and (end == len(self.moves) or result.number < bounds[-1])
        ]
        return _Life(results, parts, [poll for poll in own if _status_of(poll) not in _GOES_ON])


class Tasks:
    """The tasks of one timeline."""

    def __init__(self, interactions: Iterable[Interaction]) -> None:
        self._tasks: dict[str, _Task] = {}
        for interaction in interactions:
            answer = interaction.answer_message
            made = task_made_by(answer) if answer is not None and interaction.minted else None
            if made is not None or interaction.method in _MOVES:
                self._of(interaction, made).moves.append(interaction)
            elif interaction.method == "tasks/result":
                self._of(interaction).results.append(interaction)

    def due(self, polls: Sequence[Interaction], played: Played, since: int) -> Interaction | None:
        """The poll to be played next; None where the client knows of the task what there is to know.

        Polls up to number `since` say nothing new. A task whose result was told has ended, and one that asks for input
        goes on only when the client comes for its result, in which it is asked.
        """
        task = self._of(polls[0])
        life, moves = task.life(polls, task.reached(played))
        if any(map(played.has_told, life.results)):
            return _next_or_last(life.final, played, since)
        states = life.parts[moves]
        return _held(states, life.results, played, since) or _next_or_last(states, played, since)

    def _of(self, interaction: Interaction, made: str | None = None) -> _Task:
        """The task that a request is about; of one whose id is no text, that by its spelling."""
        params = interaction.request.params if interaction.request is not None else None
        named = params.get("taskId") if isinstance(params, dict) else None
        return self._tasks.setdefault(repr(made if made is not None else named), _Task())


def _next_or_last(polls: Sequence[Interaction], played: Played, since: int) -> Interaction | None:
    """The next of these, or the last again, where that is news to who knows all up to number `since`."""
    found = played.first_unplayed(polls, None, since=since)
    return found or (polls[-1] if polls and polls[-1].number > since else None)


def _held(
    polls: Sequence[Interaction], results: Sequence[Interaction], played: Played, since: int
) -> Interaction | None:
    """The poll that asked for input, where the client has not yet come for the result in which it is asked."""
    following = played.first_unplayed(polls, None, since=since) if results else None
    at = bisect_left(polls, following.number, key=_number_of) if following is not None else 0
    if following is None or not at or _status_of(polls[at - 1]) != "input_required":
        return None
    awaited = results[bisect_right(results, polls[at - 1].number, key=_number_of) :]
    awaited = [result for result in awaited if result.number < following.number]
    return polls[at - 1] if awaited and not any(map(played.count, awaited)) else None


def _in_order(polls: Sequence[Interaction]) -> list[Interaction]:
    """Polls without those that were answered late, when another had told that the task has ended."""
    ended = next((at for at, poll in enumerate(polls) if _status_of(poll) not in _GOES_ON), len(polls))
    return [poll for at, poll in enumerate(polls) if at < ended or _status_of(poll) not in _GOES_ON]


# -- what a live client knows


def note_step(states: MutableMapping[str, Told], step: Step, renames: Renames) -> None:
    """A client is told a state unasked, by this step."""
    assert step.message is not None
    recorded = task_of(step.message)
    if recorded and isinstance(step.message.params, dict):
        since = 0 if step.poll is None else step.poll.interaction.number - (not step.poll.was_answered)
        _note(states, renames.get(recorded, recorded), step.message.params, since)


def note_answer(live: Live, performance: Performance) -> None:
    """A client is told a state by an answer: of what made the task, or asked after it, or changed it."""
    interaction = performance.interaction
    answer, request = interaction.answer_message, interaction.request
    result = answer.body.get("result") if answer is not None else None
    if answer is None or request is None or not isinstance(result, dict):
        return
    recorded = task_made_by(answer) or task_of(request)
    task = performance.renames.get(recorded, recorded)
    state, since = result.get("task", result), 0
    if interaction.method == "tasks/result":
        state = _ended(live.states.get(task), failed=result.get("isError") is True)
    elif interaction.method == "tasks/get":
        since = interaction.number - 1
    if isinstance(state, dict) and isinstance(state.get("status"), str):
        _note(live.states, task, state, since, is_new=bool(interaction.minted))


def _note(states: MutableMapping[str, Told], task: str, state: Object, since: int, *, is_new: bool = False) -> None:
    known = states.get(task)
    told = {key: value for key, value in state.items() if key not in ("_meta", "resultType")}
    states[task] = Told(since if known is None or is_new else max(since, known.since), told)


def _ended(known: Told | None, *, failed: bool) -> Object | None:
    return {**known.state, "status": "failed" if failed else "completed"} if known is not None else None


def made_up_poll(live: Live, task: str) -> Object | None:
    """What a poll is told that is not in the recording: the state that the client knows; None where it knows none."""
    told = live.states.get(task)
    if told is None:
        return None
    kind: Object = {"resultType": "complete"} if live.era == "modern" else {}
    return {**kind, **told.state, "taskId": task}


# -- states that are told unasked


def patience(maker: Interaction) -> float:
    """Seconds that a state waits for the poll before which it was told: what the server asks for between two polls,
    twice. Who does not poll by then waits for the states."""
    least, usual, most = _PATIENCE
    answer = maker.answer_message
    paths = (("result", "task", "pollInterval"), ("result", "pollIntervalMs"))
    intervals = [value_at(answer.body, path) for path in paths] if answer is not None else []
    interval = next((one for one in intervals if isinstance(one, int | float)), None)
    return usual if interval is None else max(least, min(interval, most * 500) * 2 / 1000)


def caught_up(
    poll: Performance, waiting: Iterable[Sequence[Performance]], now: float, *, is_answered: bool
) -> list[Performance]:
    """The performances whose next step tells of the task that is asked after; they know now how far the client is."""
    place = (poll.interaction.number, is_answered)
    task = _live_task(poll, poll.interaction.request)
    others = [one for some in waiting for one in some if one is not poll and one.played.whole is poll.played.whole]
    own = [one for one in others if _tells_of(one, task)]
    for performance in own:
        performance.polled = max(performance.polled, place)
        performance.restart_clock(now, poll.interaction.entry.at)
    return own


def _tells_of(performance: Performance, task: str | None) -> bool:
    """Whether the next step tells the state of this task, by its live id."""
    steps = performance.interaction.steps
    step = steps[performance.at] if performance.at < len(steps) else None
    if step is None or step.poll is None:
        return False
    is_answer = performance.at == performance.interaction.answer
    return task == _live_task(performance, performance.interaction.request if is_answer else step.message)


def _live_task(performance: Performance, message: Message | None) -> str | None:
    """The id that the task of a recorded message has live."""
    recorded = task_of(message) if message is not None else ""
    return performance.renames.get(recorded, recorded) if recorded else None


def _number_of(interaction: Interaction) -> int:
    return interaction.number


def _status_of(poll: Interaction) -> Json | Missing:
    answer = poll.answer_message
    return value_at(answer.body, ("result", "status")) if answer is not None else None
