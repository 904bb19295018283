"""A server's stderr as text that reads well in a cassette, the same however the stream was chunked."""

from __future__ import annotations

from typing import Final, NamedTuple

from mcpmock.cassette.spelling import is_clean

LONGEST_LINE: Final = 64 * 1024
"""A line is cut behind so many bytes: what never ends a line must not fill the memory."""

LARGEST_BLOCK: Final = 64 * 1024
"""A block that has come to so many characters is closed, and the next line begins another."""


class Line(NamedTuple):
    """A line with its end, if it has one. `is_plain`: a literal block of YAML keeps it as it is."""

    text: str
    is_plain: bool


class StderrLines:
    """Cuts a stream of bytes into lines of text; what is no UTF-8 becomes `\\xff`."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[Line]:
        """The lines that are complete with this chunk."""
        *lines, rest = (self._rest + chunk).split(b"\n")
        found = [line for complete in lines for line in _cut(complete + b"\n")]
        *early, self._rest = _pieces(rest)
        return found + [_line(piece) for piece in early]

    def end(self) -> list[Line]:
        """The last line, where the stream ended without an LF."""
        rest, self._rest = self._rest, b""
        return [_line(rest)] if rest else []


def _cut(line: bytes) -> list[Line]:
    return [_line(piece) for piece in _pieces(line)]


def _pieces(line: bytes) -> list[bytes]:
    """The line in pieces of at most `LONGEST_LINE` bytes, none of which ends within a character."""
    pieces = []
    while len(line) > LONGEST_LINE:
        end = LONGEST_LINE
        while end > LONGEST_LINE - 4 and line[end] & 0xC0 == 0x80:
            end -= 1
        pieces.append(line[:end])
        line = line[end:]
    return [*pieces, line]


def _line(data: bytes) -> Line:
    text = data.decode(errors="backslashreplace")
    body = text.removesuffix("\n")
    return Line(text, body != text and body == body.rstrip() and is_clean(body))
