"""What a proxy has moved, in order, waiting for somebody to think about it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from mcpmock.wire.http import Headers

Happening: TypeAlias = Literal["began", "request", "requested", "head", "response", "responded", "aborted"]

MOST_WAITING: Final = 64 << 20
"""So many bytes may wait; then nothing more is read until some have been thought about."""

_WEIGHT: Final = 512  # bytes of memory that an event takes beside its data
_SLICE: Final = 4 * 1024


class Began(NamedTuple):
    """A request has come: on which connection, and what its head says."""

    connection: int
    method: str
    target: str
    headers: Headers


class Head(NamedTuple):
    """The head of a response has come."""

    status: int
    headers: Headers


Moved: TypeAlias = "tuple[Happening, float, int, Any]"
"""What happened, when (in seconds of `time.monotonic`), in which exchange, and with it `Began`, `Head`, bytes, or the
side that has broken off."""


class ProxyTape:
    """A queue from an event loop to one thinker. Needs no lock: each number has one writer."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self._moved: deque[Moved] = deque()
        self._most = most_waiting
        self._put = 0
        self._done = 0
        self._is_closed = False
        self.heard_at = 0.0
        """When anything moved last, in seconds of `time.monotonic`."""
        self.has_overrun = False
        """Whether reading ever had to wait."""

    @property
    def waiting(self) -> int:
        """How many bytes wait, what it takes to hold them included."""
        return self._put - self._done

    @property
    def is_full(self) -> bool:
        """Whether so much waits that nothing more should be read."""
        if self.waiting <= self._most:
            return False
        self.has_overrun = True
        return True

    def __len__(self) -> int:
        return len(self._moved)

    def put(self, happening: Happening, exchange: int, what: Began | Head | bytes | str = b"") -> None:
        """Note what has been read, before it is passed on."""
        if self._is_closed:
            return
        self.heard_at = at = monotonic()
        self._moved.append((happening, at, exchange, what))
        self._put += _WEIGHT + (len(what) if isinstance(what, bytes) else 0)

    def close(self) -> None:
        """Note nothing any more: what happens now is the proxy's own end."""
        self._is_closed = True

    def take(self) -> list[Moved]:
        """The oldest events, not many at once; say `done` when they need no more memory."""
        taken: list[Moved] = []
        size = 0
        while self._moved and size < _SLICE:
            taken.append(self._moved.popleft())
            size += _weight(taken[-1])
        return taken

    def done(self, taken: Sequence[Moved]) -> None:
        """These events, which were taken, wait no longer."""
        self._done += sum(map(_weight, taken))


def _weight(moved: Moved) -> int:
    what = moved[3]
    return _WEIGHT + (len(what) if isinstance(what, bytes) else 0)
