"""The headers that mirror a request of the stateless revision over HTTP, and what is said where they do not.

MCP 2026-07-28, Streamable HTTP: `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`, and `Mcp-Param-*` for the arguments
that a tool's schema marks with `x-mcp-header`. The checks come in the order of the official servers.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final, TypeAlias

from mcpmock.session.interaction import Interaction
from mcpmock.session.mirrors import mirrors_of
from mcpmock.wire.envelope import CAPABILITIES_KEY, VERSION_KEY, meta_of
from mcpmock.wire.http import PROTOCOL_VERSION, Headers, header_values
from mcpmock.wire.message import HEADER_MISMATCH, INVALID_PARAMS, Json, Message, Missing, Object, dumps
from mcpmock.wire.values import value_at

__all__ = ["Mirrored", "header_error", "mirrored_arguments"]

Mirrored: TypeAlias = Mapping[str, Mapping[tuple[str, ...], str]]
"""By the name of a tool: the header token of each argument that is mirrored, by its path."""

_METHOD: Final = b"mcp-method"
_NAME: Final = b"mcp-name"
_NAMED: Final = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
}
"""Which of the params `Mcp-Name` mirrors."""

_NAMED_IF_SENT: Final = {"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}
"""The same in the extension for tasks, whose real clients leave the header out, and whose real servers let them."""

_SENTINEL: Final = ("=?base64?", "?=")
_DECIMAL: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_LARGEST_SAFE: Final = 2**53 - 1


def header_error(message: Message, headers: Headers, mirrored: Mirrored) -> Object | None:
    """The JSON-RPC error for an enveloped request whose headers or `_meta` are not as they must be; None else.

    The status of the response is 400.
    """
    for name in (PROTOCOL_VERSION, _METHOD, _NAME):
        if len(header_values(headers, name)) > 1:
            return _mismatch(f"{_shown(name)} is there more than once")
    meta = meta_of(message)
    for key in (VERSION_KEY, CAPABILITIES_KEY):
        if key not in meta:
            return {"code": INVALID_PARAMS, "message": f"Invalid params: _meta lacks {key}"}
    params = message.params if isinstance(message.params, dict) else {}
    wanted: list[tuple[bytes, Json | Missing, str]] = [
        (PROTOCOL_VERSION, meta[VERSION_KEY], VERSION_KEY),
        (_METHOD, message.method, "method"),
    ]
    is_sent = bool(header_values(headers, _NAME))
    if named := _NAMED.get(message.method) or (is_sent and _NAMED_IF_SENT.get(message.method)):
        wanted.append((_NAME, value_at(params, (named,)), f"params.{named}"))
    for token, path in _mirrors(message, params, mirrored):
        value = value_at(params, ("arguments", *path))
        wanted.append((b"mcp-param-" + token.lower().encode(), value, f"params.arguments.{'.'.join(path)}"))
    return next(filter(None, (_compared(headers, *each) for each in wanted)), None)


def mirrored_arguments(interactions: Iterable[Interaction]) -> Mirrored:
    """Which arguments of which tools the recorded lists of tools want to be mirrored."""
    found: dict[str, dict[tuple[str, ...], str]] = {}
    for interaction in interactions:
        answer = interaction.answer_message if interaction.method == "tools/list" else None
        result = answer.body.get("result") if answer is not None else None
        tools = result.get("tools") if isinstance(result, dict) else None
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
                found.setdefault(name, {}).update(mirrors_of(tool.get("inputSchema")))
    return found


def _mirrors(message: Message, params: Object, mirrored: Mirrored) -> list[tuple[str, tuple[str, ...]]]:
    name = params.get("name")
    marks = mirrored.get(name, {}) if message.method == "tools/call" and isinstance(name, str) else {}
    return [(token, path) for path, token in marks.items()]


def _compared(headers: Headers, name: bytes, value: Json | Missing, place: str) -> Object | None:
    """What is wrong with one header. Where there is no value, or none that a header could say, nobody looks at it."""
    if isinstance(value, Missing) or value is None or not _can_be_mirrored(value):
        return None
    sent = header_values(headers, name)
    if not sent:
        is_rounded = type(value) is int and abs(value) > _LARGEST_SAFE  # JavaScript sends no header then
        return None if is_rounded else _mismatch(f"{_shown(name)} is missing; it mirrors {place}")
    text = sent[0] if name in (PROTOCOL_VERSION, _METHOD) else _decoded(sent[0])
    return None if _is_same(text, value) else _mismatch(f"{_shown(name)} does not match {place}")


def _can_be_mirrored(value: Json) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str | int)


def _decoded(value: str) -> str | None:
    """The text that a header stands for; None where it claims to be base64 and is not."""
    start, end = _SENTINEL
    if not (value.startswith(start) and value.endswith(end) and len(value) >= len(start) + len(end)):
        return value
    inner = value[len(start) : -len(end)]
    try:
        decoded = base64.b64decode(inner, validate=True)
        return decoded.decode() if base64.b64encode(decoded).decode() == inner else None  # else it has stray bits
    except (binascii.Error, UnicodeDecodeError):
        return None


def _is_same(text: str | None, value: Json) -> bool:
    """Whether a header stands for a value: texts to the letter, numbers by value, booleans by their word."""
    if text is None:
        return False
    if isinstance(value, bool):
        return text == ("true" if value else "false")
    if isinstance(value, int | float):
        if not _DECIMAL.fullmatch(text):  # who sends an exponent spells it as in the body
            return text == dumps(value)
        # to the last digit, which a float would not keep; a float is the number that it is written as
        return Decimal(text) == Decimal(value if isinstance(value, int) else repr(value))
    return text == value


def _shown(name: bytes) -> str:
    if name == PROTOCOL_VERSION:
        return "MCP-Protocol-Version"
    return "-".join(part.capitalize() for part in name.decode().split("-"))


def _mismatch(text: str) -> Object:
    return {"code": HEADER_MISMATCH, "message": f"Header mismatch: {text}"}
