"""Explains to clients and people what is not in the recording, and what of the recording was left.

Imported only once that has happened: nobody whose client stays on the record pays for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mcpmock.matching.miss import Miss, error_object, find_miss
from mcpmock.matching.nearest import Candidate, name_of
from mcpmock.matching.pages import unplayed_page
from mcpmock.matching.ways import COMMAND_LINE, Ways
from mcpmock.session.casting import Casting, Library
from mcpmock.session.interaction import Interaction
from mcpmock.session.report import Unplayed
from mcpmock.wire.message import Kind, Message, Object
from mcpmock.wire.methods import method_row

__all__ = ["Missed"]


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
            self._candidates(message.kind),
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
        return find_miss(
            message, self._candidates(message.kind), "out of order", candidate, self._casting.bound_variables
        )

    @staticmethod
    def error(miss: Miss, ways: Ways | None) -> Object:
        """The JSON-RPC error for a miss."""
        return error_object(miss, ways or COMMAND_LINE)

    def unplayed_page(self, unplayed: Sequence[Unplayed]) -> str:
        """The page about what was not played."""
        number = self._casting.bound or 0
        interactions = self._library.story.timelines[number].interactions
        total = sum(method_row(one.method).counts for one in interactions)
        return unplayed_page([self._unplayed(number, one) for one in unplayed], total)

    def _unplayed(self, number: int, unplayed: Unplayed) -> Candidate:
        candidate = self._candidate(number, unplayed.interaction)
        if unplayed.question is None:
            return candidate
        return candidate._replace(request=unplayed.question, line=unplayed.line)

    def _notification_like(self, request: Message) -> Candidate | None:
        """What was recorded without an id, so that it is no request."""
        about = (request.method, name_of(request))
        alike = (one for one in self._candidates("notification") if (one.request.method, name_of(one.request)) == about)
        return next(alike, None)

    def _candidates(self, kind: Kind) -> Iterator[Candidate]:
        for number in self._casting.in_search_order():
            for interaction in self._library.story.timelines[number].interactions:
                if interaction.request is not None and interaction.request.kind == kind:
                    yield self._candidate(number, interaction)

    def _counts(self, number: int) -> Mapping[int, int]:
        if number not in self._counted:
            self._counted[number] = self._casting.played(number).counts()
        return self._counted[number]

    def _candidate(self, number: int, interaction: Interaction) -> Candidate:
        assert interaction.request is not None
        return Candidate(
            interaction.request,
            path=self._library.story.path,
            line=interaction.entry.line,
            session=self._library.story.number_of(interaction),
            server="" if self._library.story.is_alone else self._library.story.server,
            played=self._counts(number).get(interaction.number, 0),
            mask=self._library.masks.of_interaction(interaction),
        )
