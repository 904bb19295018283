"""What a proxy has seen between clients and one MCP server over HTTP, as sessions: pure, no clock, no I/O.

Streamable HTTP and the legacy HTTP+SSE alike; which of them a session speaks is found out here. The proxy tells what
moved, in the order of moving, with the time in milliseconds; exchanges are told apart by numbers.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from mcpmock.cassette.model import HttpFact
from mcpmock.cassette.variables import Masking
from mcpmock.session.recording.http.exchange import Exchange
from mcpmock.session.recording.http.roster import Roster, forget
from mcpmock.session.recording.http.session import HttpSession
from mcpmock.wire import http
from mcpmock.wire.envelope import is_enveloped
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE, Oversize
from mcpmock.wire.http import Headers
from mcpmock.wire.message import Batch, Message, NotAMessage, Side, parse_exact
from mcpmock.wire.relaying import endpoint_path
from mcpmock.wire.sse import Event

_VERBS: Final = ("GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS")
_TOO_LARGE: Final = 413
_CONNECTIONS: Final = 4096  # so many connections without session ids are remembered


class HttpRecording:
    """All sessions that go through one proxy.

    `endpoint` is the path at which clients reach the server; what is asked for elsewhere is no message, unless its body
    is one. `max_message` bounds, in bytes, what is kept of one message.
    """

    def __init__(
        self, endpoint: str = "/mcp", *, max_message: int = DEFAULT_MAX_MESSAGE, redactor: Masking | None = None
    ) -> None:
        self._roster = Roster()
        self.sessions: Sequence[HttpSession] = self._roster.sessions  # as they began, until they are dropped
        self._endpoint = http.path_of(endpoint)
        self._max = max_message
        self._redactor = redactor
        self._exchanges: dict[int, Exchange] = {}
        self._of: dict[Exchange, HttpSession] = {}
        self._by_id: dict[str, HttpSession] = {}
        self._by_endpoint: dict[str, HttpSession] = {}
        self._by_connection: OrderedDict[int, HttpSession] = OrderedDict()
        self._early: list[Exchange] = []  # complete, before there was a session
        self._now = 0

    # -- what the proxy tells

    def began(self, exchange: int, method: str, target: str, headers: Headers, at: int, *, connection: int = 0) -> None:
        """The head of a request has come from a client: its target is the path, with the query, as it was sent.

        Verbs that MCP does not know are kept at its endpoint only: not what browsers ask elsewhere beforehand.
        """
        self._now = max(self._now, at)
        verb = method.upper()
        if verb in _VERBS and (verb in _VERBS[:3] or self._is_endpoint(target)):
            made = self._exchanges[exchange] = Exchange(method, target, headers, connection, self._max)
            made.is_known = (one := self._by_id.get(made.session_id)) is not None and one.is_met and not one.is_over

    def request_body(self, exchange: int, data: bytes, at: int) -> None:
        """More of a request's body."""
        if found := self._moved(exchange, at):
            found.request.add(data)

    def request_complete(self, exchange: int, at: int) -> None:
        """The request has come to its end."""
        if found := self._moved(exchange, at):
            self._sent(found)

    def response_head(self, exchange: int, status: int, headers: Headers, at: int) -> None:
        """The head of the response has come from the server."""
        if found := self._moved(exchange, at):
            if status == _TOO_LARGE and not found.is_sent:
                found.request.forget()
            self._sent(found)
            found.begins_response(status, headers, self._max)
            self._responds(found, http.header_value(headers, http.SESSION_ID))

    def response_body(self, exchange: int, data: bytes, at: int) -> None:
        """More of the response's body, as it is without compression."""
        found = self._moved(exchange, at)
        if found is not None and found.events is not None:
            for event in found.events.feed(data):
                self._event(found, event)
        elif found is not None:
            found.response.add(data)

    def response_complete(self, exchange: int, at: int) -> None:
        """The response has come to its end."""
        if found := self._moved(exchange, at):
            self._complete(found)
            self._over(exchange, found)

    def aborted(self, exchange: int, side: Side, at: int) -> None:
        """The client has left before the end, or the connection to the server broke (or was never made)."""
        if found := self._moved(exchange, at):
            if session := self._of.get(found):
                session.aborted(found, HttpFact(end="aborted", side=side))
            self._over(exchange, found)

    def advance(self, at: int) -> None:
        """Now it is `at`: to be told now and then while nothing moves."""
        self._now = max(self._now, at)
        for session in self._roster.moving:
            session.advance(self._now)

    def take_moved(self) -> list[HttpSession]:
        """The sessions that may have something to take since the last call; the many that idle cost nothing."""
        return self._roster.take_moved()

    def _moved(self, number: int, at: int) -> Exchange | None:
        """The exchange in which something has moved now."""
        self._now = max(self._now, at)
        exchange = self._exchanges.get(number)
        if exchange is not None and (session := self._of.get(exchange)):
            self._roster.moves(session)
            session.advance(self._now)
        return exchange

    def _over(self, number: int, exchange: Exchange) -> None:
        del self._exchanges[number]
        self._of.pop(exchange, None)

    def closed(self, at: int) -> None:
        """The proxy ends."""
        self.advance(at)
        if self._early:
            self._begin("", self._endpoint)
        for session in self.sessions:
            session.close()

    def in_flight(self) -> set[HttpSession]:
        """The sessions of which an exchange is not complete: more may come of them, even if they are over."""
        return set(self._of.values())

    def drop(self, *sessions: HttpSession) -> None:
        """Sessions have been kept and are over: should a client come back, that is another session."""
        gone = set(sessions)
        self._roster.drop(gone)
        for known in (self._by_id, self._by_endpoint, self._by_connection, self._of):
            forget(known, gone)

    # -- which session

    def _sent(self, exchange: Exchange) -> None:
        """The request is complete; or its response has begun, and nobody will read the rest."""
        if exchange.is_sent or not exchange.is_post:
            return
        exchange.is_sent = True
        body = exchange.request.whole()
        parsed = body if isinstance(body, Oversize) else parse_exact(body)
        is_message = not isinstance(parsed, NotAMessage | Oversize)
        if not is_message and not self._is_endpoint(exchange.target):
            return
        session = self._session_for(exchange, parsed)
        self._bind(exchange, session)
        session.posted(exchange, parsed, body if isinstance(body, bytes) else b"")

    def _is_endpoint(self, target: str) -> bool:
        return http.path_of(target) == self._endpoint or self._legacy_of(target) is not None

    def _session_for(self, exchange: Exchange, parsed: object) -> HttpSession:
        """The session of what a POST says. All stateless requests to a path are one, as they are when it is played
        (DESIGN 4, "Sessions"): whatever they change, they change for all. HTTP+SSE has a session for each stream."""
        path = http.path_of(exchange.target)
        is_stateless = exchange.claims_stateless or (isinstance(parsed, Message) and is_enveloped(parsed))
        if is_stateless and self._legacy_of(exchange.target) is None:
            known = self._roster.stateless
            if path not in known:
                known[path] = self._begin("", path)
            return known[path]
        return self._session_of(exchange, is_initialize=_is_initialize(parsed))

    def _session_of(self, exchange: Exchange, *, is_initialize: bool = False) -> HttpSession:
        path = http.path_of(exchange.target)
        if exchange.session_id:
            return self._by_id.get(exchange.session_id) or self._begin(exchange.session_id, path)
        if (legacy := self._legacy_of(exchange.target)) is not None:
            return legacy
        if is_initialize:
            return self._roster.goes_on() or self._begin("", path)
        return self._latest(exchange.connection) or self._begin("", path)

    def _legacy_of(self, target: str) -> HttpSession | None:
        """The session whose `endpoint` event names this target, or at least this query: a proxy may move the path."""
        return self._by_endpoint.get(target) or self._by_endpoint.get(target.partition("?")[2] or target)

    def _latest(self, connection: int) -> HttpSession | None:
        known = self._by_connection.get(connection)
        stateless = self._roster.stateless.values()
        latest = (session for session in reversed(self.sessions) if session not in stateless)
        return known or next(latest, self.sessions[-1] if self.sessions else None)

    def _begin(self, key: str, path: str) -> HttpSession:
        session = HttpSession(key, self._now, path=path, redactor=self._redactor)
        self._roster.begins(session)
        if key:
            self._by_id[key] = session
        early, self._early = self._early, []
        for exchange in early:
            session.asked(exchange)
        return session

    def _bind(self, exchange: Exchange, session: HttpSession) -> None:
        self._of[exchange] = session
        self._roster.moves(session)
        session.advance(self._now)
        self._by_connection[exchange.connection] = session
        self._by_connection.move_to_end(exchange.connection)
        if len(self._by_connection) > _CONNECTIONS:
            self._by_connection.popitem(last=False)

    # -- what the server answers

    def _responds(self, exchange: Exchange, session_id: str) -> None:
        session = self._of.get(exchange)
        if session is None and exchange.method == "GET" and exchange.events is not None:
            session = self._standing_of(exchange)
        if session is None:
            return
        if session_id and exchange.is_initialize and not session.is_met:  # whatever id the client has sent
            self._by_id.pop(session.key, None)
            self._by_id[session_id], session.key = session, session_id
        session.responds(exchange)

    def _standing_of(self, exchange: Exchange) -> HttpSession | None:
        """The session that a GET stream is of; None while it may still turn out to be of the legacy transport."""
        session = self._session_of(exchange) if exchange.session_id else self._latest(exchange.connection)
        is_known = session is not None and (exchange.session_id or _is_streamable(session, exchange))
        if session is None or not is_known:
            return None
        self._bind(exchange, session)
        return session

    def _event(self, exchange: Exchange, event: Event) -> None:
        session = self._of.get(exchange)
        if session is None:
            session = self._decide(exchange, event)
            if event.name == "endpoint":
                return
        session.event(exchange, event)

    def _decide(self, exchange: Exchange, event: Event) -> HttpSession:
        """The first event of a stream tells which transport it is of."""
        if event.name == "endpoint":
            return self._begin_legacy(exchange, event.data.decode(errors="replace"))
        session = self._session_of(exchange)
        self._bind(exchange, session)
        session.responds(exchange)
        return session

    def _begin_legacy(self, exchange: Exchange, uri: str) -> HttpSession:
        session = self._roster.goes_on() or self._begin("", http.path_of(exchange.target))
        session.turns_legacy()
        self._bind(exchange, session)
        target = endpoint_path(exchange.target.encode("latin-1", "replace"), uri.strip())
        self._by_endpoint[target] = session
        if query := target.partition("?")[2]:
            self._by_endpoint[query] = session
        return session

    def _complete(self, exchange: Exchange) -> None:
        session = self._of.get(exchange)
        if session is not None:
            session.completed(exchange)
            self._roster.completes(session)
        elif exchange.events is None:
            self._elsewhere(exchange)

    def _elsewhere(self, exchange: Exchange) -> None:
        """What is no message and opens no stream: part of the session that it is told of, or that will follow."""
        known = self._by_id.get(exchange.session_id) if exchange.session_id else None
        known = known or (self._roster.met_stateless(exchange.target) if exchange.claims_stateless else None)
        session = known or self._roster.refused() or self._latest(exchange.connection)
        if session is None:
            self._early.append(exchange)
            return
        self._roster.moves(session)
        if self._is_endpoint(exchange.target):
            session.completed(exchange)
        else:
            session.asked(exchange)


def _is_initialize(parsed: object) -> bool:
    messages = parsed.messages if isinstance(parsed, Batch) else (parsed,)
    return any(isinstance(message, Message) and message.method == "initialize" for message in messages)


def _is_streamable(session: HttpSession, exchange: Exchange) -> bool:
    """Whether a stream that is asked for at this path can only be a standing stream of this session."""
    is_here = session.path == http.path_of(exchange.target)
    return is_here and session.transport == "streamable_http" and session.answers > 0 and not session.is_refused
