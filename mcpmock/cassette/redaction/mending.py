"""Takes the secrets out of a cassette that exists. What holds none stays as it is written, with its comments.

A text is changed where the secret stands in it, if that does it; else the entry is written anew; and if the file is
laid out as we do not write, all of it. In every case the result is read again and must say what it should.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mcpmock.cassette.model import Cassette, Entry, HttpFact, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.redaction.mirrored import masked_mirror
from mcpmock.cassette.redaction.patching import candidates, changes, lines_of
from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.cassette.redaction.rules import NO_RULES, RedactionRules
from mcpmock.cassette.writer import dump
from mcpmock.errors import CassetteError
from mcpmock.wire.message import Missing

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
    changed = sum(len(changes(before, after)) for before, after in zip(old.sessions, wanted.sessions, strict=True))
    comments = Redactor(rules=rules)
    for _ in range(2):
        clean = "".join(_without_secrets(line, comments) for line in lines_of(text))
    if not changed:
        return Mended(clean if _says(clean, old) else text, counts, 0)
    for candidate in candidates(clean, old, wanted):
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

    return masked_mirror(name, value, (), message=redactor.message, text=text, counts=redactor.counts)


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


def _without_secrets(line: str, redactor: Redactor) -> str:
    """A line of its own that is a comment, without secrets; any other line as it is."""
    return redactor.text(line) if line.lstrip(" ").startswith("#") else line


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
