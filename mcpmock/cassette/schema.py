"""The keys of our own structure: which there are, what their values must be, what to say of an unknown one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, TypeAlias

from mcpmock.cassette.tree import Branch
from mcpmock.errors import CassetteError
from mcpmock.wire.message import Json

Take: TypeAlias = Callable[[Any], Any]
"""Takes a value as it stands in the file, gives what the model wants; ValueError says what is wrong."""


SHAPES: Final[dict[Take, Any]] = {}
"""What the takers that are made here take: a `Table`, or the keywords of a JSON Schema; see `json_schema`."""


class Table(NamedTuple):
    """The keys of one kind of mapping: `what` it is for people, what each key takes, and the reserved keys
    (`*`: all that are not spelt nearly like one of ours)."""

    what: str
    keys: dict[str, Take]
    reserved: tuple[str, ...] = ()


def checked(branch: Branch, table: Table) -> dict[str, Any]:
    """The members, each as its key takes it. Raises CassetteError for a key or a value that is wrong."""
    values = {}
    for key, value in branch.members.items():
        if (take := table.keys.get(key)) is None:
            raise _unknown(branch, key, table)
        try:
            values[key] = take(value)
        except ValueError as error:
            raise branch.error(f"`{key}:` {error}", key) from None
    return values


def within(table: Table) -> Take:
    """What takes a mapping with a table of its own, be it a branch or without lines."""

    def take(value: Any) -> dict[str, Any]:
        branch = value if isinstance(value, Branch) else Branch(value, 0, {})
        if type(branch.members) is not dict:
            raise ValueError("wants a mapping")
        return checked(branch, table)

    SHAPES[take] = table
    return take


def list_of(take: Take) -> Take:
    """What takes a list, item by item; nothing at all is the empty list."""

    def take_list(value: Any) -> tuple[Any, ...]:
        if value is not None and type(value) is not list:
            raise ValueError("wants a list")
        return tuple(map(take, value or ()))

    return take_list


def _unknown(branch: Branch, key: str, table: Table) -> CassetteError:
    import difflib  # costs 3 ms, and is needed only here

    near = difflib.get_close_matches(key, table.keys, n=1)
    if key in table.reserved or ("*" in table.reserved and not near):
        hint = "it is planned; leave it out for now"
        return branch.error(f"`{key}:` in {table.what} is not yet supported", key, hint=hint)
    return branch.error(f"unknown key `{key}:` in {table.what}", key, hint=_way_out(key, near, table))


def _way_out(key: str, near: list[str], table: Table) -> str:
    if key.startswith("-") or ":" in key:
        return "behind a dash or a colon stands a blank"
    if near:
        return f"did you mean `{near[0]}:`?"
    if key in _HOMES:
        return f"`{key}:` belongs in {_HOMES[key]}: look at the dashes and the indentation"
    return f"its keys are {_listed(table.keys)}"


_HOMES: Final = {
    **dict.fromkeys(("client", "raw", "stderr", "eof", "exit", "http"), "an entry"),
    **dict.fromkeys(("entries", "redacted", "timing", "command"), "a session"),
    **dict.fromkeys(("sessions", "version"), "the file itself"),
}


def _listed(keys: Iterable[str]) -> str:
    return ", ".join(f"`{key}:`" for key in keys)


def string(value: Json) -> str:
    """A string, which may be empty."""
    if type(value) is not str:
        raise ValueError(f"wants a string{_in_quotes(value)}")
    return value


def name(value: Json) -> str:
    """A string that says something."""
    if not string(value):
        raise ValueError("wants a string that is not empty")
    return string(value)


def strings(value: Json) -> tuple[str, ...]:
    """A list of strings."""
    if type(value) is not list:
        raise ValueError("wants a list of strings")
    return tuple(map(string, value))


def string_pairs(value: Json) -> tuple[tuple[str, str], ...]:
    """A mapping of strings to strings."""
    if type(value) is not dict:
        raise ValueError("wants a mapping of names to strings")
    return tuple((key, string(member)) for key, member in value.items())


def counts(value: Json) -> tuple[tuple[str, int], ...]:
    """A mapping of names to whole numbers from 1."""
    if type(value) is not dict:
        raise ValueError("wants a mapping of names to numbers")
    return tuple((key, _count(member)) for key, member in value.items())


def whole_number(least: int, most: int | None = None) -> Callable[[Json], int]:
    """What takes a whole number of at least `least`, and at most `most`."""
    bounds = f"{least} or more" if most is None else f"from {least} to {most}"

    def take(value: Json) -> int:
        if type(value) is not int or value < least or (most is not None and value > most):
            raise ValueError(f"wants a whole number, {bounds}")
        return value

    SHAPES[take] = {"type": "integer", "minimum": least, **({} if most is None else {"maximum": most})}
    return take


_count: Final = whole_number(1)


def boolean(value: Json) -> bool:
    """`true` or `false`, and nothing else."""
    if type(value) is not bool:
        raise ValueError("wants true or false")
    return value


def anything(value: Json) -> Json:
    """Any value."""
    return value


def one_of(*words: str) -> Callable[[Json], str]:
    """What takes one of these words."""

    def take(value: Json) -> str:
        if type(value) is not str or value not in words:
            raise ValueError(f"wants {' or '.join(words)}")
        return value

    SHAPES[take] = {"enum": list(words)}
    return take


def reference(value: Json) -> Json:
    """The id of a request, or the label of an entry."""
    if type(value) not in (str, int, float):
        raise ValueError("wants the id of an open request, or the label of an entry")
    return value


def base64(value: Json) -> bytes:
    """Bytes in base64."""
    import binascii

    try:
        return binascii.a2b_base64(string(value), strict_mode=True)
    except binascii.Error as error:
        raise ValueError(f"holds no base64: {str(error).lower()}") from None


def pointers(value: Json) -> tuple[str, ...]:
    """A list of JSON pointers (RFC 6901)."""
    found = strings(value)
    for pointer in found:
        if not pointer.startswith("/"):
            raise ValueError(f"wants JSON pointers, and they begin with a slash: /{pointer}")
        if "~" in pointer.replace("~0", "").replace("~1", ""):
            raise ValueError(f"wants JSON pointers, where ~ is written ~0 and a slash within a name ~1: {pointer}")
    return found


def _in_quotes(value: Json) -> str:
    """How a value that was taken for something else is written as a string, or what it is instead."""
    if isinstance(value, dict | Branch):
        return ", and this is a mapping: is it indented as it is meant?"
    if type(value) is bool:
        return f': "{str(value).lower()}" in quotes'
    return f': "{value}" in quotes' if isinstance(value, int | float) else ""
