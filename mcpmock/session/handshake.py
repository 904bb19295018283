"""The handshake that a hand-written session leaves out: version as asked, capabilities and lists from what occurs."""

from __future__ import annotations

from collections.abc import Iterable

from mcpmock.session.interaction import Interaction
from mcpmock.wire.message import Json, Object
from mcpmock.wire.methods import LEGACY_REVISIONS, method_row

__all__ = ["LISTS", "initialize_result", "list_result"]

LISTS = {
    "tools/list": ("tools", "tools/call"),
    "prompts/list": ("prompts", "prompts/get"),
    "resources/list": ("resources", "resources/read"),
    "resources/templates/list": ("resourceTemplates", ""),
}
"""The lists that can be made up: where their items go, and the method whose requests name the items."""


def initialize_result(asked: Json, interactions: Iterable[Interaction], *, server: str) -> Object:
    """The result of an `initialize` with the params `asked`, for a session that was recorded without one."""
    wanted = asked.get("protocolVersion") if isinstance(asked, dict) else None
    capabilities: Object = {}
    for interaction in interactions:
        name = method_row(interaction.method).capability
        if name:
            capabilities.setdefault(name, {})
    return {
        "protocolVersion": wanted if wanted in LEGACY_REVISIONS else LEGACY_REVISIONS[-1],
        "capabilities": capabilities,
        "serverInfo": {"name": server or "mcpmock", "version": "0"},
    }


def list_result(method: str, interactions: Iterable[Interaction]) -> Object:
    """The result of a list request: what the recorded requests name, in the order of their first use."""
    member, called = LISTS[method]
    items: dict[str, Json] = {}
    for interaction in interactions:
        params = interaction.request.params if interaction.request else None
        if interaction.method != called or not isinstance(params, dict):
            continue
        key = params.get("uri") if called == "resources/read" else params.get("name")
        if isinstance(key, str):
            items.setdefault(key, _item(called, key, params))
    return {member: list(items.values())}


def _item(called: str, name: str, params: Object) -> Object:
    arguments = params.get("arguments")
    names = list(arguments) if isinstance(arguments, dict) else []
    if called == "tools/call":
        properties: Object = {argument: {} for argument in names}
        schema: Object = {"type": "object", "properties": properties} if properties else {"type": "object"}
        return {"name": name, "inputSchema": schema}
    if called == "prompts/get":
        listed: list[Json] = [{"name": argument} for argument in names]
        return {"name": name, "arguments": listed} if listed else {"name": name}
    return {"uri": name, "name": name}
