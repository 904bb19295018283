"""Refusals, and what else a recorded server answered by the head of a request alone, told again over HTTP."""

from __future__ import annotations

from collections.abc import Callable

from mcpmock.session.guards import Asked, Guards, Minded, Recorded, asked_of
from mcpmock.session.headers.minded import all_of, minded
from mcpmock.transports.http.exchange import fact_response
from mcpmock.transports.http.guard import preflight
from mcpmock.transports.http.messages import Request, Response
from mcpmock.wire.envelope import MODERN_REVISION, is_enveloped
from mcpmock.wire.http import PROTOCOL_VERSION, SESSION_ID
from mcpmock.wire.message import Batch, Json, Message, Missing, Parsed, dumps, parse

__all__ = ["RecordedGuards"]

_OWN_VERBS = ("POST", "GET", "DELETE")


class RecordedGuards:
    """Those of one server. `knows` tells whether there is a live session of an id."""

    def __init__(self, guards: Guards, knows: Callable[[str], bool]) -> None:
        self._guards = guards
        self._knows = knows

    def response(self, request: Request, rewrite: Callable[[str], str]) -> Response | None:
        """What a request is told that was refused for the same; None where the recording has nothing to say."""
        if not self._guards:
            return None
        parsed = parse(request.body) if request.method == "POST" else None
        asked = self._asked(request, parsed)
        found = self._guards.find(asked)
        if found is None and request.method not in _OWN_VERBS:  # of those the verb alone is at fault
            found = self._guards.find(asked._replace(is_modern=not asked.is_modern))
        if found is None:
            return None
        if request.method == "OPTIONS" and found.fact.status < 400:
            return preflight(request)._replace(status=found.fact.status)
        return _told(found, parsed, rewrite)

    def judged(self, request: Request, names: Minded, rewrite: Callable[[str], str]) -> Response | bool:
        """How these foreign names were judged: True where they were let in, False where nobody knows."""
        if self._guards.let_in(names):
            return True
        if not self._guards:
            return False
        parsed = parse(request.body) if request.method == "POST" else None
        found = self._guards.refusal_of_names(self._asked(request, parsed))
        return _told(found, parsed, rewrite) if found is not None else False

    def _asked(self, request: Request, parsed: Parsed | None) -> Asked:
        headers, key = tuple(request.headers.items()), request.header(SESSION_ID)
        is_modern = request.header(PROTOCOL_VERSION) == MODERN_REVISION
        is_modern = is_modern or (isinstance(parsed, Message) and is_enveloped(parsed))
        is_known = not key or self._knows(key)
        if parsed is None:
            sent = all_of(request.method, headers, minded(request.method, headers, is_known=is_known))
            return Asked(request.method, sent=sent, is_modern=is_modern)
        sent = all_of("POST", headers, minded("POST", headers, opens=_opens(parsed), is_known=is_known))
        return asked_of(parsed, request.body, sent, is_modern=is_modern)


def _opens(parsed: Parsed) -> bool:
    messages = parsed.messages if isinstance(parsed, Batch) else (parsed,)
    return any(isinstance(one, Message) and one.method == "initialize" for one in messages)


def _told(found: Recorded, parsed: Parsed | None, rewrite: Callable[[str], str]) -> Response:
    fact = found.fact
    if not isinstance(fact.body, dict) or "jsonrpc" not in fact.body:
        return fact_response(fact, rewrite)
    body = fact.body
    if found.echoes and isinstance(parsed, Message):
        live_id: Json = None if isinstance(parsed.id, Missing) else parsed.id
        body = {**body, "id": live_id}
    return fact_response(fact._replace(body=dumps(body)), rewrite)
