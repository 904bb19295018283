"""Rules of playing that people wrote into a cassette, carried over to a new recording of the same requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from mcpmock.cassette.model import NO_RULES, Cassette, Entry, Rules
from mcpmock.matching.keys import canonical


class Ruling(NamedTuple):
    """The rules of one client entry: the `occurrence`th (from 0) of `key` at that server. All of it is JSON."""

    server: str
    key: str
    occurrence: int
    rules: Rules


def rulings_of(cassette: Cassette) -> Iterator[Ruling]:
    """Every rule that a cassette holds."""
    seen: dict[tuple[str, str], int] = {}
    for session in cassette.sessions:
        for entry in session.entries:
            if entry.kind == "client" and (key := _key(entry)):
                place = (session.server, key)
                if entry.rules != NO_RULES:
                    yield Ruling(*place, seen.get(place, 0), entry.rules)
                seen[place] = seen.get(place, 0) + 1


def ruling_from(value: Any) -> Ruling:
    """A ruling that has been JSON meanwhile."""
    server, key, occurrence, (times, optional, delay, ignore) = value
    return Ruling(server, key, occurrence, Rules(times, optional, delay, tuple(ignore)))


class RuleBook:
    """Attaches rules to entries as they are recorded.

    Entries are told apart by what they ask and by how often that was asked before, over all sessions of the run:
    `seen` says how often in those before this one.
    """

    def __init__(self, rulings: Iterable[Ruling], server: str, seen: dict[str, int]) -> None:
        self._rules: dict[str, dict[int, Rules]] = {}
        for ruling in rulings:
            if ruling.server == server:
                self._rules.setdefault(ruling.key, {})[ruling.occurrence] = ruling.rules
        self.seen = dict(seen)
        """How often each request that has rules was asked by now."""

    def attach(self, entry: Entry) -> Entry:
        """The entry with the rules that its predecessor had."""
        if not self._rules or entry.kind != "client" or (key := _key(entry)) not in self._rules:
            return entry
        occurrence = self.seen.get(key, 0)
        self.seen[key] = occurrence + 1
        return entry._replace(rules=self._rules[key].get(occurrence, NO_RULES))


def _key(entry: Entry) -> str:
    """What a client entry asks; empty for answers, which have no rules."""
    asked = [
        f"{message.method} {canonical(message.method, message.params)}" for message in entry.messages if message.method
    ]
    return "\n".join(asked)
