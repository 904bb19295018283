"""Whether the peer has read what was written to it: for answers that must not share a read with their progress.

The TypeScript SDK loses all the progress of a call whose answer comes in the same read.
"""

from __future__ import annotations

import os
import stat
import time
from typing import Final

__all__ = ["LIMIT", "wait_until_read"]

LIMIT: Final = 0.25
"""Seconds after which a peer that does not read is waited for no longer."""

_BLIND: Final = 0.005
"""Seconds waited where the system does not tell how much is unread."""

_STEP: Final = 0.0005


def wait_until_read(descriptor: int) -> None:
    """Waits until the peer has read all that was written to a pipe or a socket, at most `LIMIT` seconds."""
    request = _unread_request(descriptor)
    end = time.monotonic() + LIMIT
    while request is not None and time.monotonic() < end:
        unread = _unread(descriptor, request)
        if unread == 0:
            return
        if unread is None:
            break
        time.sleep(_STEP)
    else:
        if request is not None:
            return
    time.sleep(_BLIND)


def _unread_request(descriptor: int) -> int | None:
    """The ioctl that tells how much is unread: FIONREAD of a pipe, SIOCOUTQ of a socket; None where neither works."""
    try:
        import termios
    except ImportError:  # Windows
        return None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISFIFO(mode):
        return termios.FIONREAD
    return termios.TIOCOUTQ if stat.S_ISSOCK(mode) else None  # SIOCOUTQ has the number of TIOCOUTQ


def _unread(descriptor: int, request: int) -> int | None:
    import fcntl

    try:
        told = fcntl.ioctl(descriptor, request, b"\0\0\0\0")
    except OSError:
        return None
    return int.from_bytes(told, "little", signed=True)
