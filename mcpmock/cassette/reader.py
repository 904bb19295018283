"""The cassette out of its YAML. `cassettes/README.md` defines the format.

Two stages: the tree of what the file says, then what it means. Where anything is wrong, or merely unusual, the tree
comes from YAML events, which know the line of everything.
"""

from __future__ import annotations

from typing import Any, Final

from mcpmock.cassette import schema
from mcpmock.cassette.entries import entry_from
from mcpmock.cassette.model import FORMAT_VERSION, TRANSPORTS, Cassette, Entry, HttpNorm, MatchRule, Session
from mcpmock.cassette.quick import read_quickly
from mcpmock.cassette.schema import Table
from mcpmock.cassette.tree import FILE, RULE, SESSION, Branch
from mcpmock.errors import CassetteError
from mcpmock.wire.message import Json


def load(data: bytes, *, path: str = "") -> Cassette:
    """The cassette in the bytes of a file; `path` is for errors, and kept in the cassette.

    Raises CassetteError, with the line, for whatever is wrong with it, and nothing else.
    """
    try:
        return (_quickly(data) or _by_events(data, path))._replace(path=path)
    except CassetteError as error:
        raise _harmless(error) from None


def _harmless(error: CassetteError) -> CassetteError:
    """The error without what looks like a secret in the words that it quotes."""
    from mcpmock.cassette.redaction.redactor import Redactor

    clean = Redactor().text
    problem, hint = clean(error.problem), clean(error.hint)
    if (problem, hint) == (error.problem, error.hint):
        return error
    return CassetteError(problem, path=error.path, line=error.line, hint=hint, is_torn=error.is_torn)


def _quickly(data: bytes) -> Cassette | None:
    tree = read_quickly(data)
    try:
        return tree and cassette_from(tree)
    except CassetteError:
        return None  # the events know the line


def _by_events(data: bytes, path: str) -> Cassette:
    from mcpmock.cassette.events_reader import read_events  # the import of yaml takes longer than most cassettes

    return read_events(data, cassette_from, path=path)


def cassette_from(tree: Branch) -> Cassette:
    """What a tree means. Raises CassetteError, with the line where the tree knows lines."""
    _check_version(tree)
    values = schema.checked(tree, FILE_KEYS)
    if "sessions" not in values:
        raise tree.error("a cassette needs `sessions:`", hint="the list may be empty")
    sessions = tuple(map(_session, values["sessions"]))
    return Cassette(sessions, values.get("match", ()), values.get("recorded_with", ""), values["version"])


def _check_version(tree: Branch) -> None:
    """First of all: in a file of another version, keys may well be unknown."""
    if "version" not in tree.members:
        raise tree.error("a cassette needs `version:`", hint=f"begin it with `version: {FORMAT_VERSION}`")
    version = tree.members["version"]
    if type(version) is int and version > FORMAT_VERSION:
        hint = f"it was written by a newer mcpmock; this one reads version {FORMAT_VERSION}: upgrade it"
        raise tree.error(f"version {version} is unknown here", "version", hint=hint)
    if type(version) is not int or version != FORMAT_VERSION:
        raise tree.error(f"there is no version {version!r}", "version", hint=f"write `version: {FORMAT_VERSION}`")


def _session(branch: Branch) -> Session:
    values = schema.checked(branch, SESSION_KEYS)
    if "entries" not in values:
        raise branch.error("a session needs `entries:`", hint="the list may be empty")
    entries = list(map(entry_from, values.pop("entries")))
    return Session(entries=_timed(entries, values.pop("timing", ())), line=branch.line, **values)


def _timed(entries: list[Entry], times: tuple[int, ...]) -> tuple[Entry, ...]:
    """The entries with their times; times that do not fit, after an edit by hand, count for nothing."""
    if len(times) != len(entries):
        return tuple(entries)
    return tuple([Entry._make((*entry[:-1], at)) for entry, at in zip(entries, times, strict=True)])


def _times(value: Json) -> tuple[int, ...]:
    if type(value) is not list or not all(type(at) is int and -LATEST <= at <= LATEST for at in value):
        raise ValueError("wants a list of milliseconds, whole numbers of at most 2**53")
    return tuple(value)  # type: ignore[arg-type]  # checked in the line above


LATEST: Final = 2**53
"""Milliseconds that a moment can still be told by."""


def _norm(value: Any) -> HttpNorm:
    from mcpmock.cassette import http_facts  # spares what is played over stdio the tables

    return http_facts.norm_from(value)


def _branches(value: list[Branch]) -> list[Branch]:
    return value


RULE_KEYS: Final = Table(
    RULE.what, {"method": schema.name, "name": schema.name, "ignore": schema.pointers}, reserved=("*",)
)
"""The keys of a rule."""

_take_rule: Final = schema.within(RULE_KEYS)


def _rule(value: Any) -> MatchRule:
    return MatchRule(**_take_rule(value))


SESSION_KEYS: Final = Table(
    SESSION.what,
    {
        "server": schema.name,
        "transport": schema.one_of(*TRANSPORTS),
        "command": schema.strings,
        "env": schema.string_pairs,
        "url": schema.name,
        "http": _norm,
        "entries": _branches,
        "redacted": schema.counts,
        "timing": _times,
    },
)
"""The keys of a session."""

FILE_KEYS: Final = Table(
    FILE.what,
    {
        "version": schema.whole_number(1),
        "recorded_with": schema.name,
        "match": schema.list_of(_rule),
        "sessions": _branches,
    },
)
"""The keys of a file."""
