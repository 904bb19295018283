"""Variables in JSON that stands in a string of JSON: there a folder with quotes or backslashes is escaped once more.

Few folders have any. Secrets need nothing of this: each spelling of one has a placeholder of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from json import loads
from typing import Final

from mcpmock.cassette.patterns import PLACEHOLDER, filled
from mcpmock.cassette.redaction.json_places import embedded
from mcpmock.wire.message import dumps

__all__ = ["fill_nested"]

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
