"""Finds the recorded interactions that equal a live request, by look-up, however many there are.

Interactions stand on shelves: one for each distinct set of places that do not count. Most cassettes have one shelf.
Requests with placeholders have shelves of their own, and come last (DESIGN 3, "Placeholders are variables").
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from mcpmock.cassette.model import MatchRule
from mcpmock.matching.keys import Mask, canonical, compile_mask
from mcpmock.session.interaction import Era, Interaction
from mcpmock.session.playing.order import Group
from mcpmock.session.playing.variables import Places, outline, places_in
from mcpmock.session.story import Story, is_deserted, last_that_began, opening_methods
from mcpmock.wire.envelope import is_enveloped
from mcpmock.wire.message import Json, Kind, Message
from mcpmock.wire.methods import STAYS_OPEN, method_row

if TYPE_CHECKING:
    from mcpmock.session.headers.oddities import Oddities
    from mcpmock.session.playing.flaws import Refusals
    from mcpmock.session.playing.tasks import Tasks

__all__ = ["Index", "Library", "Masks"]


class Apart(Protocol):
    """Interactions that do not stand for all requests that are equal to theirs, by number."""

    @property
    def late(self) -> Container[int]:
        """Those that do where nothing else is equal."""
        ...

    @property
    def never(self) -> Container[int]:
        """Those that never do."""
        ...


class Masks:
    """What does not count for which request: the user's pointers, and the rules of the file."""

    def __init__(self, ignore: Sequence[str] = (), rules: Sequence[MatchRule] = ()) -> None:
        self._ignore = tuple(ignore)
        self._rules = tuple(rules)
        self._cache: dict[tuple[str, ...], Mask] = {}

    def of(self, method: str, name: str, *, ignore: Sequence[str] = ()) -> Mask:
        """The mask for requests of this method and name (of a tool or prompt), with more pointers `ignore`."""
        pointers = list(self._ignore)
        for rule in self._rules:
            if rule.method in ("", method) and rule.name in ("", name):
                pointers += rule.ignore
        key = (*pointers, *ignore)
        if key not in self._cache:
            self._cache[key] = compile_mask(key)
        return self._cache[key]

    def of_interaction(self, interaction: Interaction) -> Mask:
        """The mask for one interaction, its own rule included, its placeholders not."""
        request = interaction.request
        if request is None:
            return self.of("", "")
        return self.of(request.method, name_in(request.params), ignore=interaction.rules.ignore)

    def key(self, interaction: Interaction) -> tuple[str, Mask]:
        """What interactions have in common that may stand for each other."""
        params = interaction.request.params if interaction.request else None
        mask = self.of_interaction(interaction)
        return interaction.method + canonical(interaction.method, params, mask), mask


def name_in(params: Json) -> str:
    """The name of the tool or prompt that params ask for; the empty string where there is none."""
    name = params.get("name") if isinstance(params, dict) else None
    return name if isinstance(name, str) else ""


class _Shelf:
    """The groups of requests of which the same does not count (`mask`), with placeholders in the same `places`, and of
    one kind: with the envelope of the stateless revision (2026-07-28), or bare."""

    __slots__ = ("groups", "has_placeholders", "is_stateless", "mask", "places")

    def __init__(self, mask: Mask, places: Places, *, is_stateless: bool) -> None:
        self.is_stateless = is_stateless
        self.mask = mask
        self.places = places
        self.has_placeholders = bool(places.pointers)
        self.groups: dict[str, Group] = {}

    def key(self, message: Message) -> str:
        """What a request has in common with all that are equal to it here."""
        if self.has_placeholders:
            return outline(message, self.mask, self.places)
        return canonical(message.method, message.params, self.mask)


class Index:
    """The interactions of one timeline by what they equal; but for those that stand `apart`."""

    def __init__(self, interactions: Iterable[Interaction], masks: Masks, apart: Apart | None = None) -> None:
        self._masks = masks
        self._shelves: dict[tuple[str, str, str | None], list[_Shelf]] = {}  # kind, method, name; None: any name
        self._has_nameless = False
        self._raw: dict[str | bytes, Group] = {}
        self._by_method: dict[tuple[str, str], list[Interaction]] = {}
        self._changes = 0  # the number of the latest that was sent before the interaction that is added
        refused: list[Interaction] = []
        for interaction in interactions:
            self._changes = max(self._changes, interaction.change)
            if interaction.has_no_id or interaction.is_late or (apart and interaction.number in apart.never):
                continue
            if interaction.is_refused or (apart and interaction.number in apart.late):
                refused.append(interaction)
            else:
                self._add(interaction)
        for interaction in refused:  # is passed over where the same was answered once the client could show a token
            is_flawed = interaction.answer >= 0 or (apart is not None and interaction.number in apart.late)
            if not self._is_answered(interaction, since=0 if is_flawed else interaction.number):
                self._add(interaction)
        for shelves in self._shelves.values():
            shelves.sort(key=lambda shelf: (len(shelf.places.pointers), len(shelf.mask.pointers)))

    def _is_answered(self, refused: Interaction, *, since: int) -> bool:
        """Whether an equal request was answered after that one; of noise, any."""
        request = refused.request
        if request is None or method_row(request.method).noise:
            return request is not None and bool(self.of_method(request))
        return any(group.members[-1].number > since for group in self.find(request))

    def find(self, message: Message) -> list[Group]:
        """The groups that a live request or notification falls into, the closest first.

        A server of both eras answers bare requests otherwise than enveloped ones: where both were recorded, each gets
        its own; where one was, it serves both, as who writes by hand may leave the envelope out.
        """
        found: list[tuple[bool, Group]] = []
        method = message.method
        shelves = self._shelves.get((message.kind, method, name_in(message.params)), [])
        if self._has_nameless:
            shelves = [*shelves, *self._shelves.get((message.kind, method, None), ())]
        for shelf in shelves:
            group = shelf.groups.get(shelf.key(message))
            if group is not None:
                found.append((shelf.is_stateless, group))
        is_stateless = len(found) > 1 and is_enveloped(message)
        own = [group for is_of_kind, group in found if is_of_kind == is_stateless]
        return own or [group for _, group in found]

    def find_raw(self, text: str | bytes) -> Group | None:
        """The group of a line that is no message."""
        return self._raw.get(text)

    def of_method(self, message: Message) -> list[Interaction]:
        """All interactions of the method of this request or notification, in recorded order."""
        return self._by_method.get((message.kind, message.method), [])

    def requests_of(self, method: str) -> list[Interaction]:
        """All requests of a method, in recorded order."""
        return self._by_method.get(("request", method), [])

    def _add(self, interaction: Interaction) -> None:
        message = interaction.request
        if message is None:
            if interaction.raw:
                group = self._raw.setdefault(interaction.raw, Group(is_change=True, binds=False))
                group.add(interaction)
            return
        has_none = interaction.is_request and interaction.answer < 0 and not interaction.is_turned_away
        if has_none and method_row(message.method).noise:
            return  # of noise any answer serves, and this one has none
        self._by_method.setdefault((message.kind, message.method), []).append(interaction)
        shelf = self._shelf(interaction, message)
        key = shelf.key(message)
        if key not in shelf.groups:
            is_change, is_retry = bool(interaction.change), interaction.first is not None
            shelf.groups[key] = Group(is_change=is_change, binds=shelf.has_placeholders, is_retry=is_retry)
        shelf.groups[key].add(interaction, self._changes if message.method in STAYS_OPEN else -1)

    def _shelf(self, interaction: Interaction, message: Message) -> _Shelf:
        mask, places = self._masks.of_interaction(interaction), places_in(message)
        is_nameless = any(pointer in ("/name", "/*") for pointer in mask.pointers + places.pointers)
        self._has_nameless |= is_nameless
        name = None if is_nameless else name_in(message.params)
        shelves = self._shelves.setdefault((message.kind, message.method, name), [])
        for shelf in shelves:
            if (shelf.mask, shelf.places, shelf.is_stateless) == (mask, places, interaction.is_stateless):
                return shelf
        shelves.append(_Shelf(mask, places, is_stateless=interaction.is_stateless))
        return shelves[-1]


class Library:
    """A story with its indexes, made once and shared by all live sessions.

    `ignore` are the user's pointers; raises UsageError, which names it, for one that is no JSON pointer.
    """

    def __init__(self, story: Story, ignore: Sequence[str] = ()) -> None:
        compile_mask(ignore)  # a wrong pointer is told now, not in the middle of a session
        self.story = story
        self.masks = Masks(ignore, story.rules)
        self._indexes: dict[int, Index] = {}
        self.refusals: Mapping[int, Refusals] = {}  # of the timelines of the stateless revision
        if any(one.era == "modern" for one in story.timelines):
            from mcpmock.session.playing.flaws import refusals_in

            self.refusals = refusals_in(story, self.masks)
        self.directories: dict[tuple[int, Kind], dict[tuple[str, str], list[Interaction]]] = {}  # once something misses
        self._openings: dict[tuple[str, Era], Openings] = {}
        self._counting: dict[int, list[Interaction]] = {}
        self._tasks: dict[int, Tasks] = {}

    def index(self, number: int) -> Index:
        """The index of a timeline, by its place in the story."""
        if number not in self._indexes:
            refusals = self.refusals.get(number)
            self._indexes[number] = Index(self.story.timelines[number].interactions, self.masks, refusals)
        return self._indexes[number]

    def refused(self, message: Message, oddities: Oddities | None = None) -> list[tuple[int, Group]]:
        """The recorded refusals that a live request with the same flaw falls under, with their timelines.

        `oddities` are those of its headers; None where it has none.
        """
        return [(number, group) for number, one in self.refusals.items() for group in one.find(message, oddities)]

    def lets_pass(self, oddities: Oddities) -> bool:
        """Whether a recorded server has tolerated these headers."""
        return any(one.lets_pass(oddities) for one in self.refusals.values())

    def openings(self, method: str, era: Era) -> Openings:
        """The timelines that a live session of an era which begins with this method may take."""
        if (method, era) not in self._openings:
            timelines = self.story.timelines
            openings = {number: opening_methods(timeline) for number, timeline in enumerate(timelines)}
            real = [number for number, methods in openings.items() if methods]
            able = [number for number in real if timelines[number].era in ("", era)] or real
            numbers = [number for number in able if method in openings[number]] or able
            if era == "modern":  # those that show no era serve both, but may have been asked without the envelope
                numbers = [number for number in numbers if timelines[number].era == era] or numbers
            numbers = [number for number in numbers if not is_deserted(timelines[number])] or numbers
            sessions = [timelines[number].sessions[0] for number in numbers]
            self._openings[method, era] = Openings(numbers, sessions, last_that_began(timelines, numbers))
        return self._openings[method, era]

    def tasks(self, number: int) -> Tasks:
        """The tasks of a timeline."""
        if number not in self._tasks:
            from mcpmock.session.playing.tasks import Tasks  # few sessions have any

            self._tasks[number] = Tasks(self.story.timelines[number].interactions)
        return self._tasks[number]

    def counting(self, number: int) -> list[Interaction]:
        """What of a timeline has to be played until it is used up."""
        if number not in self._counting:
            self._counting[number] = [
                one
                for one in self.story.timelines[number].interactions
                if one.request is not None and (one.change or one.counts)
            ]
        return self._counting[number]


class Openings(NamedTuple):
    """Timelines by their place in the story, the first recorded session of each, and which comes when all are taken."""

    timelines: list[int]
    sessions: list[int]
    again: int
