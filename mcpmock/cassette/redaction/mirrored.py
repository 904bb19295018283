"""Headers of requests that mirror what stands in the message (MCP 2026-07-28), without secrets and folders."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
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
) -> str:
    """The value of a header, in its form of base64, too, as it is masked best: at the place of a `message` that it
    mirrors, as an argument of the header's name, of the name behind `mcp-param-` (nobody may know the place), or as
    `text`.
    """
    names = dict.fromkeys((name, name.removeprefix(_PARAM)))
    places = [*([place] if place[:1] == ("params",) else []), *(("params", "arguments", each) for each in names)]

    def clean(value: str) -> str:
        found = [text(value), *(_at(place, value, message) for place in places)]
        return min(found, key=lambda one: (one == value, len(PLACEHOLDER.sub("", one))))

    coded = re.fullmatch(r"=\?base64\?(.*)\?=", value, re.DOTALL)
    inner = decode(coded[1], _BASE64) if coded else None
    if inner is None:
        return clean(value)
    masked = clean(inner)
    return text(value) if masked == inner else f"=?base64?{encode(masked, _BASE64)}?="


def _at(place: Sequence[str], value: str, mask: Callable[[Message], Message]) -> str:
    wrapped: Json = value
    for key in reversed(place):
        wrapped = {key: wrapped}
    assert isinstance(wrapped, dict)
    masked = value_at(mask(Message({"method": "tools/call", **wrapped}, "request")).body, tuple(place))
    return masked if isinstance(masked, str) else value
