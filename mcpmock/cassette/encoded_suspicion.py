"""Whether a secret may be encoded in a text: asked of every message, so it may say yes too often, and never no where
there is one.

Words that are also digits of base64 come again and again, so what they say is remembered.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from mcpmock.cassette.encodings import is_readable, runs_in
from mcpmock.cassette.suspicion import may_hold_secret

__all__ = ["may_hold_encoded", "said_by"]

_ESCAPES: Final = ((r"\\+(?:r\\+n|[nrt])", "\n"), (r"\\+/", "/"))  # in JSON text
_HEX: Final = r"[0-9a-f]{12,}+(?![A-F])|[0-9A-F]{12,}+"
_PERCENTS: Final = (("%2[Bb]", "+"), ("%2[Ff]", "/"), ("%3[Dd]", "="))
_WORDS: Final = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_WRAPPED: Final = re.compile(r"[A-Za-z0-9+/]{40}\r?\n")
_LONG: Final = 2048  # a word is not that long: it begins where it begins, and is not remembered
_DEEPEST: Final = 2


def may_hold_encoded(text: str, is_known: Callable[[str], bool]) -> bool:
    """Whether something encoded in a text, or in JSON text, may hold a secret.

    `is_known` tells whether bytes, each written as a letter, may hold one that is known.
    """
    said: list[str] = []
    for run in _runs(text):
        is_suspicious, bytes_said = said_by(run)
        if is_suspicious:
            return True
        said.append(bytes_said)
    return bool(said) and is_known("\0".join(said))


def _runs(text: str) -> list[str]:
    """The runs of digits in a text or in JSON text."""
    if "\\" in text:
        for pattern, letter in _ESCAPES:
            text = re.sub(pattern, letter, text)
    if "%2" in text or "%3" in text or ("\n" in text and _WRAPPED.search(text)):
        return [text[start:end] for start, end in runs_in(text)]
    return _WORDS.findall(text)  # ten times as quick


def said_by(run: str) -> tuple[bool, str]:
    """Whether what a run says looks like a secret, and all that it may say, at each alignment: bytes as letters."""
    return _remembered(run) if len(run) <= _LONG else _said_by(run, 1)


@lru_cache(maxsize=16384)
def _remembered(run: str) -> tuple[bool, str]:
    return _said_by(run, 1)


def _said_by(run: str, depth: int) -> tuple[bool, str]:
    said: list[str] = []
    is_suspicious = False
    for data in _readings(run):
        said.append(data.decode("latin-1"))
        text = _text(data)
        if text:
            is_suspicious |= may_hold_secret(text)
            for inner in runs_in(text) if depth < _DEEPEST else ():
                more = _said_by(text[slice(*inner)], depth + 1)
                is_suspicious |= more[0]
                said.append(more[1])
    return is_suspicious, "\0".join(said)


def _readings(run: str) -> Iterator[bytes]:
    """The bytes that the digits may stand for, wherever in a word they begin."""
    for found in re.findall(_HEX, run) if len(run) <= _LONG else re.findall(rf"\A(?:{_HEX})\Z", run):
        for start in (0, 1):
            length = len(found) - start
            yield bytes.fromhex(found[start : start + length - length % 2])
    bare = run.translate(_PLAIN)
    if "%" in bare:
        for pattern, digit in _PERCENTS:
            bare = re.sub(pattern, digit, bare)
    bare = bare.rstrip("=")
    for start in range(4 if len(run) <= _LONG else 2):
        length = len(bare) - start
        digits = bare[start : start + length - (length % 4 == 1)]
        yield binascii.a2b_base64(digits + "=" * (-len(digits) % 4))


_PLAIN: Final = str.maketrans("-_", "+/", "\r\n")


def _text(data: bytes) -> str:
    """What bytes say, if people could read it."""
    try:
        text = data.decode()
    except ValueError:
        return ""
    return text if len(text) >= 6 and is_readable(text) else ""
