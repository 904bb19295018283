"""Private keys in PEM and PGP armour, in one text or line by line."""

from __future__ import annotations

import re
from typing import Final

from mcpmock.cassette.patterns import PLACEHOLDER

__all__ = ["PRIVATE_KEY", "begins_key", "key_line"]

PRIVATE_KEY: Final = (
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    r"(?=[\s\\nr]*(?:[A-Za-z0-9+/]{16}|[A-Z][A-Za-z-]+: ))[A-Za-z0-9+/=\s\\:,.-]*?"
    r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|(?![A-Za-z0-9+/=\s\\:,.-]))"
)
"""The pattern of a PEM or PGP private key, to its end, or to where it breaks off."""

_KEY_BEGIN: Final = r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_KEY_LINE: Final = r"\s*((?:[A-Za-z0-9+/=]+|[A-Z][A-Za-z-]+: .*|-----END .*|)?)\s*"


def begins_key(text: str) -> bool:
    """Whether a private key begins in a text, and neither ends nor is masked there."""
    begin = text.rfind("-----BEGIN ")
    if begin <= text.rfind("-----END ") or re.match(_KEY_BEGIN, text[begin:]) is None:
        return False
    return PLACEHOLDER.search(text, begin) is None


def key_line(text: str) -> tuple[int, int] | None:
    """Where the key stands in a line that goes on with, or ends, a private key from the lines before; else None."""
    line = re.fullmatch(_KEY_LINE, text)
    return line.span(1) if line else None
