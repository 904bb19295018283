"""The messages of a recorded session one by one: which answers which (DESIGN 3, rule 1), which changes what (4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mcpmock.cassette.model import Entry, Session
from mcpmock.session.correlation import cancelled_id, id_key, loose_id_key
from mcpmock.wire.message import MISSING, Json, Message, Missing
from mcpmock.wire.methods import method_row

__all__ = ["Asides", "Event", "event_numbers", "is_change", "pair_answers", "read_only_tools", "unfold"]


class Event(NamedTuple):
    """One message, or one thing that is no message, with the entry that it stands in."""

    entry: Entry
    side: str
    message: Message | None = None


def unfold(entries: Iterable[Entry]) -> Iterator[Event]:
    """The messages one by one: batches are taken apart, a short form becomes a request and its answer."""
    for entry in entries:
        if entry.kind not in ("client", "server"):
            yield Event(entry, entry.side)
            continue
        for message in entry.messages:
            yield Event(entry, entry.kind, message)
        if entry.answer is not None:
            yield Event(entry, "server", entry.answer)


def event_numbers(entries: Iterable[Entry]) -> Iterator[range]:
    """The numbers of the events that each entry is, among those of all."""
    end = 0
    for entry in entries:
        start, end = end, end + len(list(unfold([entry])))
        yield range(start, end)


class Asides:
    """The messages of the client that begin nothing (an answer, a cancel, progress), by the labels of their entries;
    the latest message, if it is one, by MISSING. Each is the number of its event."""

    def __init__(self) -> None:
        self._at: dict[Json | Missing, int] = {}
        self._heard: Entry | None = None

    def heard(self, at: int, event: Event, *, begins: bool) -> None:
        """A message of the client. A batch is one only if all of it is."""
        is_aside = not begins and event.message is not None and (MISSING in self._at or event.entry is not self._heard)
        self._heard = event.entry
        for name in (MISSING, event.entry.label):
            if is_aside:
                self._at[name] = at
            else:
                self._at.pop(name, None)

    def __contains__(self, name: Json | Missing) -> bool:
        return name in self._at

    def __getitem__(self, name: Json | Missing) -> int:
        return self._at[name]


class _Waiting(NamedTuple):
    """A request that waits for its answer: the event number, the id with its type, the label of its entry."""

    at: int
    key: tuple[str, object]
    label: str


class _OpenRequests:
    """The open requests of one side by their ids, oldest first; and those whose streams have ended, for whose rest
    nobody has asked."""

    def __init__(self) -> None:
        self._by_id: dict[str, list[_Waiting]] = {}
        self._cut_off: dict[str, list[_Waiting]] = {}
        self._labels: dict[str, tuple[int, Json | Missing]] = {}
        self._cancelled: set[int] = set()

    def add(self, value: Json | Missing, at: int, label: str) -> None:
        self._by_id.setdefault(loose_id_key(value), []).append(_Waiting(at, id_key(value), label))
        if label:
            self._labels[label] = at, value

    def cancel(self, value: Json | Missing) -> None:
        if isinstance(value, str) and value in self._labels:
            self._cancelled.add(self._labels[value][0])
            return
        waiting = self._by_id.get(loose_id_key(value), ())
        cancelled = next(
            (one.at for one in waiting if one.key == id_key(value) and one.at not in self._cancelled), None
        )
        if cancelled is not None:
            self._cancelled.add(cancelled)

    def end(self, owner: Json | Missing, latest: Sequence[tuple[int, Json | Missing]]) -> None:
        """HTTP ended a request without an answer: that which `in:` names by label or id, else the latest."""
        self._take_out(self._by_id, owner, latest)

    def cut_off(self, owner: Json | Missing, latest: Sequence[tuple[int, Json | Missing]]) -> None:
        """The stream of a request ended before its answer came, be it that the client has left."""
        for loose, one in self._take_out(self._by_id, owner, latest):
            self._cut_off.setdefault(loose, []).append(one)

    def resume(self, owner: Json | Missing) -> None:
        """The client asked for the rest of such a stream."""
        for loose, one in self._take_out(self._cut_off, owner, ()):
            waiting = self._by_id.setdefault(loose, [])
            waiting.append(one)
            waiting.sort()

    def _take_out(
        self, of: dict[str, list[_Waiting]], owner: Json | Missing, latest: Sequence[tuple[int, Json | Missing]]
    ) -> list[tuple[str, _Waiting]]:
        """Those that are no more among these from now on, each with its key there."""
        if isinstance(owner, Missing):
            named = latest
        elif isinstance(owner, str) and owner in self._labels:
            named = [self._labels[owner]]
        else:
            fitting = [one for one in of.get(loose_id_key(owner), ()) if one.key == id_key(owner)]
            fitting.sort(key=lambda one: one.at in self._cancelled)
            named = [(one.at, owner) for one in fitting[:1]]
        found = []
        for at, value in named:
            loose = loose_id_key(value)
            found += [(loose, one) for one in of.get(loose, ()) if one.at == at]
            of[loose] = [one for one in of.get(loose, ()) if one.at != at]
        return found

    def take(self, answer: Message, owner: Json | Missing) -> int | None:
        """The oldest open request with the id of this answer, or else with one that differs from it in type only.

        An entry may say otherwise (`in:`, a label). A cancelled request is open no more, but for an error (both
        official SDKs end a cancelled request with one, if at all), until a later one with its id has been answered.
        Nor is one that was cut off, where there is any other.
        """
        loose, key = loose_id_key(answer.id), id_key(answer.id)
        waiting = self._by_id.get(loose) or self._cut_off.get(loose)
        if not waiting:
            return None
        first = waiting[0]
        if isinstance(owner, Missing) and first.key == key and (answer.is_error or first.at not in self._cancelled):
            del waiting[0]  # as nearly always; what follows looks through all that wait
            return first.at
        named = [one for one in waiting if one.label and one.label == owner]
        exact = [one for one in waiting if one.key == key]
        fitting = named or exact or waiting
        unfinished = fitting if answer.is_error else [one for one in fitting if one.at not in self._cancelled]
        chosen = (unfinished or fitting)[0]
        waiting[:] = [one for one in waiting if one is not chosen and not self._is_given_up(one, chosen)]
        return chosen.at

    def _is_given_up(self, one: _Waiting, answered: _Waiting) -> bool:
        return one.key == answered.key and one.at < answered.at and one.at in self._cancelled


def _ids(events: Sequence[Event], at: int, latest: Entry | None) -> list[tuple[int, Json | Missing]]:
    """The messages of the client's last entry before event `at`: event number and id."""
    while at and events[at].entry is not latest:
        at -= 1
    found: list[tuple[int, Json | Missing]] = []
    while at >= 0 and events[at].entry is latest:
        message = events[at].message
        found.append((at, message.id if message is not None else MISSING))
        at -= 1
    return found


def pair_answers(events: Sequence[Event]) -> dict[int, int]:
    """The event number of the request for the event number of each answer, and the reverse.

    Several open requests with one id: the oldest is answered first. A second answer to a request, or one with an
    unknown id, has no pair.
    """
    pairs: dict[int, int] = {}
    open_requests = {"client": _OpenRequests(), "server": _OpenRequests()}
    latest = events[0].entry if events else None  # the client's last entry
    for at, (entry, side, message) in enumerate(events):
        if side == "client":
            latest = entry
        if message is None:
            if entry.http is not None and entry.http.verb == "POST" and not entry.http.path:
                open_requests["client"].end(entry.owner, _ids(events, at, latest))
            elif entry.http is not None and entry.http.end:
                open_requests["client"].cut_off(entry.owner, _ids(events, at, latest))
            elif entry.http is not None and not isinstance(entry.http.resumes, Missing):
                open_requests["client"].resume(entry.http.resumes)
            continue
        if side == "client" and entry.answer is not None:
            pairs[at], pairs[at + 1] = at + 1, at  # short form: the next event is the answer
        elif message.kind == "request":
            open_requests[side].add(message.id, at, entry.label)
        elif message.method == "notifications/cancelled":
            open_requests[side].cancel(cancelled_id(message))
        elif message.kind == "response" and at not in pairs and message.body.get("id") is not None:
            asked = open_requests["server" if side == "client" else "client"].take(message, entry.owner)
            if asked is not None:
                pairs[at], pairs[asked] = asked, at
    return pairs


def read_only_tools(sessions: Iterable[Session]) -> frozenset[str]:
    """The tools that any recorded `tools/list` calls read-only (`annotations.readOnlyHint: true`)."""
    names: set[str] = set()
    for session in sessions:
        for event in unfold(session.entries):
            if event.side == "server" and event.message and event.message.kind == "response":
                names.update(_read_only_names(event.message.body.get("result")))
    return frozenset(names)


def _read_only_names(result: object) -> Iterator[str]:
    tools = result.get("tools") if isinstance(result, dict) else None
    for tool in tools if isinstance(tools, list) else ():
        hints = tool.get("annotations") if isinstance(tool, dict) else None
        if isinstance(hints, dict) and hints.get("readOnlyHint") is True and isinstance(tool.get("name"), str):
            yield tool["name"]


def is_change(message: Message, read_only: frozenset[str]) -> bool:
    """Whether a client message may change what later reads answer (DESIGN 4, `stateful`)."""
    if not method_row(message.method).changes:
        return False
    if message.method != "tools/call":
        return True
    name = message.params.get("name") if isinstance(message.params, dict) else None
    return not (isinstance(name, str) and name in read_only)
