"""Explains to clients and people what is not in the recording, and what of the recording was left.

Imported only once that has happened: nobody whose client stays on the record pays for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, repeat
from typing import Final, TypeAlias

from mcpmock.matching.miss import NAMED, NEAREST, Miss, error_object, find_miss
from mcpmock.matching.nearest import Candidate, name_of
from mcpmock.matching.pages import unplayed_page
from mcpmock.matching.rough import shortlist, weight_of
from mcpmock.matching.veil import secrets_sent
from mcpmock.matching.ways import Ways, command_line
from mcpmock.session.interaction import Interaction
from mcpmock.session.playing.casting import Casting, Library
from mcpmock.session.playing.report import Unplayed
from mcpmock.wire.message import Kind, Message, Object

__all__ = ["Missed"]

_About: TypeAlias = tuple[str, str]
"""A method, and the tool or prompt that is named with it."""

_MOST: Final = 1_000
"""Recorded requests that are compared with one that missed."""

_MOST_VALUES: Final = 300_000
"""Values in all of these, where the one that missed holds very many."""

_OF_OTHERS: Final = 64
_MOST_NAMES: Final = 2_000


class Missed:
    """What a live session has found missing, seen against all that was recorded of its server."""

    def __init__(self, library: Library, casting: Casting) -> None:
        self._library = library
        self._casting = casting
        self._counted: dict[int, Mapping[int, int]] = {}

    def like(self, message: Message, *, is_used_up: bool) -> Miss:
        """The miss of a request that no recorded one equals, or whose equals are all used up."""
        miss = find_miss(
            message,
            self._candidates(message, is_used_up=is_used_up),
            "exhausted" if is_used_up else None,
            bound=self._casting.bound_variables,
        )
        if miss.kind == "unknown" and message.kind == "request":
            miss = miss._replace(notification=self._notification_like(message))
        return miss._replace(path=self._library.story.path)

    def out_of_order(self, message: Message) -> Miss:
        """The miss of a request that is not what the recording has next."""
        expected = self._casting.expected()
        candidate = self._candidate(self._casting.bound or 0, expected) if expected else None
        return find_miss(message, self._candidates(message), "out of order", candidate, self._casting.bound_variables)

    @staticmethod
    def secrets_in(message: Message, miss: Miss) -> dict[str, str]:
        """The secrets that a message which missed seems to hold, by the placeholders that were recorded for them."""
        return secrets_sent(message, miss.nearest)

    def error(self, miss: Miss, ways: Ways | None) -> Object:
        """The JSON-RPC error for a miss."""
        return error_object(miss, ways or command_line(self._library.story.url))

    def unplayed_page(self, unplayed: Sequence[Unplayed]) -> str:
        """The page about what was not played."""
        number = self._casting.bound or 0
        interactions = self._library.story.timelines[number].interactions
        total = sum(one.counts for one in interactions)
        return unplayed_page([self._unplayed(number, one) for one in unplayed], total)

    def _unplayed(self, number: int, unplayed: Unplayed) -> Candidate:
        """It may be a question that no request has led to."""
        candidate = self._candidate(number, unplayed.interaction, unplayed.question)
        return candidate._replace(line=unplayed.line)

    def _notification_like(self, request: Message) -> Candidate | None:
        """What was recorded without an id, so that it is no request."""
        found = self._named("notification").get(_about(request), ())
        name = name_of(request)
        return next((self._candidate(*one) for one in found if name_of(_request_of(one[1])) == name), None)

    def _candidates(self, message: Message, *, is_used_up: bool = False) -> Iterator[Candidate]:
        """The recorded messages that a live one may be compared with: of very many only those most like it.

        Of each other method, tool or prompt only the first few, for these are only named.
        """
        named = self._named(message.kind)
        found = named.pop(_about(message), [])
        most = max(NEAREST, min(_MOST, _MOST_VALUES // (weight_of(message.params) + 1)))
        places = set(shortlist(message, [_request_of(one) for _, one in found], most))
        if is_used_up and len(places) < len(found):
            equal = self._equal(message)
            places.update(at for at, (_, one) in enumerate(found) if id(one) in equal)
        for at in sorted(places):
            yield self._candidate(*found[at])
        for others in islice(named.values(), _MOST_NAMES):
            yield from (self._candidate(*one) for one in others[:_OF_OTHERS])

    def _equal(self, message: Message) -> set[int]:
        """Some of those that the message equals but for what does not count."""
        indexes = map(self._library.index, self._casting.in_search_order())
        groups = (group for index in indexes for group in index.find(message))
        return {id(one) for group in islice(groups, _MOST) for one in group.members[:NEAREST]}

    def _named(self, kind: Kind) -> dict[_About, list[tuple[int, Interaction]]]:
        """The recorded messages of this kind by what they are about, with their timelines, in their order."""
        named: dict[_About, list[tuple[int, Interaction]]] = {}
        for number in self._casting.in_search_order():
            for about, found in self._directory(number, kind).items():
                named.setdefault(about, []).extend(zip(repeat(number), found, strict=False))
        return named

    def _directory(self, number: int, kind: Kind) -> Mapping[_About, list[Interaction]]:
        known = self._library.directories
        if (number, kind) not in known:
            directory = known[number, kind] = {}
            for one in self._library.story.timelines[number].interactions:
                if one.request is not None and one.request.kind == kind:
                    directory.setdefault(_about(one.request), []).append(one)
        return known[number, kind]

    def _counts(self, number: int) -> Mapping[int, int]:
        if number not in self._counted:
            self._counted[number] = self._casting.played(number).counts()
        return self._counted[number]

    def _candidate(self, number: int, interaction: Interaction, question: Message | None = None) -> Candidate:
        return Candidate(
            question or _request_of(interaction),
            path=self._library.story.path,
            line=interaction.entry.line,
            session=self._library.story.number_of(interaction),
            server="" if self._library.story.is_alone else self._library.story.server,
            played=self._counts(number).get(interaction.number, 0),
            mask=self._library.masks.of_interaction(interaction),
        )


def _about(message: Message) -> _About:
    return (message.method, name_of(message)) if message.method in NAMED else (message.method, "")


def _request_of(interaction: Interaction) -> Message:
    assert interaction.request is not None
    return interaction.request
