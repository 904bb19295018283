"""Walks through JSON values: to all strings, however deep they stand, or along one path."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from mcpmock.wire.message import MISSING, Json, Missing, Object

__all__ = ["repeatable", "strings_in", "value_at", "with_value"]


def strings_in(value: Json) -> Iterator[str]:
    """The strings in a value, in their order; the names of members are not among them."""
    waiting: list[Json] = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            yield here
        elif isinstance(here, dict):
            waiting += reversed(here.values())
        elif isinstance(here, list):
            waiting += reversed(here)


def value_at(value: Json, path: Sequence[str]) -> Json | Missing:
    """What stands at the end of a path of members; MISSING where there is no such path."""
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return MISSING
        value = value[key]
    return value


def with_value(body: Object, path: Sequence[str], value: Json) -> Object:
    """A copy of an object with another value at a path that it has, but for its last member, which may be new."""
    key, *rest = path
    inner = body.get(key)
    return {**body, key: with_value(inner, rest, value) if rest and isinstance(inner, dict) else value}


def repeatable(value: Json) -> Json:
    """What somebody said, so that it can be said again: numbers beyond a double become texts, for JSON has no infinity.

    What is without them is the same object.
    """
    text = json.dumps(value)
    return json.loads(text, parse_constant=str) if "Infinity" in text else value
