"""Which headers of a request a recording keeps: those that a server minded, or let pass though they are odd."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mcpmock.session.headers.mirrored import Odd
from mcpmock.wire.http import EVENT_STREAM, JSON_TYPE, Headers, accepts, header_value, header_values, media_type

_MINDED: Final = {406: b"accept", 415: b"content-type"}
"""Which header a status says to be at fault."""

_LOOKED_AT: Final = (*_MINDED.values(), b"mcp-protocol-version", b"mcp-method", b"mcp-name")
_REFUSED: Final = (400, 404)


def is_looked_at(name: bytes) -> bool:
    """Whether servers of the stateless revision look at a header of this name."""
    return name.lower() in _LOOKED_AT or name.lower().startswith(b"mcp-param-")


def kept_of(headers: Headers, odd: Sequence[Odd], status: int, *, is_minded: bool) -> list[tuple[str, str | None]]:
    """The names and values of those headers of a request that tell why it was answered with this status.

    `odd` are those which do not mirror it; `is_minded` says that the server answered just that.
    """
    name = _MINDED.get(status) or (b"content-type" if status == 400 and not _is_json(headers) else b"")
    if name:
        is_sent = bool(header_values(headers, name))
        return [(name.decode(), header_value(headers, name) if is_sent else None)]
    if is_minded:
        return [(one.name, one.value) for one in odd]
    if status < 300 or status in _REFUSED:
        return [(one.name, one.value) for one in odd if one.is_against_the_rules]
    return []


def odd_media(headers: Headers, *, with_charset: bool = False) -> list[str]:
    """Which of `Accept` and `Content-Type` are not as they must be; JSON is UTF-8 (`with_charset`)."""
    accept = header_value(headers, b"accept")
    takes_both = bool(accept) and all(accepts(accept, media) for media in (JSON_TYPE, EVENT_STREAM))
    is_json = _is_json(headers) and not (with_charset and _is_in_another_charset(headers))
    return [*([] if takes_both else ["accept"]), *([] if is_json else ["content-type"])]


def _is_in_another_charset(headers: Headers) -> bool:
    found = re.search(r"(?i);\s*charset\s*=\s*\"?([^\";\s]*)", header_value(headers, b"content-type"))
    return found is not None and found[1].lower() not in ("utf-8", "utf8")


def _is_json(headers: Headers) -> bool:
    return media_type(header_value(headers, b"content-type")) == JSON_TYPE
