"""What was seen on the pipes of a server, as entries of a cassette: pure, no clock, no I/O.

The shell tells what it read, in the order of reading, with the time; the finished entries are taken from here. The
entries do not depend on how the streams were chunked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mcpmock.cassette.model import Entry
from mcpmock.session.recording.entry_log import EntryLog
from mcpmock.session.recording.noise import NoiseWatch
from mcpmock.session.recording.stderr import LARGEST_BLOCK, Line, StderrLines
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE, Frame, LineSplitter
from mcpmock.wire.message import Side

if TYPE_CHECKING:
    from mcpmock.cassette.variables import Masking


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
        self._log = EntryLog(redactor=redactor, noise=NoiseWatch())
        self._block: list[str] = []  # the open stderr entry, line by line
        self._block_size = 0
        self._block_at = 0
        self._ended: set[Side] = set()
        self._client_end_is_told = False
        self._end_is_asked = False

    @property
    def answers(self) -> int:
        """How many answers of the server were seen."""
        return self._log.answers

    @property
    def open_requests(self) -> int:
        """How many requests of the client have neither been answered nor cancelled."""
        return self._log.requests.count

    @property
    def open_entry(self) -> Entry | None:
        """The entry that still grows: stderr, whose neighbouring lines are one entry."""
        return Entry("stderr", text="".join(self._block), at=self._block_at) if self._block else None

    def take_entries(self) -> list[Entry]:
        """The entries that were finished since the last call."""
        return self._log.take_entries()

    def all_times(self) -> Sequence[int]:
        """The time of every entry since the beginning, that which still grows included."""
        return self._log.times([self._block_at] if self._block else [])

    def take_warnings(self) -> list[str]:
        """What a person should be told, since the last call: each cause once, in sentences."""
        return self._log.take_warnings()

    def received(self, side: Side, chunk: bytes, at: int) -> None:
        """Bytes were read from the client or from the server's stdout."""
        self._log.advance(at)
        for frame in self._lines[side].feed(chunk):
            self._add_frame(side, frame)

    def received_stderr(self, chunk: bytes, at: int) -> None:
        """Bytes were read from the server's stderr."""
        self._log.advance(at)
        self._add_stderr(self._stderr.feed(chunk))

    def ended(self, side: Side, at: int) -> None:
        """The client has closed the server's input, or has gone; or the server has closed its stdout."""
        self._log.advance(at)
        for frame in self._lines[side].end():
            self._add_frame(side, frame)
        if side == "server" and not self._ended and not self._end_is_asked:
            self._add(Entry("eof", side="server", at=self._log.now))
        self._ended.add(side)

    def told_to_end(self, at: int) -> None:
        """The client asks the server to end by a signal: that it then closes its stdout is no event of its own."""
        self._log.advance(at)
        self._end_is_asked = True

    def exited(self, status: int | str, at: int) -> None:
        """The server's process has ended, with a status or by a signal ("SIGKILL"); nothing comes after this."""
        self._log.advance(at)
        self._add_stderr(self._stderr.end())
        self._add(Entry("exit", status=status, at=self._log.now))

    def _add_frame(self, side: Side, frame: Frame) -> None:
        if side == "server" and "client" in self._ended and not self._client_end_is_told:
            self._client_end_is_told = True
            self._add(Entry("eof", side="client", at=self._log.now))
        if side == "client":
            self._end_is_asked = False
        self._add(self._log.read(side, frame))

    def _add_stderr(self, lines: list[Line]) -> None:
        for text, is_plain in lines:
            if not is_plain or self._block_size >= LARGEST_BLOCK:
                self._close_block()
            if not self._block:
                self._block_at = self._log.now
            masked = self._log.mask(text)
            self._block.append(masked)
            self._block_size += len(masked)
            if not is_plain:
                self._close_block()

    def _close_block(self) -> None:
        entry = self.open_entry
        if entry is not None:
            self._block.clear()
            self._block_size = 0
            self._log.finish(entry)

    def _add(self, entry: Entry) -> None:
        if self._block:
            self._close_block()
        self._log.finish(entry)
