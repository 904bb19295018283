"""Placeholders in JSON that stands in a string of JSON.

There a folder with quotes or backslashes is escaped once more, and where a secret is a number its placeholder is a
string. Few folders have any, and few secrets are; each spelling of a secret has a placeholder of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from json import loads
from typing import Final

from mcpmock.cassette.patterns import PLACEHOLDER, filled
from mcpmock.cassette.placeholders import Number, paired
from mcpmock.cassette.redaction.json_places import embedded
from mcpmock.wire.message import Missing, dumps, json_value

__all__ = ["fill_nested", "numbers_in"]

_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_DEEPEST: Final = 5  # as deep as redaction looks


def fill_nested(json_text: str, bound: Mapping[str, str], depth: int = 0) -> str:
    """JSON text with the bound variables filled in where they stand in JSON within its strings; the others stay."""
    if depth == _DEEPEST:
        return json_text
    return _STRING.sub(lambda found: _in_string(found[0], bound, depth), json_text)


def _in_string(lexeme: str, bound: Mapping[str, str], depth: int) -> str:
    if "~var." not in lexeme or '\\"' not in lexeme:
        return lexeme
    text: str = loads(lexeme)
    pieces: list[str] = []
    done = 0
    for start, end in embedded(text):
        inner = fill_nested(text[start:end], bound, depth + 1)
        pieces += [text[done:start], PLACEHOLDER.sub(lambda found: _escaped(found, bound), inner)]
        done = end
    return dumps("".join([*pieces, text[done:]])) if pieces else lexeme


def _escaped(found: re.Match[str], bound: Mapping[str, str]) -> str:
    if not found[0].startswith("~var.") or found[0] not in bound:
        return found[0]
    return dumps(filled(found, bound))[1:-1]


def numbers_in(pattern: str, text: str, depth: int = 0) -> dict[str, str]:
    """The numbers that a text has, in JSON within it, where a recorded one has the placeholders of secrets."""
    numbers: dict[str, str] = {}
    if depth == _DEEPEST:
        return numbers
    for (start, end), (begin, stop) in zip(embedded(pattern), embedded(text), strict=False):
        recorded, live = json_value(pattern[start:end]), json_value(text[begin:stop])
        if isinstance(recorded, Missing) or isinstance(live, Missing):
            continue
        for placeholder, value in paired(recorded, live):
            if isinstance(value, str):
                numbers.update(numbers_in(placeholder, value, depth + 1))
            elif isinstance(value, int | float) and not isinstance(value, bool):
                numbers[placeholder] = Number(dumps(value))
    return {one: number for one, number in numbers.items() if PLACEHOLDER.fullmatch(one) and one.startswith("~secret.")}
