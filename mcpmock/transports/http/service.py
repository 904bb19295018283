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
from mcpmock.session.asked import Asked, asked_with
from mcpmock.session.mirrored import header_error
from mcpmock.transports.http.exchange import Pending, Way, fact_response, started, takes_of
from mcpmock.transports.http.guard import METHODS
from mcpmock.transports.http.messages import Request, Response, json_response, refusal
from mcpmock.transports.http.refusing import not_allowed, refused_verb, unsupported
from mcpmock.transports.http.session import HttpSession, stream_response
from mcpmock.transports.http.streams import KEEP_ALIVE, Reading
from mcpmock.transports.http.strictness import objection
from mcpmock.transports.http.table import HttpHost, SessionTable
from mcpmock.wire.envelope import is_enveloped
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE
from mcpmock.wire.http import EVENT_STREAM, LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID, Headers, accepts, path_of
from mcpmock.wire.message import INVALID_REQUEST, Batch, Json, Message, Missing, NotAMessage, Object, Parsed, parse
from mcpmock.wire.methods import LEGACY_REVISIONS

__all__ = ["HttpService"]

_PRIMES_SINCE: Final = "2025-11-25"
_SESSION_PARAMETER: Final = "session_id="


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
        self._keep_alive = keep_alive
        self._explain = explain

    def answer(self, request: Request) -> Response | Pending:
        """The response, where nothing has to be waited for; else what waits for it. Raises ConnectionBroken."""
        path = path_of(request.path)
        if "/__mcpmock/" in path:
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
        return self._post(request, path) if request.method == "POST" else self._others(request, path)

    @property
    def path(self) -> str:
        """Where clients of Streamable HTTP are to be sent."""
        return self._host.strict_path or "/mcp"

    def close(self) -> None:
        """Ends all sessions: their streams end in good order."""
        self.sessions.close()

    # -- Streamable HTTP

    def _post(self, request: Request, path: str) -> Response | Pending:
        if len(request.body) > DEFAULT_MAX_MESSAGE:
            return refusal(413, "Content Too Large")
        parsed = parse(request.body)
        opening = _opening(parsed)
        version = request.header(PROTOCOL_VERSION)
        enveloped = isinstance(parsed, Message) and is_enveloped(parsed)
        if version and not enveloped and version not in LEGACY_REVISIONS and opening is None:
            if self._host.mirrored is None:
                return unsupported(version)
            if isinstance(parsed, Batch) or (isinstance(parsed, Message) and parsed.kind == "response"):
                return refusal(400, "Bad Request: in the stateless revision a POST holds a request or a notification")
            enveloped = True  # or should be
        asked = self._asked_with(parsed, request) if enveloped else None
        if asked is not None and isinstance(parsed, Message) and (error := self._mirror_error(parsed, asked, request)):
            return json_response({"jsonrpc": "2.0", "id": _plain(parsed.id), "error": error}, status=400)
        session = self._session_for(request, path, parsed, is_enveloped=enveloped)
        if isinstance(session, Response):
            return session
        headers: Headers = ()
        if opening is not None:
            version = _version_asked(opening)
            headers = ((SESSION_ID, session.key.encode()),) if session.has_id else ()
        way = Way(
            Reading(self._keep_alive, request.link),
            takes_of(request.header(b"accept")),
            headers,
            _wants_answer(parsed),
            enveloped,
            _PRIMES_SINCE <= version <= LEGACY_REVISIONS[-1],
            self._rewriting(request),
            request.headers,
            asked,
        )
        return self._receive(session, parsed, request, way)

    def _asked_with(self, parsed: Parsed, request: Request) -> Asked | None:
        """What is odd about the headers of a request; for notifications they are left open."""
        mirrored = self._host.mirrored
        if mirrored is None or not isinstance(parsed, Message) or parsed.kind != "request":
            return None
        return asked_with(parsed, tuple(request.headers.items()), mirrored)

    def _mirror_error(self, message: Message, asked: Asked, request: Request) -> Object | None:
        error = header_error(message, tuple(request.headers.items()), self._host.mirrored or {})
        is_known = error is not None and error["code"] != INVALID_REQUEST and self._host.knows(message, asked)
        return None if is_known else error  # then it is played

    def _receive(self, session: HttpSession, parsed: Parsed, request: Request, way: Way) -> Response | Pending:
        try:
            exchange = session.receive(parsed, request.body, way)
        except MockFailure:  # a miss that fails at once: to the client its server has gone
            session.end(is_abort=True)
            raise
        self._explain()
        return started(exchange) if exchange.response is not None else Pending(session, exchange)

    def _session_for(
        self, request: Request, path: str, parsed: Parsed, *, is_enveloped: bool
    ) -> HttpSession | Response:
        name = _name_in(path)
        if is_enveloped:
            return self.sessions.named(name, is_stateless=True)
        if _opening(parsed) is not None:
            return self.sessions.begin(name)
        key = request.header(SESSION_ID)
        if not key and (name or not self._host.norm.session):
            return self.sessions.named(name)
        if not key and isinstance(parsed, NotAMessage):
            return refusal(400, f"Bad Request: {parsed.reason}", code=parsed.code)
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
            return not_allowed("POST, OPTIONS")  # a client of HTTP+SSE looks for its endpoint (case LG-02)
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
        return not_allowed(told or allowed, status)

    def _addressed(self, path: str, key: str) -> HttpSession | Response:
        name = _name_in(path)
        if not key and (name or not self._host.norm.session):
            return self.sessions.named(name)
        return self._known(key)

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
            return refusal(400, f"Bad Request: {parsed.reason}", code=parsed.code)
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


def _plain(live_id: Json | Missing) -> Json:
    return None if isinstance(live_id, Missing) else live_id


def _opening(parsed: Parsed) -> Message | None:
    """The `initialize` in what a client sent."""
    if isinstance(parsed, Message):
        return parsed if parsed.method == "initialize" and parsed.kind == "request" else None
    messages = parsed.messages if isinstance(parsed, Batch) else ()
    return next((one for one in messages if one.method == "initialize"), None)


def _wants_answer(parsed: Parsed) -> bool:
    if isinstance(parsed, Batch):
        return any(one.kind == "request" for one in parsed.messages)
    return isinstance(parsed, NotAMessage) or parsed.kind == "request"


def _version_asked(opening: Message) -> str:
    asked = opening.params.get("protocolVersion") if isinstance(opening.params, dict) else None
    return asked if isinstance(asked, str) else ""


def _wants_events(request: Request) -> bool:
    accept = request.header(b"accept")
    return bool(accept) and accepts(accept, EVENT_STREAM)


def _name_in(path: str) -> str:
    """NAME, where a path ends with `/mcp/s/NAME`."""
    rest, _, name = path.rpartition("/")
    return name if rest.endswith("/mcp/s") else ""
