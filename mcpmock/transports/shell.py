"""The blocking shell around a machine: it feeds what the client sent, and carries out what it gets back.

It blocks in `read` while the machine waits for nothing but the client, and wakes it at the moment that it asks for.
The same shell serves the command line and the relays of a fixture; what the bytes go through is a `Wire`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from mcpmock.session.playing.actions import Action, End, Send, SendNoise, WriteStderr
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE, Frame, LineSplitter

__all__ = ["Machine", "Shell", "Wire"]


class Machine(Protocol):
    """One live session: frames and moments in, actions out (see `Playback`)."""

    @property
    def next_wake(self) -> float | None:
        """The moment at which it wants to be woken; None while it waits for nothing but the client."""
        ...

    def receive(self, frame: Frame, now: float) -> list[Action]:
        """The client sent one frame."""
        ...

    def wake(self, now: float) -> list[Action]:
        """The moment has come."""
        ...

    def end_of_input(self, now: float) -> list[Action]:
        """The client has closed its side."""
        ...


class Wire(Protocol):
    """Where the client's bytes come from, and where the server's go. All may raise OSError where the client is gone."""

    def read(self, until: float | None) -> bytes | None:
        """The next bytes, empty at the end; None when the moment `until` came first."""
        ...

    def write(self, data: bytes) -> None:
        """Sends all of it."""
        ...

    def write_stderr(self, data: bytes) -> None:
        """Sends it to where the client looks for a server's stderr; what nobody reads there may be lost."""
        ...

    def wait_until_read(self) -> None:
        """Waits, for a bounded time, until the client has read what was written."""
        ...


class Shell:
    """Serves one machine until its client leaves, or the recorded server did.

    `explain` is called after each frame, so that a miss is told as soon as it happened.
    """

    def __init__(
        self,
        machine: Machine,
        wire: Wire,
        *,
        explain: Callable[[], None] = lambda: None,
        max_message: int = DEFAULT_MAX_MESSAGE,
    ) -> None:
        self._machine = machine
        self._wire = wire
        self._explain = explain
        self._splitter = LineSplitter(max_message)

    def serve(self) -> int | str | None:
        """Runs the session. Returns the recorded end of the server (status or signal), None after the client's EOF.

        Raises OSError, mostly BrokenPipeError, when the client no longer reads.
        """
        while True:
            chunk = self._wire.read(self._machine.next_wake)
            if chunk is None:
                end = self._carry_out(self._machine.wake(time.monotonic()))
            else:
                end = self._feed(chunk)
            if end is not None:
                return end.status
            if chunk == b"":
                return None

    def _feed(self, chunk: bytes) -> End | None:
        frames = self._splitter.feed(chunk) if chunk else self._splitter.end()
        for frame in frames:
            end = self._carry_out(self._machine.receive(frame, time.monotonic()))
            self._explain()
            if end is not None:
                return end
        return None if chunk else self._carry_out(self._machine.end_of_input(time.monotonic()))

    def _carry_out(self, actions: list[Action]) -> End | None:
        """Does what the machine asks for; neighbouring messages go out in one write."""
        lines: list[bytes] = []
        for action in actions:
            if type(action) is Send:
                if action.is_after_progress:
                    self._write(lines)
                    self._wire.wait_until_read()
                lines.append(action.text.encode("ascii"))
            elif isinstance(action, SendNoise):
                lines.append(action.line)
            elif isinstance(action, WriteStderr):
                self._wire.write_stderr(action.text.encode("utf-8", "replace"))
            elif isinstance(action, End):
                self._write(lines)
                return action
        self._write(lines)
        return None

    def _write(self, lines: list[bytes]) -> None:
        if lines:
            lines.append(b"")
            self._wire.write(b"\n".join(lines))
            lines.clear()
