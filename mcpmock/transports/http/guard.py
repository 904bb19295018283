"""Who may talk to a replay server: the checks of `Host` and `Origin` that keep web pages out, and what browsers ask."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final, NamedTuple, Protocol
from urllib.parse import urlsplit

from mcpmock.session.guards import Minded
from mcpmock.transports.http.exchange import Pending
from mcpmock.transports.http.messages import Request, Response, refusal
from mcpmock.wire.http import Headers

__all__ = ["CONTROL", "LOOPBACK", "METHODS", "Guard", "Guarded", "Judging", "Service", "preflight"]

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""The names of this machine that no other can take."""

CONTROL: Final = "/__mcpmock/"
"""What of a path says that it is about the replay itself: what its clients did is nobody else's affair."""

METHODS: Final = "GET, POST, DELETE, OPTIONS"
_EXPOSED: Final[Headers] = ((b"access-control-expose-headers", b"mcp-session-id, www-authenticate"),)


def preflight(request: Request) -> Response:
    """The response to OPTIONS."""
    headers = [(b"allow", METHODS.encode())]
    if request.header(b"origin"):
        asked = request.headers.get(b"access-control-request-headers") or b"*"
        headers += [
            (b"access-control-allow-methods", METHODS.encode()),
            (b"access-control-allow-headers", asked),
            (b"access-control-max-age", b"600"),
        ]
    if request.header(b"access-control-request-private-network"):
        headers.append((b"access-control-allow-private-network", b"true"))
    return Response(204, headers)


class Guard(NamedTuple):
    """`hosts` are the names in `Host` that are let in, whatever the port; None lets all in.

    `origins` are those of web pages that are let in beside those of this machine; `*` lets all in.
    """

    hosts: Collection[str] | None = None
    origins: Collection[str] = ()

    def faults(self, request: Request) -> Minded:
        """The names, of who asks and of who is asked, that are not let in."""
        host, origin = request.header(b"host"), request.header(b"origin")
        found = [("host", host)] if self.hosts is not None and _name_of(host) not in self.hosts else []
        if origin and not self._lets_in(origin, host):
            found.append(("origin", origin))
        return tuple(found)

    def lets_in_by_option(self, request: Request) -> bool:
        """Whether the page that asks was let in by who has started the server."""
        return "*" in self.origins or request.header(b"origin") in self.origins

    def refusal(self, faults: Minded) -> Response:
        """The response to a request that must not be answered, for these names (DNS rebinding; case HT-09)."""
        name, value = faults[0]
        if name == "host":
            told = ", ".join(sorted(self.hosts or ()))
            return refusal(421, f"Misdirected Request: the host {value!r} is not served here, only {told}")
        why = f"pages of {value} may not use this server; `--allow-origin {value}` lets them"
        return refusal(403, f"Forbidden: {why}")

    def headers(self, request: Request) -> Headers:
        """What a browser must read in a response, to hand it to its page."""
        origin = request.headers.get(b"origin")
        if not origin:
            return ()
        return ((b"access-control-allow-origin", origin), (b"vary", b"origin"), *_EXPOSED)

    def _lets_in(self, origin: str, host: str) -> bool:
        if "*" in self.origins or origin in self.origins:
            return True
        try:
            parts = urlsplit(origin)
            return parts.hostname in LOOPBACK or (bool(host) and parts.netloc == host)
        except ValueError:  # no origin at all
            return False


class Service(Protocol):
    """What answers requests."""

    def answer(self, request: Request) -> Response | Pending:
        """The response, where nothing has to be waited for; else what waits for it. Raises ConnectionBroken."""
        ...


class Judging(Service, Protocol):
    """A service that knows how a recorded server judged who asks."""

    def judged(self, request: Request, names: Minded) -> Response | bool:
        """How the recorded server judged who asks by these names, or is asked by them: True where it let them in, the
        response where it refused them, False where nobody knows."""
        ...


class Guarded:
    """A service that answers only those who may ask: whom the recorded server is known to have let in may ask for what
    it said, too, and nobody else for what clients did."""

    def __init__(self, service: Judging, guard: Guard) -> None:
        self._service = service
        self._guard = guard

    def answer(self, request: Request) -> Response | Pending:
        """See `Service`."""
        refused = self._refusal(request)
        if refused is not None:
            return refused
        headers = self._guard.headers(request)
        if request.method == "OPTIONS" and self._guard.lets_in_by_option(request):
            return preflight(request).with_headers(headers)
        found = self._service.answer(request)
        if isinstance(found, Response):
            return found.with_headers(headers)
        found.headers = headers
        return found

    def _refusal(self, request: Request) -> Response | None:
        faults = self._guard.faults(request)
        judged = self._service.judged(request, faults) if faults and CONTROL not in request.path else False
        if judged is True or not faults:
            return None
        return judged or self._guard.refusal(faults)


@lru_cache(maxsize=64)
def _name_of(host: str) -> str | None:
    """The name in a `Host` header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
