"""What a recorded server refused before it looked what was asked (2026-07-28).

Notifications for their headers, requests that show no revision, and GETs that name none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.showing.selfcheck import selfcheck
from tests.http.client import QUIET, mock_of, web
from tests.http.test_stateless_over_http import ADD, HEADERS, META
from tests.http.test_stateless_refusals import DONE, refused, said
from tests.session.dialogue import recorded

pytestmark = [pytest.mark.anyio, QUIET]

NOTE: Final = {"method": "notifications/x", "params": {"_meta": META}}
TOLD: Final = f"> {{method: notifications/x, params: {{_meta: {META}}}}}\n"


async def test_a_notification_is_refused_for_its_headers_where_one_was(tmp_path: Path, over: str) -> None:
    """PROTOCOL 2.4 leaves open which headers a notification needs: one official server refuses those that say something
    else, the other takes them all. What was refused of a request is no refusal of a notification."""
    body = '{jsonrpc: "2.0", id: null, error: {code: -32020, message: theirs}}'
    fact = f"- http: {{post: 400, type: application/json, sent: {{mcp-method: notifications/y}}, body: {body}}}\n"
    other = {"mcp_protocol_version": "2026-07-28", "mcp_method": "notifications/y"}
    good = {**other, "mcp_method": "notifications/x"}
    for cassette, status in ((TOLD + fact + ADD + DONE, 400), (refused("{mcp-method: tools/list}") + ADD + DONE, 202)):
        assert selfcheck(load(recorded(cassette).encode())) == []
        with mock_of(tmp_path, recorded(cassette)) as mock:
            async with web(mock, over) as client:
                for headers, expected in ((good, 202), (other, status), (good, 202), (other, status)):
                    assert (await client.post(NOTE, **headers)).status_code == expected
                assert (await client.post({**NOTE, "method": "notifications/z"}, **other)).status_code == status
                assert (await client.post(NOTE, mcp_protocol_version="2026-07-28")).status_code == 202
                assert await said(client, **{**HEADERS, "mcp_method": "tools/list"}) == (400, -32020)
            assert mock.misses == []


async def test_a_request_without_a_trace_of_the_revision_is_refused_as_it_was(tmp_path: Path, over: str) -> None:
    """Issue 6: a server that takes it for one of the other era refuses it in other words than one that only lacks
    `_meta`; who has shaken hands is not refused for either."""
    bare = "> {id: 1, method: tools/list}\n"
    foreign = "- http: {post: 400, type: text/plain, body: no session}\n"
    lacking = "- {server: {id: 1, error: {code: -32602, message: lacks}}, http: {status: 400}}\n"
    hello = '> {id: 0, method: initialize, params: {protocolVersion: "2025-11-25"}}\n'
    shaken = '< {id: 0, result: {protocolVersion: "2025-11-25"}}\n'
    listed = "< {id: 1, result: {tools: []}}\n"
    modern = ADD + DONE + bare + foreign + bare + lacking
    cassette = recorded(modern, hello + shaken + bare + listed)
    assert selfcheck(load(cassette.encode())) == []
    asked = {"id": 1, "method": "tools/list"}
    with mock_of(tmp_path, recorded(modern)) as mock:
        async with web(mock, over) as client:
            assert (await client.post(asked)).text == "no session"
            assert await said(client, asked, mcp_protocol_version="2026-07-28") == (400, -32602)
            assert (await client.post(asked)).text == "no session"
    with mock_of(tmp_path, cassette) as mock:
        async with web(mock, over) as client:
            await client.shake()
            assert (await client.answer(asked))["result"] == {"tools": []}


async def test_a_get_that_names_no_revision_is_refused_as_it_was(tmp_path: Path, over: str) -> None:
    """Ours: one official server asks for a session then (400), and says 405 to who names the stateless revision."""
    facts = "- http: {get: 400}\n- http: {get: 405, headers: {allow: POST}}\n- http: {delete: 400}\n"
    with mock_of(tmp_path, recorded(ADD + DONE + facts)) as mock:
        async with web(mock, over) as client:
            for method in ("GET", "DELETE"):
                response = await client.http.request(method, client.url)
                assert response.status_code == 400


async def test_a_get_that_names_no_revision_is_refused_in_the_words_of_a_server_that_knows_but_one(
    tmp_path: Path, over: str
) -> None:
    """Issue 6: it has but one 405; ours is for who has recorded none."""
    facts = "- http: {get: 405, type: application/json, body: {error: no}, headers: {allow: POST}}\n"
    with mock_of(tmp_path, recorded(ADD + DONE + facts)) as mock:
        async with web(mock, over) as client:
            response = await client.http.get(client.url)
            assert (response.status_code, response.json(), response.headers["allow"]) == (405, {"error": "no"}, "POST")


@pytest.mark.parametrize(("facts", "status"), [("- http: {get: 400}\n", 400), ("- http: {get: 404}\n", 405), ("", 405)])
async def test_a_get_of_nobody_is_refused_as_it_was_where_others_have_streams(
    tmp_path: Path, over: str, facts: str, status: int
) -> None:
    """Case LG-02: 405 to who looks for HTTP+SSE; the official servers say 400 to a GET without a session."""
    hello = '> {id: 0, method: initialize, params: {protocolVersion: "2025-11-25"}}\n'
    shaken = '< {id: 0, result: {protocolVersion: "2025-11-25"}}\n'
    with mock_of(tmp_path, recorded(hello + shaken + "- http: {get: stream}\n" + facts)) as mock:
        async with web(mock, over) as client:
            response = await client.http.get(client.url, headers={"accept": "text/event-stream"})
            assert response.status_code == status
