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
from mcpmock.matching.ways import Ways
from mcpmock.mock.part import Clock, LiveSession, Part, Recorded
from mcpmock.session.actions import Action, End, Send
from mcpmock.session.casting import Library
from mcpmock.session.ledger import MemoryLedger
from mcpmock.session.live import Options
from mcpmock.session.playback import Playback
from mcpmock.session.report import Call as Outcome
from mcpmock.session.report import Report, Unplayed
from mcpmock.transports.relay import RelayWire
from mcpmock.transports.shell import Shell
from mcpmock.wire.framing import Frame, Oversize
from mcpmock.wire.message import PARSE_ERROR, Batch, Json, Message, NotAMessage, Parsed, parse
from mcpmock.wire.methods import method_row

if TYPE_CHECKING:
    from mcpmock.transports.memory import Streams

__all__ = ["PlayedPart"]

MISSED: Final = 3
"""The exit status of a relay whose session missed, as that of `mcpmock replay`."""


class PlayedPart(Part):
    """A server of a cassette, with what has been played of it."""

    def __init__(self, name: str, library: Library, options: Options, clock: Clock, *, raises: bool = False) -> None:
        super().__init__(name)
        self._raises = raises
        self._library = library
        self._report = Report(keep_calls=True)
        self._options = options
        self._ledger = MemoryLedger()
        self._clock = clock

    def serve(self, wire: RelayWire) -> int:
        """See `Part`."""
        session = self.open("stdio")
        end: int | str | None = None
        try:
            if self._raises and self._report.misses:
                return MISSED  # it stays away, or a client would try for ever
            with suppress(OSError):  # the client has gone, as it may
                end = Shell(session, wire).serve()
        except MockFailure as failure:
            wire.write_stderr(str(failure).encode("utf-8", "replace"))
            return MISSED
        finally:
            session.is_open = False
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
            session.is_open = False

    def open(self, transport: str) -> PlayedSession:
        """A client has connected."""
        with self._clock.lock:
            playback = Playback(self._library, self._options, self._ledger, self._report)
            ways = self._options.ways if self._raises else None
            session = PlayedSession(self.name, transport, self._clock, playback, ways)
            self.sessions.append(session)
            return session

    @property
    def misses(self) -> list[Miss]:
        """See `Part`. How often what comes near was played is told of all live sessions together."""
        with self._clock.lock:
            counts = self._counts()
            return [_recounted(miss, counts) for miss in self._report.misses]

    def unplayed(self) -> list[Candidate]:
        """See `Part`."""
        with self._clock.lock:
            return list(self._unplayed())

    def remarks(self) -> dict[str, list[Json]]:
        """See `Part`."""
        with self._clock.lock:
            report = self._report
            return {
                "gates": list(report.gates),
                "different_answers": list(report.different_answers),
                "notes": list(report.notes),
            }

    def recorded(self) -> list[Recorded]:
        """See `Part`."""
        with self._clock.lock:
            counts = self._counts()
            candidates = [
                self._candidate(Unplayed(one), counts)
                for one in self._library.story.interactions()
                if one.request is not None and method_row(one.method).counts
            ]
        return [Recorded(one.request.method, one.request.params, one.path, one.line, one.played) for one in candidates]

    def _unplayed(self) -> Iterator[Candidate]:
        counts = self._counts()
        for timeline in self._library.story.timelines:
            by_number = {one.number: counts[one.entry.line] for one in timeline.interactions}
            for found in self._report.unplayed_among(timeline.interactions, by_number, self._library.masks.key):
                yield self._candidate(found, counts)

    def _candidate(self, found: Unplayed, counts: Counter[int]) -> Candidate:
        request = found.question or found.interaction.request
        assert request is not None
        return Candidate(
            request,
            path=self._library.story.path,
            line=found.line,
            session=self._library.story.number_of(found.interaction),
            server="" if self._library.story.is_alone else self._library.story.server,
            played=counts[found.line],
            mask=self._library.masks.of_interaction(found.interaction),
        )

    def _counts(self) -> Counter[int]:
        """How often what stands in each line of the cassette was played."""
        return Counter(call.line for call in self._report.calls if call.outcome in ("played", "repeated"))


class PlayedSession(LiveSession):
    """A connection with the playback machine. See `Machine`. With `ways` a miss is raised, in their words."""

    def __init__(self, server: str, transport: str, clock: Clock, playback: Playback, ways: Ways | None = None) -> None:
        super().__init__(server, transport, clock)
        self._ways = ways
        self._playback = playback
        self._clock = clock

    @property
    def next_wake(self) -> float | None:
        """See `Machine`."""
        return self._playback.next_wake

    def receive(self, frame: Frame, now: float) -> list[Action]:
        """See `Machine`. Raises MockFailure where a miss shall fail at once."""
        parsed: Parsed
        if isinstance(frame, Oversize):
            parsed, content = NotAMessage(PARSE_ERROR, f"a line of {frame.size} bytes is too long"), b""
        else:
            parsed, content = parse(frame), frame
        report = self._playback.report
        with self._clock.lock:
            calls, misses = len(report.calls), len(report.misses)
            actions = self._playback.receive_parsed(parsed, now, content)
            self._note(parsed, report.calls[calls:], now)
            self._say(actions, now)
            missed = report.misses[misses:]
            self.missed |= bool(missed)
        if missed and self._ways is not None:
            from mcpmock.matching.pages import page

            raise MockFailure("".join(page(miss, self._ways) for miss in missed), len(missed))
        return actions

    def wake(self, now: float) -> list[Action]:
        """See `Machine`."""
        with self._clock.lock:
            return self._say(self._playback.wake(now), now)

    def end_of_input(self, now: float) -> list[Action]:
        """See `Machine`."""
        with self._clock.lock:
            return self._say(self._playback.end_of_input(now), now)

    def _note(self, parsed: Parsed, outcomes: list[Outcome], now: float) -> None:
        """Writes down what the client asked, with what became of it."""
        messages = parsed.messages if isinstance(parsed, Batch) else (parsed,)
        told = iter(outcomes)
        following = next(told, None)
        for message in messages:
            if not isinstance(message, Message) or not message.method:
                continue
            if following is not None and following.method == message.method:
                self.log.ask(message, following.outcome, following.line, now, self._clock.next_order())
                following = next(told, None)
            else:
                self.log.ask(message, "ignored", 0, now, self._clock.next_order())

    def _say(self, actions: list[Action], now: float) -> list[Action]:
        for action in actions:
            if isinstance(action, Send):
                self.log.say(action.text, now)
            elif isinstance(action, End):
                self.is_open = False
        return actions


def _recounted(miss: Miss, counts: Counter[int]) -> Miss:
    def recount(near: Near) -> Near:
        return near._replace(candidate=near.candidate._replace(played=counts[near.candidate.line]))

    return miss._replace(
        nearest=tuple(map(recount, miss.nearest)), expected=recount(miss.expected) if miss.expected else None
    )


def _signal_number(name: str) -> int:
    found = getattr(signal, name, None)
    return int(found) if isinstance(found, signal.Signals) else -1
