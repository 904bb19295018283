"""What thinks about that which a proxy has moved, and what tells it to a recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from mcpmock.session.recording.http.recording import HttpRecording
from mcpmock.transports.proxy.decoding import Decoder, UndecodableError, decoder_for
from mcpmock.transports.proxy.tape import Began, Head, Moved
from mcpmock.wire.http import header_value

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
        """What `mcpmock salvage` takes for all that is kept and not in the cassette yet: the file, or of several the
        cassette that they are beside; empty if there is none."""


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
