"""Values as text for people: on one line, harmless to a terminal, and no longer than there is room for."""

from __future__ import annotations

import json
import unicodedata
from typing import Final

from mcpmock.matching.keys import canonical_json
from mcpmock.matching.rough import shared_length
from mcpmock.wire.message import Json, Lexeme, Missing

NOTHING: Final = "(nothing)"
"""What stands where one side has no value."""

_CUT: Final = "…"
_KEPT_BEFORE: Final = 12
"""Characters of what is the same that stay, as a way to find the place, where the beginning is cut off."""


def spelt(value: Json | Missing) -> str:
    """A value as JSON on one line, members in their order, every unprintable character escaped; never raises."""
    return harmless(_json(value))


def both_spelt(recorded: Json | Missing, live: Json | Missing, width: int) -> tuple[str, str]:
    """Two values that differ, spelt `side_by_side`, however long they are."""
    first, second = _json(recorded), _json(live)
    same = shared_length(first, second)
    start = max(0, same - width)
    first, second = (harmless(text[start : same + 2 * width]) for text in (first, second))
    return side_by_side(first, second, width)


def _json(value: Json | Missing) -> str:
    if isinstance(value, Missing):
        return NOTHING
    if isinstance(value, Lexeme):
        return str(value)
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return canonical_json(value)


def harmless(text: str) -> str:
    """The text with all that could move a cursor, hide or reorder it spelt as JSON escapes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)


def shorten(text: str, width: int) -> str:
    """The text within `width` columns of a terminal, its end cut off where it is longer."""
    if len(text) * 2 <= width:
        return text
    taken, kept = 0, 0
    for at, char in enumerate(text):
        taken += _columns_of(char)
        if taken > width:
            return text[:kept] + _CUT
        if taken < width:
            kept = at + 1
    return text


def side_by_side(recorded: str, live: str, width: int) -> tuple[str, str]:
    """Two texts that differ, each within `width` columns, cut so that the first difference is to be seen."""
    if max(len(recorded), len(live)) * 2 > width and max(columns(recorded), columns(live)) > width:
        same = shared_length(recorded, live)
        if same > width // 2:
            start = same - _KEPT_BEFORE
            recorded, live = _CUT + recorded[start:], _CUT + live[start:]
    return shorten(recorded, width), shorten(live, width)


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
