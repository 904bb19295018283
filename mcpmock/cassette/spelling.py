"""How strings and numbers are spelt in one line, so that every YAML 1.1 and 1.2 reader takes them for the same."""

from __future__ import annotations

import re
from json.encoder import encode_basestring
from typing import Final


class UnfitForYamlError(ValueError):
    """The value holds what YAML cannot: half a surrogate pair, or nesting beyond what people can read."""


LONGEST_PLAIN: Final = 4096
"""Longer strings are always quoted (or blocks): then no reader looks at them for what else they could be."""

_INFINITY: Final = float("inf")

# What does not stand in a file as it is, beside control characters: U+0085, U+2028 and U+2029 (line ends for YAML
# 1.1), surrogates, the byte order mark, non-characters, planes that hold nothing yet, and marks that turn the direction
# of text (they deceive reviewers). Told so and not by what is clean: such a set takes milliseconds less to compile.
_UNCLEAN: Final = (
    "\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff"
    "\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U0003fffe-\U000dffff\U000efffe-\U0010ffff"
)
_find_unclean = re.compile(f"[\0-\x08\x0b-\x1f{_UNCLEAN}]").search
_escape_unclean = re.compile(f"[\0-\x1f{_UNCLEAN}]").sub

# A word that may stand plain in a block; in a flow collection `,[]{}?` must not occur either. Never `: `, ` #`, or
# a blank at an end.
_FIRST: Final = r"(?:[A-Za-z0-9_/$(.~<]|[^\x00-\x7f]|--?(?=[A-Za-z]))"
_plain_in_block = re.compile(rf"(?!\s){_FIRST}(?:[^\n\t:#]|:(?=[^\s,\[\]{{}}])|(?<=\S)#)*(?<!\s)").fullmatch
_plain_in_flow = re.compile(rf"(?!\s){_FIRST}(?:[^\n\t:#,\[\]{{}}?]|:(?=[^\s,\[\]{{}}?])|(?<=\S)#)*(?<!\s)").fullmatch

_WORDS: Final = frozenset({"y", "yes", "n", "no", "true", "false", "on", "off", "null", "~", "nan", "inf", "infinity"})
# Whatever looks like a number, a date or a time to anybody: YAML 1.1 with its octals, sexagesimals and underscores too.
_looks_numeric = re.compile(r"[-+.]*[0-9][-+.,:_0-9a-fA-FxXoOtTzZ ]*|[-+.]*").fullmatch
_is_version = re.compile(r"[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}", re.ASCII).fullmatch
_BEGINS_LIKE_A_NUMBER: Final = frozenset("0123456789-+.<=~")


def is_clean(text: str) -> bool:
    """Whether every character may stand in a file unescaped; tabs and line feeds count as clean."""
    return text.replace("\n", "").replace("\t", "").isprintable() or _find_unclean(text) is None


def is_plain(text: str, *, flow: bool) -> bool:
    """Whether every reader takes this text for the same string when it stands without quotes."""
    if len(text) > LONGEST_PLAIN or not (_plain_in_flow if flow else _plain_in_block)(text):
        return False
    if text[0] in _BEGINS_LIKE_A_NUMBER and _is_treacherous(text):
        return False
    return text.lower() not in _WORDS and is_clean(text)


def is_plain_key(text: str) -> bool:
    """The same for a key, where fewer characters are usual."""
    return is_plain(text, flow=True) and text[0] not in "-~<." and ":" not in text and "#" not in text


def _is_treacherous(text: str) -> bool:
    if text in ("<<", "=", "~") or text.lstrip("-+.").lower() in ("inf", "nan", "infinity"):
        return True
    return bool(_looks_numeric(text)) and not _is_version(text)


def double_quoted(text: str) -> str:
    """The text in double quotes, on one line, with the escapes that YAML and JSON share (and `\\U` beyond the BMP).

    Raises UnfitForYamlError for half a surrogate pair.
    """
    line: str = encode_basestring(text)
    return line if line.isprintable() else _escape_unclean(_escaped, line)


def quoted(text: str) -> str:
    """The text in single quotes where that spares escapes, else in double quotes; always on one line."""
    if ('"' in text or "\\" in text) and "\n" not in text and "\t" not in text and is_clean(text):
        return "'" + text.replace("'", "''") + "'"
    return double_quoted(text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xD800 <= code <= 0xDFFF:
        raise UnfitForYamlError("half a surrogate pair")
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def number(value: int | float) -> str:
    """A number as every YAML reader and JSON read it: floats keep a point, and a sign in their exponent.

    Raises ValueError for NaN and the infinities.
    """
    if isinstance(value, int):
        return str(value)
    if value != value or value in (_INFINITY, -_INFINITY):
        raise ValueError(f"JSON has no {value}")
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{exponent}" if e else text
