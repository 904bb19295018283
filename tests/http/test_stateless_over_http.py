"""The stateless revision (2026-07-28) over HTTP: POST only, mirrored headers, disconnects (PROTOCOL 2.4; issue 6)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcpmock.errors import MockFailure
from tests.http.client import QUIET, call, mock_of, web
from tests.session.dialogue import recorded

pytestmark = [pytest.mark.anyio, QUIET]

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
VERSION = "io.modelcontextprotocol/protocolVersion: '2026-07-28'"
ADD = f"> {{id: 1, method: tools/call, params: {{name: add, arguments: {{a: 1}}, _meta: {{{VERSION}}}}}}}\n"
CASSETTE = recorded(ADD + "< {id: 1, result: {resultType: complete, sum: 1}}")
ADDED = {"id": 1, "result": {"resultType": "complete", "sum": 1}}
HEADERS = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "add"}


def enveloped(name: str = "add", live_id: object = 1, **arguments: Any) -> dict[str, Any]:
    """A call with what each request of this revision carries."""
    body = call(name, live_id, **arguments)
    return {**body, "params": {**body["params"], "_meta": META}}


async def test_a_mirrored_request_is_answered_without_a_session(tmp_path: Path, over: str) -> None:
    """Spec: every request is self-contained; no session id is minted or echoed."""
    with mock_of(tmp_path, CASSETTE, allow_playback_repeats=True) as mock:
        async with web(mock, over) as client:
            response = await client.post(enveloped(a=1), **HEADERS, mcp_session_id="mine")
            assert response.status_code == 200
            assert "mcp-session-id" not in response.headers
            assert await client.answer(enveloped(live_id="x", a=1), **HEADERS) == {**ADDED, "id": "x"}


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"mcp_name": "sub"}, -32020),
        ({"mcp_method": "tools/list"}, -32020),
        ({"mcp_protocol_version": "2025-11-25"}, -32020),
        ({"mcp_name": "add, add"}, -32020),
    ],
)
async def test_headers_that_mirror_something_else_are_refused(
    tmp_path: Path, over: str, changed: dict[str, str], code: int
) -> None:
    """Spec: HTTP 400 with the JSON-RPC error, under the id of the request."""
    with mock_of(tmp_path, CASSETTE) as mock:
        async with web(mock, over) as client:
            response = await client.post(enveloped(a=1), **{**HEADERS, **changed})
            assert (response.status_code, response.json()["id"], response.json()["error"]["code"]) == (400, 1, code)


async def test_a_version_that_is_not_spoken_is_refused(tmp_path: Path, over: str) -> None:
    """PROTOCOL 4.5: -32022 with `supported`, HTTP 400; so is a handshake."""
    body = enveloped(a=1)
    body["params"]["_meta"] = {**META, "io.modelcontextprotocol/protocolVersion": "2027-01-15"}
    shake = {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
    with pytest.raises(MockFailure), mock_of(tmp_path, CASSETTE) as mock:
        async with web(mock, over) as client:
            refused = [await client.post(body, **{**HEADERS, "mcp_protocol_version": "2027-01-15"})]
            refused.append(await client.post(shake))
            for response in refused:
                assert (response.status_code, response.json()["error"]["code"]) == (400, -32022)
                assert response.json()["error"]["data"]["supported"] == ["2026-07-28"]


async def test_who_says_the_revision_in_the_header_alone_is_told_what_is_missing(tmp_path: Path, over: str) -> None:
    """Spec: HTTP 400 and -32602 under the id of the request; a notification is dropped."""
    with mock_of(tmp_path, CASSETTE) as mock:
        async with web(mock, over) as client:
            response = await client.post(call("add", 7, a=1), **HEADERS)
            assert (response.status_code, response.json()["id"], response.json()["error"]["code"]) == (400, 7, -32602)
            dropped = await client.post({"method": "notifications/x"}, mcp_protocol_version="2026-07-28")
            assert dropped.status_code == 202
            assert await client.answer(enveloped(a=1), **HEADERS) == ADDED


async def test_what_was_refused_is_refused_in_the_recorded_words(tmp_path: Path, over: str) -> None:
    """Ours: a bare request, a version, and what the headers of a sound one were refused for, which is not recorded."""
    bare = "> {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}\n"
    said = "- {server: {id: 1, error: {code: -32602, message: theirs}}, http: {status: 400}}\n"
    lied = ADD + said.replace("-32602", "-32020")
    cassette = recorded(bare + said + lied + ADD + "< {id: 1, result: {resultType: complete, sum: 1}}")
    with mock_of(tmp_path, cassette, allow_unplayed=False) as mock:
        async with web(mock, over) as client:
            assert await client.answer(enveloped(a=1), **HEADERS) == ADDED
            response = await client.post(call("add", a=1), **HEADERS)
            assert (response.status_code, response.json()["error"]["message"]) == (400, "theirs")
            response = await client.post(enveloped(a=1), **{**HEADERS, "mcp_name": "sub"})
            assert (response.status_code, response.json()["error"]["code"]) == (400, -32020)
        assert mock.misses == []


async def test_a_notification_needs_no_mirrors_and_cancels_nothing(tmp_path: Path, over: str) -> None:
    """Spec: for notifications the headers are left open (the TypeScript SDK sends none); a disconnect is the cancel."""
    cancel = {"method": "notifications/cancelled", "params": {"requestId": 1, "_meta": META}}
    with mock_of(tmp_path, CASSETTE) as mock:
        async with web(mock, over) as client:
            assert (await client.post(cancel)).status_code == 202
            assert await client.answer(enveloped(a=1), **HEADERS) == ADDED


@pytest.mark.parametrize("verb", ["GET", "DELETE"])
async def test_there_is_nothing_but_post(tmp_path: Path, over: str, verb: str) -> None:
    """Spec: GET and DELETE are answered 405."""
    with mock_of(tmp_path, CASSETTE) as mock:
        async with web(mock, over) as client:
            response = await client.http.request(verb, client.url, headers={"accept": "text/event-stream"})
            assert response.status_code == 405


async def test_an_unknown_method_is_not_found(tmp_path: Path, over: str) -> None:
    """PROTOCOL 2.4: HTTP 404 with -32601; what this revision has no more is unknown to it."""
    with mock_of(tmp_path, CASSETTE) as mock:
        async with web(mock, over) as client:
            headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "ping"}
            response = await client.post({"id": 3, "method": "ping", "params": {"_meta": META}}, **headers)
            assert (response.status_code, response.json()["error"]["code"]) == (404, -32601)


async def test_a_subscription_is_refused_with_the_recorded_status(tmp_path: Path, over: str) -> None:
    """Ours (issue 6): the TypeScript SDK's server, once it has closed its subscriptions, says 500, not 200."""
    listen = f"> {{id: 1, method: subscriptions/listen, params: {{_meta: {{{VERSION}}}, notifications: {{}}}}}}\n"
    refused = "- {server: {id: 1, error: {code: -32603, message: Internal server error}}, http: {status: 500}}"
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "subscriptions/listen"}
    body = {**enveloped(live_id=7), "method": "subscriptions/listen", "params": {"_meta": META, "notifications": {}}}
    with mock_of(tmp_path, recorded(ADD + "< {id: 1, result: {}}\n" + listen + refused)) as mock:
        async with web(mock, over) as client:
            response = await client.post(body, **headers)
            assert (response.status_code, response.json()["id"]) == (500, 7)
