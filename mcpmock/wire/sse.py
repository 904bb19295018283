"""Server-sent events (WHATWG HTML, 9.2): bytes to events in any chunking, and events to bytes."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE
from mcpmock.wire.message import BOM

_LONGEST_NUMBER: Final = 15
_LONGEST_FIELD: Final = 16 * 1024  # of a name, an id or a retry, with its key


class Event(NamedTuple):
    """One event.

    name             `message` where none was given
    data             the data lines, joined with LF; empty for an event that has none, or that was too long to keep
    id               the id that it sets; "" resets it; None where it has none
    retry            milliseconds; None where it has none
    size             length in bytes of data that was too long to keep; else 0
    is_unterminated  the stream ended before the empty line: by the rules such an event counts for nothing
    """

    name: str = "message"
    data: bytes = b""
    id: str | None = None
    retry: int | None = None
    size: int = 0
    is_unterminated: bool = False

    @property
    def is_priming(self) -> bool:
        """Whether it brings an id and no data: a stream that can be resumed begins so (MCP 2025-11-25)."""
        return bool(self.id) and not self.data and not self.size


class EventParser:
    """Finds the events in a stream that arrives in chunks of any size.

    Lines end with CRLF, LF or CR. Comments and unknown fields are passed over; an event is told for each block that
    has a field we know, also for one without data, which by the rules is not dispatched. Memory is bounded: data
    beyond `max_message` bytes is drained, and told by its size.
    """

    def __init__(self, max_message: int = DEFAULT_MAX_MESSAGE) -> None:
        self._max = max_message
        self._line = _Line(max_message + _LONGEST_FIELD)
        self._is_first = True
        self._has_cr = False  # at the end of what was seen: an LF that follows belongs to it
        self._begin()

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that are complete with this chunk."""
        if not chunk:
            return []
        if self._has_cr and chunk[:1] == b"\n":
            chunk = chunk[1:]
        events: list[Event] = []
        lines = chunk.splitlines()  # bytes are split at LF, CR and CRLF only
        is_open = bool(chunk) and chunk[-1] not in b"\r\n"
        last = lines.pop() if is_open else b""
        self._has_cr = chunk.endswith(b"\r")
        for line in lines:
            self._take(self._line.end(line), events)
        self._line.add(last)
        return events

    def end(self) -> list[Event]:
        """What the end of the stream cut short."""
        events: list[Event] = []
        if self._line.size:
            self._take(self._line.end(b""), events)
        self._take(b"", events)
        return [event._replace(is_unterminated=True) for event in events]

    def _begin(self) -> None:
        self._data: list[bytes] = []
        self._data_size = -1  # with its LFs; the first line has none before it
        self._name = ""
        self._id: str | None = None
        self._retry: int | None = None
        self._has_field = False

    def _take(self, line: bytes | int, events: list[Event]) -> None:
        """Take one line, or the size of data that was too long."""
        if isinstance(line, int):
            self._has_field = True
            self._add_data(b"", line)
            return
        if self._is_first:
            self._is_first = False
            line = line.removeprefix(BOM)
        if line:
            key, _, value = line.partition(b":")
            self._add(key, value.removeprefix(b" "))
        elif self._has_field:
            events.append(self._event())
            self._begin()

    def _event(self) -> Event:
        size = self._data_size if self._data_size > self._max else 0
        return Event(self._name or "message", b"\n".join(self._data), self._id, self._retry, size)

    def _add(self, key: bytes, value: bytes) -> None:
        if key == b"data":
            self._add_data(value, len(value))
        elif key == b"event":
            self._name = value.decode(errors="replace")
        elif key == b"id" and b"\0" not in value:
            self._id = value.decode(errors="replace")
        elif key == b"retry" and value.isdigit() and len(value) <= _LONGEST_NUMBER:
            self._retry = int(value)
        else:
            return
        self._has_field = True

    def _add_data(self, value: bytes, size: int) -> None:
        self._data_size += size + 1
        if self._data_size <= self._max:
            self._data.append(value)
        else:
            self._data.clear()


class _Line:
    """One line as it grows; of one that is too long only the beginning is kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self.size = 0
        """How many bytes of it have been seen."""

    def add(self, part: bytes) -> None:
        """More of it."""
        if part:
            if self.size <= self._most:
                self._parts.append(part)
            self.size += len(part)

    def end(self, part: bytes) -> bytes | int:
        """The whole line with its last part; the size of the data of a line that is too long."""
        if not self._parts:
            return part if len(part) <= self._most else _drained(part[:6], len(part))
        self.add(part)
        line, size = b"".join(self._parts), self.size
        self._parts.clear()
        self.size = 0
        return line if size <= self._most else _drained(line[:6], size)


def _drained(start: bytes, size: int) -> bytes | int:
    """What is left of a line that is too long: the size of its data; a comment for any other field."""
    if start[:5] != b"data:":
        return b":"
    return size - 5 - (start[5:] == b" ")


_find_break = re.compile(r"\r\n|\r|\n").search
_split = re.compile(r"\r\n|\r|\n").split


def encode_event(text: str, *, name: str = "message", id: str = "", retry: int | None = None) -> bytes:
    """The bytes of an event; without a name, an id or a retry where these are empty.

    A text of several lines becomes several data lines. Raises ValueError for a name or an id that no event can have.
    """
    if "\0" in id or _find_break(id) or _find_break(name):
        raise ValueError("an event's name and id are one line, and an id has no NUL")
    head = f"id: {id}\n" if id else ""
    if name:
        head += f"event: {name}\n"
    if retry is not None:
        head += f"retry: {retry}\n"
    data = "\ndata: ".join(_split(text)) if _find_break(text) else text
    return f"{head}data: {data}\n\n".encode()
