"""Takes the secrets out of a cassette that exists. What holds none stays as it is written, with its comments.

A text is changed where the secret stands in it, if that does it; else the entry is written anew; and if the file is
laid out as we do not write, all of it. In every case the result is read again and must say what it should.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from mcpmock.cassette.model import Cassette, Entry, HttpFact, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.redaction.mirrored import masked_mirror
from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.cassette.redaction.rules import NO_RULES, RedactionRules
from mcpmock.cassette.writer import dump, dump_entry, dump_redacted
from mcpmock.errors import CassetteError
from mcpmock.wire.message import Json, Message, Missing

__all__ = ["Mended", "mend", "redacted_cassette", "redacted_entry", "redacted_http"]


class Mended(NamedTuple):
    """A cassette without its secrets: the text, how often which rule has masked something, and how many entries (and
    heads of sessions) are changed; `keeps_layout` unless all of it had to be written anew, without comments."""

    text: str
    counts: Mapping[str, int]
    changed: int
    keeps_layout: bool = True


def mend(text: str, *, path: str = "", rules: RedactionRules = NO_RULES) -> Mended:
    """The text of a cassette without its secrets; the same text if it holds none. Raises CassetteError."""
    if "\r\n" in text and text.count("\r\n") == text.count("\n"):  # as some checkouts have it; it stays so
        mended = mend(text.replace("\r\n", "\n"), path=path, rules=rules)
        return mended._replace(text=mended.text.replace("\n", "\r\n"))
    old = load(text.encode(), path=path)
    wanted, counts = redacted_cassette(old, rules)
    changed = sum(len(_changes(before, after)) for before, after in zip(old.sessions, wanted.sessions, strict=True))
    comments = Redactor(rules=rules)
    for _ in range(2):
        clean = "".join(_without_secrets(line, comments) for line in _lines_of(text))
    if not changed:
        return Mended(clean if _says(clean, old) else text, counts, 0)
    for candidate in _candidates(clean, old, wanted):
        if _says(candidate, wanted):
            return Mended(candidate, counts, changed)
    return Mended(dump(wanted), counts, changed, keeps_layout=False)


def redacted_cassette(cassette: Cassette, rules: RedactionRules = NO_RULES) -> tuple[Cassette, dict[str, int]]:
    """A cassette without its secrets, and how often which rule has masked something.

    What is a secret by its name at the end is one at the beginning, too: so it is gone through twice.
    """
    redactor = Redactor(rules=rules)
    for _ in range(2):
        before = dict(redactor.counts)
        sessions = []
        for session in cassette.sessions:
            start = dict(redactor.counts)
            clean = _session(session, redactor)
            masked = _more(redactor.counts, start)
            sessions.append(clean._replace(redacted=_added(session.redacted, masked)))
    return cassette._replace(sessions=tuple(sessions)), _more(redactor.counts, before)


def redacted_entry(entry: Entry, redactor: Redactor) -> Entry:
    """An entry without its secrets."""
    messages = tuple(map(redactor.message, entry.messages))
    answer = entry.answer and redactor.message(entry.answer)
    text = redactor.text(entry.text) if isinstance(entry.text, str) else redactor.data(entry.text)
    http = entry.http and redacted_http(entry.http, redactor)
    return entry._replace(messages=messages, answer=answer, text=text, http=http)


def redacted_http(fact: HttpFact, redactor: Redactor) -> HttpFact:
    """What HTTP adds to an entry, without secrets."""
    body = fact.body
    if isinstance(body, bytes):
        body = redactor.data(body)
    elif not isinstance(body, Missing):
        body = redactor.value(body)
    headers = tuple((name, redactor.header(name, value)) for name, value in fact.headers)
    sent = tuple((name, value and _mirror(name, value, redactor)) for name, value in fact.sent)
    return fact._replace(path=redactor.url(fact.path), headers=headers, sent=sent, body=body)


def _mirror(name: str, value: str, redactor: Redactor) -> str:
    def text(value: str) -> str:
        return redactor.header(name, value)

    return masked_mirror(name, value, (), message=redactor.message, text=text)


def _session(session: Session, redactor: Redactor) -> Session:
    command, env = redactor.command(session.command), redactor.env(session.env)
    entries = tuple(redacted_entry(entry, redactor) for entry in session.entries)
    return session._replace(command=command, env=env, url=redactor.url(session.url), entries=entries)


def _more(after: Mapping[str, int], before: Mapping[str, int]) -> dict[str, int]:
    return {rule: number - before.get(rule, 0) for rule, number in after.items() if number > before.get(rule, 0)}


def _added(old: Sequence[tuple[str, int]], new: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    counts = dict(old)
    for rule, number in new.items():
        counts[rule] = counts.get(rule, 0) + number
    return tuple(sorted(counts.items()))


# -- the text


def _lines_of(text: str) -> list[str]:
    """The lines as a reader counts them, each with its end."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _without_secrets(line: str, redactor: Redactor) -> str:
    """A line of its own that is a comment, without secrets; any other line as it is."""
    return redactor.text(line) if line.lstrip(" ").startswith("#") else line


def _changes(before: Session, after: Session) -> list[int]:
    """The numbers of the entries that differ; -1 for the head."""
    heads = [session._replace(entries=(), redacted=()) for session in (before, after)]
    head = [-1] if heads[0] != heads[1] else []
    return head + [at for at, (old, new) in enumerate(zip(before.entries, after.entries, strict=True)) if old != new]


def _candidates(text: str, old: Cassette, wanted: Cassette) -> Iterator[str]:
    """Texts that may say what is wanted, the closest to the old one first."""
    lines = _lines_of(text)
    for writes_anew in (False, True):
        pieces = _pieces(lines, old, wanted, writes_anew=writes_anew)
        if pieces is not None:
            yield "".join(pieces)


def _pieces(lines: Sequence[str], old: Cassette, wanted: Cassette, *, writes_anew: bool) -> list[str] | None:
    """The text, line group by line group: heads, entries, and what stands between them."""
    pieces: list[str] = []
    done = 0
    for number, (before, after) in enumerate(zip(old.sessions, wanted.sessions, strict=True)):
        following = old.sessions[number + 1].line - 1 if number + 1 < len(old.sessions) else len(lines)
        starts = [entry.line - 1 for entry in before.entries]
        cuts = [before.line - 1, *starts, _end(lines, starts[-1] if starts else before.line - 1, following)]
        changes = set(_changes(before, after))
        pieces += lines[done : cuts[0]]
        for at, (start, stop) in enumerate(pairwise(cuts), -1):
            piece = "".join(lines[start:stop])
            if at in changes:
                values = _values(before, after) if at < 0 else _pairs(before.entries[at], after.entries[at])
                mended = _replaced(piece, values)
                if writes_anew and at >= 0 and not _says_entry(mended, after.entries[at]):
                    if not piece.startswith("  - "):
                        return None
                    mended = dump_entry(after.entries[at]) + _comments_behind(piece)
                piece = mended
            pieces.append(piece)
        rest = lines[cuts[-1] : following]
        pieces += _with_counts(rest, after, indent=_indent_of(lines, before)) if changes else rest
        done = following
    return [*pieces, *lines[done:]]


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
    told = _lines_of(dump_redacted(session.redacted))
    return [*(f"{indent[2:]}{line}" for line in told), *_without_counts(rest, indent)]


def _without_counts(rest: Sequence[str], indent: str) -> Iterator[str]:
    is_within = False
    for line in rest:
        is_within = line.startswith(f"{indent}redacted:") or (is_within and line.startswith(f"{indent} "))
        if not is_within:
            yield line


def _comments_behind(piece: str) -> str:
    """Comments at the end of an entry's lines, which belong to the entry that follows."""
    lines = _lines_of(piece)
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


def _says(text: str, wanted: Cassette) -> bool:
    try:
        found = load(text.encode())
    except CassetteError:
        return False
    return _bare(found) == _bare(wanted)


def _bare(cassette: Cassette) -> Cassette:
    sessions = (
        session._replace(line=0, entries=tuple(entry._replace(line=0) for entry in session.entries))
        for session in cassette.sessions
    )
    return cassette._replace(sessions=tuple(sessions), path="")
