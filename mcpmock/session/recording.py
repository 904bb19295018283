"""What was seen on the pipes of a server, as entries of a cassette: pure, no clock, no I/O.

The shell tells what it read, in the order of reading, with the time; the finished entries are taken from here. The
entries do not depend on how the streams were chunked. Memory does not grow with the number of messages, but for four
bytes of time per entry.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final, Protocol

from mcpmock.cassette.model import Entry
from mcpmock.session.noise import NoiseWatch
from mcpmock.session.stderr import LARGEST_BLOCK, Line, StderrLines
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE, Frame, LineSplitter, Oversize
from mcpmock.wire.message import MISSING, Json, Message, Missing, NotAMessage, Side, dumps, parse_exact

_LATEST: Final = 2**32 - 1


class Masking(Protocol):
    """What takes the secrets out of all that is kept; `mcpmock.cassette.redaction.Redactor` is one."""

    def message(self, message: Message) -> Message:
        """The message without its secrets."""

    def text(self, text: str) -> str:
        """The text without its secrets."""

    def data(self, data: bytes) -> bytes:
        """What is no text, without the secrets that can be read in it."""


class Recording:
    """One session while it is recorded.

    `max_message` bounds, in bytes, what is kept of one line. All times are milliseconds from the start of the
    session; one that is earlier than the one before counts as equal to it.
    """

    def __init__(self, *, max_message: int = DEFAULT_MAX_MESSAGE, redactor: Masking | None = None) -> None:
        self._lines: Final[dict[Side, LineSplitter]] = {
            "client": LineSplitter(max_message),
            "server": LineSplitter(max_message),
        }
        self._stderr = StderrLines()
        self._redactor = redactor
        self._finished: list[Entry] = []
        self._block: list[str] = []  # the open stderr entry, line by line
        self._block_size = 0
        self._block_at = 0
        self._now = 0
        self._ended: set[Side] = set()
        self._client_end_is_told = False
        self._end_is_asked = False
        self._requests = OpenRequests()
        self._noise = NoiseWatch()
        self.answers = 0
        """How many answers of the server were seen."""
        self._times = array("I")

    @property
    def open_requests(self) -> int:
        """How many requests of the client have neither been answered nor cancelled."""
        return self._requests.count

    @property
    def open_entry(self) -> Entry | None:
        """The entry that still grows: stderr, whose neighbouring lines are one entry."""
        return Entry("stderr", text="".join(self._block), at=self._block_at) if self._block else None

    def take_entries(self) -> list[Entry]:
        """The entries that were finished since the last call."""
        taken, self._finished = self._finished, []
        return taken

    def all_times(self) -> Sequence[int]:
        """The time of every entry since the beginning, that which still grows included."""
        return self._times + array("I", [self._block_at] if self._block else [])

    def take_warnings(self) -> list[str]:
        """What a person should be told, since the last call: each cause once, in sentences."""
        return self._noise.take()

    def received(self, side: Side, chunk: bytes, at: int) -> None:
        """Bytes were read from the client or from the server's stdout."""
        self._advance(at)
        for frame in self._lines[side].feed(chunk):
            self._add_frame(side, frame)

    def received_stderr(self, chunk: bytes, at: int) -> None:
        """Bytes were read from the server's stderr."""
        self._advance(at)
        self._add_stderr(self._stderr.feed(chunk))

    def ended(self, side: Side, at: int) -> None:
        """The client has closed the server's input, or has gone; or the server has closed its stdout."""
        self._advance(at)
        for frame in self._lines[side].end():
            self._add_frame(side, frame)
        if side == "server" and not self._ended and not self._end_is_asked:
            self._add(Entry("eof", side="server", at=self._now))
        self._ended.add(side)

    def told_to_end(self, at: int) -> None:
        """The client asks the server to end by a signal: that it then closes its stdout is no event of its own."""
        self._advance(at)
        self._end_is_asked = True

    def exited(self, status: int | str, at: int) -> None:
        """The server's process has ended, with a status or by a signal ("SIGKILL"); nothing comes after this."""
        self._advance(at)
        self._add_stderr(self._stderr.end())
        self._add(Entry("exit", status=status, at=self._now))

    def _advance(self, at: int) -> None:
        self._now = min(max(self._now, at), _LATEST)

    def _add_frame(self, side: Side, frame: Frame) -> None:
        if side == "server" and "client" in self._ended and not self._client_end_is_told:
            self._client_end_is_told = True
            self._add(Entry("eof", side="client", at=self._now))
        if side == "client":
            self._end_is_asked = False
        if isinstance(frame, Oversize):
            self._noise.oversize(side, frame.size)
            self._add(Entry("raw", side=side, size=frame.size, at=self._now))
            return
        parsed = parse_exact(frame)
        if isinstance(parsed, NotAMessage):
            text = self._mask_line(frame)
            self._noise.line(side, text)
            self._add(Entry("raw", side=side, text=text, at=self._now))
            return
        messages = (parsed,) if isinstance(parsed, Message) else parsed.messages
        self._note(side, messages)
        if self._redactor is not None:
            messages = tuple(map(self._redactor.message, messages))
        self._add(Entry(side, messages, not isinstance(parsed, Message), at=self._now))

    def _note(self, side: Side, messages: tuple[Message, ...]) -> None:
        for message in messages:
            if side == "server":
                if message.kind == "response":
                    self.answers += 1
                    self._requests.answered(message)
            elif self._requests.sent(message):
                self._noise.equal_ids(message)

    def _mask_line(self, line: bytes) -> str | bytes:
        try:
            return self._mask(line.decode())
        except UnicodeDecodeError:
            return line if self._redactor is None else self._redactor.data(line)

    def _mask(self, text: str) -> str:
        return text if self._redactor is None else self._redactor.text(text)

    def _add_stderr(self, lines: list[Line]) -> None:
        for text, is_plain in lines:
            if not is_plain or self._block_size >= LARGEST_BLOCK:
                self._close_block()
            if not self._block:
                self._block_at = self._now
            masked = self._mask(text)
            self._block.append(masked)
            self._block_size += len(masked)
            if not is_plain:
                self._close_block()

    def _close_block(self) -> None:
        entry = self.open_entry
        if entry is not None:
            self._block.clear()
            self._block_size = 0
            self._finish(entry)

    def _add(self, entry: Entry) -> None:
        if self._block:
            self._close_block()
        self._finish(entry)

    def _finish(self, entry: Entry) -> None:
        self._finished.append(entry)
        self._times.append(entry.at or 0)


class OpenRequests:
    """The ids of the client's requests that wait for an answer; several may wait under one id."""

    def __init__(self) -> None:
        self._waiting: dict[str, int] = {}
        self.count = 0
        """How many requests wait."""

    def sent(self, message: Message) -> bool:
        """A message of the client: whether it is a request under an id that waits already."""
        if message.kind == "request":
            key = _key(message.id)
            self._waiting[key] = self._waiting.get(key, 0) + 1
            self.count += 1
            return self._waiting[key] > 1
        if message.method == "notifications/cancelled" and isinstance(message.params, dict):
            self._end(message.params.get("requestId", MISSING))
        return False

    def answered(self, message: Message) -> None:
        """An answer of the server; one that nobody waits for changes nothing."""
        self._end(message.id)

    def _end(self, number: Json | Missing) -> None:
        key = _key(number)
        waiting = self._waiting.get(key, 0)
        if waiting > 1:
            self._waiting[key] = waiting - 1
        elif waiting:
            del self._waiting[key]
        self.count -= waiting > 0


def _key(number: Json | Missing) -> str:
    """Ids with their JSON type: 1 is not "1"."""
    return "" if isinstance(number, Missing) else dumps(number)
