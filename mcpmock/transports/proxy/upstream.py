"""The connection to the server behind a proxy: one for each connection of a client."""

from __future__ import annotations

import asyncio
from typing import Final

import h11

from mcpmock.transports.proxy.valve import Valve

MOST_HEAD: Final = 256 * 1024
"""How many bytes the head of a message may have."""


class Asker:
    """Who waits for a response. What one of them has no use for, it does not hear."""

    def response_informed(self, event: h11.InformationalResponse) -> None:
        """A response before the response has come (1xx)."""

    def response_began(self, event: h11.Response) -> None:
        """The head has come."""

    def response_data(self, data: bytes) -> None:
        """A piece of the body has come."""

    def response_ended(self) -> None:
        """The response is complete."""

    def response_flushed(self) -> None:
        """All that was read at once has been handed over."""

    def response_broken(self, reason: str) -> None:
        """The server has gone, or has said what is no HTTP; nothing more comes."""

    def slow_down(self, *, is_full: bool) -> None:
        """The server reads more slowly than the client sends, or (not `is_full`) no longer so."""

    def connection_idle_lost(self) -> None:
        """The server has closed the connection between two exchanges."""


class UpstreamConnection(asyncio.Protocol):
    """One connection to the server; it carries one exchange after another.

    Nothing is tried twice here, and nothing waits for a time: a client has its own ideas of both.
    """

    transport: asyncio.Transport
    valve: Valve

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self.has_heard = False
        """Whether anything of the present response has been read."""
        self.is_reused = False
        """Whether the present exchange is not the first one."""
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MOST_HEAD)
        self._is_busy = False
        self._is_over = False

    def send(self, event: h11.Request | h11.Data | h11.EndOfMessage) -> None:
        """Send a part of a request."""
        self._is_busy = True
        if self.is_usable and self._http.our_state is not h11.ERROR:
            self.transport.write(self._http.send(event) or b"")

    @property
    def is_usable(self) -> bool:
        """Whether it still leads to the server."""
        return not self._is_over and not self.transport.is_closing()

    def renew(self) -> bool:
        """Make ready for another exchange; False if this connection can carry no more."""
        self._is_busy = self.has_heard = False
        self.is_reused = True
        if not self.is_usable or self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            self.close()
            return False
        self._http.start_next_cycle()
        return True

    def close(self) -> None:
        """Leave; the server sees that nobody waits for it any more."""
        self._is_over = True
        self._is_busy = False
        self.transport.abort()

    # -- asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.valve = Valve(transport)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        if self._is_over:
            return
        self.has_heard = True
        self._receive(data)

    def eof_received(self) -> None:
        """See `asyncio.Protocol`."""
        if not self._is_over and self._is_busy:
            self._receive(b"")

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._break(str(exc) if exc else "the server has closed the connection")

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self.asker.slow_down(is_full=True)

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self.asker.slow_down(is_full=False)

    # --

    def _receive(self, data: bytes) -> None:
        asker = self.asker
        try:
            self._http.receive_data(data)
            while self._is_busy and not self._is_over:
                event = self._http.next_event()
                if event is h11.NEED_DATA or event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                    break
                self._tell(event)
        except h11.RemoteProtocolError as error:
            asker.response_flushed()
            kind = str(error).partition(":")[0]  # what stands behind it may be secret
            self._break(f"what the server sent is no HTTP: {kind}" if data else "the server broke off")
            return
        asker.response_flushed()
        if data and not self._is_busy and not self._is_over and self._http.trailing_data[0]:
            self._break("the server sent what nobody asked for")

    def _tell(self, event: object) -> None:
        if isinstance(event, h11.Data):
            self.asker.response_data(bytes(event.data))
        elif isinstance(event, h11.Response):
            self.asker.response_began(event)
        elif isinstance(event, h11.InformationalResponse):
            self.asker.response_informed(event)
        elif isinstance(event, h11.EndOfMessage):
            self._is_busy = False
            self.asker.response_ended()

    def _break(self, reason: str) -> None:
        if self._is_over:
            return
        self._is_over = True
        self.transport.abort()
        if self._is_busy:
            self._is_busy = False
            self.asker.response_broken(reason)
        else:
            self.asker.connection_idle_lost()
