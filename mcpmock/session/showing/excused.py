"""What a replay does otherwise than its recording, for good reasons (`mcpmock check`)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import NamedTuple

from mcpmock.session.interaction import Interaction
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.index import Index
from mcpmock.session.subscriptions import is_acknowledged
from mcpmock.wire.methods import STAYS_OPEN

__all__ = ["Excused"]


class Excused(NamedTuple):
    """The entries of requests, by their identity.

    refused         HTTP refused them, and whether the client does not send them here; see `_refused_in`
    unacknowledged  subscriptions that the recording does not live to see acknowledged: a replay does so at once
    """

    refused: Mapping[int, bool]
    unacknowledged: Set[int]

    @classmethod
    def of(cls, library: Library) -> Excused:
        """Those of a recording."""
        return cls(_refused_in(library), _unacknowledged_in(library))


def _refused_in(library: Library) -> dict[int, bool]:
    """The entries of requests that HTTP refused, and whether the client does not send them here.

    It does not where they were refused for headers (here are none), or because a session was over; nor where the same
    was answered when it came again: a replay would answer it at once, and it would not come again (case AU-01). Also
    those of probes that were answered too late for their clients: in a replay they are told at once to shake hands.
    """
    found: dict[int, bool] = {}
    for number, line in enumerate(library.story.timelines):
        by_headers = library.refusals[number].by_headers if number in library.refusals else ()
        for one in line.interactions:
            is_by_headers = one.number in by_headers
            if one.is_refused or one.is_late or is_by_headers:
                is_over = one.has_no_id or one.is_late or _is_passed_over(one, library.index(number))
                found[id(one.entry)] = bool(one.sent) or is_by_headers or is_over
    return found


def _is_passed_over(refused: Interaction, index: Index) -> bool:
    """Whether the same was answered later, so that a replay does not refuse it."""
    groups = index.find(refused.request) if refused.request is not None else []
    return bool(groups) and all(refused not in group.members for group in groups)


def _unacknowledged_in(library: Library) -> set[int]:
    return {
        id(one.entry)
        for timeline in library.story.timelines
        for one in timeline.interactions
        if one.method in STAYS_OPEN and not is_acknowledged(one)
    }
