"""A file's content out of YAML events: branches with their lines above, JSON values below."""

from __future__ import annotations

from typing import Any, Final

from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from mcpmock.cassette.scalars import CONSTANTS, NUMBER_STARTS, resolve
from mcpmock.cassette.tree import FILE, Branch, Level
from mcpmock.cassette.yaml_events import DEEPEST, Document, Next, line_of
from mcpmock.wire.message import Json, Object


def read_tree(document: Document) -> Branch:
    """The whole document. Raises CassetteError and YAMLError."""
    tree = _read_branch(document, document.begin(), document.following, FILE)
    document.end()
    return tree


def _read_branch(document: Document, event: Any, following: Next, level: Level) -> Branch:
    line = line_of(event)
    event, following = _node(document, event, following)
    if event.__class__ is not MappingStartEvent:
        raise document.error(f"{level.what} must be a mapping", line=line, hint=level.example)
    members: dict[str, Any] = {}
    lines: dict[str, int] = {}
    while (event := following()).__class__ is not MappingEndEvent:
        key = _read_key(document, event, following)
        if key in members:
            raise _twice(document, key, event)
        if key == _MERGE:
            raise _merged(document, event)
        lines[key] = line_of(event)
        if key in level.lists:
            members[key] = _read_branches(document, following(), following, key, level.lists[key])
        elif key in level.mappings:
            members[key] = _read_branch(document, following(), following, level.mappings[key])
        else:
            members[key] = read_value(document, following(), following)
    return Branch(members, line, lines)


def _read_branches(document: Document, event: Any, following: Next, key: str, level: Level) -> list[Branch]:
    """The list behind a key; nothing at all is the empty list."""
    event, following = _node(document, event, following)
    if event.__class__ is ScalarEvent and not event.value and not event.style:
        return []
    if event.__class__ is not SequenceStartEvent:
        raise document.error(f"`{key}:` must be a list", event, hint=level.example)
    branches = []
    while (event := following()).__class__ is not SequenceEndEvent:
        branches.append(_read_branch(document, event, following, level))
    return branches


def _node(document: Document, event: Any, following: Next) -> tuple[Any, Next]:
    if event.anchor is None and event.tag is None:
        return event, following
    return document.node(event, following)


def read_value(document: Document, event: Any, following: Next, depth: int = 0) -> Json:
    """The JSON value that begins with `event`."""
    kind = event.__class__
    if event.anchor is not None or event.tag is not None:
        return read_value(document, *document.node(event, following), depth)
    if kind is ScalarEvent:
        return event.value if event.style else _plain(document, event)
    if depth >= DEEPEST:
        raise document.too_deep(event)
    read = _read_mapping if kind is MappingStartEvent else _read_sequence
    return read(document, following, depth + 1)


def _read_mapping(document: Document, following: Next, depth: int) -> Object:
    """The members that follow a mapping's start, up to its end. Here loading spends its time."""
    members: Object = {}
    while True:
        event = following()
        if event.__class__ is MappingEndEvent:
            return members
        if event.__class__ is not ScalarEvent or event.anchor is not None or event.tag is not None or not event.value:
            key = _read_key(document, event, following)
        else:
            key = event.value
        if key in members:
            raise _twice(document, key, event)
        event = following()
        if event.__class__ is not ScalarEvent or event.anchor is not None or event.tag is not None:
            if key == _MERGE and event.__class__ is AliasEvent:
                raise _merged(document, event)
            members[key] = read_value(document, event, following, depth)
        elif event.style or ((word := event.value) not in CONSTANTS and word[0] not in NUMBER_STARTS):
            members[key] = event.value
        else:
            members[key] = _plain(document, event)


def _read_sequence(document: Document, following: Next, depth: int) -> list[Json]:
    members: list[Json] = []
    while (event := following()).__class__ is not SequenceEndEvent:
        members.append(read_value(document, event, following, depth))
    return members


def _read_key(document: Document, event: Any, following: Next) -> str:
    """A key, as it is spelt: `1`, `on` and `null` are strings there."""
    if event.__class__ is ScalarEvent or event.__class__ is AliasEvent:
        event, _ = _node(document, event, following)
    if event.__class__ is not ScalarEvent:
        raise document.error("a key must be a string", event, hint="JSON has no other keys")
    if not event.value and not event.style:
        raise document.error("a key is missing here", event, hint='the empty key is written ""')
    key: str = event.value
    return key


_MERGE: Final = "<<"


def _merged(document: Document, event: Any) -> Exception:
    """Who writes `<<: *name` means YAML 1.1's merge key, which is no part of YAML 1.2."""
    hint = "write out the members that it stands for, or let the alias stand for the whole mapping"
    return document.error("`<<:` merges nothing here: it is a key like any other", event, hint=hint)


def _twice(document: Document, key: str, event: Any) -> Exception:
    hint = "leave one: readers of YAML and JSON do not agree which of the two counts"
    return document.error(f"the key {key!r} stands twice in one mapping", event, hint=hint)


def _plain(document: Document, event: Any) -> Json:
    try:
        return resolve(event.value)
    except ValueError:
        hint = "write the whole message as a string: its exact JSON text"
        raise document.error("a number too large for YAML readers", event, hint=hint) from None
