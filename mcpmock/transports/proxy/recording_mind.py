"""What a proxy has moved becomes sessions of a cassette: each has a part file of its own; they are joined together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mcpmock.cassette.files import cassette_of
from mcpmock.cassette.model import HttpNorm, Transport
from mcpmock.session.recording.http.recording import HttpRecording
from mcpmock.session.recording.http.session import HttpSession
from mcpmock.transports.joiner import Joiner
from mcpmock.transports.keeper import KeptSession
from mcpmock.transports.proxy.minds import Clock, Listening
from mcpmock.transports.proxy.tape import Moved

KEEP_EVERY: Final = 200
"""Milliseconds after which something is kept though the line is not quiet."""

LINGER: Final = 2000
"""Milliseconds that a session which is over is remembered, for what comes late; longer while something is in flight."""

JOIN_EVERY: Final = 2000
"""Milliseconds from one time that sessions which are over are put into the cassette to the next, at least."""

BYTES_TO_REST_FOR: Final = 2048
"""How many bytes of the cassette are worth a millisecond more: each time all of it is copied."""


class RecordingMind:
    """Keeps what is recorded.

    `begin` begins to keep a session, of which it is given the transport and the norm; the part files of all of them
    are of one `joiner`. To put a session into the cassette costs as much as the cassette is large: so those that are
    over wait for each other, in their part files, and the end of the proxy puts in all that are left at once.
    """

    def __init__(
        self,
        recording: HttpRecording,
        begin: Callable[[Transport, HttpNorm], KeptSession],
        joiner: Joiner,
        say: Callable[[str], None],
    ) -> None:
        self._recording = recording
        self._listening = Listening(recording, say)
        self._begin = begin
        self._joiner = joiner
        self._say = say
        self._kept: dict[HttpSession, KeptSession] = {}
        self._over: dict[HttpSession, int] = {}  # and when that was seen
        self._leaving: list[KeptSession] = []
        self._has_kept = False
        self._kept_at = 0
        self._join_at = 0

    def consider(self, moved: Sequence[Moved], clock: Clock) -> None:
        """See `Mind`."""
        at = self._listening.hear(moved, clock)
        if at - self._kept_at >= KEEP_EVERY:
            self._keep(at)

    def rest(self, at: int) -> None:
        """See `Mind`."""
        self._recording.advance(at)
        self._keep(at)
        self._join(at)

    def conclude(self, at: int) -> None:
        """See `Mind`."""
        self._recording.closed(at)
        for session in self._recording.sessions:
            self._keep_session(session)
        self._leaving += self._kept.values()
        self._put([*self._leaving], is_last=True)
        self._let_go(is_last=True)
        if not self._has_kept:
            self._say("no message was seen, so nothing was recorded")

    def kept_in(self) -> str:
        """See `Mind`."""
        kept = (*self._leaving, *self._kept.values())
        places = [place for one in kept if (place := one.keeper.kept_in)]
        return cassette_of(places[0]) if len(places) > 1 else "".join(places)

    def _keep(self, at: int) -> None:
        self._kept_at = at
        for session in self._recording.take_moved():
            self._keep_session(session)
            if session.is_over:
                self._over.setdefault(session, at)
            else:
                self._over.pop(session, None)
        late = self._late(at)
        for session in late:
            self._end(session)
        if late:
            self._recording.drop(*late)

    def _late(self, at: int) -> list[HttpSession]:
        """Those that were over long ago, and of which nothing can come any more: no exchange of theirs is in flight."""
        late = [session for session, since in self._over.items() if at - since > LINGER]
        in_flight = self._recording.in_flight() if late else ()
        return [session for session in late if session not in in_flight]

    def _keep_session(self, session: HttpSession) -> None:
        for warning in session.take_warnings():
            self._say(warning)
        entries = session.take_entries() if session.norm is not None else ()
        if not entries or session.norm is None:
            return
        if session not in self._kept:
            self._kept[session] = self._begin(session.transport, session.norm)
        self._kept[session].keep(entries)
        self._has_kept = True

    def _end(self, session: HttpSession) -> None:
        """Nothing can come late any more."""
        session.close()
        self._keep_session(session)
        del self._over[session]
        if kept := self._kept.pop(session, None):
            self._leaving.append(kept)

    def _join(self, at: int) -> None:
        """Put in those that are over, if the last time is long enough ago; what comes late is put in once more."""
        over = [kept for session in self._over if (kept := self._kept.get(session))]
        if at >= self._join_at and self._put([*self._leaving, *over]):
            self._join_at = at + JOIN_EVERY + self._joiner.size // BYTES_TO_REST_FOR
        self._let_go()

    def _put(self, sessions: Sequence[KeptSession], *, is_last: bool = False) -> bool:
        in_company = self._joiner.joins > 0 or any(session.has_answers for session in sessions)
        news = [
            (session, kept) for session in sessions if (kept := session.news(in_company=in_company, is_last=is_last))
        ]
        has_joined = bool(news) and self._joiner.join([kept for _, kept in news], is_last=is_last)
        if has_joined:
            for session, _ in news:
                session.joined()
        return has_joined

    def _let_go(self, *, is_last: bool = False) -> None:
        """Those that have left, and wait for the cassette no more; `is_last`: nor for the company of others."""
        in_company = self._joiner.joins > 0 or not is_last
        waiting = []
        for kept in self._leaving:
            if kept.news(in_company=in_company) is None:
                kept.let_go()
            else:
                waiting.append(kept)
        self._leaving = waiting
