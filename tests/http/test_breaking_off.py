"""A connection that breaks does so apart from the events before it: clients throw away what they had not looked at."""

from __future__ import annotations

import anyio
import pytest

from mcpmock.transports.http.messages import ConnectionBroken
from mcpmock.transports.http.streams import Bell, Events, Outlet, Reading
from mcpmock.transports.http.turns import Turns
from tests.http.client import QUIET
from tests.program import SECONDS

pytestmark = [pytest.mark.anyio, QUIET]


class Quiet:
    """A session that nothing happens in."""

    bell = Bell()
    turns = Turns()
    next_wake = None

    def wake(self) -> None:
        """Never called."""

    def left(self, exchange: object) -> None:
        """Never called."""


async def breaks(events: Events) -> None:
    """What is there can be had at once; that the connection breaks has to be waited for."""
    assert events.take() is not None
    assert events.take() is None
    assert not events.is_over
    with anyio.fail_after(SECONDS), pytest.raises(ConnectionBroken):
        await anext(events)


async def test_a_stream_that_breaks_off_has_been_read_before() -> None:
    """Case HT-13, seen in the conformance suite: of three streams that their client had left one told nothing."""
    outlet = Outlet("1")
    outlet.put("{}")
    outlet.break_off()
    await breaks(Events(Quiet(), outlet, lambda: None, Reading()))


async def test_a_stream_that_breaks_before_its_rest_has_been_read_before() -> None:
    """SS-06: the client asks for the rest only if it has seen the id of an event."""
    outlet = Outlet("1", has_ids=True)
    outlet.prime()
    outlet.cut(is_abort=True)
    outlet.put("{}")
    await breaks(Events(Quiet(), outlet, lambda: None, Reading()))


async def test_a_stream_that_breaks_before_anything_came_breaks_at_once() -> None:
    """Case HT-13."""
    outlet = Outlet("1")
    outlet.break_off()
    with pytest.raises(ConnectionBroken):
        Events(Quiet(), outlet, lambda: None, Reading()).take()
