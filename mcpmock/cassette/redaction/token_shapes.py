"""Finds the tokens of `token_table` in a text: exactly, or quickly and a little too often."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from mcpmock.cassette.redaction.token_table import SHAPES, Shape

__all__ = ["may_hold_token", "token_spots", "tokens_in"]


def tokens_in(text: str) -> Iterator[tuple[int, int, str]]:
    """The tokens of known shape in a text: start, end, and the name of the kind; rows of the table in their order."""
    for shape in _hinted(text):
        for found in _between_words(shape.body).finditer(text):
            yield found.start(), found.end(), shape.name


def may_hold_token(text: str) -> bool:
    """Whether a token of known shape may stand in a text or in JSON text; quick, and says yes a little too often."""
    return next(token_spots(text), None) is not None


def token_spots(text: str) -> Iterator[int]:
    """Where tokens of known shape may begin in a text or in JSON text."""
    for shape in _hinted(text):
        for found in _anywhere(shape.body).finditer(text):
            yield found.start()


@cache
def _between_words(body: str) -> re.Pattern[str]:
    before = "" if body.startswith("(?<=") else r"(?<![A-Za-z0-9_])"
    return re.compile(rf"{before}(?:{body})(?![A-Za-z0-9_])")


@cache
def _anywhere(body: str) -> re.Pattern[str]:
    """In JSON text the letter of an escape (`\\n`) may stand right before a token."""
    return re.compile(body)


_LONG: Final = 16
_LONGEST: Final = 8192  # what is longer is an image or the like
_BASE64: Final = ("whsec_", "glc_", "sntry", "$2", "$apr1$", "$6$", "$5$")  # whose rest may hold `+` and `/`
_RUN: Final = b"x" * _LONG
_WORD: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.")
_TO_RUNS: Final = bytes(ord("x") if code in _WORD else ord(" ") for code in range(256))
_TO_WORDS: Final = bytes(code if code in _WORD or code in b":/$+=~" else ord(" ") for code in range(256))


def _hinted(text: str) -> list[Shape]:
    """The shapes that one of their hints speaks for.

    Nearly every token has a run of 16 letters, digits, `_`, `-` or `.`, and most messages have none: to see that takes
    2 ns a character.
    """
    data = text.encode("utf-8", "surrogatepass")
    if _RUN not in data.translate(_TO_RUNS) and not any(prefix in text for prefix in _BASE64):
        return []
    words = b" ".join([word for word in data.translate(_TO_WORDS).split() if _LONG <= len(word) <= _LONGEST]).decode()
    return [shape for shape in _begun(words) if any(hint in words for hint in shape.hints)]


def _begun(words: str) -> Iterable[Shape]:
    """The shapes of which a hint may begin in these words, so that most hints need not be looked for one by one."""
    if len(words) > _LONGEST:
        return SHAPES  # the other way round is quicker now
    begins = {words[at : at + _BEGIN] for at in range(len(words) - _BEGIN + 1)}
    numbers = {number for begin in _BEGINNINGS.intersection(begins) for number in _BY_BEGINNING[begin]}
    return [SHAPES[number] for number in sorted(numbers | _OF_SHORT_HINTS)]


_BEGIN: Final = 3


def _by_beginning() -> dict[str, list[int]]:
    """The numbers of the shapes by how their hints begin."""
    numbers: dict[str, list[int]] = {}
    for number, shape in enumerate(SHAPES):
        for hint in shape.hints:
            numbers.setdefault(hint[:_BEGIN], []).append(number)
    return numbers


_BY_BEGINNING: Final = _by_beginning()
_BEGINNINGS: Final = frozenset(_BY_BEGINNING)
_OF_SHORT_HINTS: Final = frozenset(
    number for begin, numbers in _BY_BEGINNING.items() if len(begin) < _BEGIN for number in numbers
)
