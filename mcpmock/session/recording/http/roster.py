"""The sessions that a proxy knows: those in which something moves are found without going through all that idle."""

from __future__ import annotations

from collections.abc import Collection, MutableMapping
from typing import Any, Final

from mcpmock.session.recording.http.session import HttpSession
from mcpmock.wire.http import path_of


class Roster:
    """All sessions, in the order in which they began."""

    def __init__(self) -> None:
        self.sessions: Final[list[HttpSession]] = []
        self.moving: dict[HttpSession, None] = {}
        """Those of which there may be more to keep."""
        self.stateless: dict[str, HttpSession] = {}
        """By path: what clients ask without a session is one."""
        self._refusals: dict[HttpSession, None] = {}

    def begins(self, session: HttpSession) -> None:
        """One more."""
        self.sessions.append(session)
        self.moves(session)

    def moves(self, session: HttpSession) -> None:
        """Something happens in it."""
        self.moving[session] = None

    def completes(self, session: HttpSession) -> None:
        """An exchange of it is complete: maybe a refusal."""
        if session.is_refused:
            self._refusals[session] = None

    def goes_on(self) -> HttpSession | None:
        """The latest that was refused, for the handshake that comes now: from here on it is that of one client."""
        session = self.refused()
        forget(self.stateless, {session} if session else ())
        return session

    def met_stateless(self, target: str) -> HttpSession | None:
        """What clients ask without a session there, once something was answered."""
        session = self.stateless.get(path_of(target))
        return session if session is not None and session.is_met else None

    def refused(self) -> HttpSession | None:
        """The latest in which nothing has happened but that its `initialize`, or the probe before it, was refused."""
        while self._refusals:
            session = next(reversed(self._refusals))
            if session.is_refused:
                return session
            del self._refusals[session]
        return None

    def take_moved(self) -> list[HttpSession]:
        """Those that may have something to take since the last call; one that waits is there the next time, too."""
        moved = list(self.moving)
        self.moving = {session: None for session in moved if session.is_waiting}
        return moved

    def drop(self, gone: set[HttpSession]) -> None:
        """Forget some."""
        self.sessions[:] = [session for session in self.sessions if session not in gone]
        for session in gone:
            self.moving.pop(session, None)
            self._refusals.pop(session, None)
        forget(self.stateless, gone)


def forget(known: MutableMapping[Any, HttpSession], gone: Collection[HttpSession]) -> None:
    """Remove what stands for sessions that are gone."""
    for key in [key for key, session in known.items() if session in gone]:
        del known[key]
