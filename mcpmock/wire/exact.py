"""JSON text as it was spelt: where its values stand, and what a parsed value would lose of it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Final, TypeAlias

BLANKS: Final = " \t\r\n"
"""What may stand between the tokens of JSON."""

Path: TypeAlias = tuple[str, ...]
Span: TypeAlias = tuple[int, int, Path]

_scan = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode
_ESCAPE: Final = r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
"""One escape of a JSON string, a pair of surrogates taken as one; the group is a lone surrogate.

Compiled only where it is needed: that takes longer than to read most cassettes.
"""


def has_lone_surrogate(text: str) -> bool:
    """Whether valid JSON text holds a surrogate without its other half (no UTF-8 file can hold it but escaped)."""
    if "\\ud" not in text and "\\uD" not in text:
        return False
    return any(escape[1] for escape in re.finditer(_ESCAPE, text))


DEEPEST: Final = 500
"""How many objects and arrays may stand within each other in a message, wherever it is read: what one process could
just read, the next one, deep within calls of its own, could not. Real messages are two dozen levels deep at most."""


def is_shallow(value: object, text: str) -> bool:
    """Whether a value, parsed from this text, is nested no more than `DEEPEST` deep."""
    if len(text) <= DEEPEST or text.count("[") + text.count("{") <= DEEPEST:
        return True
    return is_within(value, DEEPEST)


def is_within(value: object, deepest: int) -> bool:
    """Whether the objects and arrays of a value stand no more than so many deep within each other."""
    level, depth = [value], 0
    while level and depth <= deepest:
        containers = (one for one in level if one.__class__ is dict or one.__class__ is list)
        level = [inner for one in containers for inner in (one.values() if isinstance(one, dict) else one)]
        depth += 1
    return not level


def spans(text: str, wanted: Collection[Path]) -> list[Span]:
    """Where in the text of an object the values at some paths stand: (start, end, path), in the order of the text."""
    return _spans_at(text, 0, (), wanted)


def member_texts(text: str) -> list[str | None]:
    """The texts of the members of an array."""
    texts: list[str | None] = []
    at = _skip(text, _skip(text, 0) + 1)
    while text[at] != "]":
        _, end = _scan(text, at)
        texts.append(text[at:end])
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return texts


def _skip(text: str, at: int) -> int:
    while text[at] in BLANKS:
        at += 1
    return at


def _spans_at(text: str, at: int, path: Path, wanted: Collection[Path]) -> list[Span]:
    found: list[Span] = []
    at = _skip(text, _skip(text, at) + 1)  # behind the opening brace
    while text[at] != "}":
        key, at = _scan(text, at)
        at = _skip(text, _skip(text, at) + 1)  # behind the colon
        here = (*path, str(key))
        _, end = _scan(text, at)
        if here in wanted:
            found.append((at, end, here))
        elif text[at] == "{" and any(longer[: len(here)] == here for longer in wanted):
            found += _spans_at(text, at, here, wanted)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found
