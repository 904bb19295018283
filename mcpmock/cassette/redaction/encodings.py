"""Texts within a text that are written in base64 or in hexadecimal digits: found, decoded, and encoded again.

A run of such digits is only a candidate: most of them are words, hashes and ids. Who asks decides by what comes out.
What is found here is found again after it has been changed and encoded anew, so that playback sees what redaction saw.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeVar

__all__ = [
    "HEX",
    "SHORTEST",
    "Coding",
    "Encoded",
    "accepted",
    "candidates",
    "decode",
    "encode",
    "is_readable",
    "runs_in",
    "without_percents",
]

T = TypeVar("T")

SHORTEST: Final = 8
"""Fewer digits hold nothing that is worth hiding."""


class Coding(NamedTuple):
    """How a text is encoded.

    kind      base64, base64url, hex, or HEX for capital digits
    pad       what fills the last four digits of base64 up: `=`, `%3D`, or nothing
    percents  `+` and `/` are written as in a URL
    width     digits in a line, where there are several lines, which `newline` divides; else 0
    charset   utf-8, or latin-1 for bytes that are no text
    """

    kind: str
    pad: str = ""
    percents: bool = False
    width: int = 0
    newline: str = ""
    charset: str = "utf-8"


class Encoded(NamedTuple):
    """A candidate: where it stands in the text, what it says, and how it is encoded."""

    start: int
    end: int
    text: str
    coding: Coding

    @property
    def is_text(self) -> bool:
        """Whether people could read it."""
        return self.coding.charset == "utf-8" and len(self.text) >= SHORTEST - 2 and is_readable(self.text)


_RUN: Final = (
    r"[A-Za-z0-9+/]{40,128}(?:\r?\n[A-Za-z0-9+/]{40,128})*\r?\n[A-Za-z0-9+/]{1,128}={0,2}(?![A-Za-z0-9+/=])"  # MIME
    r"|(?:[A-Za-z0-9+/_-]|%2[BFbf]){8,}(?:={1,2}|(?:%3[Dd]){1,2})?"
)
HEX: Final = r"[0-9a-f]{12,}+(?![A-F])|[0-9A-F]{12,}+"
"""A run of hexadecimal digits, all small or all capital."""

_LONGEST_PATH: Final = 512
_PERCENT: Final = {"+": "%2B", "/": "%2F"}


def runs_in(text: str) -> Iterator[tuple[int, int]]:
    """Where runs of digits stand that may encode something."""
    for run in re.finditer(_RUN, text):
        yield run.span()


def candidates(text: str, start: int, end: int) -> Iterator[Encoded]:
    """What a run may encode: as hexadecimal digits, as one text in base64, as several between slashes, as bytes."""
    run = text[start:end]
    for digits in re.finditer(HEX, run):
        for skipped in range(len(digits[0]) % 2, 2, 2):
            if found := _decoded(run, digits.start() + skipped, digits.end(), Coding(_case(digits[0]))):
                yield found._replace(start=start + found.start, end=start + found.end)
    whole = _in_base64(run, 0, len(run))
    spans = [(part.start(), part.end()) for part in re.finditer(r"[^/%\r\n]+(?:%3[Dd])*", run)] if "/" in run else []
    parts = [found for span in spans if (found := _in_base64(run, *span))]
    # Slashes are digits, and they divide the segments of a path; those hold no plus, and are not that long.
    is_one = whole is not None and (whole.is_text or "+" in run or len(run) > _LONGEST_PATH)
    ranked = [whole, *parts] if whole and is_one else [*parts, *([whole] if whole else [])]
    for found in ranked:
        yield found._replace(start=start + found.start, end=start + found.end)


def accepted(text: str, accept: Callable[[Encoded], T | None]) -> Iterator[tuple[Encoded, T]]:
    """The candidates in a text for which `accept` gives something, with that; none of them overlap."""
    for run in runs_in(text):
        done = -1
        for found in candidates(text, *run):
            if found.start >= done and (told := accept(found)) is not None:
                yield found, told
                done = found.end


def encode(text: str, coding: Coding) -> str:
    """The text as it was encoded. Raises UnicodeError for one that its bytes cannot hold."""
    data = text.encode(coding.charset)
    if coding.kind in ("hex", "HEX"):
        return data.hex() if coding.kind == "hex" else data.hex().upper()
    digits = binascii.b2a_base64(data, newline=False).decode()
    bare = digits.rstrip("=")
    if coding.kind == "base64url":
        bare = bare.replace("+", "-").replace("/", "_")
    if coding.percents:
        bare = "".join(_PERCENT.get(digit, digit) for digit in bare)
    bare += coding.pad * (len(digits) - len(digits.rstrip("=")))
    if coding.width:
        return coding.newline.join(bare[at : at + coding.width] for at in range(0, len(bare), coding.width))
    return bare


def decode(digits: str, coding: Coding) -> str | None:
    """What digits in this coding say; None where they say nothing in its charset. Padding may be left out."""
    try:
        return _bytes(digits, coding).decode(coding.charset)
    except ValueError:
        return None


def without_percents(digits: str) -> str:
    """Digits of base64 with their `+`, `/` and `=` as they are outside of URLs."""
    if "%" not in digits:
        return digits
    return re.sub(r"%2[Bb]", "+", re.sub(r"%2[Ff]", "/", re.sub(r"%3[Dd]", "=", digits)))


def _bytes(digits: str, coding: Coding) -> bytes:
    if coding.kind in ("hex", "HEX"):
        return bytes.fromhex(digits)
    bare = without_percents(digits).replace("\r", "").replace("\n", "").rstrip("=").replace("-", "+").replace("_", "/")
    return binascii.a2b_base64(bare + "=" * (-len(bare) % 4))


def _in_base64(run: str, start: int, end: int) -> Encoded | None:
    digits = run[start:end]
    if len(digits) < SHORTEST:
        return None
    is_url = "-" in digits or "_" in digits
    if is_url and ("+" in digits or "/" in digits or "%2" in digits):
        return None
    pad = "%3D" if "%3" in digits else "="
    count = len(digits.replace("%2", "").replace("\r", "").replace("\n", ""))
    is_padded = digits.endswith(("=", "%3D", "%3d"))
    has_pad = is_padded or not (is_url or count % 4)  # in URLs it is left out as a rule, else hardly ever
    coding = Coding("base64url" if is_url else "base64", pad if has_pad else "", "%2" in digits)
    if "\n" in digits:
        newline = "\r\n" if "\r\n" in digits else "\n"
        coding = coding._replace(width=digits.index(newline), newline=newline)
    return _decoded(run, start, end, coding)


def _decoded(run: str, start: int, end: int, coding: Coding) -> Encoded | None:
    """The candidate if it is spelt as we would spell it, so that nothing else is changed when it is encoded again."""
    digits = run[start:end]
    try:
        data = _bytes(digits, coding)
    except ValueError:
        return None
    try:
        text = data.decode()
    except ValueError:
        coding = coding._replace(charset="latin-1")
        text = data.decode("latin-1")
    spelt = digits.replace("%2b", "%2B").replace("%2f", "%2F").replace("%3d", "%3D") if "%" in digits else digits
    return Encoded(start, end, text, coding) if encode(text, coding) == spelt else None


def _case(digits: str) -> str:
    return "HEX" if digits.upper() == digits and digits.lower() != digits else "hex"


def is_readable(text: str) -> bool:
    """Whether a text has no control characters but blanks and line ends."""
    return text.isprintable() or text.replace("\n", "").replace("\t", "").replace("\r", "").isprintable()
