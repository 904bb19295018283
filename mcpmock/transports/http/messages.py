"""Requests and responses of a replay server as values: no framework, no socket."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

from mcpmock.transports.http.tcp_queue import Link
from mcpmock.wire.http import Headers
from mcpmock.wire.message import INVALID_REQUEST, Json

__all__ = ["JSON_HEADERS", "Body", "ConnectionBroken", "Request", "Response", "json_response", "refusal"]

JSON_HEADERS: Final[Headers] = ((b"content-type", b"application/json"),)


class ConnectionBroken(Exception):
    """The recorded server broke the connection here, and so does whoever carries out a response."""


class Body(Protocol):
    """A body that is sent in pieces, as they come: an asynchronous iterator, of which much can be had at once.

    Both ways may raise ConnectionBroken. Who stops before the end calls `aclose`.
    """

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        ...

    def take(self) -> bytes | None:
        """The next piece, if there is one that need not be waited for."""
        ...

    def __aiter__(self) -> Body: ...

    async def __anext__(self) -> bytes: ...

    async def aclose(self) -> None:
        """The client reads no more."""
        ...


class Request(NamedTuple):
    """What a client asks. Names of headers are in lower case; repeated ones are joined with commas.

    `path` and `query` are as they came, percent signs and all; `root` is what of the path a framework has stripped.
    `link` is the connection that it came on, if there is one.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[bytes, bytes] = {}
    body: bytes = b""
    root: str = ""
    scheme: str = "http"
    link: Link | None = None

    def header(self, name: bytes) -> str:
        """The value of a header, empty where there is none."""
        value = self.headers.get(name)
        return value.decode("latin-1").strip() if value else ""

    @property
    def origin_asked(self) -> str:
        """The scheme and the host that this client has called."""
        return f"{self.scheme}://{self.header(b'host')}"


class Response(NamedTuple):
    """What it is answered."""

    status: int
    headers: Headers = ()
    body: bytes | Body = b""

    def with_headers(self, headers: Headers) -> Response:
        """The same, with more headers."""
        return self._replace(headers=(*self.headers, *headers)) if headers else self


def json_response(value: Json, *, status: int = 200, headers: Headers = ()) -> Response:
    """A JSON value."""
    return Response(status, (*JSON_HEADERS, *headers), json.dumps(value).encode())


def refusal(status: int, reason: str, *, code: int = INVALID_REQUEST, headers: Headers = ()) -> Response:
    """A request is refused for a reason that is told as a JSON-RPC error without an id."""
    body: Json = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": reason}}
    return json_response(body, status=status, headers=headers)
