"""A server with a handshake, asked without one (2026-07-28): HTTP tells it in the words in which it refused that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcpmock.errors import MockFailure
from tests.http.client import QUIET, mock_of, web
from tests.http.test_stateless_over_http import ADD, HEADERS, enveloped
from tests.session.dialogue import recorded

pytestmark = [pytest.mark.anyio, QUIET]

SHAKE = """\
> {id: 0, method: initialize, params: {protocolVersion: "2025-11-25", capabilities: {}}}
< {id: 0, result: {protocolVersion: "2025-11-25", capabilities: {}, serverInfo: {name: s, version: "1"}}}
"""
BARE = "> {id: 1, method: tools/call, params: {name: sub, arguments: {a: 1}}}\n< {id: 1, result: {sum: 1}}\n"


def refused(message: str) -> str:
    """A call that was refused so."""
    error = f'{{jsonrpc: "2.0", id: null, error: {{code: -32000, message: {message}}}}}'
    return f"{ADD}- http: {{post: 400, type: application/json, body: {error}}}\n"


async def told(client: Any, name: str = "add") -> tuple[int, str]:
    """How a call without a handshake is refused."""
    response = await client.post(enveloped(name, a=1), **{**HEADERS, "mcp_name": name})
    return response.status_code, response.json()["error"]["message"]


async def test_it_is_told_as_often_as_it_was_asked(tmp_path: Path, over: str) -> None:
    """Issue 6: every verdict as it was; the last again."""
    with mock_of(tmp_path, recorded(refused("one") + refused("two") + SHAKE)) as mock:
        async with web(mock, over) as client:
            assert [await told(client) for _ in range(3)] == [(400, "one"), (400, "two"), (400, "two")]
        assert mock.misses == []


async def test_what_only_a_client_with_a_handshake_asked_is_told_to_no_other(tmp_path: Path, over: str) -> None:
    """PROTOCOL 4.5: what was recorded bare is refused, in our words, so that the client falls back."""
    with pytest.raises(MockFailure), mock_of(tmp_path, recorded(refused("one") + SHAKE + BARE)) as mock:
        async with web(mock, over) as client:
            assert await told(client, "sub") == (400, "Bad Request: Missing session ID")
