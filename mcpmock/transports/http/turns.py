"""The order of what goes to one client on several connections.

Within a stream order is exact. Between two of them it is left to chance which the client reads first; so what comes
later waits until it has read what comes earlier. Calls that are open at once may be answered in any order: only what
comes unasked, on the stream of a GET or of a subscription, has its place among all the rest.

No wait is longer than a moment that nobody notices in a test, and a client that does not read one of its streams is
waited for once.
"""

from __future__ import annotations

import math
import time
from collections import deque
from typing import Final

import anyio

from mcpmock.transports.http.tcp_queue import Link

__all__ = ["BLIND", "LIMIT", "Carrier", "Turn", "Turns", "wait_until_read"]

LIMIT: Final = 0.25
"""Seconds after which a client that does not read is waited for no longer (DESIGN 4)."""

BLIND: Final = 0.005
"""Seconds waited where nobody knows what the client has read."""

_HANDED_ON: Final = 0.002
"""Seconds between a client's having read something and its having handed it on, to whoever waits for it."""

_LONG_AGO: Final = 0.1
"""Seconds after which what has been read was handed on long ago."""

_STEP: Final = 0.001

_MOST: Final = 32
"""Messages of a session whose order is kept. More are on their way at once only where many clients share it."""


async def wait_until_read(link: Link | None) -> None:
    """Waits until the client has read all that was sent to it, for a bounded time."""
    end = time.monotonic() + LIMIT
    unread = link.unread() if link is not None else None
    while unread and time.monotonic() < end:
        await anyio.sleep(_STEP)
        unread = link.unread() if link is not None else None
    if unread is None:
        await anyio.sleep(BLIND)


class Carrier:
    """What messages go out on: a stream, or an answer.

    is_over  nothing more will come on it
    is_read  somebody is there to read it
    is_deaf  its client has not read it when it was waited for
    link     the connection on which it went out last
    """

    __slots__ = ("is_deaf", "is_over", "is_read", "link")

    def __init__(self, *, is_over: bool = False) -> None:
        self.is_over = is_over
        self.is_read = is_over
        self.is_deaf = False
        self.link: Link | None = None

    def listen_again(self) -> None:
        """One that was deaf is waited for again, once all that it was sent has been read."""
        self.is_deaf = self.link is not None and self.link.unread() != 0


class Turn:
    """The place of one message among those of its session. `heard`: how often the client had spoken before it."""

    __slots__ = ("_read_at", "_sent_at", "carrier", "heard", "is_unasked", "link", "number")

    def __init__(self, number: int, carrier: Carrier, heard: int, *, is_unasked: bool) -> None:
        self.number = number
        self.carrier = carrier
        self.heard = heard
        self.is_unasked = is_unasked
        self.link: Link | None = None
        self._sent_at = math.inf
        self._read_at = math.inf

    @property
    def is_sent(self) -> bool:
        """Whether it has gone out."""
        return self._sent_at != math.inf

    def sent(self, link: Link | None) -> None:
        """It goes out, on this connection."""
        self.link = self.carrier.link = link
        self._sent_at = time.monotonic()

    def is_before(self, later: Turn, link: Link | None) -> bool:
        """Whether a later one, on this connection, has to wait for it, as long as it is on its way.

        Not where the client has spoken in between: it has had the answers that it waited for.
        """
        if self.carrier is later.carrier or not (self.is_unasked or later.is_unasked):
            return False
        if not self.is_sent:
            return self.carrier.is_read and not self.carrier.is_deaf
        if self.link is not None and self.link == link:
            return False
        return not (self.carrier.is_over and self.heard < later.heard)

    def is_on_its_way(self) -> bool:
        """Whether it has not gone out, or its client may not yet have handed it on to who waits for it."""
        if not self.is_sent:
            return True
        now = time.monotonic()
        unread = self.link.unread() if self.link is not None else None
        if unread is None:
            return now < self._sent_at + BLIND
        if unread:
            return not self.carrier.is_deaf
        self._read_at = min(self._read_at, now)
        return self._read_at < self._sent_at + _LONG_AGO and now < self._read_at + _HANDED_ON


class Turns:
    """Those of one session: what is on its way to the client, in the order in which it has to arrive."""

    def __init__(self) -> None:
        self._line: deque[Turn] = deque(maxlen=_MOST)
        self._has_streams = False
        self._count = 0
        self._heard = 0

    def heard(self) -> None:
        """The client has spoken."""
        self._heard += 1

    def listens(self) -> None:
        """The client has a stream for what comes unasked."""
        self._has_streams = True

    def next(self, carrier: Carrier | None = None, *, is_unasked: bool) -> Turn | None:
        """The turn of one more message, on a stream or as an answer; None while the client has but what it asked for,
        where nothing has to wait."""
        if not self._has_streams:
            return None
        self._count += 1
        carrier = carrier or Carrier(is_over=True)
        if carrier.is_deaf:
            carrier.listen_again()
        turn = Turn(self._count, carrier, self._heard, is_unasked=is_unasked)
        while self._line and self._is_past(self._line[0]):
            self._line.popleft()
        self._line.append(turn)
        return turn

    def _is_past(self, turn: Turn) -> bool:
        """Whether nobody will have to wait for it any more, as far as that can be seen without looking."""
        return turn.carrier.is_over and turn.is_sent and turn.heard < self._heard

    def has_come(self, turn: Turn, link: Link | None) -> bool:
        """Whether a message may go out on this connection."""
        return self._awaited(turn, link) is None

    async def wait(self, turn: Turn, link: Link | None) -> None:
        """Waits for that, for a bounded time."""
        end = time.monotonic() + LIMIT
        while (awaited := self._awaited(turn, link)) is not None:
            if time.monotonic() >= end:
                awaited.carrier.is_deaf = True
                self._line.remove(awaited)
            else:
                await anyio.sleep(_STEP)

    def _awaited(self, turn: Turn, link: Link | None) -> Turn | None:
        for earlier in list(self._line):
            if earlier.number >= turn.number:
                break
            if earlier.is_before(turn, link):
                if earlier.is_on_its_way():
                    return earlier
                self._line.remove(earlier)
        return None
