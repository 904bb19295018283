"""Gives what is new in a recording ids and progress tokens that fit to what was copied from an old one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcpmock.cassette.model import Entry
from mcpmock.session.correlation import id_key, progress_token
from mcpmock.session.events import Event
from mcpmock.session.recording.likeness import Likenesses
from mcpmock.wire.message import Json, Message, Missing, splice
from mcpmock.wire.values import with_value

__all__ = ["Renumbering"]


class Renumbering:
    """The ids and tokens of one session; `same` tells the old event for each new one that is copied."""

    def __init__(self, old: Sequence[Event], new: Likenesses, same: Mapping[int, int]) -> None:
        self._new = new
        self._ids: dict[int, Json | Missing] = {}
        self._tokens: dict[int, Json | Missing] = {}
        taken: dict[str, set[tuple[str, object]]] = {"client": set(), "server": set()}
        for at, event in enumerate(new.events):
            if at in same and event.message is not None and event.message.kind == "request":
                copied = old[same[at]].message
                assert copied is not None
                self._ids[at], self._tokens[at] = copied.id, progress_token(copied)
                taken[event.side].add(id_key(copied.id))
        self._starts: dict[int, int] = {}
        for at, event in enumerate(new.events):
            self._starts.setdefault(id(event.entry), at)
            if at not in same and event.message is not None and event.message.kind == "request":
                self._number(at, event.message, taken[event.side])

    def entry(self, entry: Entry) -> Entry:
        """A new entry with ids that fit."""
        start = self._starts[id(entry)]
        messages = tuple(self._message(start + at, message) for at, message in enumerate(entry.messages))
        return self._named(start, entry._replace(messages=messages))

    def _named(self, at: int, entry: Entry) -> Entry:
        """The entry with the id of the request that it names (`in:`, `resumes:`)."""
        if at not in self._new.named:
            return entry
        named = self._ids[self._new.named[at]]
        if entry.http is not None and not isinstance(entry.http.resumes, Missing):
            entry = entry._replace(http=entry.http._replace(resumes=named))
        return entry if isinstance(entry.owner, Missing) else entry._replace(owner=named)

    def _number(self, at: int, message: Message, taken: set[tuple[str, object]]) -> None:
        """Its own id, or the next one that is free."""
        fresh: Json | Missing = message.id
        serial = 1
        while id_key(fresh) in taken:
            serial += 1
            fresh = fresh + 1 if type(fresh) is int else f"{message.id}-{serial}"
        taken.add(id_key(fresh))
        token = progress_token(message)
        self._ids[at] = fresh
        self._tokens[at] = fresh if not isinstance(token, Missing) and token == message.id else token

    def _message(self, at: int, message: Message) -> Message:
        changes: dict[tuple[str, ...], Json | Missing] = {}
        owner = at if message.kind == "request" else self._new.owner.get(at)
        if owner is None:
            return message
        if message.kind in ("request", "response"):
            changes["id",] = self._ids.get(owner, message.id)
        if message.kind == "request":
            changes["params", "_meta", "progressToken"] = self._tokens[owner]
        elif message.method == "notifications/progress":
            changes["params", "progressToken"] = self._tokens[owner]
        elif message.method == "notifications/cancelled":
            changes["params", "requestId"] = self._ids[owner]
        known = {path: value for path, value in changes.items() if not isinstance(value, Missing)}
        body = message.body
        for path, value in known.items():
            body = with_value(body, path, value)
        text = splice(message.text, known) if message.text is not None else None
        return Message(body, message.kind, text)
