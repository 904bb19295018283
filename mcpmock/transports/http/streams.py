"""Event streams of a replay server: what goes out on one, and who reads it.

No task runs in the background. Who reads a stream also waits for the moments of its session's machine, so a session
that nobody reads costs nothing but its memory. All waiting is done in the event loop of the client's own requests.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from typing import Final, Literal, NamedTuple, Protocol

import anyio

from mcpmock.transports.http.messages import ConnectionBroken
from mcpmock.transports.http.tcp_queue import Link
from mcpmock.transports.http.turns import Carrier, Turn, Turns, wait_until_read
from mcpmock.wire.sse import encode_event

__all__ = ["KEEP_ALIVE", "Bell", "Events", "Outlet", "Reading", "Waiting", "wait_for"]

KEEP_ALIVE: Final = 15.0
"""Seconds after which an idle stream carries a comment (PROTOCOL 5, 52)."""

_COMMENT: Final = b": keep-alive\n\n"
_BREAK: Final = 0.25
"""Seconds between the last event and a break of the connection: who has read it may not have looked at it yet, and
throws away what comes together with a break."""

_MOST_KEPT: Final = 1000
"""Events of a stream that can be asked for again."""


class Bell:
    """Wakes those who wait for something to change in a session."""

    def __init__(self) -> None:
        self._event: anyio.Event | None = None

    async def wait(self) -> None:
        """Until it is rung."""
        if self._event is None:
            self._event = anyio.Event()
        await self._event.wait()

    def ring(self) -> None:
        """Something has changed."""
        event, self._event = self._event, None
        if event is not None:
            event.set()


class Waiting(Protocol):
    """The session that a stream belongs to, as far as its readers know it."""

    bell: Bell
    turns: Turns

    @property
    def next_wake(self) -> float | None:
        """The moment at which the machine wants to be woken."""
        ...

    def wake(self) -> None:
        """That moment has come."""
        ...

    def left(self, exchange: object) -> None:
        """The client has left an exchange before it was complete."""
        ...


async def wait_for(session: Waiting, until: float = math.inf) -> None:
    """Waits until something may have changed in the session, or the moment has come."""
    wake = session.next_wake
    end = until if wake is None else min(until, wake)
    with anyio.move_on_after(end - time.monotonic()):
        await session.bell.wait()
    if wake is not None and time.monotonic() >= wake:
        session.wake()


class Reading(NamedTuple):
    """How a stream is read: seconds after which an idle one carries a comment, and the connection, if there is one."""

    keep_alive: float = KEEP_ALIVE
    link: Link | None = None


class _Event(NamedTuple):
    data: bytes
    number: int
    is_apart: bool = False
    """It must not be read together with the one before it (DESIGN 4)."""

    turn: Turn | None = None
    """Its place among what the session says on all its streams; None where it has none."""

    cut: Literal["", "ended", "broken"] = ""
    """It is none: who reads gets no further, and has to ask for what comes behind the one of this number."""


class Outlet:
    """What goes out on one stream: events that wait until somebody reads them.

    With `has_ids` each carries the id `NAME:NUMBER`, and can be asked for again.
    """

    def __init__(self, name: str, *, has_ids: bool = False, retry: int | None = None) -> None:
        self.name = name
        self.carrier = Carrier()
        self.has_ids = has_ids
        self.is_over = False
        self.is_broken = False
        self._breaks_apart = False
        self.reader: object = None
        self._ready: deque[_Event] = deque()
        self._kept: deque[_Event] = deque(maxlen=_MOST_KEPT)
        self._count = 0
        self._retry = retry

    def put(self, text: str, *, name: str = "message", is_apart: bool = False, turn: Turn | None = None) -> None:
        """A message, or other text, is sent as an event."""
        event_id = f"{self.name}:{self._count}" if self.has_ids else ""
        data = encode_event(text, name=name, id=event_id, retry=self._retry)
        self._retry = None
        self._add(_Event(data, self._count, is_apart, turn))

    def prime(self) -> None:
        """Begins the stream with an event that has an id and no data (2025-11-25)."""
        retry = b"" if self._retry is None else b"retry: %d\n" % self._retry
        self._retry = None
        data = b"id: %s:%d\n%sdata: \n\n" % (self.name.encode(), self._count, retry)
        self._add(_Event(data, self._count))

    def _add(self, event: _Event) -> None:
        self._count += not event.cut
        if self.has_ids:
            self._kept.append(event)
        self._ready.append(event)

    def cut(self, *, is_abort: bool) -> None:
        """Who reads gets no further, though more will come; if it can ask for that, having seen the id of an event."""
        if self.has_ids and self._count:
            self._add(_Event(b"", self._count - 1, is_abort, cut="broken" if is_abort else "ended"))

    def rewind(self, number: int) -> None:
        """Everything after the event of this number is sent (once more)."""
        self._ready = deque(event._replace(is_apart=False) for event in self._kept if event.number > number)

    def end(self) -> None:
        """Nothing more will come."""
        self.is_over = self.carrier.is_over = True

    def break_off(self, *, has_begun: bool = False) -> None:
        """The server has broken the connection, after what was put here before; what comes with that, clients lose.

        `has_begun`: who reads has its head at least.
        """
        self.is_over = self.is_broken = self.carrier.is_over = True
        self._breaks_apart = has_begun or self._count > 0

    @property
    def is_empty(self) -> bool:
        """Whether no event waits."""
        return not self._ready

    @property
    def is_cut(self) -> bool:
        """Whether who reads gets no further."""
        return bool(self._ready) and self._ready[0].cut != ""

    @property
    def breaks(self) -> bool:
        """Whether what comes next for who reads is that the connection breaks."""
        return self._ready[0].cut == "broken" if self._ready else self.is_broken

    @property
    def is_apart(self) -> bool:
        """Whether the next event, or the break, must not be read together with the event before it."""
        return self._ready[0].is_apart if self._ready else self._breaks_apart

    def join(self) -> None:
        """The next event has been kept apart for long enough."""
        if self._ready:
            self._ready[0] = self._ready[0]._replace(is_apart=False)
        else:
            self._breaks_apart = False

    @property
    def turn(self) -> Turn | None:
        """The turn of the next event, if it has one."""
        return self._ready[0].turn if self._ready else None

    def take(self) -> bytes | None:
        """The next event; None while there is none."""
        return self._ready.popleft().data if self._ready and not self._ready[0].cut else None


class Events:
    """The body of a response that is an event stream (see `Body`): the events of an outlet, comments while it is idle.

    `leave` is called once, when the client has gone or all was sent. Who begins to read an outlet takes it from who
    read it before.
    """

    def __init__(self, session: Waiting, outlet: Outlet, leave: Callable[[], None], reading: Reading) -> None:
        self._session = session
        self.outlet = outlet
        self._leave: Callable[[], None] | None = leave
        self._reading = reading
        outlet.reader = self
        outlet.carrier.is_read = True
        session.bell.ring()

    @property
    def is_over(self) -> bool:
        """See `Body`."""
        outlet = self.outlet
        if outlet.reader is self and (outlet.is_apart or outlet.turn is not None):
            return False
        return outlet.reader is not self or outlet.is_cut or (outlet.is_over and outlet.is_empty)

    def take(self) -> bytes | None:
        """See `Body`."""
        outlet, link = self.outlet, self._reading.link
        turn = outlet.turn
        if outlet.reader is not self or outlet.is_apart or (turn and not self._session.turns.has_come(turn, link)):
            return None
        data = outlet.take()
        if turn is not None:
            turn.sent(link)
        if data is None and outlet.breaks:
            raise ConnectionBroken
        return data

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> bytes:
        idle_until = time.monotonic() + self._reading.keep_alive
        while (data := self.take()) is None:
            if self.is_over:
                await self.aclose()
                raise StopAsyncIteration
            turn = self.outlet.turn
            if turn is not None:
                await self._session.turns.wait(turn, self._reading.link)
            if self.outlet.is_apart:
                await wait_until_read(self._reading.link)
                if self.outlet.is_empty:
                    await anyio.sleep(_BREAK)
                self.outlet.join()
            elif turn is not None:
                continue  # it has come, maybe since it was asked for above
            elif time.monotonic() >= idle_until:
                return _COMMENT
            else:
                await wait_for(self._session, idle_until)
        return data

    async def aclose(self) -> None:
        """See `Body`."""
        leave, self._leave = self._leave, None
        if self.outlet.reader is self:
            self.outlet.carrier.is_read = False
        if leave is not None:
            leave()
