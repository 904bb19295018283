"""The live sessions of a replay server: by the ids that they were given, and by the names in paths."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, Protocol

from mcpmock.cassette.model import HttpFact, HttpNorm
from mcpmock.session.guards import Guards
from mcpmock.session.headers.mirrored import Mirrored
from mcpmock.session.headers.oddities import Oddities
from mcpmock.transports.http.session import HttpMachine, HttpSession
from mcpmock.wire.message import Message, Object

__all__ = ["HttpHost", "SessionTable"]

_MOST_IDLE: Final = 1000
"""Sessions that are remembered though nobody reads from them: clients vanish without a word (case HT-11)."""

_STATELESS: Final = "/stateless"

_LOOKED_AT: Final = 10
"""How many of the oldest are looked at for one that may go."""


class HttpHost(Protocol):
    """A recorded server, for all sessions that clients open with it."""

    @property
    def norm(self) -> HttpNorm:
        """How it answers before a session has begun."""
        ...

    @property
    def mirrored(self) -> Mirrored | None:
        """The arguments that headers mirror (2026-07-28); None where only a handshake is understood."""
        ...

    def knows(self, message: Message, oddities: Oddities) -> bool:
        """Whether it was recorded what a request is told that is not as it must be, in `_meta` or headers (2026-07-28).

        `oddities` are those of its headers.
        """
        ...

    def refused(self, verb: str, *, is_stateless: bool) -> HttpFact | None:
        """How a GET or a DELETE at the endpoint was refused, if it was: in the stateless revision, or else."""
        ...

    @property
    def guards(self) -> Guards:
        """What it refused, or let in, before it looked at what was asked."""
        ...

    @property
    def facts(self) -> Sequence[HttpFact]:
        """What was recorded at other paths than the endpoint's."""
        ...

    @property
    def strict_path(self) -> str:
        """The one path of Streamable HTTP, where clients are asked for all that the specification wants of them; empty
        where any path will do, and much is tolerated."""
        ...

    @property
    def recorded_origin(self) -> str:
        """Scheme and host of the recorded server; empty where nobody knows."""
        ...

    def open(self, transport: str) -> HttpMachine:
        """A session begins."""
        ...

    def leave(self, machine: HttpMachine) -> None:
        """A session is over."""
        ...

    def report(self) -> Object:
        """What the clients did so far."""
        ...

    def reset(self) -> None:
        """Forgets what the clients did: all is played as at first."""
        ...


class SessionTable:
    """Sessions by id, those used last at the end. `tell` takes what recorded servers wrote to stderr."""

    def __init__(self, host: HttpHost, tell: Callable[[str], None]) -> None:
        self._host = host
        self._tell = tell
        self._sessions: OrderedDict[str, HttpSession] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def __iter__(self) -> Iterator[HttpSession]:
        return iter(list(self._sessions.values()))

    def begin(self, name: str = "") -> HttpSession:
        """A client says `initialize`, at a path with this name."""
        if self._host.norm.session and not name:
            return self._open(secrets.token_hex(16), "streamable_http")
        return self._open(_key_of(name), "streamable_http")

    def begin_legacy(self) -> HttpSession:
        """A client opens the one stream of HTTP+SSE."""
        return self._open(secrets.token_hex(16), "sse")

    def find(self, key: str) -> HttpSession | None:
        """The session of an id."""
        session = self._sessions.get(key)
        if session is not None:
            self._sessions.move_to_end(key)
        return session

    def named(self, name: str, *, is_stateless: bool = False) -> HttpSession:
        """The session of a path, for clients that send no id; there is always one.

        Those of the stateless revision have another than those that shake hands with a server which gives out no ids.
        """
        key = _STATELESS + _key_of(name) if is_stateless else _key_of(name)
        return self.find(key) or self._open(key, "streamable_http")

    def restart(self) -> None:
        """All sessions go on with a recording of which nothing has been played."""
        for session in self._sessions.values():
            session.restart(self._host.open("sse" if session.is_legacy else "streamable_http"))

    def close(self) -> None:
        """Ends all sessions in good order."""
        for session in list(self._sessions.values()):
            session.end()

    def _open(self, key: str, transport: str) -> HttpSession:
        former = self._sessions.pop(key, None)
        if former is not None and former.is_idle:
            former.end()
        machine = self._host.open(transport)
        session = HttpSession(key, machine, self._forget, is_legacy=transport == "sse")
        session.tell = self._tell
        self._sessions[key] = session
        if len(self._sessions) > _MOST_IDLE:
            self._drop_oldest()
        return session

    def _forget(self, session: HttpSession) -> None:
        if self._sessions.get(session.key) is session:
            del self._sessions[session.key]
        self._host.leave(session.machine)

    def _drop_oldest(self) -> None:
        oldest = list(islice(self._sessions.values(), _LOOKED_AT))
        for session in oldest:
            if session.is_idle:
                session.end()
                return


def _key_of(name: str) -> str:
    """The key of the session of a path: no id that was given out looks so."""
    return f"/{name}"
