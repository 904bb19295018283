"""The cassette out of its YAML. `cassettes/README.md` defines the format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from yaml.error import MarkedYAMLError, YAMLError

from mcpmock.cassette import fields
from mcpmock.cassette.entries import read_entry
from mcpmock.cassette.fields import Table, read_fields, read_items, reading
from mcpmock.cassette.model import FORMAT_VERSION, TRANSPORTS, Cassette, Entry, MatchRule, Session
from mcpmock.cassette.yaml_events import Document, Next, best_parser
from mcpmock.errors import CassetteError
from mcpmock.wire.message import Json


def load(data: bytes, *, path: str = "") -> Cassette:
    """The cassette in the bytes of a file; `path` is for errors, and kept in the cassette.

    Raises CassetteError, with the line, for whatever is wrong with it, and nothing else.
    """
    return load_with(best_parser(), data, path)


def load_with(parser: Callable[[bytes], Any], data: bytes, path: str = "") -> Cassette:
    """`load` with a parser of choice: libyaml's or PyYAML's own."""
    try:
        return _read(Document(data, path, parser), path)
    except YAMLError as error:
        raise _explain(error, path) from None
    except RecursionError:
        raise CassetteError("nested too deeply", path=path) from None


def _read(document: Document, path: str) -> Cassette:
    found = read_fields(document, document.begin(), document.following, _FILE)
    document.end()
    for key, hint in (("version", f"begin with `version: {FORMAT_VERSION}`"), ("sessions", "write `sessions:`")):
        if key not in found.values:
            raise document.error(f"a cassette needs `{key}:`", line=found.line, hint=hint)
    values = found.values
    return Cassette(
        tuple(values["sessions"]),
        tuple(values.get("match", ())),
        values.get("recorded_with", ""),
        values["version"],
        path,
    )


def _explain(error: YAMLError, path: str) -> CassetteError:
    mark = error.problem_mark if isinstance(error, MarkedYAMLError) else None
    return CassetteError(f"no YAML: {error}", path=path, line=mark.line + 1 if mark else 0)


def _read_session(document: Document, event: Any, following: Next) -> Session:
    found = read_fields(document, event, following, _SESSION)
    values = found.values
    if "entries" not in values:
        raise document.error("a session needs `entries:`", line=found.line)
    return Session(
        _timed(values["entries"], values.get("timing", ())),
        values.get("server", ""),
        values.get("transport", "stdio"),
        values.get("command", ()),
        values.get("env", ()),
        values.get("url", ""),
        found.line,
    )


def _timed(entries: list[Entry], times: tuple[int, ...]) -> tuple[Entry, ...]:
    """The entries with their times; times that do not fit, after an edit by hand, count for nothing."""
    if len(times) != len(entries):
        return tuple(entries)
    return tuple([Entry._make((*entry[:-1], at)) for entry, at in zip(entries, times, strict=True)])


def _read_entries(document: Document, event: Any, following: Next) -> list[Entry]:
    return read_items(document, event, following, read_entry, "`entries:`")


def _read_sessions(document: Document, event: Any, following: Next) -> list[Session]:
    return read_items(document, event, following, _read_session, "`sessions:`")


def _read_match(document: Document, event: Any, following: Next) -> list[MatchRule]:
    return read_items(document, event, following, _read_rule, "`match:`")


def _read_rule(document: Document, event: Any, following: Next) -> MatchRule:
    found = read_fields(document, event, following, _RULE)
    return MatchRule(**found.values)


def _version(value: Json) -> int:
    if value != FORMAT_VERSION or type(value) is not int:
        raise ValueError(f"version {value!r} is not known here; this mcpmock reads version {FORMAT_VERSION}")
    return value


def _times(value: Json) -> tuple[int, ...]:
    if type(value) is not list or not all(type(at) is int for at in value):
        raise ValueError("`timing:` wants a list of milliseconds, whole numbers")
    return tuple(at for at in value if isinstance(at, int))


_RULE: Final = Table(
    "a rule of `match:`",
    {"method": reading(fields.text), "name": reading(fields.text), "ignore": reading(fields.pointers)},
)

_SESSION: Final = Table(
    "a session",
    {
        "server": reading(fields.text),
        "transport": reading(fields.one_of(*TRANSPORTS)),
        "command": reading(fields.texts),
        "env": reading(fields.pairs),
        "url": reading(fields.text),
        "entries": _read_entries,
        "timing": reading(_times),
    },
)

_FILE: Final = Table(
    "a cassette",
    {
        "version": reading(_version),
        "recorded_with": reading(fields.text),
        "match": _read_match,
        "sessions": _read_sessions,
    },
)
