"""Would a cassette replay itself: the recorded clients are played against the recorded servers (`mcpmock check`).

Each recorded session is a live one in turn. What it sent is sent again, in its order; what it got must come again:
the same answers, ids aside, and the same questions and notifications.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import Final, NamedTuple

from mcpmock.cassette.model import Cassette, Entry, HttpFact, Session
from mcpmock.cassette.placeholders import TILDE, variable_name, variable_placeholder
from mcpmock.cassette.variables import variables_in
from mcpmock.matching.keys import canonical, canonical_json
from mcpmock.matching.nearest import differences
from mcpmock.matching.shown import both_spelt, harmless, shorten
from mcpmock.matching.words import describe, sentence
from mcpmock.session.correlation import cancelled_id
from mcpmock.session.events import Event, pair_answers, unfold
from mcpmock.session.interaction import refuses_headers
from mcpmock.session.playing.actions import Action, End, Send
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.ledger import MemoryLedger
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.playback import Playback
from mcpmock.session.showing.excused import Excused
from mcpmock.session.showing.given_up import Requests
from mcpmock.session.story import Story
from mcpmock.wire.envelope import ACKNOWLEDGED, SUBSCRIPTION_KEY
from mcpmock.wire.framing import Oversize
from mcpmock.wire.message import Batch, Json, Message, Missing, parse
from mcpmock.wire.values import value_at

__all__ = ["Problem", "selfcheck"]

_SHOWN: Final = 3
"""Differences of one answer that are told."""


class Problem(NamedTuple):
    """One thing that would be otherwise on replay, at a line of the cassette (from 1; 0: nowhere in particular)."""

    line: int
    text: str


def selfcheck(cassette: Cassette) -> list[Problem]:
    """What would be otherwise if the recorded clients met this recording; empty if nothing would.

    Raises CassetteError or UsageError where the cassette cannot be played at all.
    """
    problems: list[Problem] = []
    # The recorded client says what is written: each variable stands for its own placeholder.
    names = [*variables_in(cassette.sessions), variable_name(TILDE)]
    options = Options(patience=0, rehearses=True, vars={name: variable_placeholder(name) for name in names})
    by_server: dict[str, list[Session]] = {}
    for session in cassette.sessions:
        by_server.setdefault(session.server, []).append(_played_once(session))
    for sessions in by_server.values():
        library = Library(Story(cassette._replace(sessions=tuple(sessions))))
        ledger = MemoryLedger()
        for session in sessions:
            speaks_http = any(entry.http is not None for entry in session.entries)
            machine = Playback(library, options._replace(http=speaks_http), ledger)
            problems += _Rehearsal(session, machine, Excused.of(library)).problems()
    return problems


def _played_once(session: Session) -> Session:
    """The session without `times:`, because its client asks once for what may be played several times."""
    entries = [one._replace(rules=one.rules._replace(times=1)) for one in session.entries]
    return session._replace(entries=tuple(entries))


class _Rehearsal:
    """One recorded session against the machine.

    Every request is sent under an id of its own, so that what comes back can be told apart.
    """

    def __init__(self, session: Session, machine: Playback, excused: Excused) -> None:
        self._refused = excused.refused
        self._events = list(unfold(session.entries))
        silent = (at for at, event in enumerate(self._events) if id(event.entry) in excused.unacknowledged)
        self._unacknowledged = set(map(_live_id, silent))
        self._pairs = pair_answers(self._events)
        self._machine = machine
        self._answers: dict[str, Message] = {}  # by live id
        self._sent: dict[str, list[tuple[int, Message]]] = {}  # what else came, by content: after which line, and what
        self._questions: dict[str, list[Json]] = {}  # live ids of questions that wait, by content
        self._requests = Requests(self._events, self._pairs)
        self._tickets: dict[int, object] = {}  # what tells the exchange of a request, by the event
        self._missed: set[int] = set()
        self._problems: list[Problem] = []
        self._now = 0.0
        self._has_ended = False
        self._fed: list[Entry] = []
        self._explained: set[int] = set()  # lines of client entries that have a problem

    def problems(self) -> list[Problem]:
        """Plays the session, and tells what was otherwise, in the order of the file."""
        for at, event in enumerate(self._events):
            is_new = not (self._fed and event.entry is self._fed[-1])  # a batch is several events
            if event.side == "client" and is_new and not self._has_ended:
                self._fed.append(event.entry)
                self._feed(at, event)
            elif event.entry.http is not None and event.entry.http.end:
                self._end(at, event.entry.http, event.entry.owner)
        self._take(self._machine.end_of_input(self._now))
        self._compare()
        return sorted(self._problems, key=lambda problem: problem.line)

    # -- what the client sends

    def _feed(self, at: int, event: Event) -> None:
        machine, entry = self._machine, event.entry
        misses, ticket = len(machine.report.misses), object()
        self._tickets[at] = ticket
        if entry.kind == "raw":
            line = entry.text if isinstance(entry.text, bytes) else entry.text.encode()
            self._take(machine.receive(Oversize(entry.size) if entry.size else line, self._now))
        elif entry.is_batch:
            sent = [self._as_sent(at + place, message) for place, message in enumerate(entry.messages)]
            self._take(machine.receive_parsed(Batch(tuple(filter(None, sent))), self._now, ticket=ticket))
        elif event.message is not None and (message := self._as_sent(at, event.message)) is not None:
            self._take(machine.receive_parsed(message, self._now, ticket=ticket))
        while machine.next_wake is not None:
            self._now = machine.next_wake
            self._take(machine.wake(self._now))
        for miss in machine.report.misses[misses:]:
            if miss.kind != "unanswered":  # where a recording was cut off is no fault of it
                self._explain(entry, entry.line, sentence(miss))
            self._missed.update(range(at, at + max(1, len(entry.messages))))

    def _is_refused(self, at: int) -> bool:
        """Whether the headers of a request were refused (2026-07-28): here are none."""
        recorded = self._events[self._pairs[at]].message if at in self._pairs else None
        return self._refused.get(id(self._events[at].entry), False) or (
            recorded is not None and refuses_headers(recorded)
        )

    def _as_sent(self, at: int, message: Message) -> Message | None:
        """The message with live ids; None for an answer to what was not asked, and for what was refused unread."""
        if self._is_refused(at):
            return None
        if message.kind == "response":
            return self._answer_to_question(at, message)
        if message.method == "notifications/cancelled":
            return self._cancel(at, message)
        if message.kind == "notification" and self._events[at].entry.answer is None:
            return message
        return Message({"id": _live_id(at), **_without_id(message)}, "request")

    def _answer_to_question(self, at: int, message: Message) -> Message | None:
        question = self._events[self._pairs[at]].message if at in self._pairs else None
        waiting = self._questions.get(_content(question)) if question else None
        return Message({**_without_id(message), "id": waiting.pop(0)}, "response") if waiting else None

    def _cancel(self, at: int, message: Message) -> Message:
        """The cancel of the oldest open request with that id."""
        place = self._requests.give_up(at, cancelled_id(message))
        params = message.params if isinstance(message.params, dict) else {}
        changed: dict[str, Json] = {"params": {**params, "requestId": _live_id(place)}} if place is not None else {}
        return Message({**message.body, **changed}, "notification") if changed else message

    def _end(self, at: int, fact: HttpFact, owner: Json | Missing) -> None:
        """A stream ended; where the client has left it, it leaves it."""
        place = self._requests.give_up(at, owner)
        if place is not None and fact.side == "client":
            self._take(self._machine.left(self._tickets.get(place), self._now))

    # -- what the server sends

    def _take(self, actions: list[Action]) -> None:
        self._has_ended |= any(isinstance(action, End) for action in actions)
        for text in [action.text for action in actions if isinstance(action, Send)]:
            parsed = parse(text.encode())
            for message in parsed.messages if isinstance(parsed, Batch) else (parsed,):
                self._take_message(message)

    def _take_message(self, message: object) -> None:
        assert isinstance(message, Message), "the machine sends nothing but messages"
        if message.kind == "response":
            self._answers.setdefault(str(message.id), message)
            return
        if message.method == ACKNOWLEDGED and self._is_made_up(message):
            return
        self._sent.setdefault(_content(message), []).append((self._fed[-1].line if self._fed else 0, message))
        if message.kind == "request":
            self._questions.setdefault(_content(message), []).append(message.body["id"])

    def _is_made_up(self, acknowledgement: Message) -> bool:
        return str(value_at(acknowledgement.body, ("params", "_meta", SUBSCRIPTION_KEY))) in self._unacknowledged

    # -- what was otherwise

    def _compare(self) -> None:
        gated = {gate["line"] for gate in self._machine.report.gates}
        for at, (entry, side, message) in enumerate(self._events):
            if message is None:
                continue
            if side == "client" and (message.kind == "request" or entry.answer is not None):
                self._compare_answer(at, entry, message)
            elif side == "server" and message.kind != "response" and message.method != "ping":
                waiting = self._sent.get(_content(message))
                if waiting:
                    waiting.pop(0)
                elif entry.line not in gated:
                    self._problems.append(Problem(entry.line, f"{_told(message)} would not be sent"))
        for line, message in chain.from_iterable(self._sent.values()):
            self._problems.append(Problem(line, f"{_told(message)} would be sent after this once more"))
        self._compare_unplayed()

    def _compare_unplayed(self) -> None:
        """Only what was sent, and has no problem yet: the rest came when the server had left."""
        lines = {entry.line for entry in self._fed} - self._explained
        for unplayed in self._machine.unplayed():
            message = unplayed.question or unplayed.interaction.request
            if message is not None and unplayed.interaction.entry.line in lines:
                self._problems.append(Problem(unplayed.line, f"{describe(message)} would never be played"))

    def _compare_answer(self, at: int, entry: Entry, request: Message) -> None:
        recorded = self._events[self._pairs[at]] if at in self._pairs else None
        live = self._answers.get(_live_id(at))
        what = describe(request)
        if at in self._missed or self._is_refused(at):
            return
        if recorded is None or recorded.message is None:
            if live is not None and id(entry) not in self._refused:
                self._explain(entry, entry.line, f"{what} would be answered, but was not")
        elif live is None:
            self._explain(entry, recorded.entry.line, f"{what} would not be answered")
        elif changes := _changes(recorded.message, live):
            self._explain(entry, recorded.entry.line, f"{what} would be answered otherwise: {changes}")

    def _explain(self, entry: Entry, line: int, text: str) -> None:
        self._explained.add(entry.line)
        self._problems.append(Problem(line, text))


def _live_id(at: int) -> str:
    return f"check-{at}"


def _without_id(message: Message) -> dict[str, Json]:
    return {key: member for key, member in message.body.items() if key != "id"}


def _without_its_ids(answer: Message) -> dict[str, Json]:
    """Without its id, which the end of a subscription tells a second time (2026-07-28): in `_meta`."""
    body = _without_id(answer)
    result = body.get("result")
    meta = result.get("_meta") if isinstance(result, dict) else None
    if isinstance(result, dict) and isinstance(meta, dict) and SUBSCRIPTION_KEY in meta:
        told = {key: member for key, member in meta.items() if key != SUBSCRIPTION_KEY}
        body["result"] = {**result, "_meta": told}
    return body


def _content(message: Message) -> str:
    return f"{message.method} {canonical(message.method, message.params)}"


def _told(message: Message) -> str:
    what = "the question" if message.kind == "request" else "the notification"
    return f"{what} {shorten(harmless(message.method), 60)}"


def _changes(recorded: Message, live: Message) -> str:
    """How an answer would be otherwise, in few words; empty if it would not."""
    ours, theirs = _without_its_ids(recorded), _without_its_ids(live)
    if canonical_json(ours) == canonical_json(theirs):
        return ""
    return "; ".join(
        f"{shorten(harmless(each.pointer), 60)} was {was}, is {now}"
        for each in islice(differences(ours, theirs), _SHOWN)
        for was, now in [both_spelt(each.recorded, each.live, 40)]
    )
