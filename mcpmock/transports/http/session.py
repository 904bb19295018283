"""A live session over HTTP: its machine, its exchanges, and the stream that a GET opens.

It carries out what its machine says in the requests of its client: nothing runs between them.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Protocol

from mcpmock.cassette.model import HttpNorm
from mcpmock.session.headers.oddities import Oddities
from mcpmock.session.playing.actions import Action, Close, End, Prime, Respond, Send, WriteStderr
from mcpmock.transports.http.exchange import STREAM_HEADERS, Exchange, Way
from mcpmock.transports.http.messages import Response
from mcpmock.transports.http.streams import Bell, Events, Outlet, Reading
from mcpmock.transports.http.turns import Turns
from mcpmock.wire.message import Message, Parsed

__all__ = ["HttpMachine", "HttpSession", "stream_response"]

_MOST_STREAMS: Final = 100
"""Streams of a session that can be resumed."""

_MOST_DIGITS: Final = 18
"""Digits of a number that a stream counts to: Python reads no number of some thousands."""

_STANDING: Final = "get"


class HttpMachine(Protocol):
    """One live session: messages, exchanges and moments in, actions out (see `Playback`)."""

    @property
    def next_wake(self) -> float | None:
        """The moment at which it wants to be woken."""
        ...

    @property
    def norm(self) -> HttpNorm:
        """How the recorded server answers."""
        ...

    def receive_parsed(
        self,
        parsed: Parsed,
        now: float = 0.0,
        frame: bytes = b"",
        ticket: object = None,
        oddities: Oddities | None = None,
    ) -> list[Action]:
        """The client sent one frame, in the exchange `ticket`; `oddities` are those of its headers."""
        ...

    def wake(self, now: float) -> list[Action]:
        """The moment has come."""
        ...

    def left(self, ticket: object, now: float) -> list[Action]:
        """The client has left an exchange before it was complete."""
        ...

    def end_of_input(self, now: float) -> list[Action]:
        """The client has gone."""
        ...


class HttpSession:
    """See `Waiting`. `on_end` is called once: the client has ended the session, or the recorded server has left.

    `key` is what the client names it by. `is_legacy`: everything goes on the one stream (HTTP+SSE, 2024-11-05).
    `tell` takes what the recorded server wrote to stderr.
    """

    def __init__(
        self, key: str, machine: HttpMachine, on_end: Callable[[HttpSession], None], *, is_legacy: bool = False
    ) -> None:
        self.key = key
        self.machine = machine
        self.bell = Bell()
        self.turns = Turns()
        self.is_over = False
        self.is_legacy = is_legacy
        self.tell: Callable[[str], None] = lambda text: None
        self._on_end = on_end
        self._standing = Outlet(_STANDING)
        self._exchanges: set[Exchange] = set()
        self._resumable: OrderedDict[str, Outlet] = OrderedDict()
        self._count = 0
        self._is_cancelling = False

    @property
    def has_id(self) -> bool:
        """Whether its client was given an id; else it is known by a path."""
        return not self.key.startswith("/")

    @property
    def next_wake(self) -> float | None:
        """See `Waiting`."""
        return None if self.is_over else self.machine.next_wake

    def wake(self) -> None:
        """See `Waiting`."""
        if not self.is_over:
            self._carry_out(self.machine.wake(time.monotonic()))

    @property
    def is_idle(self) -> bool:
        """Whether nobody reads from it, and nothing is to be answered."""
        self._exchanges = {one for one in self._exchanges if not one.is_over}
        return self._standing.reader is None and not self._exchanges

    def left(self, exchange: object) -> None:
        """See `Waiting`."""
        if not self.is_over:
            self._carry_out(self.machine.left(exchange, time.monotonic()))

    # -- what the client does

    def receive(self, parsed: Parsed, frame: bytes, way: Way) -> Exchange:
        """A POST has arrived whole."""
        self._count += 1
        self.turns.heard()
        if way.stays_open:
            self.turns.listens()
        exchange = Exchange(self, lambda: self.machine.norm, way, str(self._count))
        if not exchange.is_over:
            self._exchanges.add(exchange)
        self._is_cancelling = isinstance(parsed, Message) and parsed.method == "notifications/cancelled"
        self._carry_out(self.machine.receive_parsed(parsed, time.monotonic(), frame, exchange, way.oddities))
        if exchange.is_over:
            self._exchanges.discard(exchange)
            exchange.accept()
        if exchange.outlet is not None and exchange.outlet.has_ids:
            self._keep(exchange.outlet)
        return exchange

    def listen(self, reading: Reading) -> Events:
        """The body of a GET: what belongs to no exchange. Who listened before listens no more."""
        return self._read(self._numbered_standing(), reading)

    def resume(self, event_id: str, reading: Reading) -> Events | None:
        """The body of a GET that goes on behind an event; None where no stream of this session had one of that id."""
        name, _, number = event_id.rpartition(":")
        outlet = self._resumable.get(name)
        if outlet is None or not number.isdecimal() or len(number) > _MOST_DIGITS:
            return None
        outlet.rewind(int(number))
        return self._read(outlet, reading)

    def end(self, *, is_abort: bool = False) -> None:
        """The session is over: what is in flight is sent, then all its streams end; or they break at once."""
        if self.is_over:
            return
        if not is_abort:
            self._carry_out(self.machine.end_of_input(time.monotonic()))
        self.is_over = True
        for exchange in self._exchanges:
            exchange.close(is_abort=is_abort)
        self._exchanges.clear()
        outlets = (self._standing, *self._resumable.values())
        for outlet in outlets:
            if is_abort:
                outlet.break_off()
            else:
                outlet.end()
        self.bell.ring()
        self._on_end(self)

    def restart(self, machine: HttpMachine) -> None:
        """Goes on with another machine; what the former had in flight ends."""
        for exchange in self._exchanges:
            exchange.close(is_abort=False)
        self._exchanges.clear()
        self.machine = machine
        self.bell.ring()

    def announce(self, text: str, *, name: str) -> None:
        """An event that is no message, on the standing stream."""
        self._standing.put(text, name=name)

    # -- inside

    def _read(self, outlet: Outlet, reading: Reading) -> Events:
        events: Events
        self.turns.listens()

        def leave() -> None:
            if outlet.reader is events:
                outlet.reader = None
                if self.is_legacy:
                    self.end()  # the stream is the session

        events = Events(self, outlet, leave, reading)
        return events

    def _keep(self, outlet: Outlet) -> None:
        self._resumable[outlet.name] = outlet
        while len(self._resumable) > _MOST_STREAMS:
            self._resumable.popitem(last=False)

    def _carry_out(self, actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Send):
                self._send(action)
            elif isinstance(action, Respond):
                self._respond(action)
            elif isinstance(action, Close):
                self._close(action)
            elif isinstance(action, Prime) and isinstance(action.ticket, Exchange):
                action.ticket.prime()
            elif isinstance(action, WriteStderr):
                self.tell(action.text)
            elif isinstance(action, End):
                self.end(is_abort=True)
                return
        self.bell.ring()

    def _send(self, action: Send) -> None:
        exchange = action.ticket
        is_said = isinstance(exchange, Exchange) and (
            exchange.say(action) or (not self.is_legacy and exchange.refuse(action))
        )
        if not is_said:
            outlet = self._numbered_standing()
            turn = self.turns.next(outlet.carrier, is_unasked=True)
            outlet.put(action.text, is_apart=action.is_after_progress, turn=turn)

    def _numbered_standing(self) -> Outlet:
        """The standing stream: with ids from its first event on, also where that comes before anybody listens."""
        outlet = self._standing
        if self.machine.norm.ids and not self.is_legacy:
            outlet.has_ids = True
            self._keep(outlet)
        return outlet

    def _respond(self, action: Respond) -> None:
        if isinstance(action.ticket, Exchange):
            action.ticket.respond(action.fact)

    def _close(self, action: Close) -> None:
        if action.is_pause:
            if isinstance(action.ticket, Exchange):
                action.ticket.pause(is_abort=action.is_abort)
            return
        if isinstance(action.ticket, Exchange):
            action.ticket.close(is_abort=action.is_abort, has_begun=action.has_begun)
        if self.is_legacy and not self._is_cancelling:
            self.end(is_abort=action.is_abort)  # the stream of the request is that of the session


def stream_response(events: Events) -> Response:
    """A response that is an event stream."""
    return Response(200, STREAM_HEADERS, events)
