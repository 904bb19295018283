"""What is odd about the headers of a request of the stateless revision: of a live one, and of recorded ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from mcpmock.cassette.placeholders import has_placeholder
from mcpmock.session.headers.kept import odd_media
from mcpmock.session.headers.mirrored import Mirrored, Odd, odd_again, odd_headers
from mcpmock.wire.http import Headers
from mcpmock.wire.message import Message

__all__ = ["NOTHING_ODD", "Oddities", "Tolerated", "live_oddities", "recorded_oddities"]

_MEDIA: Final = ("accept", "content-type")


class Oddities(NamedTuple):
    """The oddities of one request: of the headers that mirror it, and of `Accept` and `Content-Type`.

    letters  each with the header's value, and with that which it should mirror
    kinds    each in a word for all that servers take for the same; of the last two none are, whose values are looked
             at in many ways
    faults   those of the letters that the specification wants to be refused
    """

    letters: frozenset[tuple[str, str | None, str]] = frozenset()
    kinds: frozenset[tuple[str, str]] = frozenset()
    faults: frozenset[tuple[str, str | None, str]] = frozenset()

    def is_of_the_kind(self, other: Oddities) -> bool:
        """Whether all that is odd about this request is so about another one."""
        return self.kinds <= other.kinds

    def is_to_the_letter(self, other: Oddities) -> bool:
        """The same, to the letter."""
        return self.letters <= other.letters


NOTHING_ODD: Final = Oddities()


class Tolerated:
    """What a server was seen to tolerate of what is against the rules: the oddities of requests that were served.

    Where a secret or a folder was masked, the header's name must do: live ones have other values.
    """

    def __init__(self, served: Sequence[Oddities]) -> None:
        self._letters = frozenset[tuple[str, str | None, str]]().union(*(one.letters for one in served))
        faults = [fault for one in served for fault in one.faults]
        self._masked = {name for name, value, of in faults if has_placeholder(value or "") or has_placeholder(of)}

    def hold(self, oddities: Oddities) -> bool:
        """Whether all faults of a request are among them."""
        others = oddities.faults - self._letters
        return all(value is not None and name in self._masked for name, value, _ in others)


def live_oddities(message: Message, headers: Headers, mirrored: Mirrored) -> Oddities:
    """The oddities of a live request."""
    sent = {name.lower().decode("latin-1"): value.decode("latin-1") for name, value in headers}
    media = [(name, sent.get(name)) for name in odd_media(headers)]
    return _oddities(odd_headers(message, headers, mirrored), media)


def recorded_oddities(message: Message, sent: Sequence[tuple[str, str | None]], mirrored: Mirrored) -> Oddities:
    """Those of a recorded request, of whose headers only the odd ones were kept."""
    media = [one for one in sent if one[0] in _MEDIA]
    return _oddities(odd_again(message, [one for one in sent if one[0] not in _MEDIA], mirrored), media)


def _oddities(odd: Sequence[Odd], media: Iterable[tuple[str, str | None]]) -> Oddities:
    letters = {(one.name, one.value, one.of) for one in odd}
    kinds = {(one.name, str(one.kind)) for one in odd}
    faults = {(one.name, one.value, one.of) for one in odd if one.is_against_the_rules}
    for name, value in media:
        letters.add((name, value, ""))
        kinds.add((name, value or ""))
    return Oddities(frozenset(letters), frozenset(kinds), frozenset(faults))
