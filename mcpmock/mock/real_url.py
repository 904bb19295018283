"""A real server that a URL names, in the place of a recorded one: behind a proxy that listens, and may record."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Final

from mcpmock.errors import McpmockError, UsageError
from mcpmock.mock.part import Clock, LiveSession, Part, say
from mcpmock.recording_http import HttpRecordRequest, recording_mind, relaying_for
from mcpmock.session.recording.http.recording import HttpRecording
from mcpmock.session.recording.http.session import HttpSession
from mcpmock.transports.proxy.minds import Clock as Milliseconds
from mcpmock.transports.proxy.minds import Listening, Mind
from mcpmock.transports.proxy.recorder import HttpRecorder
from mcpmock.transports.proxy.tape import Moved
from mcpmock.transports.relay import RelayWire
from mcpmock.wire.message import dumps

if TYPE_CHECKING:
    from mcpmock.cassette.model import Entry
    from mcpmock.transports.http.service import HttpService
    from mcpmock.transports.memory import Streams

__all__ = ["UrlPart"]


class UrlPart(Part):
    """A real server that runs already. Nothing is missed and nothing unplayed: it answers by itself.

    It is recorded as `request` says, or (`records` is not set) only passed through.
    """

    has_command = False

    def __init__(self, name: str, request: HttpRecordRequest, clock: Clock, *, records: bool) -> None:
        super().__init__(name)
        self._request = request
        self._clock = clock
        self._records = records
        self._lock = threading.Lock()
        self._recorder: HttpRecorder | None = None
        self._url = ""

    def own_url(self) -> str:
        """See `Part`."""
        with self._lock:
            if self._recorder is None:
                recorder = HttpRecorder(relaying_for(self._request), self._mind, say)
                self._url = recorder.start(self._request.address)
                self._recorder = recorder
            return self._url

    def catch_up(self) -> None:
        """See `Part`."""
        if self._recorder is not None:
            self._recorder.catch_up()

    def close(self) -> None:
        """See `Part`."""
        with self._lock:
            recorder, self._recorder = self._recorder, None
        if recorder is not None and not recorder.stop():
            raise McpmockError(f"{self.name}: the recording is not whole (stderr says why)")

    def serve(self, wire: RelayWire) -> int:
        """See `Part`."""
        raise self._no_command()

    def streams(self) -> AbstractAsyncContextManager[Streams]:
        """See `Part`."""
        raise self._no_command()

    def service(self) -> HttpService:
        """See `Part`."""
        raise UsageError(f"while the server {self.name!r} is a real one, clients reach it by the mock's url alone")

    def _no_command(self) -> UsageError:
        return UsageError(f"the server {self.name!r} is a real one behind a URL: give clients the mock's url")

    def _mind(self) -> Mind:
        minds: list[Mind] = [_Log(self, self._clock, self._request)]
        if self._records:
            minds.append(recording_mind(self._request, relaying_for(self._request).changes))
        return _Both(minds)


class _Both:
    """Several minds as one. See `Mind`."""

    def __init__(self, minds: Sequence[Mind]) -> None:
        self._minds = minds

    def consider(self, moved: Sequence[Moved], clock: Milliseconds) -> None:
        for mind in self._minds:
            mind.consider(moved, clock)

    def rest(self, at: int) -> None:
        for mind in self._minds:
            mind.rest(at)

    def conclude(self, at: int) -> None:
        for mind in self._minds:
            mind.conclude(at)

    def kept_in(self) -> str:
        return self._minds[-1].kept_in()


class _Log:
    """Notes what the clients asked and the server answered, for the test. See `Mind`."""

    def __init__(self, part: UrlPart, clock: Clock, request: HttpRecordRequest) -> None:
        self._part = part
        self._clock = clock
        self._recording: Final = HttpRecording(relaying_for(request).changes.upstream.path.decode())
        self._listening = Listening(self._recording, say)
        self._live: dict[HttpSession, LiveSession] = {}

    def consider(self, moved: Sequence[Moved], clock: Milliseconds) -> None:
        self._listening.hear(moved, clock)
        self._note()

    def rest(self, at: int) -> None:
        self._recording.advance(at)
        self._note()

    def conclude(self, at: int) -> None:
        self._recording.closed(at)
        self._note()
        for live in self._live.values():
            live.is_open = False

    def kept_in(self) -> str:
        return ""

    def _note(self) -> None:
        with self._clock.lock:
            for session in list(self._recording.sessions):
                for entry in session.take_entries() if session.norm is not None else ():
                    self._hear(self._session(session), entry)
                if session.is_over and session in self._live:
                    self._live[session].is_open = False

    def _session(self, session: HttpSession) -> LiveSession:
        if session not in self._live:
            self._live[session] = LiveSession(self._part.name, session.transport, self._clock)
            self._part.sessions.append(self._live[session])
        return self._live[session]

    def _hear(self, live: LiveSession, entry: Entry) -> None:
        now = time.monotonic()
        for message in entry.messages:
            if entry.kind == "server":
                live.log.say(message.text or dumps({"jsonrpc": "2.0", **message.body}), now)
            elif message.method:
                live.log.ask(message, "live", 0, now, self._clock.next_order())
