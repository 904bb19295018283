"""A response on its way from the server to a client of a proxy, with the little that is changed in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import h11

from mcpmock.transports.proxy.relay import Relay
from mcpmock.wire.authorization import MOST_METADATA, WELL_KNOWN, leads_back, metadata_place
from mcpmock.wire.http import EVENT_STREAM, Headers, content_media, is_json
from mcpmock.wire.naming import issuer_shown, redirect_shown, shown
from mcpmock.wire.relaying import endpoint_path, first, passed_on, relocated
from mcpmock.wire.sse_endpoint import EndpointFilter

if TYPE_CHECKING:
    from mcpmock.transports.proxy.client import ClientConnection
    from mcpmock.transports.proxy.standing import Standing

_MOST_PLACES: Final = 100


class Response:
    """Passes a response on as it comes.

    Only three things are changed: redirects lead to the proxy where they led to the server, the `endpoint` of a legacy
    server is one of the proxy's, and OAuth metadata names the proxy where that was asked for.
    """

    def __init__(self, client: ClientConnection, relay: Relay, sent: bytes, *, own: str) -> None:
        self._client = client
        self._relay = relay
        self._sent = sent
        self._own = own
        self._filter: EndpointFilter | None = None
        self._head: h11.Response | None = None  # waits for the document behind it
        self._document = b""

    def begin(self, event: h11.Response, *, is_get: bool) -> None:
        """The head has come."""
        headers = passed_on(list(event.headers.raw_items()))
        head = h11.Response(
            status_code=event.status_code, headers=self._renamed_fields(headers), reason=bytes(event.reason)
        )
        is_plain = first(headers, b"content-encoding") in (None, b"", b"identity")
        if is_plain and self._is_renamed(headers, is_get=is_get):
            self._head = head
            return
        if is_get and is_plain and event.status_code == 200 and content_media(headers) == EVENT_STREAM:
            self._filter = EndpointFilter(lambda uri: _rooted(self._relay, self._sent, uri))
            head = h11.Response(
                status_code=200, headers=_without_length(list(head.headers.raw_items())), reason=bytes(head.reason)
            )
        self._client.send(head)

    def filter(self, data: bytes) -> tuple[bytes, bytes]:
        """A piece of the body has come; returns what is noted of it, and what is passed on."""
        if self._head is not None:
            self._document += data
            return data, b"" if len(self._document) <= MOST_METADATA else self._give_up()
        if self._filter is not None:
            data = self._filter.feed(data)
        return data, data

    def _give_up(self) -> bytes:
        """It is no metadata, and goes on as it came; returns what was held back of it."""
        assert self._head is not None
        self._client.send(self._head)
        held, self._head, self._document = self._document, None, b""
        return held

    def send(self, data: bytes) -> None:
        """Pass a piece on."""
        if data:
            self._client.send(h11.Data(data=data))

    def end(self) -> bytes:
        """The body is complete; returns what is still to be noted of it."""
        held = self._filter.end() if self._filter is not None else b""
        self.send(held)
        return held

    def conclude(self, asked: Headers) -> None:
        """Pass the end on, to who has asked with these headers, and with it the end of the exchange."""
        if (standing := self._relay.standing) is not None and self._document:
            standing.spawn(self._prepare(standing, asked))
        else:
            self._finish()

    async def _prepare(self, standing: Standing, asked: Headers) -> None:
        try:
            await standing.prepare(self._relay, self._own, asked, self._document)
        finally:  # whatever a server has written there
            if not self._client.is_gone:
                self._finish()

    def _finish(self) -> None:
        if self._head is not None:
            names = self._relay.names(self._own)
            document = (shown if self._is_metadata() else issuer_shown)(names, self._document)
            headers = _without_length(list(self._head.headers.raw_items()))
            headers.append((b"Content-Length", b"%d" % len(document)))
            self._client.send(h11.Response(status_code=self._head.status_code, headers=headers, reason=b""))
            self.send(document)
        self._client.send(h11.EndOfMessage())
        self._client.flush()
        self._client.exchange_ended()

    def _is_renamed(self, headers: Headers, *, is_get: bool) -> bool:
        """Whether a document is one of those in which others are named."""
        is_one = (is_get and self._is_metadata()) or self._relay.stand_in is not None
        return self._relay.relaying.rewrites_auth and is_one and is_json(content_media(headers))

    def _is_metadata(self) -> bool:
        return WELL_KNOWN in self._sent or self._sent in self._relay.metadata

    def _renamed_fields(self, headers: Headers) -> list[tuple[bytes, bytes]]:
        return [(name, self._renamed_field(name.lower(), value)) for name, value in headers]

    def _renamed_field(self, name: bytes, value: bytes) -> bytes:
        if name == b"location":
            return self._renamed_location(value)
        if name == b"www-authenticate" and self._relay.relaying.rewrites_auth:
            if (place := metadata_place(value)) and len(self._relay.metadata) < _MOST_PLACES:
                self._relay.metadata.add(place)
            return shown(self._relay.names(self._own), value)
        return value

    def _renamed_location(self, location: bytes) -> bytes:
        names = self._relay.names(self._own)
        if self._relay.stand_in is not None and leads_back(self._sent, location):
            return redirect_shown(names, location)
        new = relocated(self._relay.upstream, self._sent, location, self._own)
        if new == location and b"://" in location:
            self._relay.tell(f"a redirect leads the client away from here: {_shown(location)}")
        return redirect_shown(names, new) if self._relay.relaying.rewrites_auth else new


def _shown(location: bytes) -> str:
    """Where a redirect leads, without a query, which may hold secrets; servers send bytes of any kind."""
    return location.partition(b"?")[0].decode(errors="backslashreplace")


def _rooted(relay: Relay, sent: bytes, uri: str) -> str:
    """An endpoint that clients of the proxy find at the proxy, wherever the server says that it is."""
    return uri if uri.startswith("/") and not uri.startswith("//") else endpoint_path(sent, uri)


def _without_length(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in headers if name.lower() != b"content-length"]
