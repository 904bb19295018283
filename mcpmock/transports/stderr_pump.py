"""The pump of the server's stderr, which also keeps it in order with stdout."""

from __future__ import annotations

import os
import select
import threading
import time
from typing import Final

from mcpmock.transports import posix
from mcpmock.transports.tape import Track

STDERR: Final = posix.STDERR

_MOST_UNREAD: Final = 4 * 1024 * 1024
_LAST_CHANCE: Final = 0.5


class StderrPump:
    """Passes on a server's stderr as it comes; the server never waits because nobody reads ours.

    What a server writes to stderr and then to stdout is noted in this order, although two threads read it: the other
    pump calls `catch_up` between its reading and its noting.
    """

    def __init__(self, track: Track, source: int) -> None:
        os.set_blocking(source, False)
        self._track = track
        self._source = source
        self._lock = threading.Lock()
        self._unread = bytearray()
        self._is_open = True
        self._is_read = True  # somebody may still read our stderr
        self._bell, self._bell_rope = os.pipe()
        self._poller = select.poll()
        self._poller.register(source, select.POLLIN)

    def catch_up(self) -> None:
        """Note what is there already. Any thread may call it."""
        with self._lock:
            if self._is_open and self._poller.poll(0):
                self._take()
                os.write(self._bell_rope, b"!")

    def run(self) -> None:
        """Pump, until the server has closed its stderr."""
        while self._is_open:
            ready = self._wait()
            if self._bell in ready:
                os.read(self._bell, 1024)
            with self._lock:
                if self._source in ready and self._is_open:
                    self._take()
            self._flush()
        end = time.monotonic() + _LAST_CHANCE
        while self._unread and self._is_read and (left := end - time.monotonic()) > 0:
            poller = select.poll()
            poller.register(STDERR, select.POLLOUT)
            poller.poll(left * 1000)
            self._flush()

    def _wait(self) -> list[int]:
        poller = select.poll()
        poller.register(self._source, select.POLLIN)
        poller.register(self._bell, select.POLLIN)
        if self._unread:
            poller.register(STDERR, select.POLLOUT)
        return [descriptor for descriptor, _ in poller.poll()]

    def _take(self) -> None:
        """Read once and note it; the lock is held."""
        try:
            data = os.read(self._source, posix.CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._is_open = False
            return
        self._track.put(data)
        if self._is_read and len(self._unread) < _MOST_UNREAD:
            self._unread += data

    def _flush(self) -> None:
        """Write what can be written without waiting."""
        while self._unread and self._is_read:
            written = posix.write_some(STDERR, bytes(self._unread[: select.PIPE_BUF]))
            if written < 0:
                self._is_read = False
                self._unread.clear()
            elif written == 0:
                return
            else:
                with self._lock:
                    del self._unread[:written]
