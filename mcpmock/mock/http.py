"""The servers of a mock over HTTP: one port for all of them, or no port at all."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import quote, unquote

from mcpmock.mock.part import Part
from mcpmock.session.guards import Minded
from mcpmock.transports.http.exchange import Pending
from mcpmock.transports.http.guard import Guarded
from mcpmock.transports.http.messages import Request, Response, refusal
from mcpmock.transports.http.service import HttpService

if TYPE_CHECKING:
    from mcpmock.transports.http.serving import HttpThread

__all__ = ["HttpConfig", "HttpParameters", "HttpSide"]


class HttpParameters(TypedDict):
    """How a host reaches a server over Streamable HTTP."""

    type: str
    url: str


class HttpConfig(TypedDict):
    """What hosts read as their configuration of servers over HTTP."""

    mcpServers: dict[str, HttpParameters]


class HttpSide:
    """What of a mock speaks HTTP. The port is opened when it is first asked for. See `Service`.

    Of several servers each has its own folder in the paths, by its name.
    """

    def __init__(self, parts: Mapping[str, Part]) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._thread: HttpThread | None = None
        self._services: dict[str, HttpService] = {}

    def service(self, name: str) -> HttpService:
        """The service of one server. Raises UsageError where it has none."""
        service = self._services[name] = self._parts[name].service()
        return service

    def url(self, name: str, kind: str = "mcp") -> str:
        """The URL of one server: `mcp` that of Streamable HTTP, `sse` that of HTTP+SSE."""
        if own := self._parts[name].own_url():
            return own
        place = self.service(name).path if kind == "mcp" else f"/{kind}"
        with self._lock:
            if self._thread is None:
                self._thread = self._serve()
            folder = f"/{quote(name, safe='')}" if len(self._parts) > 1 else ""
            return f"{self._thread.base}{folder}{place}"

    def answer(self, request: Request) -> Response | Pending:
        """See `Service`."""
        if len(self._parts) == 1:
            return self.service(next(iter(self._parts))).answer(request)
        name = unquote(request.path.split("/")[1])
        if name not in self._parts:
            return refusal(404, f"Not Found: there is no server {name!r} here, only {', '.join(self._parts)}")
        return self.service(name).answer(request)

    def judged(self, request: Request, names: Minded) -> Response | bool:
        """See `Service`."""
        name = next(iter(self._parts)) if len(self._parts) == 1 else unquote(request.path.split("/")[1])
        return self.service(name).judged(request, names) if name in self._parts else False

    def close(self) -> None:
        """Ends all sessions, and the port."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.stop()
        self._end_sessions()

    def _serve(self) -> HttpThread:
        from mcpmock.transports.http.asgi import asgi_application
        from mcpmock.transports.http.serving import LOCAL, HttpThread, guard_for

        return HttpThread(asgi_application(Guarded(self, guard_for(LOCAL))), self._end_sessions)

    def _end_sessions(self) -> None:
        for service in list(self._services.values()):
            service.close()
