"""The blocking shell around the playback machine: a stdio server without an event loop (DESIGN 5, "stdio replay").

It blocks in `read` while the machine waits for nothing but the client. Once the machine wants to be woken, a thread
reads instead and feeds a queue.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Final, Protocol

from mcpmock.session.actions import Action, End, Send, SendNoise, WriteStderr
from mcpmock.session.playback import Playback
from mcpmock.transports.draining import wait_until_read
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE, LineSplitter

__all__ = ["StdioShell"]

_CHUNK: Final = 1 << 16
_EOF: Final = b""


class _Source(Protocol):
    """Where the client's bytes come from."""

    def read(self, until: float | None) -> bytes | None:
        """The next bytes, empty at the end; None when the moment `until` came first."""
        ...


class StdioShell:
    """Serves one playback on two descriptors until its client leaves, or the recorded server did.

    `explain` is called after each frame, so that a miss is told on stderr as soon as it happened.
    """

    def __init__(
        self,
        playback: Playback,
        *,
        read_from: int = 0,
        write_to: int = 1,
        errors_to: int = 2,
        explain: Callable[[], None] = lambda: None,
        max_message: int = DEFAULT_MAX_MESSAGE,
    ) -> None:
        self._playback = playback
        self._from = read_from
        self._to = write_to
        self._errors_to = errors_to
        self._explain = explain
        self._splitter = LineSplitter(max_message)

    def serve(self) -> int | str | None:
        """Runs the session. Returns the recorded end of the server (status or signal), None after the client's EOF.

        Raises BrokenPipeError when the client no longer reads.
        """
        source: _Source = _BlockingSource(self._from)
        while True:
            wake = self._playback.next_wake
            if wake is not None and isinstance(source, _BlockingSource):
                source = _QueueSource(source)
            chunk = source.read(wake)
            if chunk is None:
                end = self._carry_out(self._playback.wake(time.monotonic()))
            else:
                end = self._feed(chunk)
            if end is not None:
                return end.status
            if chunk == _EOF and chunk is not None:
                return None

    def _feed(self, chunk: bytes) -> End | None:
        frames = self._splitter.feed(chunk) if chunk else self._splitter.end()
        for frame in frames:
            end = self._carry_out(self._playback.receive(frame, time.monotonic()))
            self._explain()
            if end is not None:
                return end
        return None if chunk else self._carry_out(self._playback.end_of_input(time.monotonic()))

    def _carry_out(self, actions: list[Action]) -> End | None:
        """Does what the machine asks for; neighbouring messages go out in one write."""
        lines: list[bytes] = []
        for action in actions:
            if type(action) is Send:
                if action.is_after_progress:
                    self._write(lines)
                    wait_until_read(self._to)
                lines.append(action.text.encode("ascii"))
            elif isinstance(action, SendNoise):
                lines.append(action.line)
            elif isinstance(action, WriteStderr):
                _write_all(self._errors_to, action.text.encode("utf-8", "replace"))
            elif isinstance(action, End):
                self._write(lines)
                return action
        self._write(lines)
        return None

    def _write(self, lines: list[bytes]) -> None:
        if lines:
            lines.append(b"")
            _write_all(self._to, b"\n".join(lines))
            lines.clear()


def _write_all(descriptor: int, data: bytes) -> None:
    written = _write_some(descriptor, data)
    if written < len(data):
        rest = memoryview(data)[written:]
        while rest:
            rest = rest[_write_some(descriptor, rest) :]


def _write_some(descriptor: int, data: bytes | memoryview) -> int:
    try:
        return os.write(descriptor, data)
    except BlockingIOError:  # handed over by a parent that works without blocking
        os.set_blocking(descriptor, True)
        return 0


class _BlockingSource:
    """Reads where it is."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def read(self, until: float | None = None) -> bytes:
        while True:
            try:
                return os.read(self._descriptor, _CHUNK)
            except BlockingIOError:
                os.set_blocking(self._descriptor, True)


class _QueueSource:
    """Reads in a thread, so that a moment can be waited for as well."""

    def __init__(self, source: _BlockingSource) -> None:
        import threading
        from queue import SimpleQueue

        self._source = source
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
                chunk = self._source.read()
            except OSError as error:
                self._queue.put(error)
                return
            self._queue.put(chunk)
            if not chunk:
                return
