"""One interaction being played: how far it is, for which live message, and what it waits for; what was asked in it."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mcpmock.session.correlation import id_key, loose_id_key, progress_token
from mcpmock.session.interaction import Interaction, Step
from mcpmock.session.minted import NO_RENAMES, Renames, renamed
from mcpmock.session.playing.answers import answer_text, message_text, stateless_text
from mcpmock.session.playing.order import Played
from mcpmock.wire.envelope import is_at_level, is_enveloped, log_level_of
from mcpmock.wire.message import MISSING, Json, Message, Missing
from mcpmock.wire.values import repeatable

if TYPE_CHECKING:
    from mcpmock.session.playing.batch import BatchAnswers

__all__ = ["Agenda", "Performance", "Questions"]

NEVER: Final = -1


class Performance:
    """One interaction being played for one live message.

    message      the live request or notification; None for what is sent unasked
    is_first     whether this live session plays the interaction for the first time
    is_stateless whether that speaks the stateless revision (2026-07-28)
    ticket       the exchange that the live message came in
    alone_only   whether only what was recorded while nothing was open is wanted (a skipped anchor)
    polled       what made a task: how far the client has come in asking after it (`Poll.place`)
    """

    __slots__ = (
        "_patience",
        "alone_only",
        "asked",
        "at",
        "base",
        "base_recorded",
        "batch",
        "drop_until",
        "interaction",
        "is_cancelled",
        "is_first",
        "is_stateless",
        "message",
        "played",
        "polled",
        "renames",
        "sent_progress",
        "ticket",
        "unanswered",
    )

    def __init__(
        self, interaction: Interaction, message: Message | None, played: Played, *, is_first: bool, alone_only: bool
    ) -> None:
        self.interaction = interaction
        self.message = message
        self.is_stateless = message is not None and is_enveloped(message)
        self.played = played
        self.is_first = is_first
        self.alone_only = alone_only
        self.batch: BatchAnswers | None = None
        self.ticket: object = None
        self.renames: Renames = NO_RENAMES
        self.at = 0
        self.asked: dict[int, Json] = {}  # place of an `ask` among the steps -> the live id of the question
        self.unanswered: set[int] = set()
        self.is_cancelled = False
        self.drop_until = NEVER
        self.sent_progress = False
        self.polled = (NEVER, False)
        self.base = 0.0
        self.base_recorded: int | None = None
        self._patience = (NEVER, 0.0)  # place of the `ask` whose answer is awaited, and until when

    def restart_clock(self, now: float, recorded: int | None) -> None:
        """Recorded delays count from the latest thing that the client did: how long it took for it is its own."""
        self.base = now
        self.base_recorded = recorded

    def due(self, step: Step, delays: float) -> float:
        """When a step comes, if the client does nothing before; `delays` is the factor of recorded ones."""
        if delays and step.entry.at is not None and self.base_recorded is not None:
            return self.base + max(0, step.entry.at - self.base_recorded) / 1000 * delays
        if step.poll is not None and step.poll.place > self.polled:
            from mcpmock.session.playing.tasks import patience  # few sessions have tasks

            return self.base + patience(self.interaction)
        return self.base

    def awaits(self, place: int, until: float) -> float:
        """It waits for the answer to that question: the moment at which it gives up, from its first call on."""
        if self._patience[0] != place:
            self._patience = (place, until)
        return self._patience[1]

    @property
    def is_settled(self) -> bool:
        """Whether the request has its answer, or was cancelled: what may still follow is not stopped by a cancel."""
        return self.is_cancelled or 0 <= self.interaction.answer < self.at

    def withdraw(self, recorded: Json | Missing) -> Json | Missing:
        """The server cancels what has this recorded id: a question of its own, for which nothing waits then, or the
        client's request. Returns the id that it has live: None where it is a question that was not asked."""
        key = id_key(recorded)
        done = self.interaction.steps[: self.at]
        places = [at for at, step in enumerate(done) if step.kind == "ask" and _has_id(step.message, key)]
        if places:
            self.unanswered.discard(places[-1])
            return self.asked.get(places[-1])
        is_request = recorded is not MISSING and _has_id(self.interaction.request, key)
        return self.live_id if is_request else MISSING

    def answer_text(self, variables: Mapping[str, str], agreed: str = "") -> str:
        """The recorded answer as the live client has to see it; `agreed` is its version, if not the recorded one."""
        interaction, live_id = self.interaction, self.live_id
        answer = interaction.answer_message
        if agreed and answer is not None and not self.renames:
            from mcpmock.session.playing.downgrading import downgraded

            result = downgraded(answer, agreed).body.get("result")
            return answer_text(interaction, live_id, variables, result if isinstance(result, dict) else None)
        if self.is_stateless and not self.renames:
            return stateless_text(interaction, live_id, variables)
        if not self.renames or answer is None or isinstance(live_id, Missing):
            return answer_text(interaction, live_id, variables)
        return message_text(answer, variables, {("id",): live_id, **renamed(answer, self.renames)})

    def wants_log(self, log: Message) -> bool:
        """Whether the live request wants this log message: a stateless one only if it asks for its level."""
        if not self.is_stateless or self.message is None:
            return True
        level, params = log_level_of(self.message), log.params
        return level is not None and is_at_level(params.get("level") if isinstance(params, dict) else None, level)

    @property
    def live_id(self) -> Json | Missing:
        """The id of the live request."""
        return self.message.id if self.message is not None else MISSING

    @property
    def live_token(self) -> Json | Missing:
        """The progress token of the live request; MISSING also where it cannot be said again (`1e400`)."""
        token = progress_token(self.message) if self.message is not None else MISSING
        return token if isinstance(token, Missing | str | int) or repeatable(token) is token else MISSING


class Agenda:
    """The performances that wait for a moment, the earliest first."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Performance]] = []
        self._serial = 0

    def put(self, due: float, performance: Performance) -> None:
        """It goes on at that moment."""
        self._serial += 1
        heapq.heappush(self._due, (due, self._serial, performance))

    @property
    def next(self) -> float | None:
        """The earliest moment; None if there is none."""
        return self._due[0][0] if self._due else None

    def take(self, now: float) -> Performance | None:
        """The next one that is due by now."""
        return heapq.heappop(self._due)[2] if self._due and self._due[0][0] <= now else None


class Questions:
    """The questions that were asked in one live session, under the ids that they have live."""

    def __init__(self) -> None:
        self._asked: dict[str, tuple[Performance, int]] = {}
        self._used_ids: set[str] = set()

    def ask(self, recorded: Json | Missing, performance: Performance) -> Json:
        """The next step of a performance is a question: the id under which it is asked.

        That is the recorded one, or another of its type where that was used already in this live session.
        """
        fresh: Json = None if isinstance(recorded, Missing) else recorded
        serial = 1
        while loose_id_key(fresh) in self._used_ids:
            serial += 1
            fresh = fresh + 1 if type(fresh) is int else f"{recorded}-{serial}"
        self._used_ids.add(loose_id_key(fresh))
        self._asked[loose_id_key(fresh)] = (performance, performance.at)
        performance.asked[performance.at] = fresh
        performance.unanswered.add(performance.at)
        return fresh

    def take(self, live_id: Json | Missing) -> tuple[Performance, int] | None:
        """Which performance has asked, and at which step; None where nobody asked, or was answered already."""
        found = self._asked.pop(loose_id_key(live_id), None)
        if found is not None:
            found[0].unanswered.discard(found[1])
        return found


def unanswered(question: Step, patience: float) -> str:
    """What a person is told of a question that the client has not answered."""
    method = question.message.method if question.message else ""
    return (
        f"the client has not answered {method} (line {question.entry.line}) for {patience:g} s: "
        "what was recorded goes on without the answer (answer timeout)"
    )


def _has_id(message: Message | None, key: tuple[str, object]) -> bool:
    return message is not None and id_key(message.id) == key
