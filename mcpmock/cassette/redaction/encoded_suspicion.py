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

from mcpmock.cassette.redaction.encodings import HEX, SHORTEST, is_readable, runs_in, without_percents
from mcpmock.cassette.redaction.secret_values import login_password
from mcpmock.cassette.redaction.suspicion import may_hold_secret

__all__ = ["blob_may_hold", "may_hold_encoded", "said_by"]

_ESCAPES: Final = ((r"\\+(?:r\\+n|[nrt])", "\n"), (r"\\+/", "/"))  # in JSON text
_DIGITS: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
_TO_DIGITS: Final = bytes(code if code in _DIGITS else ord(" ") for code in range(256))
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
    # ten times as quick
    words = text.encode("ascii", "replace").translate(_TO_DIGITS).split()
    return [word.decode() for word in words if len(word) >= SHORTEST]


def blob_may_hold(text: str, start: int, end: int, is_known: Callable[[str], bool] | None) -> bool:
    """Whether digits that stand in a text, or in JSON text, without end may hold a secret; piece by piece, for they may
    be an image of many megabytes. `is_known` is as above; None if nothing is known."""
    start += text[start - 1 : start] == "\\"  # the letter of an escape
    if _is_text(_bytes(text[start : min(end, start + _PIECE)])):
        is_suspicious, said = said_by(text[start:end])
        return is_suspicious or (is_known is not None and is_known(said))
    pieces = range(start, end, _PIECE) if is_known else ()
    pieces_of = (text[at : min(end, at + _PIECE + _OVERLAP)] for at in pieces)
    return any(is_known(_bytes(piece).decode("latin-1")) for piece in pieces_of if is_known)


def _bytes(digits: str) -> bytes:
    bare = digits.rstrip("=")
    bare = bare[: len(bare) - len(bare) % 4]
    return binascii.a2b_base64(bare)


def _is_text(data: bytes) -> bool:
    """Whether this may be how a text begins; it may be cut within a letter."""
    try:
        return is_readable(data.decode())
    except UnicodeDecodeError as error:
        return error.start > len(data) - 4 and is_readable(data[: error.start].decode())


_PIECE: Final = 256 * 1024  # digits; a multiple of 4
_OVERLAP: Final = 4 * 1024


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
            is_suspicious |= login_password(text) is not None or may_hold_secret(text)
            for inner in runs_in(text) if depth < _DEEPEST else ():
                more = _said_by(text[slice(*inner)], depth + 1)
                is_suspicious |= more[0]
                said.append(more[1])
    return is_suspicious, "\0".join(said)


def _readings(run: str) -> Iterator[bytes]:
    """The bytes that the digits may stand for, wherever in a word they begin."""
    for found in re.findall(HEX, run) if len(run) <= _LONG else re.findall(rf"\A(?:{HEX})\Z", run):
        for start in (0, 1):
            length = len(found) - start
            yield bytes.fromhex(found[start : start + length - length % 2])
    bare = without_percents(run.translate(_PLAIN)).rstrip("=")
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
