"""Whose turn it is, of messages on several connections of one client (issue 6; ours, DESIGN 4)."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import anyio
import pytest

from mcpmock.transports.http import turns
from mcpmock.transports.http.tcp_queue import Link
from mcpmock.transports.http.turns import Carrier, Turn, Turns
from tests.program import SECONDS

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_NETLINK"), reason="Linux alone tells what has been read")


class Stream:
    """A connection with what is carried on it."""

    def __init__(self, listener: socket.socket, stack: ExitStack) -> None:
        self.carrier = Carrier()
        self.carrier.is_read = True
        self.client = stack.enter_context(socket.create_connection(listener.getsockname()[:2], SECONDS))
        self.server = stack.enter_context(listener.accept()[0])
        self.link = Link(self.client.getsockname()[:2], self.server.getsockname()[:2])

    def send(self, turn: Turn) -> None:
        """The message goes out, and waits at the other end."""
        self.server.sendall(b"message")
        self.client.recv(1, socket.MSG_PEEK)
        turn.sent(self.link)

    def read(self) -> None:
        """The client reads all that waits."""
        self.client.recv(65536)


@pytest.fixture(params=["127.0.0.1", "::1"])
def streams(request: pytest.FixtureRequest) -> Iterator[tuple[Stream, Stream]]:
    """The stream of a GET, and that of a call."""
    family = socket.AF_INET6 if ":" in request.param else socket.AF_INET
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server((request.param, 0), family=family))
        yield Stream(listener, stack), Stream(listener, stack)


class Line(Turns):
    """The turns of a client that listens: each message has one."""

    def next(self, carrier: Carrier | None = None, *, is_unasked: bool) -> Turn:
        """See `Turns`."""
        self.listens()
        turn = super().next(carrier, is_unasked=is_unasked)
        assert turn is not None
        return turn


async def _wait(line: Turns, turn: Turn, stream: Stream) -> None:
    with anyio.fail_after(SECONDS):
        await line.wait(turn, stream.link)


def wait(line: Turns, turn: Turn, stream: Stream) -> None:
    """Waits for a turn that comes."""
    anyio.run(_wait, line, turn, stream)
    assert line.has_come(turn, stream.link)


@pytest.mark.parametrize("is_asked", [True, False])
def test_what_comes_later_waits_until_the_client_has_read(streams: tuple[Stream, Stream], *, is_asked: bool) -> None:
    """On another connection, whichever of them is that of a call."""
    first, second = streams
    line = Line()
    earlier = line.next(first.carrier, is_unasked=not is_asked)
    later = line.next(second.carrier, is_unasked=is_asked)
    assert not line.has_come(later, second.link)
    first.send(earlier)
    assert not line.has_come(later, second.link)
    first.read()
    wait(line, later, second)


def test_who_does_not_read_is_waited_for_once(streams: tuple[Stream, Stream], monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it has read, when it is waited for again."""
    monkeypatch.setattr(turns, "LIMIT", 0.01)
    first, second = streams
    line = Line()
    first.send(line.next(first.carrier, is_unasked=True))
    wait(line, line.next(second.carrier, is_unasked=False), second)
    first.send(line.next(first.carrier, is_unasked=True))
    assert line.has_come(line.next(second.carrier, is_unasked=False), second.link)
    first.read()
    first.send(line.next(first.carrier, is_unasked=True))
    assert not line.has_come(line.next(second.carrier, is_unasked=False), second.link)


def test_calls_that_are_open_at_once_wait_for_none_of_each_other(streams: tuple[Stream, Stream]) -> None:
    """DESIGN 4: messages of independent requests may interleave freely."""
    first, second = streams
    line = Line()
    first.send(line.next(first.carrier, is_unasked=False))
    assert line.has_come(line.next(second.carrier, is_unasked=False), second.link)


def test_a_client_that_has_spoken_has_had_its_answers(streams: tuple[Stream, Stream]) -> None:
    """What comes after that need not wait for an answer before it; but what comes on a stream may be unread all the
    same."""
    first, second = streams
    line = Line()
    first.send(line.next(first.carrier, is_unasked=False))
    first.carrier.is_over = True
    assert not line.has_come(line.next(second.carrier, is_unasked=True), second.link)
    line.heard()
    assert line.has_come(line.next(second.carrier, is_unasked=True), second.link)


def test_what_goes_out_on_one_connection_needs_no_turn(streams: tuple[Stream, Stream]) -> None:
    """It cannot overtake."""
    first, _ = streams
    line = Line()
    first.send(line.next(first.carrier, is_unasked=True))
    assert line.has_come(line.next(is_unasked=False), first.link)


def test_who_has_but_what_it_asked_for_waits_for_nothing() -> None:
    """Without a stream for what comes unasked no message has a turn: a call costs no more than it did."""
    line = Turns()
    assert line.next(is_unasked=False) is None
    line.listens()
    assert line.next(is_unasked=False) is not None


def test_what_goes_out_on_one_stream_needs_no_turn(streams: tuple[Stream, Stream]) -> None:
    """A client that opens it again may have lost what it had not read."""
    first, second = streams
    line = Line()
    first.send(line.next(first.carrier, is_unasked=True))
    assert line.has_come(line.next(first.carrier, is_unasked=True), second.link)


def test_of_many_messages_on_their_way_the_last_ones_are_waited_for(streams: tuple[Stream, Stream]) -> None:
    """So many are there only where many clients share a session: these shall not wait for each other."""
    first, second = streams
    line = Line()
    first.send(line.next(first.carrier, is_unasked=True))
    for _ in range(31):
        line.next(second.carrier, is_unasked=False)
    assert line.has_come(line.next(second.carrier, is_unasked=False), second.link)


def test_where_the_kernel_cannot_be_asked_its_table_tells_the_same(
    streams: tuple[Stream, Stream], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: some containers have the one without the other."""
    stream, _ = streams
    stream.server.sendall(b"message")
    stream.client.recv(1, socket.MSG_PEEK)
    assert stream.link.unread() == len(b"message")
    monkeypatch.delattr(socket, "AF_NETLINK")
    assert stream.link.unread() == len(b"message")
    stream.read()
    assert stream.link.unread() == 0
