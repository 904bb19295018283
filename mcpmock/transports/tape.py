"""What the pumps read, in order of reading, waiting for somebody to think about it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from time import monotonic, sleep
from typing import Final, Literal, TypeAlias

Source: TypeAlias = Literal["client", "server", "stderr"]
End: TypeAlias = Literal["client", "server", "signal"]

Chunk: TypeAlias = "tuple[Source | End, float, bytes]"
"""Where bytes were read, when (in seconds of `time.monotonic`), and the bytes; none: see `Tape.put_end`."""

MOST_WAITING: Final[dict[Source, int]] = {"client": 28 << 20, "server": 28 << 20, "stderr": 8 << 20}
"""So many bytes may wait, 64 MiB in all; then a pump waits too."""

_WEIGHT: Final = 256  # bytes of memory that a chunk takes beside its own
_SLICE: Final = 4 * 1024
_PAUSE: Final = 0.002


class Track:
    """The part of a tape that one pump writes. Needs no lock: each number has one writer."""

    __slots__ = ("_append", "_done", "_most", "_put", "_source", "has_overrun", "heard_at")

    def __init__(self, chunks: deque[Chunk], source: Source, most_waiting: int) -> None:
        self._append = chunks.append
        self._source = source
        self._most = most_waiting
        self._put = 0
        self._done = 0
        self.heard_at = 0.0
        """When something was read last, in seconds of `time.monotonic`; 0 for never."""
        self.has_overrun = False
        """Whether the pump ever had to wait."""

    @property
    def waiting(self) -> int:
        """How many bytes wait, what it takes to hold them included."""
        return self._put - self._done

    def put(self, data: bytes, at: float | None = None) -> None:
        """Note what was read, now or at another moment. Returns at once, unless too much waits already."""
        self.heard_at = at = monotonic() if at is None else at
        self._append((self._source, at, data))
        self._put += len(data) + _WEIGHT
        while self._put - self._done > self._most:
            self.has_overrun = True
            sleep(_PAUSE)

    def done(self, size: int) -> None:
        """So many bytes wait no longer."""
        self._done += size


class Tape:
    """A queue from the pumps, one per source, to one thinker."""

    def __init__(self, most_waiting: dict[Source, int] = MOST_WAITING) -> None:
        self._chunks: deque[Chunk] = deque()
        self.client: Final = Track(self._chunks, "client", most_waiting["client"])
        self.server: Final = Track(self._chunks, "server", most_waiting["server"])
        self.stderr: Final = Track(self._chunks, "stderr", most_waiting["stderr"])
        self._tracks: Final[dict[Source | End, Track]] = {
            "client": self.client,
            "server": self.server,
            "stderr": self.stderr,
        }

    @property
    def waiting(self) -> int:
        """How many bytes wait on all tracks."""
        return sum(track.waiting for track in self._tracks.values())

    @property
    def heard_at(self) -> float:
        """When something was read last, from anybody."""
        return max(track.heard_at for track in self._tracks.values())

    @property
    def has_overrun(self) -> bool:
        """Whether a pump ever had to wait."""
        return any(track.has_overrun for track in self._tracks.values())

    def __len__(self) -> int:
        return len(self._chunks)

    def put_end(self, source: Source | End, at: float | None = None) -> None:
        """Note that a source has ended, or that a signal has told us to end. Anybody may call it."""
        self._chunks.append((source, monotonic() if at is None else at, b""))

    def track(self, source: Source | End) -> Track | None:
        """The track of a source; None for what is no source of bytes."""
        return self._tracks.get(source)

    def take(self) -> list[Chunk]:
        """The oldest chunks, not many at once; say `done` when they need no more memory."""
        taken: list[Chunk] = []
        size = 0
        while self._chunks and size < _SLICE:
            taken.append(self._chunks.popleft())
            size += len(taken[-1][2]) + _WEIGHT
        return taken

    def done(self, chunks: Sequence[Chunk]) -> None:
        """These chunks, which were taken, wait no longer."""
        for source, _, data in chunks:
            if data:
                self._tracks[source].done(len(data) + _WEIGHT)
