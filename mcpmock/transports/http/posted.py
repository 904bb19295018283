"""What a client has posted over Streamable HTTP, as far as it decides how it is answered, and by which session."""

from __future__ import annotations

from typing import Final, NamedTuple

from mcpmock.session.headers.mirrored import header_error
from mcpmock.session.headers.oddities import Oddities, live_oddities
from mcpmock.transports.http.messages import Request, Response, json_response, refusal
from mcpmock.transports.http.refusing import unsupported
from mcpmock.transports.http.table import HttpHost
from mcpmock.wire.envelope import is_enveloped
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE
from mcpmock.wire.http import PROTOCOL_VERSION
from mcpmock.wire.message import INVALID_REQUEST, Batch, Message, Missing, NotAMessage, Parsed, parse
from mcpmock.wire.methods import LEGACY_REVISIONS, STAYS_OPEN

__all__ = ["Posted", "read_post"]

_PRIMES_SINCE: Final = "2025-11-25"


class Posted(NamedTuple):
    """The body of a POST.

    opening       the `initialize` in it; None where there is none
    is_stateless  whether it is of the stateless revision, or should be
    oddities      what is odd about the headers of a stateless request or notification; None of everything else
    version       the revision that an `initialize` asks for, else that of the header; empty where nobody says one
    """

    parsed: Parsed
    opening: Message | None
    is_stateless: bool
    oddities: Oddities | None
    version: str

    @property
    def knows_priming(self) -> bool:
        """Whether the client's revision has events without data (MCP 2025-11-25)."""
        return _PRIMES_SINCE <= self.version <= LEGACY_REVISIONS[-1]

    @property
    def stays_open(self) -> bool:
        """Whether it is a subscription."""
        return isinstance(self.parsed, Message) and self.parsed.method in STAYS_OPEN

    @property
    def wants_answer(self) -> bool:
        """Whether something in it is answered by a message."""
        if isinstance(self.parsed, Batch):
            return any(one.kind == "request" for one in self.parsed.messages)
        return isinstance(self.parsed, NotAMessage) or self.parsed.kind == "request"


def read_post(request: Request, host: HttpHost) -> Posted | Response:
    """What was posted; the refusal, where it is too large, or its headers do not fit it (MCP 2026-07-28)."""
    if len(request.body) > DEFAULT_MAX_MESSAGE:
        return refusal(413, "Content Too Large")
    parsed = parse(request.body)
    opening = _opening(parsed)
    version = request.header(PROTOCOL_VERSION)
    is_stateless = isinstance(parsed, Message) and is_enveloped(parsed)
    if version and not is_stateless and version not in LEGACY_REVISIONS and opening is None:
        if host.mirrored is None:
            return unsupported(version)
        if isinstance(parsed, Batch) or (isinstance(parsed, Message) and parsed.kind == "response"):
            return refusal(400, "Bad Request: in the stateless revision a POST holds a request or a notification")
        is_stateless = True
    oddities = None
    if is_stateless and isinstance(parsed, Message) and host.mirrored is not None:
        oddities = live_oddities(parsed, tuple(request.headers.items()), host.mirrored)
        if parsed.kind == "request" and (refused := _mirror_error(parsed, oddities, request, host)) is not None:
            return refused
    return Posted(parsed, opening, is_stateless, oddities, version if opening is None else _version_asked(opening))


def _mirror_error(message: Message, oddities: Oddities, request: Request, host: HttpHost) -> Response | None:
    """The refusal of headers that do not mirror the request; None where there is none, or a recorded one is played."""
    error = header_error(message, tuple(request.headers.items()), host.mirrored or {})
    if error is None or (error["code"] != INVALID_REQUEST and host.knows(message, oddities)):
        return None
    live_id = None if isinstance(message.id, Missing) else message.id
    return json_response({"jsonrpc": "2.0", "id": live_id, "error": error}, status=400)


def _opening(parsed: Parsed) -> Message | None:
    if isinstance(parsed, Message):
        return parsed if parsed.method == "initialize" and parsed.kind == "request" else None
    messages = parsed.messages if isinstance(parsed, Batch) else ()
    return next((one for one in messages if one.method == "initialize"), None)


def _version_asked(opening: Message) -> str:
    asked = opening.params.get("protocolVersion") if isinstance(opening.params, dict) else None
    return asked if isinstance(asked, str) else ""
