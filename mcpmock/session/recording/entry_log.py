"""The entries of one session while it is recorded: what is noted of them alike, however they travelled."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from mcpmock.cassette.model import Entry
from mcpmock.session.correlation import cancelled_id, id_key
from mcpmock.session.recording.noise import NoiseWatch
from mcpmock.wire.envelope import is_heard
from mcpmock.wire.framing import Frame, Oversize
from mcpmock.wire.message import Batch, Json, Message, Missing, NotAMessage, Side, parse_exact

if TYPE_CHECKING:
    from mcpmock.cassette.variables import Masking
    from mcpmock.session.pages import Pages

_LATEST: Final = 2**32 - 1
_MOST_ASKED: Final = 1_000  # lists that wait for an answer, some of which never come


class EntryLog:
    """Collects finished entries and their times. Memory does not grow with the number of messages, but for four
    bytes of time per entry.

    All times are milliseconds from `start`; one that is earlier than the one before counts as equal to it.
    """

    def __init__(self, *, redactor: Masking | None, noise: NoiseWatch, start: int = 0) -> None:
        self._redactor = redactor
        self._noise = noise
        self._start = start
        self._finished: list[Entry] = []
        self._times = array("I")
        self._pages: Pages | None = None  # once a list has a second one
        self._asked: dict[tuple[str, object], Message] = {}  # for which page, by id
        self.requests = WaitingIds()
        """Those of the client's requests."""
        self.answers = 0
        """How many answers of the server were seen; that it acknowledges a subscription is one."""
        self.now = 0
        """The time of what is noted now."""

    def advance(self, at: int) -> None:
        """Now it is `at`."""
        self.now = min(max(self.now, at - self._start), _LATEST)

    def take_entries(self) -> list[Entry]:
        """The entries that were finished since the last call."""
        taken, self._finished = self._finished, []
        return taken

    def times(self, growing: Iterable[int] = ()) -> Sequence[int]:
        """The time of every finished entry since the beginning, and of those that still grow."""
        return self._times + array("I", growing)

    def take_warnings(self) -> list[str]:
        """What a person should be told, since the last call: each cause once, in sentences."""
        return self._noise.take()

    def finish(self, entry: Entry) -> None:
        """Add an entry."""
        self._finished.append(entry)
        self._times.append(entry.at or 0)

    # -- what a frame says

    def read(self, side: Side, frame: Frame) -> Entry:
        """The entry that a frame is: a message, a batch, or noise."""
        if isinstance(frame, Oversize):
            self._noise.oversize(side, frame.size)
            return Entry("raw", side=side, size=frame.size, at=self.now)
        parsed = parse_exact(frame)
        return self.noise(side, frame) if isinstance(parsed, NotAMessage) else self.said(side, parsed)

    def said(self, side: Side, parsed: Message | Batch) -> Entry:
        """The entry of a message or a batch."""
        messages = (parsed,) if isinstance(parsed, Message) else parsed.messages
        self._note(side, messages)
        if self._redactor is not None:
            messages = tuple(map(self._redactor.message, messages))
        return Entry(side, messages, isinstance(parsed, Batch), at=self.now)

    def noise(self, side: Side, frame: bytes) -> Entry:
        """The entry of what is no message."""
        text = self.mask_data(frame)
        self._noise.line(side, text)
        return Entry("raw", side=side, text=text, at=self.now)

    def unanswered(self, message: Message, status: int) -> None:
        """A request was answered by a status that promises nothing."""
        self._noise.unanswered(message, status)

    def mask(self, text: str) -> str:
        """A text without its secrets."""
        return text if self._redactor is None else self._redactor.text(text)

    def mask_header(self, name: str, value: str, place: Sequence[str]) -> str:
        """The value of a header of a request, which mirrors what stands at a place in its message, without secrets."""
        if self._redactor is None:
            return value
        from mcpmock.cassette.redaction.mirrored import masked_mirror  # few recordings hold any

        def text(value: str) -> str:
            return self.mask(f"{name}: {value}").removeprefix(f"{name}: ")

        mask = self._redactor
        return masked_mirror(name, value, place, message=mask.message, text=text, counts=mask.counts)

    def mask_data(self, data: bytes) -> str | bytes:
        """A text, or bytes where it is no UTF-8, without its secrets."""
        try:
            return self.mask(data.decode())
        except UnicodeDecodeError:
            return data if self._redactor is None else self._redactor.data(data)

    def _note(self, side: Side, messages: tuple[Message, ...]) -> None:
        for message in messages:
            if side == "server":
                self.answers += is_heard(message)
                if message.kind == "response":
                    self.requests.answered(message)
                    if self._asked and (asked := self._asked.pop(id_key(message.id), None)):
                        self._turned(asked, message)
            elif self.requests.sent(message):
                self._noise.equal_ids(message)
                self._asked.pop(id_key(message.id), None)  # which of the two is answered, nobody knows
            elif message.method.endswith("/list") and message.kind == "request":
                if len(self._asked) >= _MOST_ASKED:
                    self._asked.clear()
                self._asked[id_key(message.id)] = message

    def _turned(self, request: Message, answer: Message) -> None:
        from mcpmock.session.pages import Pages, cursor_of  # most lists have one page

        if cursor_of(request) is None:
            return
        self._pages = self._pages or Pages()
        if self._pages.turned(request, answer):
            self._noise.in_a_circle(request.method)


class WaitingIds:
    """The ids of the client's requests that wait for an answer; several may wait under one id."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, object], int] = {}
        self.count = 0
        """How many requests wait."""

    def sent(self, message: Message) -> bool:
        """A message of the client: whether it is a request under an id that waits already."""
        if message.kind == "request":
            key = id_key(message.id)
            self._waiting[key] = self._waiting.get(key, 0) + 1
            self.count += 1
            return self._waiting[key] > 1
        if message.method == "notifications/cancelled":
            self.ended(cancelled_id(message))
        return False

    def answered(self, message: Message) -> None:
        """An answer of the server; one that nobody waits for changes nothing."""
        self.ended(message.id)

    def ended(self, value: Json | Missing) -> None:
        """Nobody waits for an answer to a request with this id any more."""
        key = id_key(value)
        waiting = self._waiting.get(key, 0)
        if waiting > 1:
            self._waiting[key] = waiting - 1
        elif waiting:
            del self._waiting[key]
        self.count -= waiting > 0

    def wait(self, value: Json | Missing) -> bool:
        """Whether a request with this id waits."""
        return id_key(value) in self._waiting
