"""The mappings of our own structure: which keys there are, how each is read, what to say of an unknown one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, TypeAlias

from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from mcpmock.cassette.values import read_key, read_value
from mcpmock.cassette.yaml_events import Document, Next, line_of
from mcpmock.wire.message import Json

Reader: TypeAlias = Callable[[Document, Any, Next], Any]
"""Reads one value, from its first event on."""


class Table(NamedTuple):
    """The keys of one kind of mapping: `what` it is for people, a reader per key, and the keys that are reserved."""

    what: str
    readers: dict[str, Reader]
    reserved: tuple[str, ...] = ()


class Fields(NamedTuple):
    """What a mapping held: values and lines by key, and its own line."""

    values: dict[str, Any]
    lines: dict[str, int]
    line: int


def read_fields(document: Document, event: Any, following: Next, table: Table) -> Fields:
    """A mapping whose keys the table knows. Raises CassetteError with the line of what is wrong."""
    line = line_of(event)
    event, following = plain_node(document, event, following)
    if event.__class__ is not MappingStartEvent:
        keys = ", ".join(f"{key}:" for key in table.readers)
        raise document.error(f"{table.what} must be a mapping", line=line, hint=f"its keys: {keys}")
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    while (event := following()).__class__ is not MappingEndEvent:
        key = read_key(document, event, following)
        if key in values:
            raise document.error(f"`{key}:` stands here twice", event)
        if (reader := table.readers.get(key)) is None:
            raise _unknown_key(document, event, key, table)
        lines[key] = line_of(event)
        values[key] = reader(document, following(), following)
    return Fields(values, lines, line)


def read_items(document: Document, event: Any, following: Next, reader: Reader, what: str) -> list[Any]:
    """A list with one reader for all its items; nothing at all is the empty list."""
    event, following = plain_node(document, event, following)
    if event.__class__ is ScalarEvent and not event.value and not event.style:
        return []
    if event.__class__ is not SequenceStartEvent:
        raise document.error(f"{what} must be a list", event, hint="each item begins with `- `")
    items: list[Any] = []
    while (event := following()).__class__ is not SequenceEndEvent:
        items.append(reader(document, event, following))
    return items


def plain_node(document: Document, event: Any, following: Next) -> tuple[Any, Next]:
    """The node itself where it has an anchor or is an alias. Raises CassetteError for a tag."""
    if event.anchor is None and event.tag is None:
        return event, following
    return document.node(event, following)


def reading(convert: Callable[[Json], Any]) -> Reader:
    """A reader of a JSON value that `convert` takes; its ValueError becomes an error with a line."""

    def read(document: Document, event: Any, following: Next) -> Any:
        line = line_of(event)
        value = read_value(document, event, following)
        try:
            return convert(value)
        except ValueError as error:
            raise document.error(str(error), line=line) from None

    return read


def _unknown_key(document: Document, event: Any, key: str, table: Table) -> Exception:
    if key in table.reserved:
        return document.error(f"`{key}:` is not yet supported in {table.what}; it is planned", event)
    return document.error(f"unknown key {key!r} in {table.what}", event, hint=suggestion(key, table.readers))


def suggestion(word: str, known: Iterable[str]) -> str:
    """What may have been meant, or else what there is."""
    import difflib  # costs 3 ms, and is needed only here

    near = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean `{near[0]}:`?" if near else f"its keys: {', '.join(f'{key}:' for key in known)}"


def text(value: Json) -> str:
    """A string that says something."""
    if type(value) is not str or not value:
        raise ValueError("a string is wanted here" + _quote_it(value))
    return value


def texts(value: Json) -> tuple[str, ...]:
    """A list of strings."""
    if type(value) is not list:
        raise ValueError("a list of strings is wanted here")
    for item in value:
        if type(item) is not str:
            raise ValueError("a list of strings is wanted here" + _quote_it(item))
    return tuple(map(str, value))


def pairs(value: Json) -> tuple[tuple[str, str], ...]:
    """A mapping of strings to strings."""
    if type(value) is not dict:
        raise ValueError("a mapping of names to strings is wanted here")
    for name, member in value.items():
        if type(member) is not str:
            raise ValueError(f"{name} must be a string" + _quote_it(member))
    return tuple((name, str(member)) for name, member in value.items())


def whole_number(least: int) -> Callable[[Json], int]:
    """A converter to a whole number of at least `least`."""

    def convert(value: Json) -> int:
        if type(value) is not int or value < least:
            raise ValueError(f"a whole number of at least {least} is wanted here")
        return value

    return convert


def boolean(value: Json) -> bool:
    """`true` or `false`, and nothing else."""
    if type(value) is not bool:
        raise ValueError("true or false is wanted here")
    return value


def one_of(*words: str) -> Callable[[Json], str]:
    """A converter to one of these words."""

    def convert(value: Json) -> str:
        if value not in words or type(value) is not str:
            raise ValueError(f"one of {', '.join(words)} is wanted here")
        return value

    return convert


_bad_escape: Final = re.compile(r"~(?![01])").search


def pointers(value: Json) -> tuple[str, ...]:
    """A list of JSON pointers (RFC 6901)."""
    for pointer in texts(value):
        if not pointer.startswith("/"):
            raise ValueError(f"a JSON pointer begins with a slash: /{pointer}")
        if _bad_escape(pointer):
            raise ValueError(f"in a JSON pointer ~ is written ~0, and / within a name ~1: {pointer}")
    return texts(value)


def _quote_it(value: Json) -> str:
    if isinstance(value, bool | int | float):
        return f"; in quotes {str(value).lower() if isinstance(value, bool) else value} is one"
    return ""
