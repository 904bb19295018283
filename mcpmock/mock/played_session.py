"""One connection of a client with a recorded server, and what was said in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from mcpmock.cassette.model import HttpNorm
from mcpmock.errors import MockFailure
from mcpmock.matching.ways import Ways
from mcpmock.mock.part import Clock, LiveSession
from mcpmock.session.playing.actions import Action, End, Send
from mcpmock.session.playing.playback import Playback
from mcpmock.session.playing.report import Call as Outcome
from mcpmock.wire.framing import Frame, Oversize
from mcpmock.wire.message import PARSE_ERROR, Batch, Message, NotAMessage, Parsed, parse

if TYPE_CHECKING:
    from mcpmock.session.headers.oddities import Oddities

__all__ = ["PlayedSession"]


class PlayedSession(LiveSession):
    """A connection with the playback machine. See `Machine` and `HttpMachine`.

    `counts` tells how often what stands in a line of the cassette was played. With `ways` a miss is raised, in their
    words.
    """

    def __init__(self, identity: tuple[str, str], clock: Clock, playback: Playback, counts: Counter[int]) -> None:
        super().__init__(*identity, clock)
        self.ways: Ways | None = None
        self._playback = playback
        self._clock = clock
        self._counts = counts

    @property
    def next_wake(self) -> float | None:
        """See `Machine`."""
        return self._playback.next_wake

    @property
    def norm(self) -> HttpNorm:
        """See `HttpMachine`."""
        return self._playback.norm

    @property
    def secrets(self) -> Mapping[str, str]:
        """The client's secrets: those that placeholders stand for, and those of requests that missed."""
        return self._playback.variables.secrets()

    def receive(self, frame: Frame, now: float) -> list[Action]:
        """See `Machine`. Raises MockFailure where a miss shall fail at once."""
        if isinstance(frame, Oversize):
            return self.receive_parsed(NotAMessage(PARSE_ERROR, f"a line of {frame.size} bytes is too long"), now)
        return self.receive_parsed(parse(frame), now, frame)

    def receive_parsed(
        self,
        parsed: Parsed,
        now: float = 0.0,
        frame: bytes = b"",
        ticket: object = None,
        oddities: Oddities | None = None,
    ) -> list[Action]:
        """See `HttpMachine`. Raises like `receive`."""
        report = self._playback.report
        with self._clock.lock:
            calls, misses = len(report.calls), len(report.misses)
            actions = self._playback.receive_parsed(parsed, now, frame, ticket, oddities)
            self._note(parsed, report.calls[calls:], now, ticket)
            self._say(actions, now)
            missed = report.misses[misses:]
            self.missed |= bool(missed)
        if missed and self.ways is not None:
            from mcpmock.matching.pages import page

            raise MockFailure("".join(page(miss, self.ways) for miss in missed), len(missed))
        return actions

    def wake(self, now: float) -> list[Action]:
        """See `Machine`."""
        with self._clock.lock:
            return self._say(self._playback.wake(now), now)

    def left(self, ticket: object, now: float) -> list[Action]:
        """See `HttpMachine`."""
        with self._clock.lock:
            return self._say(self._playback.left(ticket, now), now)

    def end_of_input(self, now: float) -> list[Action]:
        """See `Machine`."""
        with self._clock.lock:
            return self._say(self._playback.end_of_input(now), now)

    def _note(self, parsed: Parsed, outcomes: list[Outcome], now: float, ticket: object) -> None:
        """Writes down what the client asked, with what became of it."""
        self._counts.update(one.line for one in outcomes if one.outcome in ("played", "repeated"))
        messages = parsed.messages if isinstance(parsed, Batch) else (parsed,)
        told = iter(outcomes)
        following = next(told, None)
        for message in messages:
            if not isinstance(message, Message) or not message.method:
                continue
            if following is not None and following.method == message.method:
                self._ask(message, following, now, ticket)
                following = next(told, None)
            else:
                self._ask(message, None, now, ticket)

    def _ask(self, message: Message, outcome: Outcome | None, now: float, ticket: object) -> None:
        order = self._clock.next_order()
        if outcome is None:
            self.log.ask(message, "ignored", 0, now, order, ticket)
        else:
            self.log.ask(message, outcome.outcome, outcome.line, now, order, ticket)

    def _say(self, actions: list[Action], now: float) -> list[Action]:
        for action in actions:
            if isinstance(action, Send):
                self.log.say(action.text, now, action.ticket)
            elif isinstance(action, End):
                self.is_open = False
        return actions
