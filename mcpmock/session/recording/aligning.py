"""A new recording in the words of the old one: what is the same is copied as text, with the comments above it.

So a review of a re-recorded cassette shows what the server has changed, and nothing else. Ids, tokens and times of the
old recording stay with what is copied; what is new gets ids that fit in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.writer import dump_entry, dump_redacted, dump_session_head, dump_timing
from mcpmock.errors import CassetteError
from mcpmock.session.events import event_numbers
from mcpmock.session.recording.likeness import Likeness, Likenesses
from mcpmock.session.recording.renumbering import Renumbering

__all__ = ["aligned_sessions"]

_ENTRY = "  - "
_BEHIND = ("  redacted:", "  timing:")


class _Written(NamedTuple):
    """A session as it stands in a file: its head, its entries with the comments above them, what follows them."""

    head: str
    entries: list[str]
    tail: str


def aligned_sessions(old: Cassette, old_text: str, new: Cassette, new_texts: Sequence[str]) -> list[str]:
    """The texts of the new sessions, each in the words of the old session of the same server in the same place.

    `new_texts` are those that the recorder wrote; where something does not fit together, they stay as they are.
    """
    waiting: dict[str, list[int]] = {}
    for number, session in enumerate(old.sessions):
        waiting.setdefault(session.server, []).append(number)
    lines = old_text.splitlines(keepends=True)
    texts: list[str] = []
    for session, text in zip(new.sessions, new_texts, strict=True):
        numbers = waiting.get(session.server)
        if numbers:
            number = numbers.pop(0)
            written = _written(lines, old, number)
            text = _aligned(old, old.sessions[number], written, session) or text if written else text
        texts.append(text)
    return texts


def _aligned(old: Cassette, before: Session, written: _Written, after: Session) -> str | None:
    """The text of one session; None where it would not say what was recorded."""
    likeness = Likenesses(before, old.match), Likenesses(after, old.match)
    places = {one: at for at, one in enumerate(likeness[0].of_entries)}
    found = [places.get(one) for one in likeness[1].of_entries]
    head = written.head if _head_of(before) == _head_of(after) else dump_session_head(after)
    if found == list(range(len(before.entries))):
        return head + "".join(written.entries) + written.tail
    renumbering = Renumbering(likeness[0].events, likeness[1], _same_events(before, after, found))
    entries = [
        written.entries[place] if place is not None else dump_entry(renumbering.entry(after.entries[at]))
        for at, place in enumerate(found)
    ]
    text = head + "".join(entries) + dump_redacted(after.redacted) + _timing(after.entries)
    return text if _says(text, likeness[1].of_entries, old) else None


def _same_events(before: Session, after: Session, found: Sequence[int | None]) -> dict[int, int]:
    """The number of the old event for the number of each new one in an entry that is copied."""
    old = list(event_numbers(before.entries))
    same: dict[int, int] = {}
    for new, place in zip(event_numbers(after.entries), found, strict=True):
        if place is not None:
            same.update(zip(new, old[place], strict=True))
    return same


def _says(text: str, likenesses: Sequence[Likeness], old: Cassette) -> bool:
    """Whether a text says what was recorded, in its order."""
    try:
        session = load(f"version: 1\nsessions:\n{text}".encode()).sessions[0]
    except CassetteError:
        return False
    return Likenesses(session, old.match).of_entries == list(likenesses)


def _timing(entries: Sequence[Entry]) -> str:
    times = [entry.at for entry in entries if entry.at is not None]
    return dump_timing(times) if len(times) == len(entries) else ""


def _head_of(session: Session) -> tuple[object, ...]:
    return session.server, session.transport, session.command, session.env, session.url, session.http


# -- the old text, cut into pieces


def _written(lines: Sequence[str], old: Cassette, number: int) -> _Written | None:
    """A session as it is written; None where it is not laid out as we do it."""
    session = old.sessions[number]
    starts = [entry.line - 1 for entry in session.entries]
    if not starts or not all(lines[start].startswith(_ENTRY) for start in starts):
        return None
    if len(set(starts)) < len(starts) or not lines[session.line - 1].startswith("- "):
        return None
    following = old.sessions[number + 1].line - 1 if number + 1 < len(old.sessions) else len(lines)
    end = next(_ends(lines, starts[-1] + 1, _above(lines, following) if following < len(lines) else following))
    cuts = [*(_above(lines, start) for start in starts), end]
    entries = ["".join(lines[start:stop]) for start, stop in pairwise(cuts)]
    tail_end = _above(lines, following) if following < len(lines) else _session_end(lines, end)
    head = "".join(lines[_above(lines, session.line - 1) : cuts[0]])
    return _Written(head, entries, "".join(lines[end:tail_end]))


def _above(lines: Sequence[str], start: int) -> int:
    """Where the comments begin that stand right above a line."""
    while start and lines[start - 1].lstrip(" ").startswith("#") and not lines[start - 1].startswith("   "):
        start -= 1
    return start


def _ends(lines: Sequence[str], start: int, stop: int) -> Iterator[int]:
    """Where the entries end: at `redacted:` or `timing:`, or where the session does."""
    for at in range(start, stop):
        if lines[at].startswith(_BEHIND) or (lines[at][:1] not in (" ", "\n", "#") and lines[at].strip()):
            yield at
    yield stop


def _session_end(lines: Sequence[str], start: int) -> int:
    """Where the last session ends: at a key of the file that stands behind the sessions."""
    at = start
    while at < len(lines) and lines[at][:1] in (" ", "\n"):
        at += 1
    return at
