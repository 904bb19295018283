"""What happened in a recorded session, as data: who said what, to what it belongs, how long it took."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.matching.shown import harmless, shorten, spelt
from mcpmock.session.events import Event, pair_answers, read_only_tools, unfold
from mcpmock.session.grouping import group
from mcpmock.session.identity import NOBODY, Identity, identity_of
from mcpmock.session.interaction import Interaction
from mcpmock.session.showing.gist import gist_of_text
from mcpmock.session.showing.http_gist import gist_of_fact
from mcpmock.session.showing.rounds_gist import gist_of_reply, gist_of_round
from mcpmock.session.showing.totals import Totals, count
from mcpmock.wire.envelope import asks_for_input
from mcpmock.wire.exact import is_within
from mcpmock.wire.message import MISSING, Json, Message, Missing, Object, dumps
from mcpmock.wire.methods import STAYS_OPEN

__all__ = ["Item", "SessionSummary", "summarize"]

ItemKind: TypeAlias = Literal[
    "request", "notification", "answer", "error", "note", "raw", "stderr", "eof", "exit", "http"
]


class Item(NamedTuple):
    """One thing that was said or happened, or a `note` of ours: that something did not.

    side     who said it
    method   of a request or notification, or of the request that it answers
    gist     what it is about, in one line of printable text
    at       milliseconds from the start of the session; None when nobody knows
    took     answers: milliseconds since the request; None when nobody knows
    line     where it stands in the cassette
    items    what belongs to it, in order
    message  the message itself
    """

    kind: ItemKind
    items: list[Item]
    side: str = ""
    method: str = ""
    gist: str = ""
    id: Json | Missing = MISSING
    at: int | None = None
    took: int | None = None
    line: int = 0
    message: Message | None = None

    def to_json(self) -> Object:
        """The members that are known; `items` only where there are some."""
        known: Object = {"kind": self.kind}
        known |= {key: value for key, value in (("side", self.side), ("method", self.method)) if value}
        if not isinstance(self.id, Missing):
            known["id"] = self.id
        known["gist"] = self.gist
        known |= {key: value for key, value in (("at", self.at), ("took", self.took)) if value is not None}
        if self.line:
            known["line"] = self.line
        if self.message is not None:
            known["message"] = _message_to_json(self.message)
        if self.items:
            known["items"] = [item.to_json() for item in self.items]
        return known


class SessionSummary(NamedTuple):
    """One session: its head, what happened, and how much it was.

    `number` is its own among the `of` of its server, from 1; `is_alone` where the cassette holds no other server;
    `identity` is what it speaks, and who answers.
    """

    number: int
    session: Session
    items: list[Item]
    totals: Totals
    of: int = 1
    is_alone: bool = True
    identity: Identity = NOBODY


def summarize(cassette: Cassette) -> list[SessionSummary]:
    """All sessions of a cassette. Raises CassetteError where an `in:` names nothing."""
    read_only = read_only_tools(cassette.sessions)
    of = Counter(session.server for session in cassette.sessions)
    numbers: Counter[str] = Counter()
    summaries: list[SessionSummary] = []
    for session in cassette.sessions:
        server = session.server
        numbers[server] += 1
        summary = _summarize(numbers[server], session, read_only)
        summaries.append(summary._replace(of=of[server], is_alone=len(of) == 1))
    return summaries


def _summarize(number: int, session: Session, read_only: frozenset[str]) -> SessionSummary:
    events = list(unfold(session.entries))
    timeline = group(session, read_only=read_only)
    interactions = timeline.interactions
    items, totals = _Tree(events, interactions).items, count(events, interactions)
    return SessionSummary(number, session, items, totals, identity=identity_of(interactions, timeline.era))


class _Tree:
    """The events of a session in their order, each under what it belongs to."""

    def __init__(self, events: list[Event], interactions: list[Interaction]) -> None:
        self.items: list[Item] = []
        self._pairs = pair_answers(events)
        self._owners = _owners(interactions)
        self._streams = {event.entry.label for event in events if event.entry.kind == "http" and event.entry.label}
        self._heads: dict[int, Item] = {}
        self._by_event: list[Item] = []
        for at, event in enumerate(events):
            self._by_event.append(self._item(at, events))
            self._place(at, event)
        for interaction in interactions:
            if interaction.is_unanswered and interaction.method not in STAYS_OPEN:
                self._heads[interaction.number].items.append(Item("note", [], gist="never answered"))
        for interaction in _given_up(interactions):
            self._heads[interaction.number].items.append(Item("note", [], gist="the client did not come again"))

    def _place(self, at: int, event: Event) -> None:
        item = self._by_event[at]
        owners = self._owners.get(_key(event))
        owner = owners.popleft() if owners else None
        if item.side == "client" and item.kind in ("answer", "error") and at in self._pairs:
            self._by_event[self._pairs[at]].items.append(item)
        elif owner is None:
            self.items.append(item)  # pings, the client's own progress, ends: nobody's
        elif owner.number in self._heads:
            self._heads[owner.number].items.extend(_line_by_line(item, event.entry))
        else:
            told = _line_by_line(item, event.entry)
            head = item if owner.number else Item("note", told, gist="before any request", line=item.line)
            self._heads[owner.number] = head
            self.items.append(head)

    def _item(self, at: int, events: list[Event]) -> Item:
        entry, side, message = events[at]
        if message is None:
            gist = _gist_of_event(events[at])
            return Item(cast("ItemKind", entry.kind), [], side, gist=gist, at=entry.at, line=entry.line)
        if message.kind != "response":
            is_request = message.kind == "request" or entry.answer is not None
            item = Item("request" if is_request else "notification", [], side, message.method, gist_of_round(message))
        else:
            item = self._answer(at, events, message)
        if carried := self._carried(events[at]):
            item = item._replace(gist=f"{item.gist}  [{carried}]")
        return item._replace(id=message.id, at=entry.at, line=entry.line, message=message)

    def _carried(self, event: Event) -> str:
        """How HTTP carried a message of the server, where that is told."""
        entry = event.entry
        if event.side != "server" or (isinstance(entry.owner, Missing) and entry.http is None):
            return ""
        return gist_of_fact(entry.http) if entry.http is not None else self._on_stream(entry.owner)

    def _on_stream(self, owner: Json | Missing) -> str:
        return f"on the stream {owner}" if isinstance(owner, str) and owner in self._streams else ""

    def _answer(self, at: int, events: list[Event], message: Message) -> Item:
        asked = self._pairs.get(at)
        request = events[asked].message if asked is not None else None
        method = request.method if request is not None else ""
        kind: ItemKind = "error" if message.is_error else "answer"
        gist = gist_of_reply(message, method)
        if asked is None and message.body.get("id") is not None:
            gist = f"answer {shorten(spelt(message.id), _LONGEST_ID)} to no open request: {gist}"
        return Item(kind, [], events[at].side, method, gist, took=_took(asked, at, events))


def _message_to_json(message: Message) -> Json:
    """The members of a message; its exact text where they are not all of it, or nested too deeply for a page."""
    if message.text is not None:
        return message.text
    return message.body if is_within(message.body, _DEEPEST) else dumps(message.body)


_DEEPEST: Final = 100
_LONGEST_ID: Final = 60


def _took(asked: int | None, answered: int, events: list[Event]) -> int | None:
    """Milliseconds; None also in the short form, which has one time for both."""
    if asked is None or events[asked].entry is events[answered].entry:
        return None
    began, ended = events[asked].entry.at, events[answered].entry.at
    return None if began is None or ended is None else ended - began


def _owners(interactions: list[Interaction]) -> dict[tuple[int, int], deque[Interaction]]:
    """The interaction of every event that has one; of equal objects that stand in several places, in their order."""
    owners: dict[tuple[int, int], deque[Interaction]] = {}
    for interaction in interactions:
        if interaction.number:
            owners.setdefault(_identity(interaction.entry, interaction.request), deque()).append(interaction)
        for step in interaction.steps:
            if step.kind != "end":
                owners.setdefault(_identity(step.entry, step.message), deque()).append(interaction)
    return owners


def _given_up(interactions: list[Interaction]) -> Iterator[Interaction]:
    """The rounds (2026-07-28) in which the server asked something, and after which there was none."""
    latest = {id(one.first): one.number for one in interactions if one.first is not None}
    for one in interactions:
        answer = one.answer_message
        if answer is not None and asks_for_input(answer) and latest.get(id(one.first or one), 0) <= one.number:
            yield one


def _key(event: Event) -> tuple[int, int]:
    return _identity(event.entry, event.message)


def _identity(entry: object, message: Message | None) -> tuple[int, int]:
    return id(entry), id(message.body) if message is not None else 0


def _line_by_line(item: Item, entry: Entry) -> list[Item]:
    """An item for each line of stderr; else the item."""
    if entry.kind != "stderr" or not isinstance(entry.text, str):
        return [item]
    lines = entry.text.removesuffix("\n").split("\n")
    return [item._replace(gist=harmless(text[:_LONGEST_LINE])) for text in lines]


_LONGEST_LINE: Final = 2_000


def _gist_of_event(event: Event) -> str:
    """What is no message."""
    entry = event.entry
    if entry.http is not None:
        return gist_of_fact(entry.http, entry.owner)
    if entry.kind == "exit":
        return f"{entry.status}" if isinstance(entry.status, str) else f"status {entry.status}"
    if entry.kind == "eof":
        return f"the {event.side} closed"
    if entry.size:
        return f"a line of {entry.size} bytes, too long to keep"
    text = entry.text if isinstance(entry.text, str) else entry.text.decode(errors="backslashreplace")
    return gist_of_text(text.removesuffix("\n"))
