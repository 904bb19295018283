"""A server of a cassette, played to all live sessions that clients open with it."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from mcpmock.errors import MockFailure
from mcpmock.matching.miss import Miss
from mcpmock.matching.nearest import Candidate, Near
from mcpmock.mock.part import Clock, LiveSession, Part, Recorded
from mcpmock.mock.played_session import PlayedSession
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.ledger import Ledger, MemoryLedger
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.playback import Playback
from mcpmock.session.playing.report import Report, Unplayed
from mcpmock.transports.relay import RelayWire
from mcpmock.transports.shell import Shell
from mcpmock.wire.message import Json
from mcpmock.wire.methods import method_row

if TYPE_CHECKING:
    from mcpmock.transports.http.service import HttpService
    from mcpmock.transports.memory import Streams

__all__ = ["PlayedPart"]

MISSED: Final = 3
"""The exit status of a relay whose session missed, as that of `mcpmock replay`."""


class PlayedPart(Part):
    """A server of a cassette, with the `report` of what has been played of its `library`.

    `ledger` is what its sessions share.
    """

    def __init__(self, name: str, library: Library, options: Options, clock: Clock, *, raises: bool = False) -> None:
        super().__init__(name)
        self.library = library
        self._raises = raises
        self.report = Report(keep_calls=True)
        self.options = options
        self.ledger: Ledger = MemoryLedger()
        self._clock = clock
        self._counts: Counter[int] = Counter()  # how often what stands in each line of the cassette was played
        self._service: HttpService | None = None

    def serve(self, wire: RelayWire) -> int:
        """See `Part`."""
        session = self.open("stdio")
        end: int | str | None = None
        try:
            if self._raises and self.report.misses:
                return MISSED  # it stays away, or a client would try for ever
            with suppress(OSError):  # the client has gone, as it may
                end = Shell(session, wire).serve()
        except MockFailure as failure:
            wire.write_stderr(str(failure).encode("utf-8", "replace"))
            return MISSED
        finally:
            self.leave(session)
        if end is None:
            return MISSED if session.missed else 0
        return -_signal_number(end) if isinstance(end, str) else end

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[Streams]:
        """See `Part`."""
        from mcpmock.transports.memory import memory_streams
        from mcpmock.transports.sdk import sdk_codec

        session = self.open("memory")
        try:
            async with memory_streams(session, sdk_codec()) as streams:
                yield streams
        finally:
            self.leave(session)

    def service(self) -> HttpService:
        """See `Part`."""
        from mcpmock.mock.hosting import PlayedHost
        from mcpmock.transports.http.service import HttpService

        with self._clock.lock:
            if self._service is None:
                self._service = HttpService(PlayedHost(self))
            return self._service

    def open(self, transport: str) -> PlayedSession:
        """A client has connected. Raises MockFailure over HTTP where there was a miss that fails at once."""
        with self._clock.lock:
            # What answered a POST of Streamable HTTP, a client of HTTP+SSE would wait for on its stream.
            speaks_http = transport == "streamable_http" or (transport == "sse" and self.library.story.is_legacy)
            options = self.options._replace(http=speaks_http)
            playback = Playback(self.library, options, self.ledger, self.report)
            session = PlayedSession((self.name, transport), self._clock, playback, self._counts)
            session.ways = options.ways if self._raises else None
            self.sessions.append(session)
            return session

    def leave(self, session: LiveSession) -> None:
        """A client has left."""
        session.is_open = False

    def reset(self) -> None:
        """Forgets what the clients did: all is played as at first."""
        with self._clock.lock:
            self.report = Report(keep_calls=True)
            self.ledger = MemoryLedger()
            self._counts = Counter()
            self.sessions.clear()

    @property
    def misses(self) -> list[Miss]:
        """See `Part`. How often what comes near was played is told of all live sessions together."""
        return self.misses_since(0)

    def misses_since(self, known: int) -> list[Miss]:
        """The same, but for the first ones."""
        with self._clock.lock:
            counts = self._counts
            return [_recounted(miss, counts) for miss in self.report.misses[known:]]

    def unplayed(self) -> list[Candidate]:
        """See `Part`."""
        with self._clock.lock:
            return [self._candidate(one) for one in self.found_unplayed()]

    def remarks(self) -> dict[str, list[Json]]:
        """See `Part`."""
        with self._clock.lock:
            report = self.report
            return {
                "gates": list(report.gates),
                "different_answers": list(report.different_answers),
                "notes": report.all_notes(),
            }

    def recorded(self) -> list[Recorded]:
        """See `Part`."""
        with self._clock.lock:
            candidates = [
                self._candidate(Unplayed(one))
                for one in self.library.story.interactions()
                if one.request is not None and method_row(one.method).counts
            ]
        return [Recorded(one.request.method, one.request.params, one.path, one.line, one.played) for one in candidates]

    def found_unplayed(self) -> Iterator[Unplayed]:
        """The same, as the report of a session tells it."""
        for timeline in self.library.story.timelines:
            by_number = {one.number: self._counts[one.entry.line] for one in timeline.interactions}
            yield from self.report.unplayed_among(timeline.interactions, by_number, self.library.masks.key)

    def _candidate(self, found: Unplayed) -> Candidate:
        request = found.question or found.interaction.request
        assert request is not None
        story = self.library.story
        return Candidate(
            request,
            path=story.path,
            line=found.line,
            session=story.number_of(found.interaction),
            server="" if story.is_alone else story.server,
            played=self._counts[found.line],
            mask=self.library.masks.of_interaction(found.interaction),
        )


def _recounted(miss: Miss, counts: Counter[int]) -> Miss:
    def recount(near: Near) -> Near:
        return near._replace(candidate=near.candidate._replace(played=counts[near.candidate.line]))

    return miss._replace(
        nearest=tuple(map(recount, miss.nearest)), expected=recount(miss.expected) if miss.expected else None
    )


def _signal_number(name: str) -> int:
    found = getattr(signal, name, None)
    return int(found) if isinstance(found, signal.Signals) else -1
