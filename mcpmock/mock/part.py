"""The servers that a mock stands for: what the recorded and the real ones have in common."""

from __future__ import annotations

import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, NamedTuple

from mcpmock.errors import UsageError, printable
from mcpmock.matching.miss import Miss
from mcpmock.matching.nearest import Candidate
from mcpmock.mock.log import Log
from mcpmock.transports.relay import RelayWire
from mcpmock.wire.message import Json

if TYPE_CHECKING:
    from mcpmock.transports.http.service import HttpService
    from mcpmock.transports.memory import Streams

__all__ = ["Clock", "LiveSession", "Part", "Recorded", "say"]


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


class LiveSession:
    """One connection of a client, and what was said.

    `is_open` until the client has left or the mock was closed; `missed` tells whether there was a miss in it.
    """

    def __init__(self, server: str, transport: str, clock: Clock) -> None:
        self.number = clock.next_session()
        self.server = server
        self.transport = transport
        self.log = Log(server, self.number, clock.started_at)
        self.is_open = True
        self.missed = False

    @property
    def secrets(self) -> Mapping[str, str]:
        """What must not be told of it, by placeholder."""
        return {}


class Part(ABC):
    """One server that a mock stands for, to all live sessions of its clients, one after another or at once."""

    tells_environment = False
    """Whether `serve` wants to know where the client has started the relay."""

    has_command = True
    """Whether a client can start it, or be connected with it in this process."""

    patience = 5.0
    """Seconds that `serve` may take to end once its client has gone."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sessions: list[LiveSession] = []

    @abstractmethod
    def serve(self, wire: RelayWire) -> int:
        """Serves one process of a client, in a thread of its own. Returns the exit status that it ends with."""

    @abstractmethod
    def streams(self) -> AbstractAsyncContextManager[Streams]:
        """A session in process."""

    def service(self) -> HttpService:
        """The server over HTTP, the same one for all its clients. Raises UsageError where that cannot be."""
        raise UsageError(f"while the server {self.name!r} is a real one, it has only a command and streams(), no url")

    def own_url(self) -> str:
        """Where its clients reach it over HTTP, if that is not where a mock serves what was recorded; else empty."""
        return ""

    def catch_up(self) -> None:
        """Returns when all that clients have been answered so far can be seen in `sessions`."""
        return  # where it is noted as it happens

    def close(self) -> None:
        """Ends what runs for it. Raises McpmockError where something went wrong that its clients did not see."""
        return  # where nothing does

    @property
    def misses(self) -> Sequence[Miss]:
        """What was never recorded, in order."""
        return ()

    def unplayed(self) -> Sequence[Candidate]:
        """What counts as unplayed (DESIGN 4), of all recorded sessions, whichever live session played them."""
        return ()

    def remarks(self) -> dict[str, list[Json]]:
        """What happened that fails no test: questions that were not asked, answers that differ, notes."""
        return {}

    def recorded(self) -> Sequence[Recorded]:
        """Every recorded request that counts, with how often it was played."""
        return ()


def say(text: str) -> None:
    """Tell a person something, on what is stderr to Python: a test captures it."""
    print(f"mcpmock: {printable(text)}", file=sys.stderr)
