"""Walks through JSON values, however deep."""

from __future__ import annotations

from collections.abc import Iterator

from mcpmock.wire.message import Json

__all__ = ["strings_in"]


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
