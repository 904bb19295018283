"""Lines on bytes: what one chunk after another of a stdio stream holds (MCP stdio transport, all revisions).

LF ends a line and nothing else does: U+2028, U+0085, VT and a lone CR are part of it.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

DEFAULT_MAX_MESSAGE: Final = 128 * 1024 * 1024
"""The longest line, in bytes, that is kept unless the user says otherwise."""


class Oversize(NamedTuple):
    """A line beyond the cap: only its length in bytes (without its end) is known."""

    size: int


Frame: TypeAlias = bytes | Oversize


class LineSplitter:
    """Cuts a byte stream into lines, in time linear in its length, however it is chunked.

    Lines come without their LF and without a CR before it; blank lines are passed over. A line longer than
    `max_message` bytes is drained to its end and told as `Oversize`.
    """

    def __init__(self, max_message: int = DEFAULT_MAX_MESSAGE) -> None:
        self._max = max_message
        self._parts: list[bytes] = []
        self._size = 0
        self._has_cr = False  # at the end of what has been seen of the line

    def feed(self, chunk: bytes) -> list[Frame]:
        """The lines that are complete with this chunk."""
        lines = chunk.split(b"\n")
        last = lines.pop()
        frames: list[Frame] = []
        for line in lines:
            if self._size:
                self._keep(line)
                self._finish(frames)
            elif line and line != b"\r":
                frames.append(self._whole(line))
        self._keep(last)
        return frames

    def end(self) -> list[Frame]:
        """The last line, where the stream ended without an LF."""
        frames: list[Frame] = []
        if self._size:
            self._finish(frames)
        return frames

    @property
    def pending(self) -> int:
        """How many bytes of an unfinished line have been seen."""
        return self._size

    def _whole(self, line: bytes) -> Frame:
        line = line.removesuffix(b"\r")
        return line if len(line) <= self._max else Oversize(len(line))

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        self._has_cr = part.endswith(b"\r") if part else self._has_cr
        if self._size <= self._max + 1:  # one more, for a CR
            if part:
                self._parts.append(part)
        else:
            self._parts.clear()

    def _finish(self, frames: list[Frame]) -> None:
        if self._size > self._max + 1:
            frames.append(Oversize(self._size - self._has_cr))
        else:
            line = b"".join(self._parts)
            if line != b"\r":
                frames.append(self._whole(line))
        self._parts.clear()
        self._size = 0
