"""Headers that mirror the body of a stateless request (MCP 2026-07-28, Streamable HTTP; PROTOCOL 2.4)."""

from __future__ import annotations

import base64
import json
from typing import Any, TypeAlias

import pytest

from mcpmock.session.headers.mirrored import header_error, mirrored_arguments
from mcpmock.session.headers.mirrors import mirrors_of
from mcpmock.wire.message import Message, parse
from tests.session.dialogue import library, recorded

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
Fields: TypeAlias = tuple[tuple[str, str], ...]

MARKED = "{type: %s, x-mcp-header: %s}"
PROPERTIES = f"{{region: {MARKED % ('string', 'Region')}, at: {{properties: {{n: {MARKED % ('integer', 'N')}}}}}}}"
TOOL = f"{{name: ride, inputSchema: {{properties: {PROPERTIES}}}}}"
LISTED = recorded(f"> {{id: 1, method: tools/list}}\n< {{id: 1, result: {{tools: [{TOOL}]}}}}")
MIRRORED = mirrored_arguments(library(LISTED).story.interactions())


def said(
    method: str = "tools/call", meta: object = META, headers: tuple[tuple[str, str], ...] = (), **params: Any
) -> Any:
    """The code and the words of the error for a request; None where it has none."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    message = parse(json.dumps(body).encode())
    assert isinstance(message, Message)
    raw = [(name.encode(), value.encode()) for name, value in headers]
    error = header_error(message, raw, MIRRORED)
    return error and (error["code"], error["message"])


def mirror(
    name: str, method: str = "tools/call", version: str = "2026-07-28", **more: str
) -> tuple[tuple[str, str], ...]:
    """The headers of a request."""
    pairs = {"MCP-Protocol-Version": version, "Mcp-Method": method, "Mcp-Name": name, **more}
    return tuple((key, value) for key, value in pairs.items() if value)


def encoded(text: str) -> str:
    """A value that no header can hold as it is."""
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


@pytest.mark.parametrize("name", ["add", "pünktlich", " x ", "=?base64?eA==?="])
def test_a_mirrored_request_is_good(name: str) -> None:
    """Spec: a value that is not printable ASCII, or looks like the sentinel, is sent as base64."""
    plain = name.isascii() and name.strip() == name and not name.startswith("=?")
    assert said(headers=mirror(name if plain else encoded(name)), name=name) is None


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/read", {"uri": "n"}),
        ("prompts/get", {"name": "n"}),
        ("tasks/get", {"taskId": "n"}),
        ("tasks/update", {"taskId": "n"}),
        ("tasks/cancel", {"taskId": "n"}),
    ],
)
def test_what_the_name_mirrors_follows_from_the_method(method: str, params: dict[str, str]) -> None:
    """Spec, and the extension for tasks, in which real clients leave it out."""
    assert said(method, headers=mirror("n", method), **params) is None
    assert said(method, headers=mirror("other", method), **params)[0] == -32020
    assert said("tools/list", headers=mirror("", "tools/list")) is None
    nothing = said(method, headers=mirror("", method), **params)
    assert nothing is None if method.startswith("tasks/") else nothing[0] == -32020


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        (mirror("other"), "Mcp-Name does not match params.name"),
        (mirror(""), "Mcp-Name is missing"),
        (mirror("add", "Tools/Call"), "Mcp-Method does not match method"),
        (mirror("add", ""), "Mcp-Method is missing"),
        (mirror("add", version="2025-11-25"), "MCP-Protocol-Version does not match"),
        (mirror("add", version=""), "MCP-Protocol-Version is missing"),
        ((*mirror("add"), ("mcp-name", "add")), "Mcp-Name is there more than once"),
        (mirror("=?base64?%%?="), "Mcp-Name does not match"),
        (mirror("=?base64?YWRk=?="), "Mcp-Name does not match"),
        (mirror("add", encoded("tools/call")), "Mcp-Method does not match"),
    ],
)
def test_a_header_that_mirrors_something_else_is_a_mismatch(headers: Fields, words: str) -> None:
    """Spec: -32020."""
    code, text = said(headers=headers, name="add")
    assert code == -32020
    assert words in text


def test_base64_with_stray_bits_is_none() -> None:
    """Spec: a malformed value is a mismatch; both official servers hold that for malformed."""
    assert said(headers=mirror("=?base64?YWQ=?="), name="ad") is None
    assert said(headers=mirror("=?base64?YWR=?="), name="ad")[0] == -32020


@pytest.mark.parametrize("missing", list(META))
def test_a_meta_key_that_is_missing_is_an_invalid_parameter(missing: str) -> None:
    """Spec: -32602."""
    meta = {key: value for key, value in META.items() if key != missing}
    assert said(meta=meta, headers=mirror("add"), name="add")[0] == -32602


def test_arguments_are_mirrored_where_the_tool_wants_it() -> None:
    """Spec: present and not null; numbers are compared by value."""
    arguments = {"region": "eu", "at": {"n": 42}}
    good = mirror("ride", **{"Mcp-Param-Region": "eu", "Mcp-Param-N": "42.0"})
    assert said(headers=good, name="ride", arguments=arguments) is None
    assert said(headers=mirror("ride"), name="ride", arguments={"region": None}) is None
    assert "Mcp-Param-Region is missing" in said(headers=mirror("ride"), name="ride", arguments=arguments)[1]
    other = mirror("ride", **{"Mcp-Param-Region": "us", "Mcp-Param-N": "42"})
    assert "Mcp-Param-Region does not match" in said(headers=other, name="ride", arguments=arguments)[1]
    bad = mirror("ride", **{"Mcp-Param-Region": "eu", "Mcp-Param-N": "x"})
    assert "Mcp-Param-N does not match" in said(headers=bad, name="ride", arguments=arguments)[1]
    assert said(headers=mirror("ride", **{"Mcp-Param-Region": "true"}), name="ride", arguments={"region": True}) is None


@pytest.mark.parametrize(
    ("number", "sent", "is_good"),
    [
        (12345678901234567890, "12345678901234567890", True),  # no double holds it
        (12345678901234567890, "12345678901234567891", False),
        (12345678901234567890, None, True),  # JavaScript cannot say it, and sends nothing
        (42, None, False),
        (42, "42.0", True),
        (42, "4_2", False),
        (42, "4.2e1", False),
        (1e300, "1e+300", True),
        (1e300, "1e+301", False),
        (0.1, "0.1", True),
        (42.0, "42", True),
        (0.1, "0.10001", False),
        (42, "nan", False),
        ({"a": 1}, None, True),
        ([], "x", True),
    ],
)
def test_numbers_are_compared_to_the_last_digit(number: Any, sent: str | None, is_good: bool) -> None:
    """Spec: by value. What no header can say is not looked for: neither official server does."""
    headers = mirror("ride", **({} if sent is None else {"Mcp-Param-N": sent}))
    assert (said(headers=headers, name="ride", arguments={"at": {"n": number}}) is None) is is_good


@pytest.mark.parametrize(
    ("properties", "tokens"),
    [
        ({"a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "object"}}, {("a",): "A"}),
        ({"a": {"type": "number", "x-mcp-header": "A"}}, {("a",): "A"}),
        ({"x-mcp-header": {"type": "string"}}, {}),
        ({"a": {"type": "string", "x-mcp-header": "A b"}}, {}),
        ({"a": {"type": "string", "x-mcp-header": ""}}, {}),
        ({"a": {"type": "string", "x-mcp-header": 1}}, {}),
        ({"a": {"type": "object", "x-mcp-header": "A"}}, {}),
        ({"a": {"x-mcp-header": "A"}}, {}),
        ({"a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "string", "x-mcp-header": "a"}}, {}),
        ({"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}}, {}),
        ({"a": {"anyOf": [{"type": "string", "x-mcp-header": "A"}]}, "b": {"type": "string", "x-mcp-header": "B"}}, {}),
        ({"a": {"$defs": {"d": {"properties": {"e": {"type": "string", "x-mcp-header": "A"}}}}}}, {}),
        (None, {}),
    ],
)
def test_one_mark_that_breaks_the_rules_makes_all_of_a_tool_void(properties: Any, tokens: Any) -> None:
    """Spec: a client drops such a tool; who calls it all the same is not asked for headers (both official servers)."""
    assert mirrors_of({"type": "object", "properties": properties}) == tokens
