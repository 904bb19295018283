"""What a server of the stateless revision refused for what `_meta` or headers hold (PROTOCOL 2.4 and 4.5).

Neither counts where requests are compared, so such a refusal would answer sound requests, too. It is kept
apart, for requests with the same flaw. Imported only where a recording speaks that revision.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from mcpmock.session.interaction import Interaction
from mcpmock.session.playing.index import Index, Masks
from mcpmock.session.playing.order import Group
from mcpmock.session.playing.stateless import MISSING_CAPABILITY, UNSUPPORTED_VERSION
from mcpmock.session.story import Story
from mcpmock.wire.envelope import (
    CAPABILITIES_KEY,
    VERSION_KEY,
    broken_in,
    capabilities_of,
    is_enveloped,
    meta_of,
    version_of,
)
from mcpmock.wire.message import INVALID_PARAMS, INVALID_REQUEST, Json, Kind, Message, Object
from mcpmock.wire.methods import LEGACY_REVISIONS

if TYPE_CHECKING:
    from mcpmock.session.headers.mirrored import Mirrored
    from mcpmock.session.headers.oddities import Oddities, Tolerated

__all__ = ["Refusals", "refusals_in"]

_NEEDED: Final = (VERSION_KEY, CAPABILITIES_KEY)


class Flaw(NamedTuple):
    """What was wrong with a request.

    lacks       the members that its `_meta` lacks
    broken      the members of its `_meta` that cannot be what they must be
    version     the version that the server does not speak, as JSON; None where it does
    capability  what the client would have had to declare and did not, each as a path into its capabilities
    oddities    what was odd about its headers; None where nothing was
    method      its method, where that matters: by what they answer servers ask for another `Accept`
    kind        of a notification servers want other headers than of a request
    is_foreign  it lacks the headers, too: over HTTP the server took it for one of the other era
    """

    lacks: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    version: Json = None
    capability: tuple[tuple[str, ...], ...] = ()
    oddities: Oddities | None = None
    method: str = ""
    kind: Kind = "request"
    is_foreign: bool = False

    def is_in(self, message: Message) -> bool:
        """Whether a live request has it, whatever its headers."""
        if self.lacks:
            return _lacks(message) == self.lacks
        if self.broken:
            return broken_in(message) == self.broken
        if self.version is not None:
            return version_of(message) == self.version
        declared = capabilities_of(message)
        return declared is not None and not all(_declares(declared, path) for path in self.capability)

    def was_served(self, requests: Iterable[Message]) -> bool:
        """Whether it cannot be what the server minded: others with it were not refused, before or later."""
        return self.oddities is None and not self.capability and any(map(self.is_in, requests))


class _Refused(NamedTuple):
    """All that were refused for one flaw, in recorded order."""

    flaw: Flaw
    members: list[Interaction]

    def is_one(self, served: list[Message]) -> bool:
        """Whether it is what the server minded; HTTP says so itself."""
        return not self.flaw.was_served(served) or (bool(self.flaw.lacks) and any(map(_has_status, self.members)))

    def all_of_them(self) -> Group:
        """As one group: the server looked at nothing but the flaw."""
        group = Group(is_change=False, binds=False)
        for one in self.members:
            group.add(one)
        return group


class Refusals:
    """Those of one timeline. They answer no request without their flaw.

    late        the numbers of those that do, where there is nothing else: who writes a cassette may leave `_meta` out
    never       the numbers of all others
    by_headers  of those that lack something: the numbers where only headers tell whether they are refused for it
    """

    def __init__(self, interactions: Iterable[Interaction], masks: Masks, mirrored: Mirrored) -> None:
        flawed: dict[str, _Refused] = {}
        served: list[Message] = []
        passed: list[Oddities] = []  # what was odd about the headers of those not refused
        for interaction in interactions:
            if interaction.is_apart:
                continue
            if flaw := _flaw_of(interaction, mirrored):
                flawed.setdefault(repr(flaw), _Refused(flaw, [])).members.append(interaction)
            elif interaction.request is not None and (interaction.sent or _has_result(interaction)):
                served.append(interaction.request)
                if interaction.sent:
                    passed.append(_oddities_in(interaction, mirrored))
        self._passed = _tolerated(passed) if passed else None
        found = [one for one in flawed.values() if one.is_one(served) and not self._passes(one.flaw.oddities)]
        # what lacks in `_meta` is looked at first, after what lacks all; of headers the nearest
        found.sort(key=lambda one: -len(one.flaw.oddities.letters) if one.flaw.oddities else -math.inf)
        found.sort(key=lambda one: not one.flaw.is_foreign)
        self._serves_bare = any(len(_lacks(message)) == len(_NEEDED) for message in served)
        self._found = [(one, Index(one.members, masks)) for one in found]
        is_told_apart = self._serves_bare or any(one.flaw.is_foreign for one in found)
        lacking = (one for flaw, members in found if flaw.lacks for one in members)
        self.by_headers = frozenset(one.number for one in lacking if is_told_apart)
        self.late = frozenset(one.number for flaw, members in found if flaw.lacks for one in members)
        self.never = frozenset(one.number for flaw, members in found if not flaw.lacks for one in members)

    def find(self, message: Message, oddities: Oddities | None = None) -> list[Group]:
        """The groups that a live request with such a flaw falls into; `oddities` are those of its headers."""
        found = [(one, index) for one, index in self._found if self._is_in(one.flaw, message, oddities)]
        groups = [group for _, index in found for group in index.find(message)]
        return groups or [one.all_of_them() for one, _ in found if one.flaw.oddities is not None]

    def lets_pass(self, oddities: Oddities) -> bool:
        """Whether the server was seen to tolerate headers that the specification wants it to refuse."""
        return self._passed is not None and self._passed.hold(oddities)

    def _passes(self, oddities: Oddities | None) -> bool:
        return oddities is not None and bool(oddities.faults) and self.lets_pass(oddities)

    def _is_in(self, flaw: Flaw, message: Message, oddities: Oddities | None) -> bool:
        if flaw.is_foreign:
            return oddities is None and flaw.is_in(message)
        if oddities is None or not oddities.kinds:
            is_of_the_other_era = oddities is None and bool(flaw.lacks) and self._serves_bare
            return flaw.oddities is None and flaw.is_in(message) and not is_of_the_other_era
        if flaw.oddities is None:  # servers look at the headers first, but at what lacks in `_meta`
            return flaw.is_in(message) and (bool(flaw.lacks) or not oddities.faults or self.lets_pass(oddities))
        if flaw.method not in ("", message.method) or flaw.kind != message.kind:
            return False
        return flaw.oddities.is_to_the_letter(oddities) or (
            not self._passes(oddities) and self._is_alike(flaw.oddities, oddities)
        )

    def _is_alike(self, recorded: Oddities, oddities: Oddities) -> bool:
        """Whether all that is odd about a recorded request is so about this one; nothing that is so to the letter."""
        exact = (one.flaw.oddities for one, _ in self._found)
        return recorded.is_of_the_kind(oddities) and not any(one and one.is_to_the_letter(oddities) for one in exact)


def refusals_in(story: Story, masks: Masks) -> dict[int, Refusals]:
    """The refusals in each timeline of the stateless revision that has any, by its place in the story."""
    mirrored: Mirrored = {}
    if any(one.sent for one in story.interactions()):
        from mcpmock.session.headers.mirrored import mirrored_arguments  # few recordings hold any headers

        mirrored = mirrored_arguments(story.interactions())
    modern = [(number, one) for number, one in enumerate(story.timelines) if one.era == "modern"]
    return {number: Refusals(one.interactions, masks, mirrored) for number, one in modern}


def _flaw_of(interaction: Interaction, mirrored: Mirrored) -> Flaw | None:
    """The flaw for which a recorded request was refused; None where it was not, or for another reason."""
    request, answer = interaction.request, interaction.answer_message
    if request is None:
        return None
    error = answer.body.get("error") if answer is not None else None
    code = error.get("code") if isinstance(error, dict) else None
    is_invalid = code == INVALID_PARAMS or (code == INVALID_REQUEST and not interaction.sent)
    if is_invalid and (lacks := _lacks(request)):
        return Flaw(lacks=lacks)
    if is_invalid and not interaction.sent and (broken := broken_in(request)):
        return Flaw(broken=broken)
    if interaction.sent and interaction.is_refused:
        is_by_method = any(name in ("accept", "content-type") for name, _ in interaction.sent)
        method = request.method if is_by_method else ""
        return Flaw(oddities=_oddities_in(interaction, mirrored), method=method, kind=request.kind)
    lacks = _lacks(request)
    if len(lacks) == len(_NEEDED) and not interaction.sent and answer is None and _has_status(interaction, 400):
        return Flaw(lacks=lacks, is_foreign=True)
    is_turned_off = interaction.is_refused and answer is None and version_of(request) in LEGACY_REVISIONS
    if is_turned_off or (code == UNSUPPORTED_VERSION and is_enveloped(request)):
        return Flaw(version=version_of(request))
    if code == MISSING_CAPABILITY and isinstance(error, dict):
        # a client that had declared all of it met a gateway that did not: that answer is like any other
        lacking = tuple(_lacking(_needed(error), capabilities_of(request) or {}))
        return Flaw(capability=lacking) if lacking else None
    return None


def _oddities_in(interaction: Interaction, mirrored: Mirrored) -> Oddities:
    from mcpmock.session.headers.oddities import recorded_oddities

    assert interaction.request is not None
    return recorded_oddities(interaction.request, interaction.sent, mirrored)


def _tolerated(served: Sequence[Oddities]) -> Tolerated:
    from mcpmock.session.headers.oddities import Tolerated

    return Tolerated(served)


def _has_result(interaction: Interaction) -> bool:
    answer = interaction.answer_message
    return answer is not None and "result" in answer.body


def _has_status(interaction: Interaction, status: int = 0) -> bool:
    facts = (step.entry.http for step in interaction.steps)
    return any(fact is not None and fact.status >= 400 and status in (0, fact.status) for fact in facts)


def _lacks(message: Message) -> tuple[str, ...]:
    meta = meta_of(message)
    return tuple(key for key in _NEEDED if key not in meta)


def _needed(error: Object) -> Object:
    data = error.get("data")
    needed = data.get("requiredCapabilities") if isinstance(data, dict) else None
    return needed if isinstance(needed, dict) else {}


def _lacking(needed: Object, declared: Object) -> Iterator[tuple[str, ...]]:
    """The paths into the capabilities at which something that is needed was not declared."""
    for name, parts in needed.items():
        if name not in declared:
            yield (name,)
        elif isinstance(parts, dict):
            inner = declared[name]
            yield from ((name, *path) for path in _lacking(parts, inner if isinstance(inner, dict) else {}))


def _declares(declared: Json, path: tuple[str, ...]) -> bool:
    for name in path:
        if not isinstance(declared, dict) or name not in declared:
            return False
        declared = declared[name]
    return True
