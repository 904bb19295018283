"""What the process of a test keeps for a client that does not read."""

from __future__ import annotations

import contextlib
import select
import socket
import threading

from mcpmock.transports.relay import Hello, RelayWire


def write(wire: RelayWire) -> None:
    """Much; what comes behind it, the reader has gone by then."""
    with contextlib.suppress(OSError):
        wire.write(b"x" * (1 << 24))


def test_a_client_that_sends_without_end_and_never_reads_has_to_wait() -> None:
    """Ours (DESIGN 5): that is bounded, as with a real server; once it reads, it is served."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        wire = RelayWire(ours, Hello("token"))
        writer = threading.Thread(target=write, args=(wire,))
        writer.start()
        theirs.setblocking(False)
        sent, most = 0, 100 << 20
        while sent < most and select.select([], [theirs], [], 1.0)[1]:
            sent += theirs.send(b"y" * 100_000)
        assert 60 << 20 < sent < most
        theirs.setblocking(True)
        left = 1 << 24
        while left > 0:
            left -= len(theirs.recv(left))
        theirs.close()
        writer.join()
        assert wire.read(None)
