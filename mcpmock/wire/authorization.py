"""What the documents and requests of OAuth say, as far as a proxy that stands in for its servers must know. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final, TypeAlias
from urllib.parse import parse_qs, urlsplit

from mcpmock.wire.message import Json
from mcpmock.wire.naming import Named, shown
from mcpmock.wire.relaying import ascii_url

Document: TypeAlias = Mapping[str, Json]

WELL_KNOWN: Final = b"/.well-known/"

MOST_METADATA: Final = 1 << 20
"""Bytes that metadata may have: what is longer is none. A thousandth of it would do."""

_TOLD_FOR_WHOM: Final = (
    "authorization_endpoint", "token_endpoint", "pushed_authorization_request_endpoint",
    "device_authorization_endpoint", "backchannel_authentication_endpoint",
)  # fmt: skip
"""The endpoints that a client tells for whom it wants a token; at all others it may ask by itself."""

_BEARER: Final = "urn:ietf:params:oauth:grant-type:"
_BOUND_WAYS: Final = frozenset(
    ("private_key_jwt", "client_secret_jwt", "tls_client_auth", "self_signed_tls_client_auth")
)
_BOUND_GRANTS: Final = frozenset((_BEARER + "jwt-bearer", _BEARER + "saml2-bearer"))


def metadata_place(challenge: bytes) -> bytes:
    """The target at which a challenge (RFC 9728, 5.1) says that there is metadata; empty where it does not."""
    found = re.search(rb'(?i)\bresource_metadata\s*=\s*"?[a-z]+://[^/",\s]+(/[^",\s#]*)', challenge)
    return found[1] if found else b""


def parse_document(text: bytes) -> Document:
    """Metadata; empty where it is none."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def issuers_for(server: Named, document: Document) -> list[str]:
    """The authorization servers of that server, where the document is its metadata (RFC 9728, 2).

    One that names another server is none of it: no client goes on with that (RFC 9728, 3.3).
    """
    resource = document.get("resource")
    named = resource.encode(errors="replace") if isinstance(resource, str) else b""
    return _strings(document, "authorization_servers") if shown([server], named) != named else []


def endpoints(document: Document) -> list[str]:
    """Where an authorization server is told for whom a token is to be (RFC 8414, 2)."""
    return [url for name in _TOLD_FOR_WHOM if isinstance(url := document.get(name), str)]


def tells_issuer(document: Document) -> bool:
    """Whether an authorization server names itself when it sends a client back (RFC 9207, 3)."""
    return document.get("authorization_response_iss_parameter_supported") is True


def is_bound(document: Document) -> bool:
    """Whether an authorization server can only be asked in ways that name it in what somebody has signed, or that show
    it a certificate: with those nobody can stand in for it (RFC 7523, RFC 8705)."""
    ways = _strings(document, "token_endpoint_auth_methods_supported")
    grants = _strings(document, "grant_types_supported")
    return (bool(ways) and _BOUND_WAYS.issuperset(ways)) or (bool(grants) and _BOUND_GRANTS.issuperset(grants))


def metadata_targets(issuer: str) -> list[bytes]:
    """Where the metadata of an authorization server may be, in the order in which clients look for it (MCP,
    authorization: server metadata discovery; RFC 8414, 3.1)."""
    path = ascii_url(urlsplit(issuer).path.rstrip("/"))
    places = [WELL_KNOWN + kind + path for kind in (b"oauth-authorization-server", b"openid-configuration")]
    return [*places, path + WELL_KNOWN + b"openid-configuration"] if path else places


def is_signed(form: bytes) -> bool:
    """Whether a request for a token brings what was signed for that server alone (RFC 7521)."""
    return any(part.partition(b"=")[0] in (b"assertion", b"client_assertion") for part in form.split(b"&"))


def is_login(target: bytes) -> bool:
    """Whether a request sends a person there, to let a client in (RFC 6749, 4.1.1; RFC 9126, 4)."""
    query = parse_qs(target.partition(b"?")[2])
    return b"client_id" in query and (b"response_type" in query or b"request_uri" in query)


def leads_back(target: bytes, location: bytes) -> bool:
    """Whether a redirect from such a request leads back to the client, with what it has asked for or an error."""
    try:
        goal, asked = urlsplit(location), parse_qs(target.partition(b"?")[2])
    except ValueError:
        return False
    answer = parse_qs(goal.query) or parse_qs(goal.fragment)
    if b"redirect_uri" in asked:
        return location.startswith(asked[b"redirect_uri"][0].partition(b"?")[0])
    return bool(goal.netloc) and (b"code" in answer or b"error" in answer)


def _strings(document: Document, name: str) -> list[str]:
    value = document.get(name)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
