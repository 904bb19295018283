"""A real server that is recorded in this process, because a function of the test decides what is kept."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from mcpmock.cassette.model import Session
from mcpmock.errors import McpmockError
from mcpmock.keeping import Keeping, masks_for
from mcpmock.mock.part import Clock, say
from mcpmock.mock.real import PassedSession, RealPart
from mcpmock.session.recording.filtering import BeforeRecord, RecordFilter
from mcpmock.session.recording.stdio import Recording
from mcpmock.transports.keeper import CassetteKeeper, KeptSession
from mcpmock.transports.processes import name_status
from mcpmock.wire.message import Side

__all__ = ["OwnRecording", "OwnRecordingPart"]


class OwnRecording(NamedTuple):
    """How the sessions of a server are kept, and the user's function that decides what of them."""

    keeping: Keeping
    before_record: BeforeRecord


class OwnRecordingPart(RealPart):
    """A real server, recorded as `mcpmock record` does."""

    def __init__(self, name: str, command: Sequence[str], clock: Clock, recording: OwnRecording) -> None:
        super().__init__(name, command, clock)
        self._how = recording

    def _open(self, transport: str) -> RecordedSession:
        with self._clock.lock:
            session = RecordedSession(self.name, transport, self._clock, self._command, self._how)
            self.sessions.append(session)
            return session


class RecordedSession(PassedSession):
    """One connection of a client with a real server, recorded."""

    def __init__(self, server: str, transport: str, clock: Clock, command: Sequence[str], how: OwnRecording) -> None:
        super().__init__(server, transport, clock)
        keeping = how.keeping
        masks = masks_for(keeping, os.environ)
        words = masks.redactor.command(tuple(command)) if masks.redactor else tuple(command)
        head = masks.variables.head(Session(server=server, command=words))
        self._recording: Recording | None = Recording(max_message=keeping.max_message, redactor=masks.mask)
        keeper = CassetteKeeper(keeping.destination, head, say, masks.counts)
        self._kept = KeptSession(keeper, RecordFilter(how.before_record).entries)
        self._start = time.monotonic()
        self._fault: Exception | None = None

    def from_client(self, data: bytes) -> None:
        """See `Listener`."""
        super().from_client(data)
        with self._clock.lock:
            self._record("client", data)

    def from_server(self, data: bytes) -> None:
        """See `Listener`."""
        super().from_server(data)
        with self._clock.lock:
            self._record("server", data)

    def from_errors(self, data: bytes) -> None:
        """See `Listener`."""
        with self._clock.lock:
            if self._recording:
                self._recording.received_stderr(data, self._now())
                self._keep()

    def end(self, status: int) -> None:
        """See `PassedSession`. Raises what has gone wrong with the recording."""
        super().end(status)
        with self._clock.lock:
            if self._recording:
                self._recording.exited(name_status(status), self._now())
                self._keep()
            if self._fault is None:
                self._kept.finish()
        if self._fault is not None:
            raise self._fault

    def _record(self, side: Side, data: bytes) -> None:
        if self._recording and data:
            self._recording.received(side, data, self._now())
        elif self._recording:
            self._recording.ended(side, self._now())
        self._keep()

    def _keep(self) -> None:
        if self._recording is None:
            return
        try:
            self._kept.keep(self._recording.take_entries())
        except (McpmockError, OSError) as error:  # the session goes on; `end` raises it
            self._fault, self._recording = error, None

    def _now(self) -> int:
        return max(0, round((time.monotonic() - self._start) * 1000))
