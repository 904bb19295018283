"""Headers of requests that mirror what stands in the message (MCP 2026-07-28), without secrets and folders."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from mcpmock.cassette.placeholders import PLACEHOLDER
from mcpmock.cassette.redaction.encodings import Coding, decode, encode
from mcpmock.wire.message import Json, Message
from mcpmock.wire.values import value_at

__all__ = ["masked_mirror"]

_BASE64: Final = Coding("base64", "=")
_PARAM: Final = "mcp-param-"


def masked_mirror(
    name: str,
    value: str,
    place: Sequence[str],
    *,
    message: Callable[[Message], Message],
    text: Callable[[str], str],
    counts: Counter[str],
) -> str:
    """The value of a header, in its form of base64, too, as it is masked best: at the place of a `message` that it
    mirrors, as an argument of the header's name, of the name behind `mcp-param-` (nobody may know the place), or as
    `text`. Of all that is tried only what is taken is counted.
    """
    names = dict.fromkeys((name, name.removeprefix(_PARAM)))
    places = [*([place] if place[:1] == ("params",) else []), *(("params", "arguments", each) for each in names)]

    def clean(value: str) -> str:
        ways: list[Callable[[str], str]] = [text, *(partial(_at, place, mask=message) for place in places)]
        found = [_counted(way, value, counts) for way in ways]
        best, counted = min(found, key=lambda one: (one[0] == value, len(PLACEHOLDER.sub("", one[0]))))
        counts.update(counted)
        return best

    coded = re.fullmatch(r"=\?base64\?(.*)\?=", value, re.DOTALL)
    inner = decode(coded[1], _BASE64) if coded else None
    if inner is None:
        return clean(value)
    masked = clean(inner)
    return text(value) if masked == inner else f"=?base64?{encode(masked, _BASE64)}?="


def _counted(mask: Callable[[str], str], value: str, counts: Counter[str]) -> tuple[str, Counter[str]]:
    """The value as it is masked so, and how often what was; that is not among the counts then."""
    before = counts.copy()
    masked = mask(value)
    counted = counts - before
    counts.clear()
    counts.update(before)
    return masked, counted


def _at(place: Sequence[str], value: str, mask: Callable[[Message], Message]) -> str:
    wrapped: Json = value
    for key in reversed(place):
        wrapped = {key: wrapped}
    assert isinstance(wrapped, dict)
    masked = value_at(mask(Message({"method": "tools/call", **wrapped}, "request")).body, tuple(place))
    return masked if isinstance(masked, str) else value
