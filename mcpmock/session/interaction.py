"""Interactions: one client message, and all that the server sent because of it (DESIGN 2.1: derived when loaded)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from mcpmock.cassette.model import NO_RULES, NORM, Entry, HttpFact, HttpNorm, Rules
from mcpmock.wire.envelope import is_enveloped
from mcpmock.wire.message import HEADER_MISMATCH, Message, is_valid_id
from mcpmock.wire.methods import CACHEABLE, STAYS_OPEN, method_row

_WANTS_TOKEN: Final = (401, 403, 407)
_TOO_MUCH: Final = (408, 425, 429)
_NAMES: Final = ("host", "origin")  # of who asks, and who is asked: they say nothing of what
PROBES: Final = frozenset({"server/discover", "ping"})
"""What neither opens nor binds a session (DESIGN 4, "Sessions")."""

Era: TypeAlias = Literal["", "legacy", "modern"]
"""With a handshake, or stateless (2026-07-28); empty where nothing shows it."""

StepKind: TypeAlias = Literal["send", "ask", "await", "cancel", "noise", "end", "http", "close"]


class Poll(NamedTuple):
    """What the client last asked after a task, and whether it had the answer."""

    interaction: Interaction
    was_answered: bool

    @property
    def place(self) -> tuple[int, bool]:
        """Where that is among all that is asked after the task, and answered."""
        return self.interaction.number, self.was_answered


class Step(NamedTuple):
    """One thing that happened in an interaction after its client message, in the recorded order.

    kind       send: a server message; ask: a server's question; await: the client's answer to one; cancel: the
               client cancelled the request; noise: stdout noise or stderr; end: the server left; http: its POST was
               answered by no message, or its stream ended without an answer (or goes on), close: a subscription's
    entry      where it was recorded
    message    send, ask: the server's message; await: the recorded answer
    question   await: the place of its `ask` among the steps of the interaction
    is_owned   whether it comes again when the interaction is played again (DESIGN 4, "Played again")
    is_alone   whether nothing was open when it was recorded (DESIGN 4, "An anchor that the live client skips")
    is_standing  over HTTP it goes on the stream of a GET, not on that of the request
    listen     the subscription on which it came (2026-07-28)
    is_stray   an answer to nothing, or a second one: sent in `strict` order only (case RP-07)
    accepted   await, cancel: how HTTP answered the POST of it, where that was not as the norm says (case HT-02)
    poll       the state of a task: what of the task the client had asked, since it was made, when it was told that
    """

    kind: StepKind
    entry: Entry
    message: Message | None = None
    question: int = -1
    is_owned: bool = False
    is_alone: bool = False
    is_standing: bool = False
    listen: Interaction | None = None
    is_stray: bool = False
    accepted: HttpFact | None = None
    poll: Poll | None = None

    @property
    def is_reply(self) -> bool:
        """Whether it answers: a request, or a line that is no message."""
        return (
            self.kind == "send" and self.message is not None and self.message.kind == "response" and not self.is_stray
        )

    @property
    def ends_by_http(self) -> bool:
        """Whether HTTP answered the POST, or ended its stream."""
        return self.kind == "http" and not (self.entry.http is not None and self.entry.http.is_priming)


class Interaction:
    """One client message with its steps.

    number     its place among the interactions of its timeline, from 1; 0 is what the server said unasked at first
    request    the client's request or notification; None for a line that is no message (then `raw` holds it)
    change     the number of this change among the changes of its timeline, from 1; 0 when it changes nothing
    position   the number of the latest change that was answered when this one was sent
    answer     the place of the answer among the steps; -1 when it was never answered
    effect     the number of the change that its answer completes: `change`, but for requests that take several rounds
    minted     what its answer hands out to come back in later requests: the id of a task, the state of a round
    first      the first round of the request that this one goes on with (2026-07-28, `input_required`)
    is_late    it is never played: HTTP refused it, its session had ended; or its client did not wait for that probe
    is_cut_short  a request whose answer the recording did not live to see
    is_apart   HTTP refused it by its head alone, whatever it asked: no part of the conversation; then it is late, too
    farewell   a subscription: how the server ended it when the client had closed; None where it did not
    tail       the JSON text of the answer behind its id, once it has been needed; with placeholders `is_filled_in`
    """

    __slots__ = (
        "answer",
        "change",
        "effect",
        "entry",
        "farewell",
        "first",
        "is_apart",
        "is_cut_short",
        "is_filled_in",
        "is_late",
        "minted",
        "number",
        "position",
        "raw",
        "request",
        "rules",
        "session",
        "steps",
        "tail",
    )

    def __init__(self, number: int, request: Message | None, entry: Entry, position: int) -> None:
        self.number = number
        self.request = request
        self.raw: str | bytes = "" if request else entry.text
        self.entry = entry
        self.rules: Rules = entry.rules if request else NO_RULES
        self.steps: list[Step] = []
        self.change = 0
        self.position = position
        self.answer = -1
        self.session = 0
        self.effect = 0
        self.minted: tuple[str, ...] = ()
        self.first: Interaction | None = None
        self.farewell: Message | None = None
        self.tail = ""
        self.is_filled_in = self.is_cut_short = False
        self.is_late = self.is_apart = False

    def __repr__(self) -> str:
        what = self.request.method if self.request else "raw"
        return f"<Interaction {self.number} {what} line {self.entry.line}: {len(self.steps)} steps>"

    @property
    def method(self) -> str:
        """The method of its client message; empty for a line that is no message."""
        return self.request.method if self.request else ""

    @property
    def is_request(self) -> bool:
        """Whether its client message asks for an answer."""
        return self.request is not None and self.request.kind == "request"

    @property
    def is_stateless(self) -> bool:
        """Whether it speaks the stateless revision (2026-07-28), in which a client cancels by leaving."""
        return self.request is not None and is_enveloped(self.request)

    @property
    def is_refused(self) -> bool:
        """Whether HTTP refused it, for lack of a token, of a session, of a method (case AU-01), for its headers
        (2026-07-28), or sent its client elsewhere (case HT-05). A server in trouble refuses nobody:
        that is part of the talk, but for a session that could not begin."""
        if self.has_no_id:
            return True
        if self.answer_message is not None:
            fact = self.steps[self.answer].entry.http
            return refuses_headers(self.answer_message) or bool(fact and fact.sent and fact.status >= 400)
        statuses = [step.entry.http.status for step in self.steps if step.kind == "http" and step.entry.http]
        return any(status >= 300 and (self.method == "initialize" or not _is_trouble(status)) for status in statuses)

    @property
    def has_no_id(self) -> bool:
        """Whether it is a request with an id that cannot be one: it is refused unread (case RP-04).

        In the stateless revision servers refuse fractions, too.
        """
        if self.request is None or not self.is_request or "id" not in self.request.body:
            return False
        is_fraction = self.is_stateless and type(self.request.id) is float
        return not is_valid_id(self.request.id) or (is_fraction and (self.has_failed or self.answer < 0))

    @property
    def is_turned_away(self) -> bool:
        """Whether it is a probe by whose refusal a client learns that a handshake is needed; not that a token is."""
        facts = [step.entry.http for step in self.steps if step.kind == "http" and step.entry.http is not None]
        is_plain = all(fact.status >= 400 and fact.status not in _WANTS_TOKEN for fact in facts)
        return self.method == "server/discover" and self.is_refused and is_plain

    @property
    def is_replied_to(self) -> bool:
        """A line that is no message: whether it was answered, by an error or by HTTP."""
        return any(step.ends_by_http or step.is_reply for step in self.steps)

    @property
    def counts(self) -> bool:
        """Whether it is told where it was never played: not what a stateless client keeps for as long as it likes, of
        a request in several rounds only the first, and nothing that was refused."""
        if self.request is None or self.first is not None or not method_row(self.method).counts or self.is_refused:
            return False
        return self.method not in CACHEABLE or not self.is_stateless

    @property
    def is_plain(self) -> bool:
        """Whether its answer is all there is to it."""
        return self.answer == 0 and len(self.steps) == 1 and not self.rules.delay and not self.minted

    @property
    def answer_message(self) -> Message | None:
        """The recorded answer; None when there was none."""
        return self.steps[self.answer].message if self.answer >= 0 else None

    @property
    def sent(self) -> Sequence[tuple[str, str | None]]:
        """The headers of its request that were odd, as far as they are recorded."""
        facts = [step.entry.http for step in self.steps if step.entry.http is not None]
        return next((fact.sent for fact in facts if fact.sent and fact.sent[0][0] not in _NAMES), ())

    @property
    def has_failed(self) -> bool:
        """Whether it was answered by an error."""
        answer = self.answer_message
        return answer is not None and "error" in answer.body

    @property
    def is_unanswered(self) -> bool:
        """Whether a request was neither answered nor cancelled, nor ended by HTTP."""
        if not self.is_request or self.answer >= 0:
            return False
        return all(step.kind != "cancel" and not step.ends_by_http for step in self.steps)

    @property
    def revision(self) -> str:
        """The revision that its answer agrees on; empty where it is no answered `initialize`."""
        answer = self.answer_message
        result = answer.body.get("result") if answer is not None else None
        return str(result.get("protocolVersion", "")) if isinstance(result, dict) else ""


class Timeline:
    """The interactions of one recorded session, or of several that are joined (DESIGN 4, "Sessions").

    `era` is what its requests show, `norm` how it answers over HTTP. `anchors` and `openings` are kept once they have
    been looked for: many live sessions ask.
    """

    __slots__ = ("anchors", "era", "interactions", "is_joined", "norm", "openings", "revision", "sessions")

    def __init__(
        self, interactions: list[Interaction], *, sessions: tuple[int, ...], revision: str, norm: HttpNorm = NORM
    ) -> None:
        self.norm = norm
        self.era: Era = era_of(interactions)
        self.interactions = interactions
        self.sessions = sessions
        self.revision = revision
        self.is_joined = len(sessions) > 1
        self.anchors: list[Interaction] | None = None
        self.openings: tuple[str, ...] | None = None


def _is_trouble(status: int) -> bool:
    """Whether a status tells of the server alone, and nothing of who asked, or how."""
    return status >= 500 or status in _TOO_MUCH


def refuses_headers(answer: Message) -> bool:
    """Whether an answer says that the headers of the request were not as they must be (2026-07-28)."""
    error = answer.body.get("error")
    return isinstance(error, dict) and error.get("code") == HEADER_MISMATCH


def era_of(interactions: Iterable[Interaction]) -> Era:
    """The era that the requests of a session show: legacy where one is `initialize`, modern where they are enveloped.

    A session that holds nothing but probes shows none (DESIGN 4, "Sessions"); nor does an enveloped `initialize`, which
    only tries whether it is refused; nor one that was answered by an error, where requests with an envelope follow:
    a client that waits in vain for the answer to its probe tries the handshake before the answer comes.
    """
    era: Era = ""
    has_failed = False
    for interaction in interactions:
        if interaction.method == "initialize" and not interaction.is_stateless:
            if not interaction.has_failed:
                return "legacy"
            has_failed = True
        if interaction.is_stateless and interaction.method not in PROBES:
            era = "modern"
    return era or ("legacy" if has_failed else "")


def era_shown(interactions: Iterable[Interaction]) -> Era:
    """The era of a session that was written without handshake and `_meta`: modern where it holds what no other client
    would understand, rounds of input, tasks of the extension, subscriptions; else it is of none."""
    for interaction in interactions:
        answer = interaction.answer_message
        result = answer.body.get("result") if answer is not None else None
        kind = result.get("resultType") if isinstance(result, dict) else None
        if interaction.method in STAYS_OPEN or kind in ("input_required", "task"):
            return "modern"
    return ""
