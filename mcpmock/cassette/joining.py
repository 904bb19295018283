"""Pieces of text out of which a cassette is put together: heads, sessions, what a killed recorder has left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mcpmock import __version__
from mcpmock.cassette.layout import SESSIONS
from mcpmock.cassette.model import Cassette
from mcpmock.cassette.reader import load
from mcpmock.cassette.writer import dump, dump_head
from mcpmock.errors import CassetteError

RECORDED_WITH: Final = f"mcpmock {__version__}"
"""What the head of a cassette says that we have made."""

_RECORDED_WITH: Final = re.compile(rb"^recorded_with:[^\n]*$", re.MULTILINE)
_ENTRIES: Final = re.compile(rb"^(?:  |- )entries:", re.MULTILINE)
_ENTRY: Final = re.compile(rb"^  -(?=[ \n]|\Z)", re.MULTILINE)


def indented(block: bytes, indent: int) -> bytes:
    """Whole lines, further to the right."""
    return re.sub(rb"^(?=[^\n])", b" " * indent, block, flags=re.MULTILINE) if indent else block


def renewed_head(head: bytes) -> bytes:
    """A head, up to `sessions:`, that names who records now, if it names anybody; all else in it stays."""
    return _RECORDED_WITH.sub(lambda _: b"recorded_with: " + RECORDED_WITH.encode(), head, count=1)


def fresh_head() -> bytes:
    """The head of a cassette that is new."""
    return dump_head(Cassette(recorded_with=RECORDED_WITH)).encode()


def head_of(old: bytes) -> bytes:
    """The head of a cassette that is laid out in some other way: what it says, though not its comments.

    Raises CassetteError if it is none.
    """
    return dump_head(load(old)._replace(recorded_with=RECORDED_WITH)).encode()


def rewritten(old: bytes) -> bytes:
    """A cassette in our own layout. Raises CassetteError if it is none."""
    return dump(load(old)).encode()


def mend(part: bytes) -> bytes:
    """A part file without what its recorder, when it was killed, had not written whole.

    That begins with a zero byte (see `part_file.PartFile`). A file that was torn by something else is cut back until it
    can be read. Raises CassetteError if it is no part file at all.
    """
    part = part.partition(b"\0")[0]
    while True:
        try:
            load(part)
        except CassetteError as error:
            cut = _last_entry_before(part, error.line)
            if cut is None:
                raise
            part = part[:cut]
        else:
            return part


def _last_entry_before(part: bytes, line: int) -> int | None:
    """Where the entry begins that holds a line, or is the last one before it."""
    end = sum(len(text) + 1 for text in part.split(b"\n")[:line])
    starts = [start for start in _entry_starts(part) if start < end]
    return starts[-1] if starts else None


def _entry_starts(text: bytes) -> Iterator[int]:
    """Where the entries begin in a text that holds one session; the words of a long command look like them."""
    entries = _ENTRIES.search(text)
    if entries:
        for match in _ENTRY.finditer(text, entries.end()):
            yield match.start()


def session_text(part: bytes) -> bytes:
    """The session in a part file, from `- server:` on; nothing if it has no entry."""
    line = SESSIONS.search(part)
    return part[line.end() :] if line and any(True for _ in _entry_starts(part)) else b""


def count_entries(session: bytes) -> int:
    """How many entries the text of a session has."""
    return sum(1 for _ in _entry_starts(session))
