"""Values on one line, quickly: quoted strings and flow collections, for the quick reader alone.

Most functions take the rest of a line and a position in it, and return what they read and the position behind it.
Whatever is not in the shape in which our writer writes makes them *unsure*; what they read is what libyaml would give.
"""

from __future__ import annotations

import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed does not know it
from typing import Final

from mcpmock.cassette.scalars import CONSTANTS, NUMBER_STARTS, resolve
from mcpmock.wire.message import Json, Object

DEEPEST: Final = 100
"""How many collections may stand within each other; deeper ones are left to the events."""

# Character classes without \s and \w are plain bitmaps for `re`; blanks are looked after by the lookarounds.
KEY: Final = r'(?:([^\x00-\x20,\[\]{}?:#&*!|>\'"%@`=<~.-][^\n\t,\[\]{}?:#]{0,1000}+(?<! ))|("(?:[^"\\\n]|\\.){0,300}"))'
"""A key: two groups, plain and quoted."""

_WORD: Final = r"(?:--?(?=[^\x00- -]))?[^\x00-\x20,\[\]{}?:#&*!|>'\"%@`-]"  # how a plain value begins

_PLAIN: Final = rf"{_WORD}[^\n\t,\[\]{{}}?:#]*+(?:(?::(?![ ,\[\]{{}}?]|\Z)|(?<! )#)[^\n\t,\[\]{{}}?:#]*+)*+(?<! )"
_pair = re.compile(rf"{KEY}: (?:({_PLAIN})(, (?![ #])|}}))?").match
_item = re.compile(rf"({_PLAIN})(, (?![ #])|\])").match
_whole_numbers = re.compile(r"\[(?:0|[1-9]\d{0,17})(?:, (?:0|[1-9]\d{0,17}))*+\]", re.ASCII).match
_single_quoted = re.compile(r"'([^'\n\t]*+(?:''[^'\n\t]*+)*+)'").match
_has_half_pair = re.compile(r"(?<!\\)(?:\\\\)*\\u[dD]").search
_LONG: Final = 4096


class UnsureError(Exception):
    """The text is not in the shape that the quick reader knows."""


def read_flow(text: str, at: int, depth: int) -> tuple[Json, int]:
    """What begins with a quote or a bracket."""
    start = text[at]
    if start == '"':
        return _double_quoted(text, at)
    if start == "{":
        return read_flow_mapping(text, at + 1, depth + 1)
    if start == "[":
        return _flow_list(text, at, depth + 1)
    found = _single_quoted(text, at)
    if found is None:
        raise UnsureError
    return found[1].replace("''", "'"), found.end()


def read_flow_mapping(text: str, at: int, depth: int) -> tuple[Object, int]:
    """The members of a mapping, from behind its brace."""
    members: Object = {}
    if text[at] == "}":
        return members, at + 1
    if depth > DEEPEST:
        raise UnsureError
    while pair := _pair(text, at):
        key, at = pair[1] or unquoted(pair[2]), pair.end()
        if key in members:
            raise UnsureError
        if word := pair[3]:
            members[key] = word if word not in CONSTANTS and word[0] not in NUMBER_STARTS else resolve(word)
            if pair[4] == "}":
                return members, at
        else:
            members[key], at = read_flow(text, at, depth)
            if text[at] == "}":
                return members, at + 1
            at = _behind_comma(text, at)
    raise UnsureError


def _flow_list(text: str, at: int, depth: int) -> tuple[list[Json], int]:
    if numbers := _whole_numbers(text, at):
        return list(map(int, numbers[0][1:-1].split(","))), numbers.end()
    members: list[Json] = []
    at += 1
    if text[at] == "]":
        return members, at + 1
    if depth > DEEPEST:
        raise UnsureError
    while True:
        if item := _item(text, at):
            members.append(resolve(item[1]))
            at = item.end()
            if item[2] == "]":
                return members, at
        else:
            member, at = read_flow(text, at, depth)
            members.append(member)
            if text[at] == "]":
                return members, at + 1
            at = _behind_comma(text, at)


def whole_numbers(text: str) -> list[Json]:
    """A list of whole numbers that takes the whole text."""
    found = _whole_numbers(text)
    if not found or found.end() != len(text):
        raise UnsureError
    return list(map(int, text[1:-1].split(",")))


def _double_quoted(text: str, at: int) -> tuple[str, int]:
    end = text.index('"', at + 1)
    if end - at > _LONG and "\\" not in (piece := text[at + 1 : end]):
        return piece, end + 1  # the quickest way through megabytes of base64
    value: str
    value, end = scanstring(text, at + 1)
    if len(value) != end - at - 2 and _has_half_pair(text, at, end):
        raise UnsureError
    return value, end


def unquoted(quoted: str) -> str:
    """The string that stands in double quotes."""
    key: str
    key, end = scanstring(quoted, 1)
    if end != len(quoted) or _has_half_pair(quoted):
        raise UnsureError
    return key


def _behind_comma(text: str, at: int) -> int:
    if not text.startswith(", ", at) or text[at + 2] in " #":
        raise UnsureError
    return at + 2
