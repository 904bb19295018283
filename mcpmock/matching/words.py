"""A miss in words: one line about what was asked, and why nothing answers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcpmock.matching.nearest import Candidate, name_of
from mcpmock.matching.shown import both_spelt, harmless, shorten, spelt
from mcpmock.wire.message import Message

if TYPE_CHECKING:
    from mcpmock.matching.miss import Miss

_VALUE: Final = 400


def sentence(miss: Miss) -> str:
    """The miss in one line."""
    what = describe(miss.request)
    if miss.kind == "unanswered":
        return f"{what} was recorded without an answer: there the recording ended"
    if miss.refusal:
        return f"{what} is refused: {shorten(harmless(miss.refusal), _VALUE)}"
    if miss.notification:
        return f"{what} was recorded as a notification, without an id ({place(miss.notification)})"
    if miss.kind == "unknown":
        return f"nothing was recorded for {what}{_recorded_instead(miss)}"
    if miss.kind == "exhausted":
        return f"every recorded {what} like this one has been played"
    if miss.kind == "wrong state":
        return f"{what} was recorded for another state"
    if miss.kind == "out of order":
        expected = describe(miss.expected.candidate.request) if miss.expected else "nothing more"
        return f"{what} came where the recording goes on with {expected}"
    return f"no recorded {what} fits this one"


def describe(request: Message) -> str:
    """A request in a few words: its method, and the tool, prompt or resource that it is about."""
    method, name = shorten(harmless(request.method), 60), name_of(request)
    return f"{method} {shorten(spelt(shorten(name, 58)), 60)}" if name else method


def place(candidate: Candidate) -> str:
    """Where a candidate was recorded, as `file:line`."""
    path = shorten(harmless(candidate.path), _VALUE) or "the cassette"
    return f"{path}:{candidate.line}" if candidate.line else path


def _recorded_instead(miss: Miss) -> str:
    if miss.suggestion:
        return f"; did you mean {shorten(spelt(shorten(miss.suggestion, 58)), 60)}?"
    return f"; recorded: {shorten(harmless(', '.join(miss.known)), 120)}" if miss.known else ""


def detail(miss: Miss) -> str:
    """Where the nearest recorded request is and what differs first, to follow a sentence."""
    near = miss.expected or next(iter(miss.nearest), None)
    if near is None:
        return ""
    where = f" ({place(near.candidate)})"
    if near.clashes and not near.differences and miss.kind != "unknown":
        return f"{where}: {near.clashes[0].in_words()}"
    if not near.differences or miss.kind == "unknown":
        return where
    first, more = near.differences[0], len(near.differences) - 1
    recorded, live = both_spelt(first.recorded, first.live, 80)
    others = f", and {more} more" if more else ""
    return f"{where}: {shorten(harmless(first.pointer), 80)} was {recorded}, is {live}{others}"
