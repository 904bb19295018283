"""A client's connection to a proxy: it carries one exchange after another."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

import h11

from mcpmock.transports.proxy.exchange import Exchange
from mcpmock.transports.proxy.relay import Relay
from mcpmock.transports.proxy.stand_in import StandInExchange
from mcpmock.transports.proxy.upstream import MOST_HEAD, Asker, UpstreamConnection
from mcpmock.transports.proxy.valve import Valve

_MOST_PIPELINED: Final = 64 * 1024
_KEEP_ALIVE: Final = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}  # seconds, seconds, times
_OUR_FAULT: Final = -32603


class ClientConnection(asyncio.Protocol):
    """One connection of a client. Whatever it sends, it harms nobody but itself.

    It has a connection to the server of its own, as it would have without us: so whatever the one end does with its
    connection, the other can be told in the same way.
    """

    transport: asyncio.Transport
    valve: Valve

    def __init__(self, relay: Relay) -> None:
        self.number: Final = relay.next_connection()
        self.link: UpstreamConnection | None = None
        """The connection to the server, while no exchange uses it."""
        self.is_slow = False
        """Whether more is waiting to be read by the client than should be."""
        self._relay = relay
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_HEAD)
        self._exchange: Exchange | None = None
        self._early: asyncio.Task[UpstreamConnection] | None = None  # the first connection to the server
        self._out: list[bytes] = []

    # -- for the exchange

    @property
    def is_gone(self) -> bool:
        """Whether nobody is there any more."""
        return self.transport.is_closing()

    async def reach_server(self) -> UpstreamConnection:
        """A connection to the server: the one that was begun when the client came, or a new one. Raises OSError."""
        link, self.link = self.link, None
        early, self._early = self._early, None
        if link is None:
            link = await (early or self._relay.connect(_Unused(self.link_lost)))
        if not link.is_usable:
            raise ConnectionAbortedError("the server has closed the connection")
        return link

    def send(self, event: h11.InformationalResponse | h11.Response | h11.Data | h11.EndOfMessage) -> None:
        """Put a part of a response where `flush` finds it."""
        self._out.append(self._http.send(event) or b"")

    def flush(self) -> None:
        """Send what has been put there."""
        if self._out:
            data = b"".join(self._out)
            self._out.clear()
            if data and not self.is_gone:
                self.transport.write(data)

    def answer(self, status: int, reason: str) -> None:
        """Answer in the server's stead, with a JSON-RPC error that says why."""
        error = {"code": _OUR_FAULT, "message": f"mcpmock record: {reason}"}
        body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        fields = [(b"Content-Type", b"application/json"), (b"Content-Length", b"%d" % len(body))]
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.send(h11.Response(status_code=status, headers=fields, reason=_phrase(status)))
            self.send(h11.Data(data=body))
            self.send(h11.EndOfMessage())
        self.flush()
        self.exchange_ended()

    def send_on(self, goal: bytes) -> None:
        """Answer that all is found there."""
        fields = [(b"Location", goal), (b"Content-Length", b"0"), (b"Cache-Control", b"no-store")]
        self.send(h11.Response(status_code=302, headers=fields, reason=_phrase(302)))
        self.send(h11.EndOfMessage())
        self.flush()
        self.exchange_ended()

    def exchange_ended(self) -> None:
        """The response is complete; go on as soon as the request is, too."""
        self._exchange = None
        if self._http.our_state in (h11.MUST_CLOSE, h11.CLOSED, h11.ERROR):
            self.transport.close()
        elif self._settle():
            asyncio.get_running_loop().call_soon(self._advance)

    def break_off(self) -> None:
        """Let the client see what happened to the server: the connection ends where it should not."""
        self._exchange = None
        self.flush()
        self.transport.close()

    def link_lost(self) -> None:
        """The server has closed the connection between two exchanges, so this one ends too."""
        self.link = None
        if self._exchange is None:
            self.transport.close()

    # -- asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.valve = Valve(transport)
        self._relay.clients.add(self)
        _notice_death(transport.get_extra_info("socket"))
        # without us the client would be connected to the server by now, and what it asks would be heard at once
        self._early = asyncio.get_running_loop().create_task(self._relay.connect(_Unused(self.link_lost)))
        self._early.add_done_callback(self._connected)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        with contextlib.suppress(h11.RemoteProtocolError):  # more than the request that was to be the last
            self._http.receive_data(data)
            self._advance()
        self._relay.wait_for_tape(self.valve)

    def eof_received(self) -> None:
        """See `asyncio.Protocol`. A client that closes its half is taken to have left, as by most servers."""

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._relay.clients.discard(self)
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.client_gone()
        if self._early is not None:
            self._early.cancel()
        if self.link is not None:
            self.link.close()
            self.link = None

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self.is_slow = True
        if self._exchange is not None:
            self._exchange.client_is_slow()

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self.is_slow = False
        if self._exchange is not None:
            self._exchange.client_is_slow()

    # --

    def _connected(self, early: asyncio.Task[UpstreamConnection]) -> None:
        """The first connection to the server is there, or is not to be had: who asks for something tries again."""
        is_there = not early.cancelled() and early.exception() is None
        if self._early is early:
            self._early = None
            if is_there:
                self.link = early.result()
        if is_there and self.is_gone:
            early.result().close()

    def _advance(self) -> None:
        """Go through what the client has sent, as far as it can be dealt with now."""
        while not self.is_gone:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                self._refuse(error)
                return
            if event is h11.PAUSED and len(self._http.trailing_data[0]) > _MOST_PIPELINED:
                self.valve.shut("pipelined")
            if event is h11.NEED_DATA or event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                return
            self._heed(event)

    def _heed(self, event: object) -> None:
        if isinstance(event, h11.Request):
            self._begin(event)
        elif isinstance(event, h11.Data):
            if self._exchange is not None:
                self._exchange.request_data(bytes(event.data))
        elif isinstance(event, h11.EndOfMessage):
            if self._exchange is not None:
                self._exchange.request_ended()
            else:
                self._settle()

    def _begin(self, request: h11.Request) -> None:
        fields = {
            wanted: [value for name, value in request.headers if name == wanted] for wanted in (b"host", b"origin")
        }
        refusal = self._relay.refusal(fields[b"host"], fields[b"origin"])
        if request.method == b"CONNECT":
            refusal = 405, "this proxy leads to one server; CONNECT is for proxies that lead anywhere"
        if refusal is not None:
            self.answer(*refusal)
            return
        stand_in = self._relay.stand_in
        self._exchange = (
            StandInExchange(self, self._relay, request, stand_in) if stand_in else Exchange(self, self._relay, request)
        )
        self._exchange.begin()

    def _refuse(self, error: h11.RemoteProtocolError) -> None:
        """The client has sent what is no HTTP: say so, and end the connection."""
        if self._exchange is not None:
            self._exchange.client_gone()
        kind = str(error).partition(":")[0]
        self.answer(error.error_status_hint, f"what the client sent is no HTTP request: {kind}")
        self.transport.close()

    def _settle(self) -> bool:
        """Make ready for the next request, if this exchange is complete on both sides."""
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        self.valve.open("pipelined")
        return True


class _Unused(Asker):
    """Looks after a connection to the server while nothing has been asked on it; tells when the server leaves."""

    def __init__(self, lost: Callable[[], None]) -> None:
        self._lost = lost

    def connection_idle_lost(self) -> None:
        """See `Asker`."""
        self._lost()


def _phrase(status: int) -> bytes:
    return HTTPStatus(status).phrase.encode()


def _notice_death(connection: socket.socket | None) -> None:
    """Have the system look now and then whether a silent client is still there."""
    if connection is None:
        return
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEP_ALIVE.items():
            if (option := getattr(socket, name, None)) is not None:
                connection.setsockopt(socket.IPPROTO_TCP, option, value)
