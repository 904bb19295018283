"""Puts changed entries into the text of a cassette, and leaves all around them as it is written, comments included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.writer import dump_entry, dump_redacted
from mcpmock.errors import CassetteError
from mcpmock.wire.message import Json, Message

__all__ = ["candidates", "changes", "lines_of"]


def candidates(text: str, old: Cassette, wanted: Cassette) -> Iterator[str]:
    """Texts that may say what is wanted, the closest to the old one first."""
    lines = lines_of(text)
    for writes_anew in (False, True):
        pieces = _pieces(lines, old, wanted, writes_anew=writes_anew)
        if pieces is not None:
            yield "".join(pieces)


def changes(before: Session, after: Session) -> list[int]:
    """The numbers of the entries that differ; -1 for the head."""
    heads = [session._replace(entries=(), redacted=()) for session in (before, after)]
    head = [-1] if heads[0] != heads[1] else []
    return head + [at for at, (old, new) in enumerate(zip(before.entries, after.entries, strict=True)) if old != new]


def lines_of(text: str) -> list[str]:
    """The lines as a reader counts them, each with its end."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _pieces(lines: Sequence[str], old: Cassette, wanted: Cassette, *, writes_anew: bool) -> list[str] | None:
    """The text, line group by line group: heads, entries, and what stands between them."""
    pieces: list[str] = []
    done = 0
    for number, (before, after) in enumerate(zip(old.sessions, wanted.sessions, strict=True)):
        following = old.sessions[number + 1].line - 1 if number + 1 < len(old.sessions) else len(lines)
        starts = [entry.line - 1 for entry in before.entries]
        cuts = [before.line - 1, *starts, _end(lines, starts[-1] if starts else before.line - 1, following)]
        changed = set(changes(before, after))
        pieces += lines[done : cuts[0]]
        for at, (start, stop) in enumerate(pairwise(cuts), -1):
            piece = "".join(lines[start:stop])
            patched = _patched(piece, before, after, at, writes_anew=writes_anew) if at in changed else piece
            if patched is None:
                return None
            pieces.append(patched)
        rest = lines[cuts[-1] : following]
        pieces += _with_counts(rest, after, indent=_indent_of(lines, before)) if changed else rest
        done = following
    return [*pieces, *lines[done:]]


def _patched(piece: str, before: Session, after: Session, at: int, *, writes_anew: bool) -> str | None:
    """The lines of entry `at` (-1: of the head) as they are to be; None where they cannot be written anew."""
    values = _values(before, after) if at < 0 else _pairs(before.entries[at], after.entries[at])
    mended = _replaced(piece, values)
    if not writes_anew or at < 0 or _says_entry(mended, after.entries[at]):
        return mended
    return dump_entry(after.entries[at]) + _comments_behind(piece) if piece.startswith("  - ") else None


def _end(lines: Sequence[str], start: int, stop: int) -> int:
    """Where the last entry ends: at a key of the session, or where the session does."""
    indent = len(lines[start]) - len(lines[start].lstrip(" "))
    for at in range(start + 1, stop):
        text = lines[at].lstrip(" ")
        if text.strip() and not text.startswith("#") and len(lines[at]) - len(text) < indent + text.startswith("- "):
            return at
        if text.startswith(("redacted:", "timing:")) and len(lines[at]) - len(text) <= indent:
            return at
    return stop


def _indent_of(lines: Sequence[str], session: Session) -> str:
    line = lines[session.line - 1]
    return " " * (len(line) - len(line.lstrip(" ")) + 2)


def _with_counts(rest: Sequence[str], session: Session, *, indent: str) -> list[str]:
    """What stands behind the entries, with what says how often something was masked."""
    told = lines_of(dump_redacted(session.redacted))
    return [*(f"{indent[2:]}{line}" for line in told), *_without_counts(rest, indent)]


def _without_counts(rest: Sequence[str], indent: str) -> Iterator[str]:
    is_within = False
    for line in rest:
        is_within = line.startswith(f"{indent}redacted:") or (is_within and line.startswith(f"{indent} "))
        if not is_within:
            yield line


def _comments_behind(piece: str) -> str:
    """Comments at the end of an entry's lines, which belong to the entry that follows."""
    lines = lines_of(piece)
    at = len(lines)
    while at > 1 and (not lines[at - 1].strip() or lines[at - 1].startswith(("  #", "#", "    #"))):
        at -= 1
    return "".join(lines[at:])


def _replaced(piece: str, values: Mapping[str, str]) -> str:
    for old, new in sorted(values.items(), key=lambda pair: -len(pair[0])):
        piece = piece.replace(old, new)
    return piece


def _values(before: Session, after: Session) -> dict[str, str]:
    heads = [[*session.command, *(value for _, value in session.env), session.url] for session in (before, after)]
    return _spans(zip(*heads, strict=True))


def _pairs(before: Entry, after: Entry) -> dict[str, str]:
    """The parts of strings that differ, each with what it became."""
    changed: list[tuple[str, str]] = []
    if isinstance(before.text, str) and isinstance(after.text, str):
        changed.append((before.text, after.text))
    messages = [*zip(before.messages, after.messages, strict=True)]
    if before.answer and after.answer:
        messages.append((before.answer, after.answer))
    for old, new in messages:
        changed += _strings(_content(old, new), _content(new, old))
    return _spans(changed)


def _content(message: Message, other: Message) -> Json:
    return message.text if message.text is not None and other.text is not None else message.body


def _strings(before: Json, after: Json) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[Json, Json]] = [(before, after)]
    while waiting:
        old, new = waiting.pop()
        if isinstance(old, dict) and isinstance(new, dict):
            waiting += zip(old, new, strict=False)
            waiting += zip(old.values(), new.values(), strict=False)
        elif isinstance(old, list) and isinstance(new, list):
            waiting += zip(old, new, strict=False)
        elif isinstance(old, str) and isinstance(new, str) and old != new:
            yield old, new


def _spans(changed: Iterator[tuple[str, str]] | Sequence[tuple[str, str]]) -> dict[str, str]:
    """What of the strings was replaced by what: without the beginnings and ends that they have in common."""
    spans: dict[str, str] = {}
    for old, new in changed:
        for before, after in _line_pairs(old, new):
            start = 0
            while start < min(len(before), len(after)) and before[start] == after[start]:
                start += 1
            end = 0
            while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
                end += 1
            if before != after and len(before) - end > start:
                spans[before[start : len(before) - end]] = after[start : len(after) - end]
    return spans


def _line_pairs(old: str, new: str) -> Iterator[tuple[str, str]]:
    before, after = old.split("\n"), new.split("\n")
    yield from zip(before, after, strict=True) if len(before) == len(after) else ((old, new),)


def _says_entry(piece: str, wanted: Entry) -> bool:
    try:
        found = load(f"version: 1\nsessions:\n- entries:\n{piece}".encode()).sessions[0].entries
    except (CassetteError, IndexError):
        return False
    return len(found) == 1 and _plain(found[0]) == _plain(wanted)


def _plain(entry: Entry) -> Entry:
    return entry._replace(line=0, at=None)
