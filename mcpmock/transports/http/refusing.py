"""Refusals of a replay server over HTTP: verbs that the endpoint does not know, and revisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mcpmock.cassette.model import HttpFact
from mcpmock.transports.http.exchange import fact_response
from mcpmock.transports.http.messages import Response, refusal
from mcpmock.wire.methods import LEGACY_REVISIONS

__all__ = ["not_allowed", "refused_verb", "unsupported"]

_ONLY: Final = "POST, OPTIONS"


def not_allowed(allowed: str, status: int = 405) -> Response:
    """Another verb is refused, with those that are not."""
    return refusal(status, "Method Not Allowed" if status == 405 else "Refused as it was recorded").with_headers(
        [(b"allow", allowed.encode())]
    )


def refused_verb(recorded: HttpFact | None, rewrite: Callable[[str], str] = str) -> Response:
    """A GET or a DELETE is refused in the stateless revision: as it was recorded, if it was."""
    if recorded is None:
        return not_allowed(_ONLY)
    response = fact_response(recorded, rewrite)
    is_told = recorded.status != 405 or any(name == "allow" for name, _ in recorded.headers)
    return response if is_told else response.with_headers([(b"allow", _ONLY.encode())])


def unsupported(version: str) -> Response:
    """A revision is refused that nobody speaks here."""
    known = ", ".join(LEGACY_REVISIONS)
    return refusal(400, f"Bad Request: MCP-Protocol-Version {version!r} is not supported, only {known}")
