"""The entries of a session over HTTP: they wait until it is known how they are to be written.

The first wait for the norm of their session, others for a label: whether a notification needs one is known when it is
answered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mcpmock.cassette.model import NORM, Entry, HttpFact, HttpNorm
from mcpmock.session.recording.entry_log import EntryLog
from mcpmock.session.recording.http.exchange import Exchange
from mcpmock.session.recording.noise import NoiseWatch
from mcpmock.wire.message import MISSING, Json, Missing

if TYPE_CHECKING:
    from mcpmock.cassette.variables import Masking

PATIENCE: Final = 1000
"""So many milliseconds an entry waits at most."""

_NOISES: Final = 256  # so many kinds of noise are kept, once each
_MOST_HELD: Final = 256  # so many refusals in a row, and no answer, show no norm


class Names:
    """The labels of a session."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def new(self, wish: str, *, number: int = 1) -> str:
        """A label that nothing has yet: the wish with the next number behind it, which is left out where it is 1."""
        number = max(number, self._numbers.get(wish, 0) + 1)
        self._numbers[wish] = number
        return wish if number == 1 else f"{wish}-{number}"


class _Held:
    """One entry that waits; `is_open` while it may still get a label."""

    __slots__ = ("entry", "is_open", "since")

    def __init__(self, entry: Entry, since: int, *, is_open: bool) -> None:
        self.entry = entry
        self.since = since
        self.is_open = is_open


class SessionLog:
    """The entries of one session, from what is noted to what a keeper takes."""

    def __init__(self, at: int, redactor: Masking | None) -> None:
        self.notes: Final = EntryLog(redactor=redactor, noise=NoiseWatch(is_http=True), start=at)
        self.names: Final = Names()
        self.norm: HttpNorm | None = None
        """How the server answers; before that is known, no entry can be taken."""
        self._held: deque[_Held] = deque()
        self._open: dict[Exchange, _Held] = {}
        self._noises: set[bytes] = set()

    def add(self, entry: Entry, waits_for: Exchange | None = None) -> None:
        """One more entry; it may get a label until it is known how that exchange is answered."""
        held = _Held(entry, self.notes.now, is_open=waits_for is not None)
        self._held.append(held)
        if waits_for is not None:
            self._open[waits_for] = held

    def add_noise(self, data: bytes) -> None:
        """The server said what is no message. Heartbeats come again and again: the file does not grow with them."""
        if data not in self._noises and len(self._noises) < _NOISES:
            self._noises.add(data)
            self.add(self.notes.noise("server", data))

    def add_fact(self, fact: HttpFact, *, owner: Json | Missing = MISSING, label: str = "") -> None:
        """One more entry: what is no message."""
        self.add(Entry("http", http=fact, owner=owner, label=label, at=self.notes.now))

    def close_entry(self, exchange: Exchange) -> None:
        """The entry of this exchange needs no label any more."""
        held = self._open.pop(exchange, None)
        if held is not None:
            held.is_open = False

    def name(self, exchange: Exchange, wish: str) -> None:
        """Give the entry of this exchange a label, if it is not too late."""
        held = self._open.get(exchange)
        if held is not None and held.is_open:
            exchange.label = self.names.new(wish)
            held.entry = held.entry._replace(label=exchange.label)

    def show_no_norm(self) -> None:
        """Where there is still no norm, there will be none, if much is held back already."""
        if self.norm is None and len(self._held) > _MOST_HELD:
            self.norm = NORM

    @property
    def is_waiting(self) -> bool:
        """Whether something is held back."""
        return self.norm is None or bool(self._held)

    def take_entries(self) -> list[Entry]:
        """The entries that were finished since the last call."""
        if self.norm is not None:
            self._let_go()
        return self.notes.take_entries()

    def all_times(self) -> Sequence[int]:
        """The time of every entry that could be taken since the beginning."""
        return self.notes.times()

    def close(self) -> None:
        """Nothing more comes: what was held back goes as it is."""
        self.norm = self.norm or NORM
        for exchange in list(self._open):
            self.close_entry(exchange)
        self._let_go()

    def _let_go(self) -> None:
        while self._held and (not self._held[0].is_open or self.notes.now - self._held[0].since >= PATIENCE):
            held = self._held.popleft()
            held.is_open = False
            self.notes.finish(held.entry)
