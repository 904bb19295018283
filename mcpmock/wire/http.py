"""What a recorder and a server of MCP over HTTP must know of headers: names, media types, which travel on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]
"""Header fields in their order, as they were sent; repeated and empty ones too."""

JSON_TYPE: Final = "application/json"
EVENT_STREAM: Final = "text/event-stream"

SESSION_ID: Final = b"mcp-session-id"
LAST_EVENT_ID: Final = b"last-event-id"
PROTOCOL_VERSION: Final = b"mcp-protocol-version"

HOP_BY_HOP: Final = frozenset((
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
    b"trailer", b"transfer-encoding", b"upgrade",
))  # fmt: skip
"""The fields that concern one connection only (RFC 9110, 7.6.1), beside those that `Connection` names."""

KEPT_HEADERS: Final = (b"www-authenticate", b"location", b"retry-after", b"allow")
"""The fields of a response that a recording keeps, beside those that the norm stands for."""


def header_values(headers: Headers, name: bytes) -> list[str]:
    """The values of a field, one for each time that it was sent; `name` is in lower case."""
    return [value.decode("latin-1").strip() for key, value in headers if key.lower() == name]


def header_value(headers: Headers, name: bytes) -> str:
    """The value of a field; empty where there is none, joined with commas where it was repeated (RFC 9110, 5.2)."""
    return ", ".join(header_values(headers, name))


def joined(headers: Headers) -> dict[bytes, bytes]:
    """The fields by their names in lower case, repeated ones joined with commas (RFC 9110, 5.2)."""
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        key = name.lower()
        found[key] = found[key] + b", " + value if key in found else value
    return found


def end_to_end(headers: Headers) -> list[tuple[bytes, bytes]]:
    """The fields that travel on, as they were."""
    connection = header_value(headers, b"connection").lower()
    dropped = HOP_BY_HOP.union(name.strip().encode("latin-1") for name in connection.split(","))
    return [(name, value) for name, value in headers if name.lower() not in dropped]


def kept(headers: Headers) -> tuple[tuple[str, str], ...]:
    """The fields of a response that a recording keeps, with names in lower case."""
    pairs = ((name.decode("ascii"), header_value(headers, name)) for name in KEPT_HEADERS)
    return tuple((name, value) for name, value in pairs if value)


def media_type(content_type: str) -> str:
    """The media type in a `Content-Type`: in lower case, without parameters (RFC 9110, 8.3.1)."""
    return content_type.partition(";")[0].strip().lower()


def content_media(headers: Headers) -> str:
    """The media type of a body; of several fields the first counts; empty where none is told."""
    return media_type(next(iter(header_values(headers, b"content-type")), ""))


def is_json(media: str) -> bool:
    """Whether a body of this media type is JSON."""
    return media == JSON_TYPE or media.endswith("+json")


def accepts(accept: str, media: str) -> bool:
    """Whether an `Accept` allows this media type; an empty one allows all (RFC 9110, 12.5.1).

    The most specific range that fits decides: `*/*, text/event-stream;q=0` allows everything but event streams.
    """
    ranges = [_range(part) for part in accept.split(",") if part.strip()]
    if not ranges:
        return True
    kind = media.partition("/")[0]
    for wanted in (media, f"{kind}/*", "*/*"):
        weights = [weight for name, weight in ranges if name == wanted]
        if weights:
            return max(weights) > 0
    return False


def _range(part: str) -> tuple[str, float]:
    name, _, parameters = part.partition(";")
    return name.strip().lower(), _weight(parameters.split(";"))


def _weight(parameters: Iterable[str]) -> float:
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "q":
            return _number(value.strip())
    return 1.0


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0  # a client that cannot spell a weight still named the type


def path_of(target: str) -> str:
    """The path of a request's target, without its query and without a slash at its end."""
    return target.partition("?")[0].rstrip("/")
