"""The wire of a stdio server without an event loop: two descriptors (DESIGN 5, "stdio replay").

It blocks in `read` while only the client is waited for. Once there is a moment to wait for, a thread reads instead and
feeds a queue.
"""

from __future__ import annotations

import os
import time
from typing import Final

from mcpmock.transports.draining import wait_until_read
from mcpmock.transports.stderr import Stderr

__all__ = ["StdioWire"]

_CHUNK: Final = 1 << 16


class StdioWire:
    """See `Wire`: the descriptors of this process."""

    def __init__(self, *, read_from: int = 0, write_to: int = 1, errors_to: int = 2) -> None:
        self._from = read_from
        self._to = write_to
        self._stderr = Stderr(errors_to)
        self._queue: _Queue | None = None

    def read(self, until: float | None) -> bytes | None:
        """See `Wire`."""
        if self._queue is None:
            if until is None:
                return _read(self._from)
            self._queue = _Queue(self._from)
        return self._queue.read(until)

    def write(self, data: bytes) -> None:
        """See `Wire`."""
        _write_all(self._to, data)

    def write_stderr(self, data: bytes) -> None:
        """See `Wire`."""
        self._stderr.write(data)

    def wait_until_read(self) -> None:
        """See `Wire`."""
        wait_until_read(self._to)


def _read(descriptor: int) -> bytes:
    while True:
        try:
            return os.read(descriptor, _CHUNK)
        except BlockingIOError:  # handed over by a parent that works without blocking
            os.set_blocking(descriptor, True)


def _write_all(descriptor: int, data: bytes) -> None:
    written = _write_some(descriptor, data)
    if written < len(data):
        rest = memoryview(data)[written:]
        while rest:
            rest = rest[_write_some(descriptor, rest) :]


def _write_some(descriptor: int, data: bytes | memoryview) -> int:
    try:
        return os.write(descriptor, data)
    except BlockingIOError:
        os.set_blocking(descriptor, True)
        return 0


class _Queue:
    """Reads in a thread, so that a moment can be waited for as well."""

    def __init__(self, descriptor: int) -> None:
        import threading
        from queue import SimpleQueue

        self._descriptor = descriptor
        self._queue: SimpleQueue[bytes | OSError] = SimpleQueue()
        threading.Thread(target=self._pump, name="mcpmock-stdin", daemon=True).start()

    def read(self, until: float | None) -> bytes | None:
        from queue import Empty

        timeout = None if until is None else max(0.0, until - time.monotonic())
        try:
            found = self._queue.get(timeout=timeout)
        except Empty:
            return None
        if isinstance(found, OSError):
            raise found
        return found

    def _pump(self) -> None:
        while True:
            try:
                chunk = _read(self._descriptor)
            except OSError as error:
                self._queue.put(error)
                return
            self._queue.put(chunk)
            if not chunk:
                return
