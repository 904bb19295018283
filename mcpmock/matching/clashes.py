"""Variables that stand for something else in a live session than in the request that misses: why it does not fit.

Imported only once a request has missed. Of secrets nothing is told here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from mcpmock.cassette.placeholders import bind, texts_with_placeholders, variable_name
from mcpmock.matching.shown import shorten, side_by_side, spelt
from mcpmock.wire.message import Json, Object

__all__ = ["Clash", "clashes"]


_NAME: Final = 200
_TEXT: Final = 400


class Clash(NamedTuple):
    """A variable: what it stands for in the session (or elsewhere in the same request), and what it would have to."""

    name: str
    bound: str
    live: str

    def in_words(self) -> str:
        """The clash as people read it."""
        bound, live = side_by_side(spelt(self.bound), spelt(self.live), 80)
        return f"the variable {shorten(self.name, 40)} is {bound}, here it would be {live}"

    def to_json(self) -> Object:
        """The clash as programs read it; of bounded size."""
        return {
            "name": shorten(self.name, _NAME),
            "bound": shorten(self.bound, _TEXT),
            "live": shorten(self.live, _TEXT),
        }


def clashes(recorded: Json, live: Json, bound: Mapping[str, str]) -> tuple[Clash, ...]:
    """The variables of recorded params that keep live ones from fitting; each once."""
    found: dict[str, Clash] = {}
    known = dict(bound)
    for pointer, text in texts_with_placeholders(recorded):
        value = _at(live, pointer)
        if not isinstance(value, str):
            continue
        new = bind(text, value, known)
        if new is not None:
            known.update(new)
            continue
        for name, told in _told(text, value):
            if known.get(name, told) != told:
                found.setdefault(name, Clash(variable_name(name), known[name], told))
    return tuple(found.values())


def _told(recorded: str, live: str) -> Iterator[tuple[str, str]]:
    """What the variables of one text would have to stand for."""
    for placeholder, text in (bind(recorded, live, {}) or {}).items():
        if variable_name(placeholder):
            yield placeholder, text


def _at(value: Json, pointer: str) -> Json:
    """What stands at a pointer; None where nothing does."""
    for segment in pointer.split("/")[1:]:
        if isinstance(value, dict):
            value = value.get(segment.replace("~1", "/").replace("~0", "~"))
        elif isinstance(value, list):
            value = value[int(segment)] if segment.isdecimal() and int(segment) < len(value) else None
        else:
            return None
    return value
