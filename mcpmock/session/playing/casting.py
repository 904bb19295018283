"""Decides which recorded interaction answers a live message: the session that is taken, its sisters, the order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from mcpmock.session.interaction import Interaction
from mcpmock.session.minted import task_of
from mcpmock.session.playing.index import Library
from mcpmock.session.playing.ledger import Ledger
from mcpmock.session.playing.live import Live
from mcpmock.session.playing.order import Fits, Group, Played, answered_alike_first, choose
from mcpmock.session.playing.variables import bindings
from mcpmock.wire.envelope import is_enveloped
from mcpmock.wire.message import Message
from mcpmock.wire.methods import STAYS_OPEN, method_row

__all__ = ["Casting", "Library", "Role"]


class Role(NamedTuple):
    """The interaction to play, and what has been played of its timeline; `is_repeat` when it was played before."""

    timeline: int
    interaction: Interaction
    played: Played
    is_repeat: bool


class Casting:
    """The cursor of one live session in the story."""

    def __init__(self, library: Library, live: Live, ledger: Ledger) -> None:
        self._library = library
        self._story = library.story
        self._live = live
        self._ledger = ledger
        self._played: dict[int, Played] = {}
        self._again: dict[str, tuple[int, Played]] = {}  # by the live id of a task: its timeline, its own part of it
        self._expected = 0  # strict: the place of the next interaction to be played
        self.bound: int | None = None

    # -- sessions

    def bind(self, message: Message) -> bool:
        """Takes the recorded session for a live one that opens with this message; False where there is none.

        The next one, not yet taken, that begins with the same method; when all are taken, the last that began again.
        """
        timelines, sessions, again = self._library.openings(message.method, self._live.era)
        if not timelines:
            return False
        free = 0 if self._story.is_joined else self._ledger.take_first(sessions)
        self.bound = again if free is None else timelines[free]
        if self._story.is_joined and self._is_used_up(self.bound):
            self.played(self.bound).restart()
        return True

    def is_to_fall_back(self) -> bool:
        """Whether the recorded session that is next had its probe answered too late, so that its client shook hands."""
        if not self._story.fell_back or self.bound is not None:
            return False
        timelines = self._story.timelines
        real = [number for number, timeline in enumerate(timelines) if timeline.era]
        free = (number for number in real if not self._ledger.is_taken(timelines[number].sessions[0]))
        return next(free, real[-1]) in self._story.fell_back

    def own_interactions(self, default: int | None = None) -> list[Interaction]:
        """Those of the recorded session that was taken, or else of that at place `default`."""
        number = self.bound if self.bound is not None else default
        if number is None or not self._story.timelines:
            return []
        return self._story.timelines[number].interactions

    def played(self, number: int) -> Played:
        """What has been played of a timeline."""
        played = self._played.get(number)
        if played is None:
            played = Played(self._ledger if self._story.timelines[number].is_joined else None)
            self._played[number] = played
        return played

    def hand_out_again(self, number: int, maker: Interaction, live_ids: Iterable[str]) -> None:
        """A task is handed out again, under an id of its own: it has its states, and is changed, for itself."""
        from mcpmock.session.playing.tasks import PlayedAgain  # few sessions have any

        for live_id in live_ids:
            self._again[live_id] = (number, PlayedAgain(self.played(number), maker, live_id))

    def in_search_order(self) -> Iterator[int]:
        """The bound timeline, then the ones after it, then the ones before it, nearest first; none of another era."""
        timelines = self._story.timelines
        era = timelines[self.bound or 0].era if timelines else ""
        return (number for number in self._all_timelines() if not era or timelines[number].era in ("", era))

    def _all_timelines(self) -> Iterator[int]:
        first = self.bound or 0
        return chain(range(first, len(self._story.timelines)), range(first - 1, -1, -1))

    # -- look-up

    def find(self, message: Message, task: str = "") -> Role | bool:
        """The role for a live request or notification; True where its like was recorded and is used up, else False.

        `task` is the live id of the task that it is about, where that was handed out again.
        """
        if self._live.options.order == "strict":
            return self._find_next(message)
        if not self._story.timelines:
            return False
        if task in self._again:
            number, played = self._again[task]
            return self._choose(number, self._library.index(number).find(message), message, played)
        bound = self.bound or 0  # what a session has, if only used up, it does not lack: then its sisters are not asked
        return self._find_in(bound, message) or self._find_in_sisters(bound, message)

    def _find_in_sisters(self, bound: int, message: Message) -> Role | bool:
        """What was refused there, or never answered, is taken only where no sister has an answer."""
        for is_answered in (True, False) if _wants_answer(message) else (False,):
            for number in self.in_search_order():
                if number != bound and (found := self._find_in(number, message, is_answered=is_answered)):
                    return found
        return False

    def _find_in(self, number: int, message: Message, *, is_answered: bool = False) -> Role | bool:
        groups = self._library.index(number).find(message)
        played = self.played(number)
        found = self._choose(number, groups, message, played, is_answered=is_answered) if groups else False
        if found is True and self._story.is_joined and self._is_used_up(number):
            played.restart()
            found = self._choose(number, groups, message, played)
        return found

    def find_raw(self, text: str | bytes) -> Role | None:
        """The role for a line that is no message: the next equal one that was recorded in this session."""
        if self.bound is None:
            return None
        group = self._library.index(self.bound).find_raw(text)
        found = choose(group, self.played(self.bound), "sequence", repeats=True) if group else False
        return self._claim(self.bound, found) if isinstance(found, Interaction) else None

    def find_noise(self, message: Message) -> Role | None:
        """Any recorded interaction of this method: equal ones first, of these the next unplayed, else the last.

        What a client without a handshake asked tells nothing to one with, and the reverse; but for the probe. A probe
        that HTTP refused is played to who speaks HTTP, where none was answered.
        """
        refused: tuple[int, Interaction] | None = None
        for number in self._all_timelines():
            index = self._library.index(number)
            groups = index.find(message)
            pool = groups[0].members if groups else index.of_method(message)
            if pool and (message.method == "server/discover" or pool[0].is_stateless == is_enveloped(message)):
                chosen = self.played(number).first_unplayed(pool, None) or pool[-1]
                if not chosen.is_refused:
                    return self._claim(number, chosen)
                refused = refused or (number, chosen)
        return self._claim(*refused) if refused and self._live.options.http else None

    def find_refusal(self, message: Message) -> Role | None:
        """The refusal of a request with the same flaw, of the very same where there is one: the next unplayed one, else
        the last again."""
        for number, group in self._library.refused(message, self._live.oddities):
            for fits in (partial(_is_the_same, message), self._fits(message) if group.binds else None):
                found = choose(group, self.played(number), "sequence", repeats=True, fits=fits)
                if isinstance(found, Interaction) and (found.answer >= 0 or self._live.options.http):
                    return self._claim(number, found)
        return None

    def expected(self) -> Interaction | None:
        """Strict order: what the recording has next; None where it has ended."""
        return next(self._upcoming(), None)

    def _choose(
        self, number: int, groups: Sequence[Group], message: Message, played: Played, *, is_answered: bool = False
    ) -> Role | bool:
        options = self._live.options
        is_used_up = False
        for group in groups:
            for fits in answered_alike_first(message, self._ways_to_fit(message) if group.binds else (None,)):
                while True:
                    found = self._state_of_task(number, group, played, message) or choose(
                        group, played, options.order, repeats=options.repeats, fits=fits
                    )
                    if is_answered and isinstance(found, Interaction) and not _is_served(found):
                        answered = partial(_is_served, way=fits)
                        found = choose(group, played, options.order, repeats=options.repeats, fits=answered)
                    if not isinstance(found, Interaction):
                        is_used_up |= found
                        break
                    role = self._claim(number, found, played)
                    if role is not None:
                        if group.binds:
                            self._bind_variables(found, message)
                        return role
        return is_used_up

    def _state_of_task(self, number: int, group: Group, played: Played, message: Message) -> Interaction | bool:
        """The poll that a task has come to; True where what was told of it last is all that there is."""
        if message.method != "tasks/get" or group.binds or self._live.options.order != "stateful":
            return False
        told = self._live.states.get(played.task or task_of(message))
        due = self._library.tasks(number).due(group.members, played, told.since if told is not None else 0)
        return due or told is not None

    def _claim(self, number: int, interaction: Interaction, played: Played | None = None) -> Role | None:
        played = played or self.played(number)
        is_repeat = played.is_used_up(interaction)
        if not is_repeat and not played.claim(interaction):
            return None  # another live session took it in this moment
        return Role(number, interaction, played, is_repeat)

    def _find_next(self, message: Message) -> Role | bool:
        """Strict: the message has to equal what comes next; optional interactions may be passed over."""
        number = self.bound or 0
        if not self._story.timelines:
            return False
        groups = [group for at, group in self._library.refused(message, self._live.oddities) if at == number]
        groups += self._library.index(number).find(message)
        for interaction in self._upcoming():
            for group in groups:
                is_member = any(one is interaction for one in group.members)
                if is_member and self._holds(group, interaction, message):
                    if group.binds:
                        self._bind_variables(interaction, message)
                    self._expected = interaction.number
                    return self._claim(number, interaction) or False
            if not interaction.rules.optional and not interaction.is_refused:
                break
        return self._find_last(number, groups, message) if self._live.options.repeats else False

    def _find_last(self, number: int, groups: Sequence[Group], message: Message) -> Role | bool:
        """Strict, with repeats: the last equal one, once it has been played."""
        for group in groups:
            fitting = [one for one in group.members if self._holds(group, one, message)]
            if fitting and self.played(number).is_used_up(fitting[-1]):
                return Role(number, fitting[-1], self.played(number), is_repeat=True)
        return False

    def _holds(self, group: Group, interaction: Interaction, message: Message) -> bool:
        return not group.binds or self._fits(message)(interaction)

    def _upcoming(self) -> Iterator[Interaction]:
        number = self.bound or 0
        if number >= len(self._story.timelines):
            return
        played = self.played(number)
        for interaction in self._story.timelines[number].interactions[self._expected :]:
            if interaction.request is None or method_row(interaction.method).noise:
                continue
            if not played.is_used_up(interaction):
                yield interaction

    # -- placeholders

    @property
    def bound_variables(self) -> Mapping[str, str]:
        """What placeholders stand for in this session."""
        return self._live.variables.bound

    def _ways_to_fit(self, message: Message) -> tuple[Fits, Fits]:
        """With what this machine has in the place of what is not bound yet; then with anything."""
        guesses = self._live.variables
        return lambda one: self._bindings(one, message, guesses) is not None, self._fits(message)

    def _fits(self, message: Message) -> Fits:
        return lambda interaction: self._bindings(interaction, message) is not None

    def _bind_variables(self, interaction: Interaction, message: Message) -> None:
        found = self._bindings(interaction, message, self._live.variables)
        self._live.variables.bind(found if found is not None else self._bindings(interaction, message) or {})

    def _bindings(
        self, interaction: Interaction, message: Message, guesses: Mapping[str, str] = {}
    ) -> dict[str, str] | None:
        assert interaction.request is not None
        mask = self._library.masks.of_interaction(interaction)
        return bindings(interaction.request, message, mask, self._live.variables.bound, guesses)

    def _is_used_up(self, number: int) -> bool:
        """Whether all that counts of a timeline has been played."""
        counting = self._library.counting(number)
        return bool(counting) and self.played(number).are_used_up(counting)


def _wants_answer(message: Message) -> bool:
    return message.kind == "request" and message.method not in STAYS_OPEN


def _is_the_same(message: Message, interaction: Interaction) -> bool:
    """Whether it asks for the same, `_meta` and all."""
    return interaction.request is not None and interaction.request.params == message.params


def _is_served(interaction: Interaction, way: Fits | None = None) -> bool:
    """Whether a request was answered, and not refused; of those that fit."""
    return interaction.answer >= 0 and not interaction.is_refused and (way is None or way(interaction))
