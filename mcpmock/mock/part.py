"""One recorded server that a mock plays, to all live sessions that its clients open, one after another or at once."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from mcpmock.matching.nearest import Candidate
from mcpmock.mock.log import Log
from mcpmock.session.actions import Action, Send
from mcpmock.session.casting import Library
from mcpmock.session.ledger import MemoryLedger
from mcpmock.session.live import Options
from mcpmock.session.playback import Playback
from mcpmock.session.report import Call as Outcome
from mcpmock.session.report import Report, Unplayed
from mcpmock.wire.framing import Frame, Oversize
from mcpmock.wire.message import PARSE_ERROR, Batch, Message, NotAMessage, Parsed, parse
from mcpmock.wire.methods import method_row

__all__ = ["Clock", "Part", "PlayedSession", "Recorded"]


class Recorded(NamedTuple):
    """A recorded request, or a question of the server, and how often it was played.

    `path` and `line` tell its place in the cassette.
    """

    method: str
    params: object
    path: str
    line: int
    played: int


class Clock:
    """What the live sessions of a mock share: one order of calls, one zero of time, one at a time."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.started_at = time.monotonic()
        self._order = 0
        self._sessions = 0

    def next_order(self) -> int:
        """The place of the next call."""
        self._order += 1
        return self._order - 1

    def next_session(self) -> int:
        """The number of the next live session, from 1."""
        self._sessions += 1
        return self._sessions


class Part:
    """A server of a cassette, with what has been played of it."""

    def __init__(self, name: str, library: Library, options: Options, clock: Clock) -> None:
        self.name = name
        self.library = library
        self.report = Report(keep_calls=True)
        self.sessions: list[PlayedSession] = []
        self._options = options
        self._ledger = MemoryLedger()
        self._clock = clock

    def open(self, transport: str, missed: Callable[[], None] = lambda: None) -> PlayedSession:
        """A client has connected. `missed` is called after each frame that missed."""
        with self._clock.lock:
            playback = Playback(self.library, self._options, self._ledger, self.report)
            session = PlayedSession(self, transport, playback, self._clock, missed)
            self.sessions.append(session)
            return session

    def unplayed(self) -> list[Candidate]:
        """What counts as unplayed (DESIGN 4), of all recorded sessions, whichever live session played them."""
        with self._clock.lock:
            return list(self._unplayed())

    def recorded(self) -> list[Recorded]:
        """Every recorded request that counts, with how often it was played."""
        with self._clock.lock:
            counts = self._counts()
            candidates = [
                self._candidate(Unplayed(one), counts)
                for one in self.library.story.interactions()
                if one.request is not None and method_row(one.method).counts
            ]
        return [Recorded(one.request.method, one.request.params, one.path, one.line, one.played) for one in candidates]

    def _unplayed(self) -> Iterator[Candidate]:
        counts = self._counts()
        for timeline in self.library.story.timelines:
            by_number = {one.number: counts[one.entry.line] for one in timeline.interactions}
            for found in self.report.unplayed_among(timeline.interactions, by_number, self.library.masks.key):
                yield self._candidate(found, counts)

    def _candidate(self, found: Unplayed, counts: Counter[int]) -> Candidate:
        request = found.question or found.interaction.request
        assert request is not None
        return Candidate(
            request,
            path=self.library.story.path,
            line=found.line,
            session=found.interaction.session + 1,
            played=counts[found.line],
            mask=self.library.masks.of_interaction(found.interaction),
        )

    def _counts(self) -> Counter[int]:
        """How often what stands in each line of the cassette was played."""
        return Counter(call.line for call in self.report.calls if call.outcome in ("played", "repeated"))


class PlayedSession:
    """One connection of a client: the playback machine, and what was said. See `Machine`.

    `is_open` until the client has left or the mock was closed; `missed` tells whether there was a miss in it.
    """

    def __init__(
        self, part: Part, transport: str, playback: Playback, clock: Clock, tell_miss: Callable[[], None]
    ) -> None:
        self.number = clock.next_session()
        self.transport = transport
        self.server = part.name
        self.log = Log(part.name, self.number, clock.started_at)
        self.is_open = True
        self.missed = False
        self._report = part.report
        self._playback = playback
        self._clock = clock
        self._tell_miss = tell_miss

    @property
    def next_wake(self) -> float | None:
        """See `Machine`."""
        return self._playback.next_wake

    def receive(self, frame: Frame, now: float) -> list[Action]:
        """See `Machine`."""
        parsed: Parsed
        if isinstance(frame, Oversize):
            parsed, content = NotAMessage(PARSE_ERROR, f"a line of {frame.size} bytes is too long"), b""
        else:
            parsed, content = parse(frame), frame
        with self._clock.lock:
            calls, misses = len(self._report.calls), len(self._report.misses)
            actions = self._playback.receive_parsed(parsed, now, content)
            self._note(parsed, self._report.calls[calls:], now)
            self._say(actions, now)
            has_missed = len(self._report.misses) > misses
            self.missed |= has_missed
        if has_missed:
            self._tell_miss()
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
        return actions
