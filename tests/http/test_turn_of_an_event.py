"""An event that has to wait for its turn goes out as soon as that has come (issue 6, 5: order)."""

from __future__ import annotations

import anyio
import pytest

from mcpmock.transports.http.streams import Bell, Events, Outlet, Reading
from mcpmock.transports.http.tcp_queue import Link
from mcpmock.transports.http.turns import Carrier, Turn, Turns
from tests.http.client import QUIET
from tests.program import SECONDS

pytestmark = [pytest.mark.anyio, QUIET]


class ComesInBetween(Turns):
    """Turns that come right after somebody has looked for the first time."""

    looks = 0

    def has_come(self, turn: Turn, link: Link | None) -> bool:
        """See `Turns`."""
        self.looks += 1
        return self.looks > 1


class Quiet:
    """A session in which nothing else happens."""

    next_wake = None

    def __init__(self) -> None:
        self.bell = Bell()
        self.turns = ComesInBetween()
        self.turns.listens()

    def wake(self) -> None:
        """Never called."""

    def left(self, exchange: object) -> None:
        """Never called."""


@pytest.mark.parametrize("is_apart", [True, False])
async def test_a_turn_that_comes_between_two_looks_is_not_missed(*, is_apart: bool) -> None:
    """Seen with two subscriptions that their server ended: the end of the second one came never."""
    session = Quiet()
    session.turns.next(Carrier(), is_unasked=True)
    outlet = Outlet("1")
    outlet.put("{}", is_apart=is_apart, turn=session.turns.next(outlet.carrier, is_unasked=True))
    events = Events(session, outlet, lambda: None, Reading())
    with anyio.fail_after(SECONDS):
        assert b"{}" in await anext(events)
