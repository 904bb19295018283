"""What a plain YAML word means: the JSON-like core.

`null`, `~` and nothing, `true` and `false`, and what JSON calls a number; any other plain word is a string, whatever
YAML 1.1 makes of it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

CONSTANTS: Final[dict[str, bool | None]] = {"": None, "~": None, "null": None, "true": True, "false": False}
"""The plain words that are neither strings nor numbers."""

NUMBER_STARTS: Final = frozenset("-0123456789")
"""How a number may begin."""

_INFINITY: Final = float("inf")
_number = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", re.ASCII).fullmatch


def resolve(word: str) -> bool | int | float | str | None:
    """What a plain scalar stands for. Raises ValueError for a number that Python cannot hold."""
    if word in CONSTANTS:
        return CONSTANTS[word]
    return _number_or_word(word) if word[0] in NUMBER_STARTS else word


@lru_cache(4096)  # the same small numbers come again and again
def _number_or_word(word: str) -> int | float | str:
    found = _number(word)
    if found is None:
        return word
    if found.lastindex is None:
        return int(word)
    value = float(word)
    if value in (_INFINITY, -_INFINITY):
        raise ValueError(f"{word[:40]} is too large for a number")
    return value
