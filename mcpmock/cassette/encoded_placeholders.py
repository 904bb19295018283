"""Placeholders in texts that are encoded: found, filled, and bound by what the live text in that encoding says."""

from __future__ import annotations

import re
from collections.abc import Callable
from json import loads
from typing import Final

from mcpmock.cassette.patterns import MARKS, PLACEHOLDER
from mcpmock.cassette.redaction.encodings import Coding, Encoded, accepted, decode, encode
from mcpmock.wire.message import dumps

__all__ = ["bind_encoded", "encoded_placeholders", "fill_encoded", "fill_encoded_in_json", "has_encoded"]

_JSON_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_DIGITS: Final = "~secret.encoded" + "_" * 32 + ".{}~"  # no rule of ours gives such a name


def encoded_placeholders(text: str) -> list[Encoded]:
    """The encoded parts of a text in which placeholders stand."""
    if not any(mark in text for mark in MARKS):
        return []
    return [found for found, _ in accepted(text, lambda found: PLACEHOLDER.search(found.text))]


def has_encoded(text: str) -> bool:
    """Whether there is one."""
    return bool(encoded_placeholders(text))


def fill_encoded(text: str, fill: Callable[[str], str]) -> str:
    """The text with what is encoded in it filled in by `fill`, which takes what it says."""
    pieces: list[str] = []
    done = 0
    for found in encoded_placeholders(text):
        pieces += [text[done : found.start], _filled(found, fill)]
        done = found.end
    return "".join([*pieces, text[done:]])


def fill_encoded_in_json(json_text: str, fill: Callable[[str], str]) -> str:
    """The same in the strings of JSON text: within the text itself the letter of an escape looks like a digit."""
    if not any(mark in json_text for mark in MARKS):
        return json_text
    return _JSON_STRING.sub(lambda found: _filled_string(found[0], fill), json_text)


def bind_encoded(pattern: str, text: str, bind: Callable[[str, str], bool], known: dict[str, str]) -> bool | None:
    """Whether the text fits a pattern with encoded placeholders, as `bind` tells of what has none and adds to `known`.

    None where the pattern has none.
    """
    encoded = encoded_placeholders(pattern)
    if not encoded:
        return None
    # What is encoded is a placeholder itself, until it is known which digits stand there.
    pieces, done, names = [], 0, [_DIGITS.format(at + 1) for at in range(len(encoded))]
    for found, name in zip(encoded, names, strict=True):
        pieces += [pattern[done : found.start], name]
        done = found.end
    if not bind("".join([*pieces, pattern[done:]]), text):
        return False
    said = [decode(known.pop(name), found.coding) for found, name in zip(encoded, names, strict=True)]
    return all(one is not None and bind(found.text, one) for one, found in zip(said, encoded, strict=True))


def _filled_string(lexeme: str, fill: Callable[[str], str]) -> str:
    if not any(mark in lexeme for mark in MARKS):
        return lexeme
    text: str = loads(lexeme)
    filled = fill_encoded(text, fill)
    return lexeme if filled == text else dumps(filled)


def _filled(found: Encoded, fill: Callable[[str], str]) -> str:
    return encode(PLACEHOLDER.sub(lambda name: _in_charset(fill(name[0]), found.coding), found.text), found.coding)


def _in_charset(value: str, coding: Coding) -> str:
    """A value as it stands among bytes that are no text."""
    return value if coding.charset == "utf-8" else value.encode("utf-8", "surrogatepass").decode(coding.charset)
