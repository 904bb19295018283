"""Asks an authorization server for its metadata before a client does, and keeps the answers for that client."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final, NamedTuple

import h11

from mcpmock.transports.proxy.relay import Relay
from mcpmock.transports.proxy.upstream import Asker
from mcpmock.wire.authorization import MOST_METADATA, Document, metadata_targets, parse_document
from mcpmock.wire.http import Headers

_SECONDS: Final = 5.0
"""How long a client may wait for its server's metadata because of this."""

_NOT_SENT: Final = (b"authorization", b"cookie", b"content-length", b"if-none-match", b"if-modified-since")


class Found(NamedTuple):
    """An answer, whole."""

    status: int
    headers: Headers
    body: bytes


class Discovery(NamedTuple):
    """The metadata of an authorization server (empty where none was found), and what it answered, by target."""

    document: Document
    answers: dict[bytes, Found]


async def discover(relay: Relay, issuer: str, headers: Headers) -> Discovery:
    """Look for it where the client will, which has sent these headers, and as the client does: until it is found."""
    kept = [(name, value) for name, value in headers if name.lower() not in _NOT_SENT]
    answers: dict[bytes, Found] = {}
    with contextlib.suppress(OSError):  # a TimeoutError is one
        async with asyncio.timeout(_SECONDS):
            for target in metadata_targets(issuer):
                found = await _ask(relay, target, kept)
                if found.status == 200 or 400 <= found.status < 500:
                    answers[target] = found
                if found.status == 200 and (document := parse_document(found.body)):
                    return Discovery(document, answers)
    return Discovery({}, answers)


async def _ask(relay: Relay, target: bytes, headers: Headers) -> Found:
    """One answer. Raises OSError."""
    asker = _Asker()
    try:
        link = await relay.connect(asker)
    except UnicodeError:
        raise OSError("that is no name of a host") from None
    try:
        link.send(h11.Request(method=b"GET", target=target, headers=relay.relaying.changes.request(headers)))
        link.send(h11.EndOfMessage())
        return await asker.answer
    finally:
        link.close()


class _Asker(Asker):
    """Waits for one answer, whole."""

    def __init__(self) -> None:
        self.answer: Final[asyncio.Future[Found]] = asyncio.get_running_loop().create_future()
        self._found = Found(0, (), b"")
        self._body = bytearray()  # grows in place: servers may send it by the byte

    def response_began(self, event: h11.Response) -> None:
        """See `Asker`."""
        self._found = Found(event.status_code, list(event.headers.raw_items()), b"")

    def response_data(self, data: bytes) -> None:
        """See `Asker`."""
        self._body += data
        if len(self._body) > MOST_METADATA:
            self.response_broken("that is no metadata")

    def response_ended(self) -> None:
        """See `Asker`."""
        if not self.answer.done():
            self.answer.set_result(self._found._replace(body=bytes(self._body)))

    def response_broken(self, reason: str) -> None:
        """See `Asker`."""
        if not self.answer.done():
            self.answer.set_exception(ConnectionError(reason))
