"""Requests of the stateless revision that a server refused for what they carry in `_meta` (PROTOCOL 2.4 and 4.5).

`_meta` does not count where requests are compared, so such a refusal would answer sound requests, too. It is kept
apart, for requests with the same flaw. Imported only where a recording speaks that revision.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from mcpmock.session.index import Group, Index, Masks
from mcpmock.session.interaction import Interaction
from mcpmock.session.stateless import MISSING_CAPABILITY, UNSUPPORTED_VERSION
from mcpmock.session.story import Story
from mcpmock.wire.envelope import CAPABILITIES_KEY, VERSION_KEY, capabilities_of, is_enveloped, meta_of, version_of
from mcpmock.wire.message import INVALID_PARAMS, INVALID_REQUEST, Json, Message, Object

__all__ = ["Refusals", "refusals_in"]

_NEEDED: Final = (VERSION_KEY, CAPABILITIES_KEY)


class Flaw(NamedTuple):
    """What was wrong with a request.

    lacks       the members that its `_meta` lacks
    version     the version that the server does not speak, as JSON; None where it does
    capability  what the client would have to declare
    """

    lacks: tuple[str, ...] = ()
    version: Json = None
    capability: tuple[str, ...] = ()

    def is_in(self, message: Message) -> bool:
        """Whether a live request has it."""
        if self.lacks:
            return _lacks(message) == self.lacks
        if self.version is not None:
            return version_of(message) == self.version
        declared = capabilities_of(message)
        return declared is not None and any(name not in declared for name in self.capability)

    def was_served(self, requests: Iterable[Message]) -> bool:
        """Whether it cannot be what the server minded: others with it were not refused, before or later."""
        return not self.capability and any(map(self.is_in, requests))


class Refusals:
    """Those of one timeline. They answer no request without their flaw.

    late    the numbers of those that do, where there is nothing else: who writes a cassette may leave `_meta` out
    never   the numbers of all others
    """

    def __init__(self, interactions: Iterable[Interaction], masks: Masks) -> None:
        flawed: dict[str, tuple[Flaw, list[Interaction]]] = {}
        served: list[Message] = []
        for interaction in interactions:
            if flaw := _flaw_of(interaction):
                flawed.setdefault(repr(flaw), (flaw, []))[1].append(interaction)
            elif interaction.request is not None and _has_result(interaction):
                served.append(interaction.request)
        flawed = {key: found for key, found in flawed.items() if not found[0].was_served(served)}
        self._found = [(flaw, Index(members, masks)) for flaw, members in flawed.values()]
        self.late = frozenset(one.number for flaw, members in flawed.values() if flaw.lacks for one in members)
        self.never = frozenset(one.number for flaw, members in flawed.values() if not flaw.lacks for one in members)

    def find(self, message: Message) -> list[Group]:
        """The groups that a live request with such a flaw falls into."""
        return [group for flaw, index in self._found if flaw.is_in(message) for group in index.find(message)]


def refusals_in(story: Story, masks: Masks) -> dict[int, Refusals]:
    """The refusals in each timeline of the stateless revision that has any, by its place in the story."""
    timelines = enumerate(story.timelines)
    found = {number: Refusals(one.interactions, masks) for number, one in timelines if one.era == "modern"}
    return {number: refusals for number, refusals in found.items() if refusals.late or refusals.never}


def _flaw_of(interaction: Interaction) -> Flaw | None:
    """The flaw for which a recorded request was refused; None where it was not, or for another reason."""
    request, answer = interaction.request, interaction.answer_message
    error = answer.body.get("error") if answer is not None else None
    if request is None or not isinstance(error, dict):
        return None
    code = error.get("code")
    if code in (INVALID_PARAMS, INVALID_REQUEST):
        lacks = _lacks(request)
        return Flaw(lacks=lacks) if lacks else None
    if code == UNSUPPORTED_VERSION and is_enveloped(request):
        return Flaw(version=version_of(request))
    needed = _needed(error) if code == MISSING_CAPABILITY else ()
    return Flaw(capability=needed) if needed else None


def _has_result(interaction: Interaction) -> bool:
    answer = interaction.answer_message
    return answer is not None and "result" in answer.body


def _lacks(message: Message) -> tuple[str, ...]:
    meta = meta_of(message)
    return tuple(key for key in _NEEDED if key not in meta)


def _needed(error: Object) -> tuple[str, ...]:
    data = error.get("data")
    needed = data.get("requiredCapabilities") if isinstance(data, dict) else None
    return tuple(needed) if isinstance(needed, dict) else ()
