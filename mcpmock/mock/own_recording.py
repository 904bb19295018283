"""A real server that is recorded in this process, because a function of the test decides what is kept."""

from __future__ import annotations

import os
import signal
import sys
import time
from array import array
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from mcpmock.cassette.model import Session
from mcpmock.cassette.redaction import Redactor
from mcpmock.cassette.redaction_rules import RedactionRules
from mcpmock.cassette.variables import MaskChain
from mcpmock.errors import McpmockError
from mcpmock.folders import variable_mask
from mcpmock.mock.part import Clock
from mcpmock.mock.real import PassedSession, RealPart
from mcpmock.session.filtering import BeforeRecord, RecordFilter
from mcpmock.session.recording import Recording
from mcpmock.transports.bridge import Launch, bridge
from mcpmock.transports.destination import Destination, run_named
from mcpmock.transports.keeper import CassetteKeeper
from mcpmock.transports.relay import RelayWire

if TYPE_CHECKING:
    from mcpmock.transports.memory import Streams

__all__ = ["OwnRecording", "OwnRecordingPart"]


class OwnRecording(NamedTuple):
    """How the sessions of a server are recorded: where, the user's rules, the user's function and variables."""

    path: str
    run: str
    rules: RedactionRules
    before_record: BeforeRecord
    variables: Mapping[str, str] = {}


class OwnRecordingPart(RealPart):
    """A real server, recorded as `mcpmock record` does."""

    def __init__(self, name: str, command: Sequence[str], clock: Clock, recording: OwnRecording) -> None:
        super().__init__(name, command, clock)
        self._how = recording

    def serve(self, wire: RelayWire) -> int:
        """See `Part`."""
        session = self._open("stdio")
        status: int | str = 1
        try:
            launch = Launch(self._command, {**os.environ, **wire.environment}, wire.folder or None)
            status = bridge(wire, launch, session)
        finally:
            session.end(_end(status))
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

    def _open(self, transport: str) -> RecordedSession:
        with self._clock.lock:
            session = RecordedSession(self.name, transport, self._clock, self._command, self._how)
            self.sessions.append(session)
            return session


class RecordedSession(PassedSession):
    """One connection of a client with a real server, recorded."""

    def __init__(self, server: str, transport: str, clock: Clock, command: Sequence[str], how: OwnRecording) -> None:
        super().__init__(server, transport, clock)
        redactor = Redactor(environment=os.environ, rules=how.rules)
        variables = variable_mask(how.variables, os.environ)
        head = variables.head(Session(server=server, command=redactor.command(tuple(command))))
        self._recording: Recording | None = Recording(redactor=MaskChain(redactor, variables))
        self._filter = RecordFilter(how.before_record)
        self._keeper = CassetteKeeper(Destination(how.path, run_named(how.run)), head, _say, redactor.counts)
        self._times = array("I")
        self._answered = 0
        self._start = time.monotonic()
        self._fault: Exception | None = None

    def from_client(self, data: bytes) -> None:
        """See `Listener`."""
        super().from_client(data)
        with self._clock.lock:
            if self._recording and data:
                self._recording.received("client", data, self._now())
            elif self._recording:
                self._recording.ended("client", self._now())
            self._keep()

    def from_server(self, data: bytes) -> None:
        """See `Listener`."""
        super().from_server(data)
        with self._clock.lock:
            if self._recording and data:
                self._recording.received("server", data, self._now())
            elif self._recording:
                self._recording.ended("server", self._now())
            self._keep()

    def from_errors(self, data: bytes) -> None:
        """See `Listener`."""
        with self._clock.lock:
            if self._recording:
                self._recording.received_stderr(data, self._now())
                self._keep()

    def end(self, status: int | str) -> None:
        """The server has ended. Raises what has gone wrong with the recording."""
        self.is_open = False
        with self._clock.lock:
            if self._recording:
                self._recording.exited(status, self._now())
                self._keep()
            if self._fault is None:
                self._keeper.finish(self._times, answers=self._answered, is_last=True)
        if self._fault is not None:
            raise self._fault

    def _keep(self) -> None:
        if self._recording is None:
            return
        try:
            entries = self._filter.entries(self._recording.take_entries())
            self._keeper.keep(entries, None)
        except (McpmockError, OSError) as error:  # the session goes on; `end` raises it
            self._fault, self._recording = error, None
            return
        self._times.extend(entry.at or 0 for entry in entries)
        self._answered += sum(
            message.kind == "response" for entry in entries if entry.kind == "server" for message in entry.messages
        )

    def _now(self) -> int:
        return max(0, round((time.monotonic() - self._start) * 1000))


def _end(status: int | str) -> int | str:
    return signal.Signals(-status).name if isinstance(status, int) and status < 0 else status


def _say(text: str) -> None:
    print(f"mcpmock: {text}", file=sys.stderr)
