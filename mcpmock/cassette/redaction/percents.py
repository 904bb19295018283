"""Texts within a text that are percent-encoded (RFC 3986 section 2.1), as in the query of a URL: found and decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["Percented", "percented"]

_RUN: Final = r"[^\s\"'<>\\]+"
_ASCII: Final = re.compile(r"%[2-7][0-9A-Fa-f]")  # bytes of other letters stay as they are: they border nothing


class Percented(NamedTuple):
    """What a run says, and where in the text each of its letters begins, and the last one ends."""

    text: str
    places: list[int]


def percented(text: str) -> Iterator[Percented]:
    """The runs of a text in which something is percent-encoded, decoded once."""
    for run in re.finditer(_RUN, text) if "%" in text else ():
        letters: list[str] = []
        places: list[int] = []
        done = run.start()
        for found in _ASCII.finditer(text, *run.span()):
            letters += [text[done : found.start()], chr(int(found[0][1:], 16))]
            places += range(done, found.start() + 1)
            done = found.end()
        if letters:
            yield Percented("".join([*letters, text[done : run.end()]]), [*places, *range(done, run.end() + 1)])
