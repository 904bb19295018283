"""A recorded server over HTTP, without a framework: requests in, responses out.

Streamable HTTP is served at every path but these: `…/sse` and `…/messages` are HTTP+SSE (2024-11-05),
`/.well-known/…` is what was recorded there, `/__mcpmock/…` is about the replay itself. `/mcp/s/NAME` is a session of
its own, for clients that send no session id.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from mcpmock.errors import MockFailure
from mcpmock.session.guards import Minded
from mcpmock.transports.http.exchange import Pending, Way, fact_response, started, takes_of
from mcpmock.transports.http.guard import CONTROL, METHODS, preflight
from mcpmock.transports.http.messages import Request, Response, json_response, refusal
from mcpmock.transports.http.posted import Posted, read_post
from mcpmock.transports.http.recorded_guards import RecordedGuards
from mcpmock.transports.http.refusing import not_allowed, refused_verb, unsupported
from mcpmock.transports.http.session import HttpSession, stream_response
from mcpmock.transports.http.streams import KEEP_ALIVE, Reading
from mcpmock.transports.http.strictness import objection
from mcpmock.transports.http.table import HttpHost, SessionTable
from mcpmock.wire.http import EVENT_STREAM, LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID, accepts, path_of
from mcpmock.wire.message import Missing, NotAMessage, Parsed, parse
from mcpmock.wire.methods import LEGACY_REVISIONS

__all__ = ["HttpService"]

_SESSION_PARAMETER: Final = "session_id="
_BAD: Final = 400
_NO_SUCH_VERB: Final = 405


class HttpService:
    """See the module. `tell` takes what a recorded server wrote to stderr; `explain` is called after each POST."""

    def __init__(
        self,
        host: HttpHost,
        *,
        keep_alive: float = KEEP_ALIVE,
        tell: Callable[[str], None] = lambda text: None,
        explain: Callable[[], None] = lambda: None,
    ) -> None:
        self.sessions = SessionTable(host, tell)
        self._host = host
        self._guards = RecordedGuards(host.guards, lambda key: self.sessions.find(key) is not None)
        self._keep_alive = keep_alive
        self._explain = explain

    def answer(self, request: Request) -> Response | Pending:
        """The response, where nothing has to be waited for; else what waits for it. Raises ConnectionBroken."""
        path = path_of(request.path)
        if request.method == "OPTIONS":
            is_elsewhere = CONTROL in path or "/.well-known/" in path
            recorded = None if is_elsewhere else self._guards.response(request, self._rewriting(request))
            return recorded or preflight(request)
        if CONTROL in path:
            return self._control(request, path)
        document = self._document(request, path) if request.method == "GET" or "/.well-known/" in path else None
        if document is not None or "/.well-known/" in path:
            return document or Response(404)
        if path.endswith("/sse") and not _name_in(path):
            return self._open_legacy(request, path)
        if path.endswith("/messages") and _SESSION_PARAMETER in request.query:
            return self._post_legacy(request)
        if wanted := self._host.strict_path:
            name = _name_in(path)
            refused = objection(request, path.removesuffix(f"/s/{name}") if name else path, wanted)
            if refused is not None:
                return refused
        recorded = self._guards.response(request, self._rewriting(request))
        if recorded is not None:
            return recorded
        return self._post(request, path) if request.method == "POST" else self._others(request, path)

    def judged(self, request: Request, names: Minded) -> Response | bool:
        """See `Service`."""
        return self._guards.judged(request, names, self._rewriting(request))

    @property
    def path(self) -> str:
        """Where clients of Streamable HTTP are to be sent."""
        return self._host.strict_path or "/mcp"

    def close(self) -> None:
        """Ends all sessions: their streams end in good order."""
        self.sessions.close()

    # -- Streamable HTTP

    def _post(self, request: Request, path: str) -> Response | Pending:
        posted = read_post(request, self._host)
        if isinstance(posted, Response):
            return posted
        session = self._session_for(request, path, posted)
        if isinstance(session, Response):
            return session
        is_named = posted.opening is not None and session.has_id
        way = Way(
            reading=Reading(self._keep_alive, request.link),
            takes=takes_of(request.header(b"accept")),
            headers=((SESSION_ID, session.key.encode()),) if is_named else (),
            is_request=posted.wants_answer,
            is_enveloped=posted.is_stateless,
            primes=posted.knows_priming,
            rewrite=self._rewriting(request),
            sent=request.headers,
            oddities=posted.oddities,
            stays_open=posted.stays_open,
        )
        return self._receive(session, posted.parsed, request, way)

    def _receive(self, session: HttpSession, parsed: Parsed, request: Request, way: Way) -> Response | Pending:
        try:
            exchange = session.receive(parsed, request.body, way)
        except MockFailure:  # a miss that fails at once: to the client its server has gone
            session.end(is_abort=True)
            raise
        self._explain()
        is_ready = exchange.response is not None and exchange.has_its_turn
        return started(exchange) if is_ready else Pending(session, exchange)

    def _session_for(self, request: Request, path: str, posted: Posted) -> HttpSession | Response:
        name = _name_in(path)
        if posted.is_stateless:
            return self.sessions.named(name, is_stateless=True)
        if posted.opening is not None:
            return self.sessions.begin(name)
        key = request.header(SESSION_ID)
        if self._needs_no_id(key, name):
            return self.sessions.named(name)
        if not key and isinstance(posted.parsed, NotAMessage):
            return refusal(400, f"Bad Request: {posted.parsed.reason}", code=posted.parsed.code)
        return self._known(key)

    def _known(self, key: str) -> HttpSession | Response:
        if not key:
            return refusal(400, "Bad Request: Mcp-Session-Id is missing; `initialize` gives it out")
        session = self.sessions.find(key)
        if session is None or session.is_legacy:
            return refusal(404, "Not Found: there is no session of this Mcp-Session-Id (any more); initialize anew")
        return session

    def _others(self, request: Request, path: str) -> Response:
        version = request.header(PROTOCOL_VERSION)
        if version <= LEGACY_REVISIONS[-1] and request.method not in ("GET", "DELETE"):
            return not_allowed(METHODS)
        if version > LEGACY_REVISIONS[-1]:
            recorded = self._host.refused(request.method, is_stateless=True)
            return refused_verb(recorded, self._rewriting(request))  # the stateless revision has nothing else
        if version and version not in LEGACY_REVISIONS:
            return unsupported(version)
        return self._get(request, path, version) if request.method == "GET" else self._delete(request, path)

    def _get(self, request: Request, path: str, version: str) -> Response:
        get = self._host.norm.get
        if isinstance(get, int):
            return self._refused(request, get, "POST, DELETE, OPTIONS")
        key = request.header(SESSION_ID)
        if not key and not version and not _name_in(path) and self._host.norm.session and _wants_events(request):
            recorded = self._host.refused("GET", is_stateless=False)
            status = recorded.status if recorded is not None and recorded.status == _BAD else _NO_SUCH_VERB
            return not_allowed("POST, OPTIONS", status)  # a client of HTTP+SSE looks for its endpoint (case LG-02)
        session = self._addressed(path, key)
        if isinstance(session, Response):
            return session
        event_id = request.header(LAST_EVENT_ID)
        reading = Reading(self._keep_alive, request.link)
        events = session.resume(event_id, reading) if event_id else None
        return stream_response(events or session.listen(reading))

    def _delete(self, request: Request, path: str) -> Response:
        status = self._host.norm.delete
        if status >= 400:
            return self._refused(request, status, "GET, POST, OPTIONS")
        session = self._addressed(path, request.header(SESSION_ID))
        if isinstance(session, Response):
            return session
        session.end()
        return Response(status)

    def _refused(self, request: Request, status: int, allowed: str) -> Response:
        """What a GET or a DELETE was refused with; `allowed` is what may be done instead, where nobody said so."""
        recorded = self._host.refused(request.method, is_stateless=False)
        told = dict(recorded.headers).get("allow", "") if recorded is not None else ""
        if recorded is not None and not isinstance(recorded.body, Missing):
            return fact_response(recorded, self._rewriting(request))
        return not_allowed(told or allowed, recorded.status if recorded is not None else status)

    def _addressed(self, path: str, key: str) -> HttpSession | Response:
        name = _name_in(path)
        return self.sessions.named(name) if self._needs_no_id(key, name) else self._known(key)

    def _needs_no_id(self, key: str, name: str) -> bool:
        """Whether the path tells the session: of a server that gives out no ids, whatever a client makes up."""
        if self._host.norm.session:
            return bool(name) and not key
        return not key or self.sessions.find(key) is None

    # -- HTTP+SSE

    def _open_legacy(self, request: Request, path: str) -> Response:
        if request.method != "GET":
            return not_allowed("GET, OPTIONS")
        session = self.sessions.begin_legacy()
        root = "" if path.startswith(request.root) else request.root
        session.announce(f"{root}{path.removesuffix('sse')}messages?{_SESSION_PARAMETER}{session.key}", name="endpoint")
        return stream_response(session.listen(Reading(self._keep_alive, request.link)))

    def _post_legacy(self, request: Request) -> Response:
        if request.method != "POST":
            return not_allowed("POST, OPTIONS")
        key = request.query.partition(_SESSION_PARAMETER)[2].partition("&")[0]
        session = self.sessions.find(key)
        if session is None or not session.is_legacy:
            return refusal(404, "Not Found: there is no session of this session_id (any more)")
        parsed = parse(request.body)
        if isinstance(parsed, NotAMessage):
            recorded = self._guards.response(request, self._rewriting(request))
            return recorded or refusal(400, f"Bad Request: {parsed.reason}", code=parsed.code)
        way = Way(is_request=False, rewrite=self._rewriting(request), sent=request.headers)
        answered = self._receive(session, parsed, request, way)
        assert isinstance(answered, Response), "an exchange that is no request waits for nothing"
        return answered if answered.body or answered.status != 202 else answered._replace(body=b"Accepted")

    # -- what is no part of MCP

    def _document(self, request: Request, path: str) -> Response | None:
        """What was recorded there: metadata need not be under `/.well-known/` (RFC 9728, 5.1), but it is JSON."""
        for fact in self._host.facts:
            is_one = "/.well-known/" in path or (fact.status in (0, 200) and "json" in fact.media)
            if is_one and path_of(fact.path) == path and fact.verb in ("", request.method):
                return fact_response(fact, self._rewriting(request))
        return None

    def _control(self, request: Request, path: str) -> Response:
        wanted = path.rpartition("/__mcpmock/")[2]
        if (request.method, wanted) == ("GET", "report"):
            return json_response(self._host.report())
        if (request.method, wanted) == ("POST", "reset"):
            self._host.reset()
            self.sessions.restart()
            return Response(204)
        return refusal(404, "Not Found: there are GET /__mcpmock/report and POST /__mcpmock/reset")

    def _rewriting(self, request: Request) -> Callable[[str], str]:
        recorded = self._host.recorded_origin
        if not recorded:
            return str
        return partial(_replaced, recorded, request.origin_asked)


def _replaced(old: str, new: str, text: str) -> str:
    return text.replace(old, new)


def _wants_events(request: Request) -> bool:
    accept = request.header(b"accept")
    return bool(accept) and accepts(accept, EVENT_STREAM)


def _name_in(path: str) -> str:
    """NAME, where a path ends with `/mcp/s/NAME`."""
    rest, _, name = path.rpartition("/")
    return name if rest.endswith("/mcp/s") else ""
