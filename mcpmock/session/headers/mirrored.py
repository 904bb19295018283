"""The headers that mirror a request of the stateless revision over HTTP, and what is said where they do not.

MCP 2026-07-28, Streamable HTTP: `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`, and `Mcp-Param-*` for the arguments
that a tool's schema marks with `x-mcp-header`. The checks come in the order of the official servers.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final, Literal, NamedTuple, TypeAlias

from mcpmock.session.headers.mirrors import mirrors_of
from mcpmock.session.interaction import Interaction
from mcpmock.wire.envelope import CAPABILITIES_KEY, VERSION_KEY, meta_of
from mcpmock.wire.http import PROTOCOL_VERSION, Headers, header_values
from mcpmock.wire.message import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    MISSING,
    Json,
    Message,
    Missing,
    Object,
    dumps,
)
from mcpmock.wire.values import value_at

__all__ = ["Mirrored", "Odd", "OddKind", "header_error", "marks_in", "mirrored_arguments", "odd_again", "odd_headers"]

Mirrored: TypeAlias = Mapping[str, Mapping[tuple[str, ...], str]]
"""By the name of a tool: the header token of each argument that is mirrored, by its path."""

OddKind: TypeAlias = Literal["", "missing", "wrong", "spelt", "surplus", "unknown"]
"""It is missing, says something else, or the same in other letters; it mirrors what is not there, or nothing at all;
empty: it is as it must be."""


class Odd(NamedTuple):
    """What is odd about one header.

    name   in lower case
    kind   what is odd
    value  what it holds; None where it is missing
    of     the JSON text of what it should mirror, where it says something else
    place  where that stands in the message; empty where it mirrors nothing
    """

    name: str
    kind: OddKind
    value: str | None
    of: str = ""
    place: tuple[str, ...] = ()

    @property
    def is_against_the_rules(self) -> bool:
        """Whether the specification wants it to be refused."""
        return self.kind in ("missing", "wrong")


_METHOD: Final = b"mcp-method"
_NAME: Final = b"mcp-name"
_PARAM: Final = b"mcp-param-"
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
    if not isinstance(message.params, dict | None) or type(message.id) is float:
        return {"code": INVALID_REQUEST, "message": "Invalid Request: params is no object, or the id a fraction"}
    meta = meta_of(message)
    for key in (VERSION_KEY, CAPABILITIES_KEY):
        if key not in meta:
            return {"code": INVALID_PARAMS, "message": f"Invalid params: _meta lacks {key}"}
    for name, value, place in _wanted(message, headers, mirrored):
        kind = _kind(headers, name, value)
        if kind == "missing":
            return _mismatch(f"{_shown(name)} is missing; it mirrors {'.'.join(place)}")
        if kind == "wrong":
            return _mismatch(f"{_shown(name)} does not match {'.'.join(place)}")
    return None


def odd_headers(message: Message, headers: Headers, mirrored: Mirrored) -> tuple[Odd, ...]:
    """What is odd about the headers that mirror an enveloped request, or that would have to."""
    found: dict[str, Odd] = {}
    for name, value, place in _wanted(message, headers, mirrored):
        found[name.decode()] = _odd(name, headers, value)._replace(place=place)
    for name in {key.lower() for key, _ in headers}:
        if name == _NAME or name.startswith(_PARAM):
            unknown = Odd(name.decode("latin-1"), "unknown", _joined(headers, name))
            found.setdefault(unknown.name, unknown)
    return tuple(odd for _, odd in sorted(found.items()) if odd.kind)


def odd_again(message: Message, sent: Sequence[tuple[str, str | None]], mirrored: Mirrored) -> tuple[Odd, ...]:
    """The same of a recorded request, of whose headers only the odd ones were kept."""
    headers = [(_bytes(name), _bytes(value)) for name, value in sent if value is not None]
    found = {odd.name: odd for odd in odd_headers(message, headers, mirrored)}
    return tuple(found.get(name) or Odd(name, "missing" if value is None else "spelt", value) for name, value in sent)


def _bytes(text: str) -> bytes:
    """A recorded header as it was on the wire; people may write letters that only UTF-8 has."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def mirrored_arguments(interactions: Iterable[Interaction]) -> Mirrored:
    """Which arguments of which tools the recorded lists of tools want to be mirrored."""
    found: dict[str, dict[tuple[str, ...], str]] = {}
    for interaction in interactions:
        answer = interaction.answer_message if interaction.method == "tools/list" else None
        for name, marks in marks_in(answer).items() if answer is not None else ():
            found.setdefault(name, {}).update(marks)
    return found


def marks_in(answer: Message) -> Mirrored:
    """The same of one list of tools."""
    result = answer.body.get("result")
    tools = result.get("tools") if isinstance(result, dict) else None
    found: dict[str, dict[tuple[str, ...], str]] = {}
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
            found.setdefault(name, {}).update(mirrors_of(tool.get("inputSchema")))
    return found


_Wanted: TypeAlias = "tuple[bytes, Json | Missing, tuple[str, ...]]"
"""A header that mirrors something, with what it mirrors, and the place of that."""


def _wanted(message: Message, headers: Headers, mirrored: Mirrored) -> list[_Wanted]:
    """Each header that has to mirror something, or does."""
    params = message.params if isinstance(message.params, dict) else {}
    wanted: list[_Wanted] = [
        (PROTOCOL_VERSION, meta_of(message).get(VERSION_KEY, MISSING), (VERSION_KEY,)),
        (_METHOD, message.method, ("method",)),
    ]
    is_sent = bool(header_values(headers, _NAME))
    if named := _NAMED.get(message.method) or (is_sent and _NAMED_IF_SENT.get(message.method)):
        wanted.append((_NAME, value_at(params, (named,)), ("params", named)))
    for token, path in _mirrors(message, params, mirrored):
        value = value_at(params, ("arguments", *path))
        wanted.append((_PARAM + token.lower().encode(), value, ("params", "arguments", *path)))
    return wanted


def _mirrors(message: Message, params: Object, mirrored: Mirrored) -> list[tuple[str, tuple[str, ...]]]:
    name = params.get("name")
    marks = mirrored.get(name, {}) if message.method == "tools/call" and isinstance(name, str) else {}
    return [(token, path) for path, token in marks.items()]


def _odd(name: bytes, headers: Headers, value: Json | Missing) -> Odd:
    """What is odd about one header, beside the value that it should mirror; of no kind where nothing is."""
    sent = _joined(headers, name)
    is_surplus = sent is not None and _is_unsayable(value)
    kind = "surplus" if is_surplus else _kind(headers, name, value)
    of = dumps(value) if kind in ("wrong", "spelt") and not isinstance(value, Missing) else ""
    return Odd(name.decode("latin-1"), kind, sent, of)


def _kind(headers: Headers, name: bytes, value: Json | Missing) -> OddKind:
    """What is wrong with one header. Where there is no value, or none that a header could say, nobody looks at it."""
    if _is_unsayable(value):
        return ""
    sent = _joined(headers, name)
    if sent is None:
        is_rounded = type(value) is int and abs(value) > _LARGEST_SAFE  # JavaScript sends no header then
        return "" if is_rounded else "missing"
    if name in (PROTOCOL_VERSION, _METHOD):
        return "" if sent == value else "wrong"
    if not _is_same(_decoded(sent), value):
        return "wrong"
    return "" if sent == _spelt(value) else "spelt"


def _is_unsayable(value: Json | Missing) -> bool:
    return isinstance(value, Missing) or value is None or not _can_be_mirrored(value)


def _joined(headers: Headers, name: bytes) -> str | None:
    """The value of a field, joined with commas where it was repeated; None where there is none."""
    return ", ".join(values) if (values := header_values(headers, name)) else None


def _spelt(value: Json | Missing) -> str:
    """A value as clients mostly spell it in a header."""
    if not isinstance(value, str):
        return dumps(value) if not isinstance(value, Missing) else ""
    start, end = _SENTINEL
    is_plain = value.isascii() and value.isprintable() and value.strip() == value
    if is_plain and not (value.startswith(start) and value.endswith(end)):
        return value
    return start + base64.b64encode(value.encode("utf-8", "surrogatepass")).decode() + end


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


def _is_same(text: str | None, value: Json | Missing) -> bool:
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
