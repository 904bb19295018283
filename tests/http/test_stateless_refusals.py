"""What a recorded server said to headers that do not mirror their request, and to `_meta` that is broken (2026-07-28).

The recording keeps the headers that were odd (`sent:`), so that a replay tells such requests from sound ones.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.showing.selfcheck import selfcheck
from tests.http.client import QUIET, mock_of, web
from tests.http.test_stateless_over_http import ADD, ADDED, HEADERS, META, enveloped
from tests.session.dialogue import recorded

pytestmark = [pytest.mark.anyio, QUIET]

DONE: Final = "< {id: 1, result: {resultType: complete, sum: 1}}\n"
MARKED: Final = (
    "{name: add, inputSchema: {properties: {a: {type: integer, x-mcp-header: A}, b: {type: integer, x-mcp-header: B}}}}"
)
LIST: Final = f"""\
> {{id: 0, method: tools/list, params: {{_meta: {{io.modelcontextprotocol/protocolVersion: "2026-07-28"}}}}}}
< {{id: 0, result: {{resultType: complete, ttlMs: 0, cacheScope: private, tools: [{MARKED}]}}}}
"""

OLDER: Final = 'mcp-protocol-version: "2025-11-25"'


def refused(sent: str, code: int = -32020, message: str = "theirs") -> str:
    """A call that was refused for its headers."""
    said = f"{{id: 1, error: {{code: {code}, message: {message}}}}}"
    return f"{ADD}- {{server: {said}, http: {{status: 400, sent: {sent}}}}}\n"


async def said(client: Any, body: dict[str, Any] | None = None, **headers: str) -> tuple[int, Any]:
    """The status and the code of the error for a call; 0 where there is none."""
    response = await client.post(body or enveloped(a=1), **{name: one for name, one in headers.items() if one})
    is_stream = response.headers["content-type"].startswith("text/event-stream")
    return response.status_code, 0 if is_stream else response.json().get("error", {}).get("code", 0)


async def test_headers_that_were_refused_are_refused_in_the_same_words_and_sound_ones_are_served(
    tmp_path: Path, over: str
) -> None:
    """Issue 6: every verdict as it was; a refusal uses up no sound request, however often, and is used up by none."""
    cassette = recorded(refused("{mcp-protocol-version: null}", -32600) + ADD + DONE)
    assert selfcheck(load(cassette.encode())) == []
    without = {**HEADERS, "mcp_protocol_version": ""}
    with mock_of(tmp_path, cassette, allow_unplayed=False) as mock:
        async with web(mock, over) as client:
            assert [await said(client, **without) for _ in range(3)] == [(400, -32600)] * 3
            assert await client.answer(enveloped(a=1), **HEADERS) == ADDED
            assert await said(client, **without) == (400, -32600)
            assert await said(client, **{**HEADERS, "mcp_name": "sub"}) == (400, -32020), "nobody recorded that"
        assert mock.misses == []


async def test_of_equal_flaws_the_refusal_of_the_very_same_request_is_played(tmp_path: Path, over: str) -> None:
    """Ours: servers have other words for a `_meta` that is no object than for one that is empty."""
    ask = "> {id: 1, method: tools/list, params: {_meta: %s}}\n"
    answer = "- {server: {id: 1, error: {code: -32602, message: %s}}, http: {status: 400}}\n"
    first, second = ask % 5 + answer % "no object", ask % "{}" + answer % "empty"
    with mock_of(tmp_path, recorded(ADD + DONE + first + second)) as mock:
        async with web(mock, over) as client:
            for meta, told in (({}, "empty"), (5, "no object"), ({}, "empty")):
                body = {"id": 1, "method": "tools/list", "params": {"_meta": meta}}
                response = await client.post(body, mcp_protocol_version="2026-07-28", mcp_method="tools/list")
                assert response.json()["error"]["message"] == told


async def test_what_was_served_for_its_other_version_tolerates_nothing(tmp_path: Path, over: str) -> None:
    """Ours: in a session with a handshake servers believe the header, and do not look at others; those are needed."""
    served = f"{ADD}- {{server: {{id: 1, result: {{}}}}, http: {{sent: {{mcp-method: null, {OLDER}}}}}}}\n"
    entries = recorded(served + refused("{mcp-method: null}") + ADD + DONE)
    cassette = entries.replace("-\n  entries:", "- transport: streamable_http\n  entries:", 1)
    with mock_of(tmp_path, cassette) as mock:
        async with web(mock, over) as client:
            assert await said(client, **{**HEADERS, "mcp_method": ""}) == (400, -32020)
            assert await client.answer(enveloped(a=1), **HEADERS) == ADDED


async def test_who_takes_streams_only_gets_what_the_like_has_got(tmp_path: Path, over: str) -> None:
    """HT-08: the recorded server answered in JSON all the same; where nobody asked so a stream comes."""
    asked = "- {server: {id: 1, result: {sum: 1}}, http: {answers: json, sent: {accept: text/event-stream}}}\n"
    only = {**HEADERS, "accept": "text/event-stream"}
    for cassette, media in ((ADD + asked, "application/json"), (ADD + DONE, "text/event-stream")):
        with mock_of(tmp_path, recorded(cassette)) as mock:
            async with web(mock, over) as client:
                response = await client.post(enveloped(a=1), **only)
                assert response.headers["content-type"] == media


async def test_a_flaw_is_told_whatever_the_request(tmp_path: Path, over: str) -> None:
    """Ours: servers look at headers before anything else; what they say to a method they do not know is no miss."""
    cassette = recorded(refused("{mcp-protocol-version: null}", -32600) + ADD + DONE)
    with mock_of(tmp_path, cassette) as mock:
        async with web(mock, over) as client:
            listing = {"id": 1, "method": "tools/list", "params": {"_meta": META}}
            assert await said(client, listing, mcp_method="tools/list") == (400, -32600)
        assert mock.misses == []


async def test_of_several_refusals_that_with_most_in_common_is_played(tmp_path: Path, over: str) -> None:
    """Issue 6: a request without a method was refused in other words than one without a version, too."""
    both = refused("{mcp-method: null, mcp-protocol-version: null}", -32600)
    cassette = recorded(refused("{mcp-method: null}") + both + ADD + DONE)
    with mock_of(tmp_path, cassette) as mock:
        async with web(mock, over) as client:
            assert await said(client, **{**HEADERS, "mcp_method": ""}) == (400, -32020)
            assert await said(client, mcp_name="add") == (400, -32600)


async def test_what_lacks_in_meta_is_told_before_what_is_odd_in_headers(tmp_path: Path, over: str) -> None:
    """PROTOCOL 2.4: the order in which the official servers look."""
    null = refused("{mcp-protocol-version: '2026-07-28'}").replace(
        "protocolVersion: '2026-07-28'", "protocolVersion: null", 1
    )
    bare = "> {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}\n"
    lacking = "- {server: {id: 1, error: {code: -32602, message: lacks}}, http: {status: 400}}\n"
    with mock_of(tmp_path, recorded(null + bare + lacking + ADD + DONE)) as mock:
        async with web(mock, over) as client:
            body = enveloped(a=1)
            del body["params"]["_meta"]
            assert await said(client, body, **HEADERS) == (400, -32602)


@pytest.mark.parametrize(
    ("recorded_as", "headers", "verdict"),
    [
        ("{mcp-param-b: '5'}", {"mcp_param_b": "5"}, (400, -32020)),  # to the letter
        ("{mcp-param-b: '5'}", {"mcp_param_b": "6"}, (400, -32020)),  # of the same kind
        ("{mcp-param-b: '5'}", {}, (200, 0)),
        ("{mcp-param-b: '5'}", {"mcp_param_c": "5"}, (200, 0)),  # that mirrors nothing at all
        ("{mcp-name: sub}", {"mcp_param_b": "5"}, (200, 0)),  # neither refused by the specification nor by this server
        ("{mcp-param-a: '1.0'}", {"mcp_param_a": "1.0"}, (400, -32020)),  # equal by value, and refused all the same
        ("{mcp-name: sub}", {"mcp_param_a": "1.0"}, (200, 0)),
    ],
)
async def test_what_the_specification_leaves_open_is_as_it_was_recorded(
    tmp_path: Path, over: str, recorded_as: str, headers: dict[str, str], verdict: tuple[int, int]
) -> None:
    """PROTOCOL 2.4: one official server refuses a header whose argument is not there, the other does not look at it."""
    cassette = recorded(LIST + refused(recorded_as) + ADD + DONE)
    with mock_of(tmp_path, cassette) as mock:
        async with web(mock, over) as client:
            assert await said(client, **{**HEADERS, "mcp_param_a": "1", **headers}) == verdict


async def test_headers_that_were_tolerated_are_tolerated(tmp_path: Path, over: str) -> None:
    """Issue 6: as it was recorded, though the specification wants a refusal; what else is wrong is refused."""
    served = "- {server: {id: 1, result: {resultType: complete, sum: 1}}, http: {sent: {mcp-method: null}}}\n"
    with mock_of(tmp_path, recorded(ADD + served), allow_playback_repeats=True) as mock:
        async with web(mock, over) as client:
            assert await said(client, **{**HEADERS, "mcp_method": ""}) == (200, 0)
            assert await said(client, **HEADERS) == (200, 0)
            assert await said(client, **{**HEADERS, "mcp_method": "", "mcp_name": "sub"}) == (400, -32020)
            assert await said(client, **{**HEADERS, "mcp_method": "tools/list"}) == (400, -32020)


@pytest.mark.parametrize("kept", ["~secret.token.1~", "~var.home~/a", "=?base64?fnNlY3JldC50b2tlbi4xfg==?="])
async def test_what_was_tolerated_is_so_where_a_secret_was_masked(tmp_path: Path, over: str, kept: str) -> None:
    """Issue 6: live ones hold the secret itself, and were refused."""
    served = (
        f'- {{server: {{id: 1, result: {{resultType: complete, sum: 1}}}}, http: {{sent: {{mcp-name: "{kept}"}}}}}}\n'
    )
    with mock_of(tmp_path, recorded(ADD + served), allow_playback_repeats=True) as mock:
        async with web(mock, over) as client:
            assert await said(client, **{**HEADERS, "mcp_name": "hunter2"}) == (200, 0)
            assert await said(client, **{**HEADERS, "mcp_name": ""}) == (400, -32020)
            assert await said(client, **{**HEADERS, "mcp_method": "hunter2"}) == (400, -32020)


async def test_a_header_may_be_written_in_letters_that_only_utf_8_has(tmp_path: Path, over: str) -> None:
    """Ours: who wrote one by hand got a traceback."""
    with mock_of(tmp_path, recorded(refused("{mcp-name: 日本}") + ADD + DONE)) as mock:
        async with web(mock, over) as client:
            assert await said(client, **{**HEADERS, "mcp_name": "sub"}) == (400, -32020)
            assert await client.answer(enveloped(a=1), **HEADERS) == ADDED


@pytest.mark.parametrize("left", ["", "- {http: {aborted: client}, in: 1}\n"])
async def test_a_cancel_that_was_refused_for_its_headers_is_refused(tmp_path: Path, over: str, left: str) -> None:
    """Ours (tmcp): a client that ends a subscription tells so in a notification without mirrors, and saw it refused;
    in a replay it was accepted."""
    about = "{_meta: {io.modelcontextprotocol/subscriptionId: 1}, notifications: {}}"
    listen = ADD.replace("tools/call", "subscriptions/listen", 1)
    listen += f"< {{method: notifications/subscriptions/acknowledged, params: {about}}}\n"
    cancel = f"> {{method: notifications/cancelled, params: {{requestId: 1, _meta: {json.dumps(META)}}}}}\n"
    error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"theirs"}}'
    refusal = f"- http: {{post: 400, type: application/json, sent: {{mcp-method: null}}, body: {error}}}\n"
    cassette = recorded(listen + left + cancel + refusal + ADD.replace("id: 1", "id: 2") + DONE.replace("1", "2", 1))
    assert selfcheck(load(cassette.encode())) == []
    body = {"method": "notifications/cancelled", "params": {"requestId": 7, "_meta": META}}
    with mock_of(tmp_path, cassette) as mock:
        async with web(mock, over) as client:
            for _ in range(2):
                response = await client.post(body)
                assert (response.status_code, response.text) == (400, error)  # clients show it as it came
            assert (await client.post(body, mcp_method="notifications/cancelled")).status_code == 202
            assert await said(client, **HEADERS) == (200, 0)


async def test_an_accept_that_was_refused_is_refused_to_the_letter(tmp_path: Path, over: str) -> None:
    """Ours: servers look at it in many ways, and a replay takes what it can (case HT-08)."""
    fact = "- http: {post: 406, sent: {accept: application/json}}\n"
    with mock_of(tmp_path, recorded(ADD + fact + ADD + DONE), allow_unplayed=False) as mock:
        async with web(mock, over) as client:
            for _ in range(2):
                assert (await client.post(enveloped(a=1), **HEADERS, accept="application/json")).status_code == 406
            assert await said(client, **HEADERS, accept="text/html") == (200, 0)


@pytest.mark.parametrize(
    ("member", "broken", "other"),
    [("clientCapabilities", "[]", []), ("clientInfo", "{name: x}", {"name": "y"}), ("logLevel", "loud", "quiet")],
)
async def test_a_broken_meta_that_was_refused_is_no_answer_to_a_sound_request(
    tmp_path: Path, over: str, member: str, broken: str, other: Any
) -> None:
    """Issue 6: it answered sound requests in a replay; others with the same member broken are refused, too."""
    key = f"io.modelcontextprotocol/{member}"
    able = "" if member == "clientCapabilities" else "io.modelcontextprotocol/clientCapabilities: {}, "
    lame = ADD.replace("_meta: {", f"_meta: {{{able}{key}: {broken}, ", 1)
    error = "- {server: {id: 1, error: {code: -32602, message: broken}}, http: {status: 400}}\n"
    with mock_of(tmp_path, recorded(lame + error + ADD + DONE), allow_unplayed=False) as mock:
        async with web(mock, over) as client:
            assert await said(client, **HEADERS) == (200, 0)
            body = enveloped(a=1)
            body["params"]["_meta"] = {**META, key: other}
            assert await said(client, body, **HEADERS) == (400, -32602)


@pytest.mark.parametrize("live_id", ["null", "true", "1.5"])
async def test_a_request_refused_for_its_id_is_no_answer_to_a_sound_one(
    tmp_path: Path, over: str, live_id: str
) -> None:
    """RP-04, of both sides: such a refusal answered the next sound request."""
    lame = ADD.replace("id: 1", f"id: {live_id}", 1)
    error = '- http: {post: 400, type: application/json, body: {jsonrpc: "2.0", id: null, error: {code: -32600}}}\n'
    cassette = recorded(lame + error + ADD + DONE)
    assert selfcheck(load(cassette.encode())) == []
    with mock_of(tmp_path, cassette, allow_unplayed=False) as mock:
        async with web(mock, over) as client:
            assert await said(client, **HEADERS) == (200, 0)
            assert await said(client, enveloped(live_id=1.5, a=1), **HEADERS) == (400, -32600)


@pytest.mark.parametrize("body", [b"{nope", b"", b'{"a":"\xff"}'])
async def test_what_is_no_json_is_told_so(tmp_path: Path, over: str, body: bytes) -> None:
    """Spec: -32700 with HTTP 400; it was told that its version was none of those with a handshake."""
    with mock_of(tmp_path, recorded(ADD + DONE)) as mock:
        async with web(mock, over) as client:
            response = await client.http.post(client.url, content=body, headers={"mcp-protocol-version": "2026-07-28"})
            assert (response.status_code, response.json()["error"]["code"]) == (400, -32700)


@pytest.mark.parametrize("body", [[{"id": 1, "method": "ping"}], {"id": 1, "result": {}}])
async def test_a_post_holds_one_request_or_notification(tmp_path: Path, over: str, body: Any) -> None:
    """PROTOCOL 2.4: batches and answers are refused, -32600 with HTTP 400."""
    with mock_of(tmp_path, recorded(ADD + DONE)) as mock:
        async with web(mock, over) as client:
            response = await client.http.post(client.url, json=body, headers={"mcp-protocol-version": "2026-07-28"})
            assert (response.status_code, response.json()["error"]["code"]) == (400, -32600)


@pytest.mark.parametrize(
    ("fact", "body", "allow"),
    [
        ("- http: {get: 405, headers: {allow: POST}}\n", b"", "POST"),
        ("- http: {get: 405, type: text/plain, body: no}\n", b"no", "POST, OPTIONS"),
        ("- http: {get: 400}\n- http: {get: 405, headers: {allow: POST}}\n", b"", "POST"),
    ],
)
async def test_a_get_is_refused_as_it_was(tmp_path: Path, over: str, fact: str, body: bytes, allow: str) -> None:
    """Spec: 405; RFC 9110 wants `Allow` with it."""
    with mock_of(tmp_path, recorded(ADD + DONE + fact)) as mock:
        async with web(mock, over) as client:
            response = await client.http.get(client.url, headers={"mcp-protocol-version": "2026-07-28"})
            assert (response.status_code, response.content, response.headers["allow"]) == (405, body, allow)


async def test_a_handshake_without_a_session_leaves_the_stateless_ones_alone(tmp_path: Path, over: str) -> None:
    """Ours (DESIGN 4, "Sessions"): a server of both eras may give out no ids in either; its calls became misses."""
    hello = '> {id: 0, method: initialize, params: {protocolVersion: "2025-11-25"}}\n'
    told = '< {id: 0, result: {protocolVersion: "2025-11-25"}}\n'
    modern = recorded(ADD + DONE).replace(
        "  entries:", "  transport: streamable_http\n  http: {session: false}\n  entries:"
    )
    legacy = recorded(hello + told).replace(
        "  entries:", "  transport: streamable_http\n  http: {session: false}\n  entries:"
    )
    with mock_of(tmp_path, modern + legacy.partition("sessions:\n")[2]) as mock:
        async with web(mock, over) as client:
            await client.answer({"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}})
            assert await client.answer(enveloped(a=1), **HEADERS) == ADDED
