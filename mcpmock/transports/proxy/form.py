"""The form of a request for a token: it may name the proxy, where the server has to be named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcpmock.wire.http import Headers, content_media, header_value
from mcpmock.wire.naming import Named, restored

_MEDIA: Final = "application/x-www-form-urlencoded"
_MOST: Final = 64 * 1024  # bytes that such a form may have


class Form:
    """A body that is held back until it is whole. `headers` are those of the request, with the length that it has."""

    def __init__(self, headers: Headers) -> None:
        self.headers = headers
        self.body = b""

    @staticmethod
    def of(headers: Headers) -> Form | None:
        """For the body behind these headers, if that is a form, and tells that it is small."""
        length = header_value(headers, b"content-length")
        is_small = length.isdecimal() and int(length) <= _MOST
        return Form(headers) if is_small and content_media(headers) == _MEDIA else None

    def add(self, data: bytes) -> None:
        """More of it."""
        self.body += data

    def restored(self, names: Sequence[Named]) -> bytes:
        """All of it, with a server where it named a proxy."""
        body = restored(names, self.body)
        length = b"%d" % len(body)
        self.headers = tuple(
            (name, length if name.lower() == b"content-length" else value) for name, value in self.headers
        )
        return body
