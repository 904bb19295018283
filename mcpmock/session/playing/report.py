"""What a live session did: its calls, its misses, what of the recording was left, and what else is worth a note."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from mcpmock.session.interaction import Interaction, Step
from mcpmock.session.playing.variables import content
from mcpmock.wire.message import Json, Message, Object

if TYPE_CHECKING:
    from mcpmock.matching.miss import Miss

__all__ = ["Call", "Outcome", "Report", "Unplayed", "Waiting", "unplayed_json"]

KEPT: Final = 1_000
"""How many misses, notes and the like are kept where more may come for ever."""

Outcome: TypeAlias = Literal["played", "repeated", "missed", "made up", "ignored"]


class Call(NamedTuple):
    """One live request or notification.

    `at` is in seconds on the shell's clock; `line` is the place of the interaction that was played, 0 for none.
    """

    method: str
    params: Json
    outcome: Outcome
    line: int
    at: float


class Unplayed(NamedTuple):
    """A recorded interaction, or an answered question within one, that the live session never came to."""

    interaction: Interaction
    question: Message | None = None

    @property
    def method(self) -> str:
        """What was not done: the request, or the question that was not asked."""
        return self.interaction.method if self.question is None else self.question.method

    @property
    def params(self) -> Json:
        """With what."""
        message = self.question or self.interaction.request
        return message.params if message else None

    @property
    def line(self) -> int:
        """Its place in the cassette."""
        if self.question is None:
            return self.interaction.entry.line
        return next(step.entry.line for step in self.interaction.steps if step.message is self.question)


def unplayed_json(found: Iterable[Unplayed]) -> list[Json]:
    """What was not played, for reports."""
    return [
        {"method": one.method, "params": one.params, "line": one.line, "question": one.question is not None}
        for one in found
    ]


class Waiting(NamedTuple):
    """A recorded request for which a live client waits in vain: the `line` of its entry, and whether it was cancelled
    when it was recorded."""

    line: int
    is_cancelled: bool

    def told(self, cassette: str) -> str:
        """In a sentence."""
        place = f"{cassette}:{self.line}" if cassette else f"line {self.line}"
        if self.is_cancelled:
            return f"the request at {place} was cancelled when it was recorded, and so got no answer"
        return f"the request at {place} was recorded without an answer, and so got none"


class Report:
    """Grows while a session is played. `calls` are kept only where somebody wants them (`keep_calls`).

    `forgotten` counts the misses that are no longer among `misses`, by their kind.
    """

    def __init__(self, *, keep_calls: bool = False) -> None:
        self.keep_calls = keep_calls
        self.calls: list[Call] = []
        self.requests = 0
        self.misses: list[Miss] = []
        self.forgotten: Counter[str] = Counter()
        self.notes: list[str] = []
        self.gates: list[Object] = []
        self.different_answers: list[Object] = []
        self._waiting: dict[Hashable, Waiting] = {}  # by live session and id
        self._told_to_shake = 0  # clients whose probe was refused, and that have not shaken hands since
        self._spoken = ""
        self._settled: set[tuple[int, int, int]] = set()  # questions asked, or not asked for a good reason

    def add_call(self, message: Message, outcome: Outcome, line: int, at: float) -> None:
        """A live message was dealt with."""
        self.requests += 1
        if message.method == "initialize":
            self._told_to_shake = max(0, self._told_to_shake - 1)
        if self.keep_calls:
            self.calls.append(Call(message.method, message.params, outcome, line, at))

    @property
    def missed(self) -> int:
        """How many misses there were."""
        return len(self.misses) + self.forgotten.total()

    def bound(self) -> None:
        """Forgets what is beyond the first thousand: a client that misses in a loop must not eat the memory."""
        if len(self.misses) > KEPT:
            self.forgotten.update(miss.kind for miss in self.misses[KEPT:])
            del self.misses[KEPT:]
        for kept in (self.notes, self.gates, self.different_answers):
            del kept[KEPT:]

    def note_question(self, interaction: Interaction, place: int) -> None:
        """A recorded question was asked."""
        self._settled.add((interaction.session, interaction.number, place))

    def note_waiting(self, live_id: Hashable, line: int, *, is_cancelled: bool = False) -> None:
        """A live request waits that was recorded, at `line`, without an answer; or until its client cancelled it."""
        if len(self._waiting) < KEPT:
            self._waiting[live_id] = Waiting(line, is_cancelled)

    def note_refused_probe(self, revision: str) -> None:
        """A client that asked whether it can do without a handshake was told to shake hands, for this revision."""
        self._told_to_shake += 1
        self._spoken = revision

    @property
    def turned_away(self) -> str:
        """What a person is told of a client that knows no handshake; empty where none has met a recording with one.

        It is no miss: some clients probe in a process of its own.
        """
        if not self._told_to_shake:
            return ""
        return (
            f"a client asked whether it can do without a handshake, was told no, and left: what is recorded "
            f"begins with one, for {self._spoken or 'an older one'}; let the client fall back to that, or speak it "
            "at once"
        )

    def note_cancel(self, live_id: Hashable) -> None:
        """The client waits no more."""
        self._waiting.pop(live_id, None)

    @property
    def left_waiting(self) -> list[Waiting]:
        """The requests whose clients wait for an answer that was not recorded."""
        return sorted(set(self._waiting.values()))

    def all_notes(self) -> list[Json]:
        """The notes, who waits in vain, and who was turned away."""
        turned_away = [self.turned_away] if self.turned_away else []
        return [*self.notes, *(one.told("") for one in self.left_waiting), *turned_away]

    def note_gate(self, question: Message, interaction: Interaction) -> None:
        """A recorded question was not asked, because the client lacks the capability for it."""
        place = next(at for at, step in enumerate(interaction.steps) if step.message is question)
        self.note_question(interaction, place)
        self.note_withheld(interaction.steps[place])

    def note_withheld(self, step: Step) -> None:
        """What a step would have sent was not sent: the client cannot be asked that, or has not asked for it."""
        if step.message is not None:
            self.gates.append({"method": step.message.method, "line": step.entry.line})

    def note_other_answer(self, recorded: Message, live: Message, interaction: Interaction) -> None:
        """The client answered a question with something else than the recorded client did."""
        step = next(step for step in interaction.steps if step.message is recorded)
        self.different_answers.append({"line": step.entry.line, "recorded": content(recorded), "live": content(live)})

    def unplayed_among(
        self, interactions: Iterable[Interaction], counts: dict[int, int], key: Callable[[Interaction], Hashable]
    ) -> list[Unplayed]:
        """What counts as unplayed of these; `counts` says how often each number was played, `key` which are equal.

        Only `tools/call`, `prompts/get`, `resources/read` and answered questions count (DESIGN 4); a read that was
        passed over for an equal later one is skipped, not unplayed.
        """
        found: list[Unplayed] = []
        skipped = _Skipped(key)
        for interaction in reversed(list(interactions)):
            is_played = bool(counts.get(interaction.number))
            if is_played:
                skipped.played(interaction)
            if interaction.rules.optional:
                continue
            if interaction.counts and not is_played:
                if not skipped.holds(interaction):
                    found.append(Unplayed(interaction))
                continue
            found += [Unplayed(interaction, question) for question in self._unasked(interaction)]
        return found[::-1]

    def _unasked(self, interaction: Interaction) -> list[Message]:
        answered = [step.question for step in interaction.steps if step.kind == "await"]
        questions = [
            interaction.steps[place].message
            for place in reversed(answered)
            if (interaction.session, interaction.number, place) not in self._settled
        ]
        return [question for question in questions if question is not None]

    def to_json(self) -> Object:
        """The report as JSON, without what was unplayed."""
        calls: list[Json] = [
            {"method": call.method, "params": call.params, "outcome": call.outcome, "line": call.line, "at": call.at}
            for call in self.calls
        ]
        return {
            "requests": self.requests,
            "calls": calls,
            "missed": self.missed,
            "misses": [_miss_json(miss) for miss in self.misses],
            "gates": list(self.gates),
            "different_answers": list(self.different_answers),
            "notes": self.all_notes(),
        }


class _Skipped:
    """Walks the interactions backwards: a read is skipped where an equal one behind it was played."""

    def __init__(self, key: Callable[[Interaction], Hashable]) -> None:
        self._key = key
        self._later: set[Hashable] = set()

    def played(self, interaction: Interaction) -> None:
        if not interaction.change:
            self._later.add(self._key(interaction))

    def holds(self, interaction: Interaction) -> bool:
        return not interaction.change and self._key(interaction) in self._later


def _miss_json(miss: Miss) -> Object:
    from mcpmock.matching.miss import error_object

    return {"method": miss.request.method, "params": miss.request.params, "error": error_object(miss)}
