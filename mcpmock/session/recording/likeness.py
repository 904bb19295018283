"""Which entry of one recording is which of another: by what is said, and how often before; not by ids and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeAlias

from mcpmock.cassette.model import Entry, MatchRule, Session
from mcpmock.matching.keys import canonical, canonical_json
from mcpmock.session.correlation import cancelled_id, id_key, progress_token, reported_token
from mcpmock.session.events import Event, event_numbers, pair_answers, unfold
from mcpmock.session.playing.index import Masks, name_in
from mcpmock.wire.message import MISSING, Json, Message, Missing

__all__ = ["Likeness", "Likenesses"]

Likeness: TypeAlias = Hashable
"""Equal for entries that say the same for the n-th time."""


class Likenesses:
    """Those of all entries of a session, in order.

    Answers, progress and cancels are like each other only if what they belong to is; so are entries that name a request
    (`in:`, `resumes:`). `owner` tells, by the number of an event, the number of the request that it belongs to, `named`
    that of the request that its entry names by an id. `rules` are the file's: what they ignore does not count.
    """

    def __init__(self, session: Session, rules: Sequence[MatchRule] = ()) -> None:
        self.events = list(unfold(session.entries))
        self.owner: dict[int, int] = {}
        self.named: dict[int, int] = {}
        self._masks = Masks((), rules)
        self._pairs = pair_answers(self.events)
        self._times: Counter[Hashable] = Counter()
        self._latest = _Latest({}, {})
        self._of_event: list[Likeness] = []
        for at, event in enumerate(self.events):
            carried = self._carried(at, event.entry)
            likeness = self._of(at, event)
            self._of_event.append(self._numbered((likeness, carried) if carried else likeness))
        self.of_entries: list[Likeness] = [
            (entry.kind, entry.rules, entry.label, tuple(self._of_event[at] for at in numbers))
            for entry, numbers in zip(session.entries, event_numbers(session.entries), strict=True)
        ]

    def _carried(self, at: int, entry: Entry) -> Hashable:
        """What the entry says of streams and of HTTP; None where it says nothing."""
        if entry.http is None and isinstance(entry.owner, Missing):
            return None
        fact = entry.http and repr(entry.http._replace(resumes=MISSING))
        names = (entry.owner, entry.http.resumes if entry.http is not None else MISSING)
        return fact, *[self._named(at, name) for name in names]

    def _named(self, at: int, name: Json | Missing) -> Hashable:
        """The likeness of the request with that id; a label itself."""
        target = self._latest.by_id.get(("client", id_key(name)))
        if isinstance(name, Missing) or target is None:
            return name if isinstance(name, str) else None
        self.named[at] = target
        return self._of_event[target]

    def _numbered(self, likeness: Hashable) -> Likeness:
        self._times[likeness] += 1
        return likeness, self._times[likeness]

    def _of(self, at: int, event: Event) -> Hashable:
        entry, side, message = event
        if message is None:
            return "no message", entry.kind, entry.side, entry.text, entry.size, entry.status
        if message.kind == "request":
            return self._of_request(at, event, message)
        if message.kind == "response":
            content = canonical_json({key: value for key, value in message.body.items() if key != "id"})
            return "answer", side, self._belonging(at, self._pairs.get(at)), content
        if message.method == "notifications/cancelled":
            target = self._latest.by_id.get((side, id_key(cancelled_id(message))))
            return "cancel", side, self._belonging(at, target)
        params = message.params
        if message.method == "notifications/progress" and isinstance(params, dict):
            target = self._latest.by_token.get((side, id_key(reported_token(message))))
            rest: Json = {key: value for key, value in params.items() if key != "progressToken"}
            return "progress", side, self._belonging(at, target), canonical_json(rest)
        return "notification", side, message.method, canonical_json(params)

    def _of_request(self, at: int, event: Event, message: Message) -> Hashable:
        entry, side, _ = event
        self._latest.by_id[side, id_key(message.id)] = at
        token = progress_token(message)
        if not isinstance(token, Missing):
            other = "server" if side == "client" else "client"
            self._latest.by_token[other, id_key(token)] = at
        mask = self._masks.of(message.method, name_in(message.params), ignore=entry.rules.ignore)
        has_token = not isinstance(token, Missing)
        return "request", side, message.method, canonical(message.method, message.params, mask), has_token

    def _belonging(self, at: int, owner: int | None) -> Hashable:
        if owner is None:
            return None
        self.owner[at] = owner
        return self._of_event[owner]  # which came before


class _Latest(NamedTuple):
    """The latest request by its id, and by its progress token, of each side."""

    by_id: dict[tuple[str, tuple[str, object]], int]
    by_token: dict[tuple[str, tuple[str, object]], int]
