"""What a proxy has moved becomes sessions of a cassette: each has a keeper, a part file and an end of its own."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

from mcpmock.cassette.model import Entry, HttpNorm, Transport
from mcpmock.session.http_recording import HttpRecording
from mcpmock.session.http_session import HttpSession
from mcpmock.transports.http_decoding import Decoder, UndecodableError, decoder_for
from mcpmock.transports.keeper import CassetteKeeper
from mcpmock.transports.proxy_tape import Began, Head, Moved
from mcpmock.wire.http import header_value

KEEP_EVERY: Final = 200
"""Milliseconds after which something is kept though the line is not quiet: each time all sessions are gone through."""

LINGER: Final = 2000
"""Milliseconds that a session which is over is remembered, for what comes late."""

Clock = Callable[[float], int]
"""Milliseconds from the beginning, for a moment of `time.monotonic`."""


class Mind(Protocol):
    """What thinks about that which a proxy has moved. Belongs to one thread."""

    def consider(self, moved: Sequence[Moved], clock: Clock) -> None:
        """These things have moved."""

    def rest(self, at: int) -> None:
        """Everything that has moved was considered; now it is `at`. Told now and then while nothing moves, too."""

    def conclude(self, at: int) -> None:
        """Nothing moves any more."""

    def kept_in(self) -> str:
        """A file in which something is kept that is not in the cassette yet; empty if there is none."""


class Listening:
    """Tells a recording what has moved, with bodies as they are without compression."""

    def __init__(self, recording: HttpRecording, say: Callable[[str], None]) -> None:
        self._recording = recording
        self._say = say
        self._decoders: dict[int, Decoder | None] = {}
        self._told: set[str] = set()

    def hear(self, moved: Sequence[Moved], clock: Clock) -> int:
        """Tell it; returns when the last of that was, in milliseconds."""
        at = 0
        for happening, moment, exchange, what in moved:
            at = clock(moment)
            self._tell(happening, exchange, what, at)
        return at

    def _tell(self, happening: str, exchange: int, what: object, at: int) -> None:
        recording = self._recording
        match happening, what:
            case "began", Began(connection, method, target, headers):
                recording.began(exchange, method, target, headers, at, connection=connection)
            case "request", bytes(data):
                recording.request_body(exchange, data, at)
            case "requested", _:
                recording.request_complete(exchange, at)
            case "head", Head(status, headers):
                self._decoders[exchange] = self._decoder(header_value(headers, b"content-encoding"))
                recording.response_head(exchange, status, headers, at)
            case "response", bytes(data):
                recording.response_body(exchange, self._decoded(exchange, data), at)
            case "responded", _:
                self._decoders.pop(exchange, None)
                recording.response_complete(exchange, at)
            case "aborted", ("client" | "server") as side:
                self._decoders.pop(exchange, None)
                recording.aborted(exchange, side, at)

    def _decoder(self, content_encoding: str) -> Decoder | None:
        try:
            return decoder_for(content_encoding)
        except UndecodableError as error:
            self._complain(error)
            return None

    def _decoded(self, exchange: int, data: bytes) -> bytes:
        decoder = self._decoders.get(exchange)
        try:
            return decoder.feed(data) if decoder is not None else b""
        except UndecodableError as error:
            self._complain(error)
            self._decoders[exchange] = None
            return b""

    def _complain(self, error: UndecodableError) -> None:
        if str(error) not in self._told:
            self._told.add(str(error))
            self._say(str(error))


class KeptSession:
    """One session on its way to its keeper; `choose` says what of its entries is kept."""

    def __init__(self, keeper: CassetteKeeper, choose: Callable[[Iterable[Entry]], list[Entry]]) -> None:
        self.keeper: Final = keeper
        self._choose = choose
        self._times = array("I")
        self._answers = 0

    def keep(self, entries: Iterable[Entry]) -> None:
        """Keep what is to be kept of these."""
        kept = self._choose(entries)
        self.keeper.keep(kept, None)
        self._times.extend(entry.at or 0 for entry in kept)
        answers = (message for entry in kept if entry.kind == "server" for message in entry.messages)
        self._answers += sum(message.kind == "response" for message in answers)

    def finish(self, *, is_last: bool) -> None:
        """Put it into the cassette."""
        self.keeper.finish(self._times, answers=self._answers, is_last=is_last)


class RecordingMind:
    """Keeps what is recorded.

    `begin` begins to keep a session, of which it is given the transport and the norm.
    """

    def __init__(
        self, recording: HttpRecording, begin: Callable[[Transport, HttpNorm], KeptSession], say: Callable[[str], None]
    ) -> None:
        self._recording = recording
        self._listening = Listening(recording, say)
        self._begin = begin
        self._say = say
        self._kept: dict[HttpSession, KeptSession] = {}
        self._over: dict[HttpSession, int] = {}  # and when that was seen
        self._has_kept = False
        self._kept_at = 0

    def consider(self, moved: Sequence[Moved], clock: Clock) -> None:
        """See `Mind`."""
        at = self._listening.hear(moved, clock)
        if at - self._kept_at >= KEEP_EVERY:
            self._keep(at)

    def rest(self, at: int) -> None:
        """See `Mind`."""
        self._recording.advance(at)
        self._keep(at)

    def conclude(self, at: int) -> None:
        """See `Mind`."""
        self._recording.closed(at)
        for session in list(self._recording.sessions):
            self._keep_session(session)
            self._finish(session, is_last=True)
        if not self._has_kept:
            self._say("no message was seen, so nothing was recorded")

    def kept_in(self) -> str:
        """See `Mind`."""
        return next((place for kept in self._kept.values() if (place := kept.keeper.kept_in)), "")

    def _keep(self, at: int) -> None:
        self._kept_at = at
        for session in list(self._recording.sessions):
            self._keep_session(session)
            if session.is_over:
                self._let_go(session, at)

    def _keep_session(self, session: HttpSession) -> None:
        for warning in session.take_warnings():
            self._say(warning)
        entries = session.take_entries() if session.norm is not None else ()
        if not entries or session.norm is None:
            return
        if session not in self._kept:
            self._kept[session] = self._begin(session.transport, session.norm)
        self._kept[session].keep(entries)
        self._has_kept = True

    def _let_go(self, session: HttpSession, at: int) -> None:
        """A session is over: it is in the cassette at once, and once more when nothing can come late any more."""
        if session not in self._over:
            self._over[session] = at
            self._finish(session, is_last=False)
        elif at - self._over[session] > LINGER:
            session.close()
            self._keep_session(session)
            self._finish(session, is_last=True)
            self._recording.drop(session)

    def _finish(self, session: HttpSession, *, is_last: bool) -> None:
        if session in self._kept:
            self._kept[session].finish(is_last=is_last)
        if is_last:
            self._kept.pop(session, None)
            self._over.pop(session, None)
