"""How the text of a cassette is laid out, so that sessions can be put in without parsing it and writing it anew."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from mmap import mmap

    Text: TypeAlias = bytes | mmap

SESSIONS: Final = re.compile(rb"^sessions:[ \t]*(?:#[^\n]*)?\n", re.MULTILINE)
"""The line that ends the head."""

_ITEM: Final = re.compile(rb"^( *)-(?= |\n)", re.MULTILINE)
_OTHER_KEY: Final = re.compile(rb"^[^-#\s]|^---", re.MULTILINE)
_MARGIN: Final = re.compile(rb"(?:^(?:#[^\n]*)?\n)+\Z", re.MULTILINE)


class Layout(NamedTuple):
    """Where in a file what stands: the head ends at `head`, the sessions at `tail`; other keys may follow.

    `indent` is how far the sessions are indented.
    """

    head: int
    tail: int
    indent: int


def find_layout(text: Text) -> Layout | None:
    """How a cassette is laid out; None where that cannot be told without parsing it."""
    lines = [*SESSIONS.finditer(text)]
    if len(lines) != 1 or text[-1:] != b"\n":
        return None
    head = lines[0].end()
    other = _OTHER_KEY.search(text, head)
    tail = other.start() if other else len(text)
    if other:
        margin = _MARGIN.search(text[head:tail])  # comments that stand above the key that follows
        tail = head + margin.start() if margin else tail
    item = _ITEM.search(text, head, tail)
    return Layout(head, tail, len(item[1]) if item else 0)
