"""The wire of a stdio server without an event loop: two descriptors (DESIGN 5, "stdio replay").

It blocks in `read` while only the client is waited for. Once there is a moment to wait for, or a client that sends
without reading, a thread reads instead and feeds a queue.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Final

from mcpmock.transports.stderr import Stderr

__all__ = ["ENDING", "Interrupts", "StdioWire", "Stopped"]

_CHUNK: Final = 1 << 16
_PIECE: Final = 4096
"""What a pipe or a socket that has room takes without waiting (PIPE_BUF)."""
_LARGE: Final = 1 << 20
"""What is not worth to be cut into such pieces."""
_MOST_WAITING: Final = 64 << 20
"""So many bytes of a client that does not read are kept for it."""
_WEIGHT: Final = 64  # bytes of memory that a chunk takes beside its own

ENDING: Final = ("SIGTERM", "SIGINT", "SIGHUP")
"""The signals by which a process is asked to end."""


class Stopped(BaseException):
    """A signal has asked this process to end; `name` says which."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Interrupts:
    """Remembers the first signal, and raises `Stopped` within its block: `with interrupts: wait()`.

    An exception out of a signal handler is lost where it is raised within a callback of the import system or a
    finaliser; then nothing ends, though somebody has asked for it. And between its waits a session takes moments only.
    """

    def __init__(self) -> None:
        self._name = ""
        self._is_waiting = False

    def watch(self) -> None:
        """From now on the signals count. What is ignored (`nohup`) stays ignored."""
        import signal  # not before it is needed: a replay starts once per session

        for number in (getattr(signal, name) for name in ENDING if hasattr(signal, name)):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._heed)

    def _heed(self, number: int, _frame: FrameType | None) -> None:
        from signal import Signals

        self._name = self._name or Signals(number).name
        if self._is_waiting:
            raise Stopped(self._name)

    def __enter__(self) -> None:
        self._is_waiting = True
        if self._name:  # it came before
            self._is_waiting = False
            raise Stopped(self._name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_waiting = False


class StdioWire:
    """See `Wire`: the descriptors of this process. While it waits for its client it may raise `Stopped`."""

    def __init__(self, *, read_from: int = 0, write_to: int = 1, errors_to: int = 2) -> None:
        self.interrupts: Final = Interrupts()
        self._from = read_from
        self._to = write_to
        self._stderr = Stderr(errors_to)
        self._queue: _Queue | None = None
        self._is_ready: Callable[[int], object] | None = None
        self._room = _PIECE  # so many bytes can be written without waiting, whatever the client does

    def read(self, until: float | None) -> bytes | None:
        """See `Wire`."""
        if self._queue is None and until is not None:
            self._queue = _Queue(self._from)
        with self.interrupts:
            return _read(self._from) if self._queue is None else self._queue.read(until)

    def write(self, data: bytes) -> None:
        """See `Wire`. While nobody reads, what the client sends is read on: it may read only when it has sent all."""
        self._room -= len(data)
        if self._room >= 0:
            _write_all(self._to, data)
        else:
            self._write_with_care(memoryview(data))

    def _write_with_care(self, rest: memoryview) -> None:
        is_ready = self._is_ready or _readiness(self._to)
        self._is_ready = is_ready
        while rest and self._queue is None:
            if len(rest) < _LARGE and is_ready(0):
                written = _write_some(self._to, rest[:_PIECE])
                self._room = _PIECE - written
                rest = rest[written:]
            else:
                self._queue = _Queue(self._from)
        if self._queue is not None:
            self._room = sys.maxsize
            with self.interrupts:
                _write_all(self._to, rest)

    def write_stderr(self, data: bytes) -> None:
        """See `Wire`."""
        self._stderr.write(data)

    def wait_until_read(self) -> None:
        """See `Wire`."""
        from mcpmock.transports.draining import wait_until_read  # few answers come after progress

        wait_until_read(self._to)


def _read(descriptor: int) -> bytes:
    while True:
        try:
            return os.read(descriptor, _CHUNK)
        except BlockingIOError:  # handed over by a parent that works without blocking
            os.set_blocking(descriptor, True)
        except OSError as error:
            import errno  # for a rare end

            if error.errno == errno.EIO:  # a terminal that nobody is at any more
                return b""
            raise


def _readiness(descriptor: int) -> Callable[[int], object]:
    """Asks whether a write would not have to wait, for so many milliseconds."""
    import select  # not needed for a first, small answer

    if not hasattr(select, "poll"):
        return lambda milliseconds: True  # Windows
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return poll.poll


def _write_all(descriptor: int, data: bytes | memoryview) -> None:
    written = _write_some(descriptor, data)
    while written < len(data):
        data = memoryview(data)[written:]
        written = _write_some(descriptor, data)


def _write_some(descriptor: int, data: bytes | memoryview) -> int:
    try:
        return os.write(descriptor, data)
    except BlockingIOError:
        os.set_blocking(descriptor, True)
        return 0


class _Queue:
    """Reads in a thread, so that a moment can be waited for as well.

    It reads on while nobody takes what it has read, up to `_MOST_WAITING` bytes; then the client has to wait, as a
    real server would let it.
    """

    def __init__(self, descriptor: int) -> None:
        import threading
        from queue import Empty, SimpleQueue

        self._descriptor = descriptor
        self._queue: SimpleQueue[bytes | OSError] = SimpleQueue()
        self._empty = Empty
        self._read = 0  # bytes; each of the two numbers has one writer
        self._taken = 0
        self._has_room = threading.Event()
        self._most = threading.TIMEOUT_MAX
        threading.Thread(target=self._pump, name="mcpmock-stdin", daemon=True).start()

    def read(self, until: float | None) -> bytes | None:
        timeout = None if until is None else min(self._most, max(0.0, until - time.monotonic()))
        try:
            found = self._queue.get(timeout=timeout)
        except self._empty:
            return None
        if isinstance(found, OSError):
            raise found
        self._taken += len(found) + _WEIGHT
        self._has_room.set()
        return found

    def _pump(self) -> None:
        while True:
            try:
                chunk = _read(self._descriptor)
            except OSError as error:
                self._queue.put(error)
                return
            self._read += len(chunk) + _WEIGHT
            self._queue.put(chunk)
            if not chunk:
                return
            while self._read - self._taken > _MOST_WAITING:
                self._has_room.clear()
                if self._read - self._taken > _MOST_WAITING:
                    self._has_room.wait()
