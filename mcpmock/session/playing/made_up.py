"""Answers that need no recording: noise, and the handshake that a hand-written session leaves out (DESIGN 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcpmock.session.interaction import Interaction
from mcpmock.session.playing.answers import error_text, result_text
from mcpmock.session.playing.live import Live
from mcpmock.session.story import capabilities_shown
from mcpmock.wire.envelope import is_enveloped
from mcpmock.wire.message import INVALID_REQUEST, METHOD_NOT_FOUND, Json, Message, Object
from mcpmock.wire.methods import LEGACY_REVISIONS, method_row

__all__ = [
    "LISTS",
    "bad_request_text",
    "initialize_result",
    "list_result",
    "make_up",
    "method_not_found",
]

LISTS = {
    "tools/list": ("tools", "tools/call"),
    "prompts/list": ("prompts", "prompts/get"),
    "resources/list": ("resources", "resources/read"),
    "resources/templates/list": ("resourceTemplates", ""),
}
"""The lists that can be made up: where their items go, and the method whose requests name the items."""


def make_up(message: Message, live: Live, own: Sequence[Interaction], *, server: str) -> str | None:
    """The text of an answer that was not recorded and need not be; None where a recording is needed.

    `own` are the interactions of the recorded session that the live one took; without an `initialize` among them the
    handshake is made up, and the lists of what they name.
    """
    method = message.method
    if method == "server/discover" or (method_row(method).noise and is_enveloped(message)):
        return method_not_found(message)
    if method in ("ping", "logging/setLevel"):
        return result_text(message.id, {})
    if any(one.method in (method, "initialize") for one in own):
        return None
    if method == "initialize":
        result = initialize_result(message.params, own, server=server)
        live.revision = str(result["protocolVersion"])
        return result_text(message.id, result)
    return result_text(message.id, list_result(method, own)) if method in LISTS else None


def method_not_found(message: Message) -> str:
    """What a legacy server says to a method that it does not know: at once, so that clients fall back."""
    return error_text(message.id, {"code": METHOD_NOT_FOUND, "message": "Method not found"})


def bad_request_text() -> str:
    """What servers with a handshake answer over HTTP to a request without a session: no error of the stateless
    revision, so that clients fall back (PROTOCOL 4.5)."""
    return error_text(None, {"code": INVALID_REQUEST, "message": "Bad Request: Missing session ID"})


def initialize_result(asked: Json, interactions: Iterable[Interaction], *, server: str) -> Object:
    """The result of an `initialize` with the params `asked`, for a session that was recorded without one."""
    wanted = asked.get("protocolVersion") if isinstance(asked, dict) else None
    return {
        "protocolVersion": wanted if wanted in LEGACY_REVISIONS else LEGACY_REVISIONS[-1],
        "capabilities": capabilities_shown(interactions),
        "serverInfo": {"name": server or "mcpmock", "version": "0"},
    }


def list_result(method: str, interactions: Iterable[Interaction]) -> Object:
    """The result of a list request: what the recorded requests name, in the order of their first use."""
    member, called = LISTS[method]
    arguments: dict[str, dict[str, None]] = {}  # of each item, in the order of their first use too
    for interaction in interactions:
        params = interaction.request.params if interaction.request else None
        if interaction.method != called or not isinstance(params, dict):
            continue
        name = params.get("uri") if called == "resources/read" else params.get("name")
        if isinstance(name, str):
            given = params.get("arguments")
            arguments.setdefault(name, {}).update(dict.fromkeys(given if isinstance(given, dict) else ()))
    return {member: [_item(called, name, list(given)) for name, given in arguments.items()]}


def _item(called: str, name: str, arguments: list[str]) -> Object:
    if called == "tools/call":
        properties: Object = {argument: {} for argument in arguments}
        schema: Object = {"type": "object", "properties": properties} if properties else {"type": "object"}
        return {"name": name, "inputSchema": schema}
    if called == "prompts/get":
        listed: list[Json] = [{"name": argument} for argument in arguments]
        return {"name": name, "arguments": listed} if listed else {"name": name}
    return {"uri": name, "name": name}
