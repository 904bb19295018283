"""What clients are asked for only where a test wants it, and what they sent (cases HT-08, HT-12, AU-02)."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.http.client import BOTH, QUIET, call, message_text, mock_of, session, web

pytestmark = [pytest.mark.anyio, QUIET]

ADD = "> {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}\n< {id: 1, result: {sum: 1}}"
AT_A_PATH = session(ADD).replace("  entries:", "  url: https://h.example/a/b/mcp?x=1\n  entries:", 1)
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content_type": "application/json; charset=utf-8"}, 200),
        ({"content_type": "Application/JSON", "accept": "*/*"}, 200),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": ""}, 415),
        ({"content_type": "application/json", "accept": "application/json"}, 406),
        ({"content_type": "application/json", "accept": "text/event-stream"}, 406),
        ({"content_type": "application/json", "accept": ""}, 406),
    ],
)
async def test_ht_08_strict_mode_gives_406_and_415(
    tmp_path: Path, over: str, headers: dict[str, str], status: int
) -> None:
    """HT-08: lenient by default; strict mode gives 406 and 415, and says what it wants."""
    opening = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}}
    for strict in (False, True):
        with mock_of(tmp_path, session(ADD), strict_http=strict) as mock:
            async with web(mock, over) as client:
                response = await client.post(opening, **headers)
                assert response.status_code == (status if strict else 200), response.text
                assert status == 200 or not strict or "must" in response.json()["error"]["message"]


async def test_ht_08_a_get_that_takes_no_events_is_not_acceptable(tmp_path: Path, over: str) -> None:
    """HT-08: the stream of a GET is one of events."""
    with mock_of(tmp_path, session(ADD), strict_http=True) as mock:
        async with web(mock, over) as client:
            client.head["content-type"] = "application/json"
            await client.shake()
            response = await client.http.get(client.url, headers={**client.head, "accept": "application/json"})
            assert response.status_code == 406


def test_ht_12_only_the_recorded_path_is_served_where_a_test_wants_it(tmp_path: Path) -> None:
    """HT-12: any path and query by default; an option to match on the path. The mock's own URL has it then."""
    opening = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}}
    headers = {**BOTH, "content-type": "application/json"}
    for strict in (False, True):
        with mock_of(tmp_path, AT_A_PATH, strict_http=strict) as mock:
            assert mock.url.endswith("/a/b/mcp" if strict else "/mcp")
            base = mock.url.partition("/a/b")[0].removesuffix("/mcp")
            for path, fits in (("/a/b/mcp", True), ("/a/b/mcp/?trace=1", True), ("/mcp", False), ("/a/c/mcp", False)):
                response = httpx.post(f"{base}{path}", content=message_text(opening), headers=headers)
                assert response.status_code == (200 if fits or not strict else 404), path


async def test_au_02_the_headers_that_a_client_sent_can_be_asserted(tmp_path: Path, over: str) -> None:
    """AU-02: the assertion API exposes what the client sent, masked; repeated ones are joined."""
    with mock_of(tmp_path, session(ADD)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            await client.answer(call("add", a=1), authorization=f"Bearer {TOKEN}", x_tenant="7", x_empty="")
        (made,) = mock.calls("tools/call")
        assert made.headers["x-tenant"] == "7"
        assert made.headers["x-empty"] == ""
        assert made.headers["authorization"].startswith("Bearer ~secret.")
        assert TOKEN not in str(made)
