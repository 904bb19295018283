"""Whom texts name where OAuth is spoken: servers, or the proxies in front of them, by which clients know them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from mcpmock.wire.relaying import Upstream, ascii_url

_PORTS: Final = {"http": 80, "https": 443}
_FOR_WHOM: Final = (b"resource", b"audience")
_WHO_ANSWERS: Final = rb'"(?:issuer|iss|registration_client_uri)"\s*:\s*"[^"]*"'


class Named(NamedTuple):
    """A server, and the origin by which clients know it: that of the proxy in front of it."""

    upstream: Upstream
    own: str


def shown(names: Sequence[Named], text: bytes) -> bytes:
    """A header's value, or a JSON document, with the proxies' origins where it names the servers'."""
    for name in names:
        text = _shown(name, text)
    return text


def issuer_shown(names: Sequence[Named], document: bytes) -> bytes:
    """A JSON document that is no metadata, with a proxy where it says who has issued it (RFC 7591, RFC 7662).

    All else in it, tokens above all, stays as it is.
    """
    return re.sub(_WHO_ANSWERS, lambda found: shown(names, found[0]), document)


def redirect_shown(names: Sequence[Named], location: bytes) -> bytes:
    """A redirect back to a client with a proxy where its `iss` names a server, as renamed metadata does (RFC 9207):
    clients compare the two."""
    place, mark, query = location.partition(b"?")
    return place + mark + b"&".join(_redirect_shown(names, part) for part in query.split(b"&"))


def restored(names: Sequence[Named], parameters: bytes) -> bytes:
    """A query, or a form, with the servers where it tells for whom a token is to be (RFC 8707), and names a proxy, as
    renamed metadata told the client to: no server gives out tokens for another one, or takes them."""
    return b"&".join(_restored(names, part) for part in parameters.split(b"&"))


def _shown(name: Named, text: bytes) -> bytes:
    upstream, standard = name.upstream, _PORTS[name.upstream.scheme]
    bare = re.escape(upstream.authority.removesuffix(f":{upstream.port}").encode())
    port = b":%d" % upstream.port
    optional = b"?" if upstream.port == standard else b""
    named = rb"(?i)\b%b:(\\?/\\?/)%b(?:%b)%b(?![\w.:-])" % (upstream.scheme.encode(), bare, port, optional)
    scheme, _, rest = name.own.partition("://")
    return re.sub(named, lambda found: scheme.encode() + b":" + found[1] + rest.encode(), text)


def _redirect_shown(names: Sequence[Named], parameter: bytes) -> bytes:
    key, _, value = parameter.partition(b"=")
    named = unquote_to_bytes(value)
    new = shown(names, named)
    return parameter if key != b"iss" or new == named else b"iss=" + quote(new, safe="").encode()


def _restored(names: Sequence[Named], parameter: bytes) -> bytes:
    key, _, value = parameter.partition(b"=")
    if key not in _FOR_WHOM:
        return parameter
    named = unquote_to_bytes(value).decode(errors="replace")
    meant = next((place for name in names if (place := _meant(name, named))), "")
    return key + b"=" + quote(meant, safe="").encode() if meant else parameter


def _meant(name: Named, url: str) -> str:
    """What a URL of a proxy stands for; empty for any other."""
    rest = url.removeprefix(name.own)
    if rest == url or rest[:1] not in ("", "/", "?"):
        return ""
    path = name.upstream.place(ascii_url(rest)).shown.decode() if rest[:1] == "/" else rest
    return name.upstream.origin + path
