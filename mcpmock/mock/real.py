"""A real server in the place of a recorded one: passed through as it is, or through the recorder."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import mcpmock
from mcpmock.keeping import Keeping
from mcpmock.mock.part import Clock, LiveSession, Part
from mcpmock.transports.bridge import Launch, bridge
from mcpmock.transports.relay import RelayWire
from mcpmock.wire.framing import LineSplitter, Oversize
from mcpmock.wire.message import Batch, Message, parse

if TYPE_CHECKING:
    from mcpmock.transports.memory import Streams

__all__ = ["RealPart", "recorder_command"]

_ROOT: Final = str(Path(mcpmock.__file__).absolute().parent.parent)
_RUN: Final = f"import sys; sys.path.insert(0, {_ROOT!r}); from mcpmock.__main__ import main; sys.exit(main())"


def recorder_command(keeping: Keeping, command: Sequence[str]) -> tuple[str, ...]:
    """`mcpmock record` for a server, of this very installation; nothing is changed in what the server inherits."""
    rules = [word for rule in keeping.redact for word in ("--redact", rule)]
    given = [f"--var={name}={text}" for name, text in keeping.vars.items()]
    options = ("-o", keeping.output, "--run", keeping.run, "--server", keeping.server, *rules, *given)
    return (sys.executable, "-P", "-c", _RUN, "record", *options, "--", *command)


class RealPart(Part):
    """A real server, with what was said. Nothing is missed and nothing unplayed: it answers by itself."""

    tells_environment = True
    patience = 20.0

    def __init__(self, name: str, command: Sequence[str], clock: Clock) -> None:
        super().__init__(name)
        self._command = command
        self._clock = clock

    def serve(self, wire: RelayWire) -> int:
        """See `Part`."""
        session = self._open("stdio")
        status = 1
        try:
            launch = Launch(self._command, {**os.environ, **wire.environment}, wire.folder or None)
            status = bridge(wire, launch, session)
        finally:
            session.end(status)
        return status

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[Streams]:
        """See `Part`."""
        from mcpmock.transports.process_streams import process_streams
        from mcpmock.transports.sdk import sdk_codec

        session = self._open("memory")
        try:
            async with process_streams(Launch(self._command, os.environ), sdk_codec(), session) as streams:
                yield streams
        finally:
            session.end(0)

    def _open(self, transport: str) -> PassedSession:
        with self._clock.lock:
            session = PassedSession(self.name, transport, self._clock)
            self.sessions.append(session)
            return session


class PassedSession(LiveSession):
    """One connection of a client with a real server. See `Listener`."""

    def __init__(self, server: str, transport: str, clock: Clock) -> None:
        super().__init__(server, transport, clock)
        self._clock = clock
        self._requests = LineSplitter()
        self._answers = LineSplitter()

    def from_client(self, data: bytes) -> None:
        """See `Listener`."""
        with self._clock.lock:
            self._hear(self._requests, data, self._ask)

    def from_server(self, data: bytes) -> None:
        """See `Listener`."""
        with self._clock.lock:
            self._hear(self._answers, data, self._say)

    def from_errors(self, data: bytes) -> None:
        """See `Listener`."""

    def end(self, status: int) -> None:
        """The server has ended, with that status; below zero it is a signal."""
        self.is_open = False

    @staticmethod
    def _hear(splitter: LineSplitter, data: bytes, note: Callable[[bytes, float], None]) -> None:
        now = time.monotonic()
        for frame in splitter.feed(data) if data else splitter.end():
            if not isinstance(frame, Oversize):
                note(frame, now)

    def _ask(self, frame: bytes, now: float) -> None:
        parsed = parse(frame)
        for message in parsed.messages if isinstance(parsed, Batch) else (parsed,):
            if isinstance(message, Message) and message.method:
                self.log.ask(message, "live", 0, now, self._clock.next_order())

    def _say(self, frame: bytes, now: float) -> None:
        self.log.say(frame, now)
