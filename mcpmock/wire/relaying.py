"""What a proxy in front of an HTTP server changes in what it passes on: targets, headers, redirects. Pure."""

from __future__ import annotations

import base64
import re
from typing import Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from mcpmock.errors import UsageError
from mcpmock.wire.http import Headers, end_to_end

OriginRule: TypeAlias = Literal["pass", "drop", "rewrite"]
ORIGIN_RULES: Final[tuple[OriginRule, ...]] = ("pass", "drop", "rewrite")

_FOLLOWED: Final = frozenset((301, 302, 307, 308))
_PORTS: Final = {"http": 80, "https": 443}
_LOCAL: Final = frozenset(("localhost", "127.0.0.1", "::1"))
_ALIAS: Final = b"/mcp"


class Place(NamedTuple):
    """Where a request goes: the target that is sent, and the one that is shown and kept."""

    sent: bytes
    shown: bytes


class Upstream(NamedTuple):
    """The server behind a proxy, as its URL names it; `path` and `query` byte for byte.

    `credentials` are those of the URL, as the value of an `Authorization` header; empty if it has none. `/mcp` is an
    alias of its path, unless it is a whole origin.
    """

    scheme: str
    host: str
    port: int
    path: bytes
    query: bytes = b""
    credentials: bytes = b""
    has_alias: bool = True

    @property
    def authority(self) -> str:
        """Its host, with the port where that is not the scheme's own: the value of a `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme and authority."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """Its URL, as it may be shown: without query and credentials, which may hold secrets."""
        return self.origin + self.path.decode()

    def place(self, target: bytes) -> Place:
        """Where a request to the proxy goes.

        The path of the server's own URL is that URL, whose query comes first, once. `/mcp` stands for it, too, unless
        it is a legacy one (`…/sse`), beside which there may be a `/mcp`. All else goes where it says.
        """
        if not target.startswith((b"/", b"*")):  # a client that takes us for another kind of proxy sends a whole URL
            target = _origin_form(target)
        path, _, query = target.partition(b"?")
        is_alias = path == _ALIAS and self.has_alias and not self.path.endswith(b"/sse")
        if path != self.path and not is_alias:
            return Place(target, target)
        if self.query and (query + b"&").startswith(self.query + b"&"):
            query = query[len(self.query) + 1 :]
        own = b"&".join(part for part in (self.query, query) if part)
        return Place(_joined(self.path, own), _joined(self.path, query))


def parse_upstream(url: str) -> Upstream:
    """The server that a URL names. Raises UsageError for what is no http or https URL."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"{_shown(url)} is no URL: {error}") from None
    if parts.scheme not in _PORTS or not re.fullmatch(r"[^\x00-\x20\x7f]+", parts.hostname or ""):
        raise UsageError(f"{_shown(url)} is no URL of a server; write http://HOST/PATH or https://HOST/PATH")
    return Upstream(
        parts.scheme,
        parts.hostname or "",
        _PORTS[parts.scheme] if port is None else port,
        ascii_url(parts.path) or b"/",
        ascii_url(parts.query),
        _basic(parts.username, parts.password),
    )


def parse_origin(url: str) -> Upstream:
    """The whole origin of a URL, as a server. Raises UsageError for what is no http or https URL."""
    return parse_upstream(url)._replace(path=b"/", query=b"", credentials=b"", has_alias=False)


def passed_on(headers: Headers) -> list[tuple[bytes, bytes]]:
    """The fields that travel on; a length that stands beside a transfer coding is none (RFC 9112, 6.3)."""
    is_coded = first(headers, b"transfer-encoding") is not None
    return [field for field in end_to_end(headers) if not is_coded or field[0].lower() != b"content-length"]


class Changes(NamedTuple):
    """What a proxy changes in the headers of every request.

    `added` takes the place of the client's fields of the same names. `origin` says what becomes of `Origin`.
    `keeps_names`: names that are no names of this machine reach the server, which judges them itself.
    """

    upstream: Upstream
    added: Headers = ()
    origin: OriginRule = "pass"
    keeps_names: bool = False

    def request(self, headers: Headers) -> list[tuple[bytes, bytes]]:
        """The fields for the upstream server: its own `Host`, and no compression asked for."""
        is_chunked = first(headers, b"transfer-encoding") is not None
        added = [*self._credentials(), *self.added]
        replaced = {name.lower() for name, _ in added} | {b"host", b"accept-encoding"}
        kept = [(name, value) for name, value in passed_on(headers) if name.lower() not in replaced]
        framing = [(b"Transfer-Encoding", b"chunked")] if is_chunked else []
        asked = first(headers, b"host")
        host = (b"Host", self._host(asked))
        origins = self._origins(kept, asked)
        return [host, *origins, (b"Accept-Encoding", b"identity"), *added, *framing]

    def _host(self, asked: bytes | None) -> bytes:
        is_foreign = self.keeps_names and asked is not None and not is_local(asked)
        return asked if is_foreign and asked is not None else self.upstream.authority.encode()

    def _credentials(self) -> Headers:
        if not self.upstream.credentials or any(name.lower() == b"authorization" for name, _ in self.added):
            return ()
        return ((b"Authorization", self.upstream.credentials),)

    def _origins(self, headers: Headers, asked: bytes | None) -> Headers:
        own = self.upstream.origin.encode()
        if self.origin == "pass":
            if not self.keeps_names or asked is None or not is_local(asked):
                return headers
            ours = (b"origin", b"http://" + asked)  # a page of the proxy is one of the server
            return [(name, own if (name.lower(), value) == ours else value) for name, value in headers]
        rewritten = [(name, own if name.lower() == b"origin" else value) for name, value in headers]
        return [field for field in rewritten if self.origin == "rewrite" or field[0].lower() != b"origin"]


def first(headers: Headers, name: bytes) -> bytes | None:
    """The value of the first field of that name (in lower case); None if there is none."""
    return next((value for other, value in headers if other.lower() == name), None)


def followed(upstream: Upstream, sent: bytes, status: int, headers: Headers) -> bytes | None:
    """The target of a redirect that stays with the same server, method and body kept; None for any other answer."""
    location = first(headers, b"location")
    if status not in _FOLLOWED or location is None:
        return None
    try:
        goal = urlsplit(_resolved(upstream, sent, location))
        port = goal.port or _PORTS.get(goal.scheme)
    except ValueError:
        return None
    if (goal.scheme, goal.hostname, port) != (upstream.scheme, upstream.host, upstream.port):
        return None
    return _joined(ascii_url(goal.path) or b"/", ascii_url(goal.query))


def relocated(upstream: Upstream, sent: bytes, location: bytes, own: str) -> bytes:
    """Where a redirect leads that is passed on: to the proxy (`own` is its origin) if it leads to the server.

    A server behind another proxy may name itself by an inner host: a redirect to the same path but for the last slash
    is one of those. Any other that leads elsewhere stays as it is, and so does one from http to https, which would come
    back to the proxy for ever.
    """
    try:
        goal = urlsplit(_resolved(upstream, sent, location))
        port = goal.port or _PORTS.get(goal.scheme)
    except ValueError:
        return location
    if (upstream.scheme, goal.scheme, goal.hostname) == ("http", "https", upstream.host):
        return location
    is_server = (goal.hostname, port) == (upstream.host, upstream.port)
    if not is_server and ascii_url(goal.path).strip(b"/") != sent.partition(b"?")[0].strip(b"/"):
        return location
    return own.encode() + _joined(ascii_url(goal.path) or b"/", ascii_url(goal.query))


def is_local(authority: bytes) -> bool:
    """Whether a `Host`, or the authority of an `Origin`, names this machine as only this machine can be meant."""
    try:
        return (urlsplit(b"//" + authority).hostname or b"").decode() in _LOCAL
    except ValueError:
        return False


def is_local_origin(origin: bytes) -> bool:
    """Whether an `Origin` is a page of this machine."""
    scheme, _, authority = origin.partition(b"://")
    return scheme.lower() in (b"http", b"https") and is_local(authority)


def endpoint_path(sent: bytes, data: str) -> str:
    """The target that a legacy `endpoint` event stands for, on the stream that was asked for at `sent`, and wherever it
    says that the server is: path and query. What is no URI at all stays as it is: no client will send there."""
    try:
        goal = urlsplit(urljoin(f"http://upstream{sent.decode('latin-1')}", data))
    except ValueError:
        return data
    return f"{goal.path or '/'}?{goal.query}" if goal.query else goal.path or "/"


def check_header(name: str, value: str) -> tuple[bytes, bytes]:
    """A field that can be sent. Raises UsageError for what HTTP does not allow."""
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
        raise UsageError(f"{name!r} is no name of a header")
    if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", value):
        raise UsageError(f"the value of the header {name} holds a control character")
    return name.encode(), value.strip().encode()


def ascii_url(text: str) -> bytes:
    """Part of a URL as it is sent: what is no ASCII is percent-encoded, all else stays as it was written."""
    return quote(text, safe="".join(map(chr, range(33, 127)))).encode()


def _resolved(upstream: Upstream, sent: bytes, location: bytes) -> str:
    return urljoin(upstream.origin + sent.decode("latin-1"), location.decode("latin-1"))


def _joined(path: bytes, query: bytes) -> bytes:
    return path + b"?" + query if query else path


def _origin_form(target: bytes) -> bytes:
    return b"/" + target.partition(b"://")[2].partition(b"/")[2]


def _basic(user: str | None, password: str | None) -> bytes:
    if user is None:
        return b""
    words = unquote_to_bytes(user) + b":" + unquote_to_bytes(password or "")
    return b"Basic " + base64.b64encode(words)


def _shown(url: str) -> str:
    """A URL without what may be secret in it."""
    return repr(re.sub(r"//[^/@]*@", "//", url).partition("?")[0])
