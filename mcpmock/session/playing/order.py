"""Which of several equal interactions is played next (DESIGN 4, "Which of several equal requests")."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, Literal, TypeAlias

from mcpmock.session.interaction import Interaction
from mcpmock.session.playing.ledger import Ledger
from mcpmock.wire.message import Json, Message

__all__ = ["ORDERS", "Group", "Order", "Played", "answered_alike_first", "choose"]

Order: TypeAlias = Literal["stateful", "sequence", "strict", "any"]
ORDERS: Final = ("stateful", "sequence", "strict", "any")

Fits: TypeAlias = Callable[[Interaction], bool]


class Group:
    """Interactions that are equal to each other, in recorded order.

    positions, buckets   the members by their recorded position, both in rising order
    reaches, spans       of subscriptions only, the members once more: by the number of the latest change that was sent
                         before each (in rising order), and by their position
    binds                whether a live request has still to be compared with each member's placeholders
    is_retry             whether they go on with requests that were asked before (`input_required`)
    """

    __slots__ = ("binds", "buckets", "is_change", "is_retry", "members", "positions", "reaches", "spans")

    def __init__(self, *, is_change: bool, binds: bool, is_retry: bool = False) -> None:
        self.is_retry = is_retry
        self.members: list[Interaction] = []
        self.positions: list[int] = []
        self.buckets: list[list[Interaction]] = []
        self.reaches: list[int] = []
        self.spans: list[list[Interaction]] = []
        self.is_change = is_change
        self.binds = binds

    def add(self, interaction: Interaction, reach: int = -1) -> None:
        """Adds one that was recorded after all others here."""
        self.members.append(interaction)
        if not self.positions or self.positions[-1] != interaction.position:
            self.positions.append(interaction.position)
            self.buckets.append([])
        self.buckets[-1].append(interaction)
        if reach >= 0:
            if not self.spans or (self.reaches[-1], self.spans[-1][0].position) != (reach, interaction.position):
                self.reaches.append(reach)
                self.spans.append([])
            self.spans[-1].append(interaction)


class Played:
    """What of a timeline has been played, and at which position that leaves it.

    A joined timeline shares this with other live sessions through a ledger. `task` is the live id of the task that
    this is about; empty where it is about all that is played.
    """

    def __init__(self, ledger: Ledger | None = None) -> None:
        self._counts: dict[int, int] = {}
        self._cursors: dict[int, int] = {}
        self._ledger = ledger
        self._position = 0
        self._told: set[int] = set()
        self.task = ""

    @property
    def whole(self) -> Played:
        """What has been played of the whole timeline, where this is about one task."""
        return self

    @property
    def position(self) -> int:
        """The number of the latest change that has been played and answered; 0 at first."""
        return self._position if self._ledger is None else self._ledger.position()

    def is_used_up(self, interaction: Interaction) -> bool:
        """Whether it has been played as often as it may be."""
        return self.count(interaction) >= interaction.rules.times

    def are_used_up(self, interactions: Sequence[Interaction]) -> bool:
        """Whether each of these is used up."""
        counts = self.counts()
        # The last one is mostly played last, so it tells soonest.
        return all(counts.get(one.number, 0) >= one.rules.times for one in reversed(interactions))

    def count(self, interaction: Interaction) -> int:
        """How often it has been played."""
        return self.counts().get(interaction.number, 0)

    def counts(self) -> Mapping[int, int]:
        """How often each interaction has been played, by its number."""
        return self._counts if self._ledger is None else self._ledger.counts()

    def claim(self, interaction: Interaction) -> bool:
        """Counts one more play; False where another live session was quicker to take the last one."""
        number = interaction.number
        if self._ledger is not None and not self._ledger.claim(number, interaction.rules.times):
            return False
        self._counts[number] = self._counts.get(number, 0) + 1
        return True

    def answered(self, interaction: Interaction) -> None:
        """A change counts from its answer on, and so does what makes, moves and ends a task."""
        if interaction.minted or interaction.method.startswith("tasks/"):
            self._told.add(interaction.number)
        self.reach(interaction.effect)

    def reach(self, position: int) -> None:
        """The change of this number counts."""
        if self._ledger is None:
            self._position = max(self._position, position)
        elif position:
            self._ledger.reach(position)

    def has_told(self, interaction: Interaction) -> bool:
        """Whether this that makes, moves or ends a task has been played and answered."""
        return interaction.number in self._told

    def first_unplayed(
        self, members: Sequence[Interaction], fits: Fits | None, *, since: int = 0
    ) -> Interaction | None:
        """The first of these that is not used up, in time that does not grow with how many are; with `since`, the
        first behind that number, and none before it from then on."""
        counts = self.counts()
        if fits is not None or self._ledger is not None:
            left = (one for one in members if one.number > since and counts.get(one.number, 0) < one.rules.times)
            return next((one for one in left if fits is None or fits(one)), None)
        at = self._cursors.get(id(members), 0)
        if since:
            from bisect import bisect_right  # few sessions have tasks

            at = max(at, bisect_right(members, since, key=_number_of))
        while at < len(members) and counts.get(members[at].number, 0) >= members[at].rules.times:
            at += 1
        self._cursors[id(members)] = at
        return members[at] if at < len(members) else None

    def restart(self) -> None:
        """Starts a joined timeline anew, for all live sessions that share it."""
        assert self._ledger is not None
        self._counts.clear()
        self._cursors.clear()
        self._told.clear()
        self._position = 0
        self._ledger.restart()


def choose(
    group: Group, played: Played, order: Order, *, repeats: bool, fits: Fits | None = None
) -> Interaction | bool:
    """The member of a group to play; True where all have been used up, False where none fits (placeholders).

    `repeats` lets everything repeat its last.
    """
    members = group.members
    if fits is not None and not any(map(fits, members)):
        return False
    if order == "any":
        return next(one for one in members if fits is None or fits(one))
    if order == "stateful" and not group.is_change and not group.is_retry:
        chosen = _subscription(group, played, fits) if group.spans else None
        if chosen is not None:
            return chosen
        members = _bucket(group, played.position, fits)
    chosen = played.first_unplayed(members, fits)
    if chosen is None and (repeats or not group.is_change):
        chosen = next(one for one in reversed(members) if fits is None or fits(one))
    return chosen or True


def answered_alike_first(message: Message, ways: Sequence[Fits | None]) -> Sequence[Fits | None]:
    """The ways in which an interaction may fit; before them, of a round that brings answers, those with equal answers.

    What a client answers does not count (2026-07-28, rounds of input), but where several answers were recorded, what
    followed upon the same is nearest.
    """
    answers = _answers_in(message)
    if answers is None:
        return ways

    def alike(way: Fits | None, one: Interaction) -> bool:
        return one.request is not None and _answers_in(one.request) == answers and (way is None or way(one))

    return (*(partial(alike, way) for way in ways), *ways)


def _number_of(interaction: Interaction) -> int:
    return interaction.number


def _answers_in(message: Message) -> Json:
    params = message.params
    return params.get("inputResponses") if isinstance(params, dict) else None


def _subscription(group: Group, played: Played, fits: Fits | None) -> Interaction | None:
    """The first unplayed of equal subscriptions that can have begun at this position.

    A client may subscribe while a call is open, and the replay may be quicker to answer that, or slower.
    """
    from bisect import bisect_left  # few sessions have any

    position = played.position
    for at in range(bisect_left(group.reaches, position), len(group.spans)):
        span = group.spans[at]
        if span[0].position > position:
            break
        chosen = played.first_unplayed(span, fits)
        if chosen is not None:
            return chosen
    return None


def _bucket(group: Group, position: int, fits: Fits | None) -> list[Interaction]:
    """The reads recorded at the latest position not beyond this one; if there is none, the earliest recorded."""
    if len(group.buckets) == 1:
        return group.members
    if fits is None:
        from bisect import bisect_right  # most is read in one state only

        return group.buckets[max(0, bisect_right(group.positions, position) - 1)]
    buckets = [bucket for bucket in group.buckets if any(map(fits, bucket))]
    reached = [bucket for bucket in buckets if bucket[0].position <= position]
    return reached[-1] if reached else buckets[0]
