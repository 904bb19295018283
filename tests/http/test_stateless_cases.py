"""Cases under versions and lists over HTTP, and how a server ends a subscription there (issue 6; PROTOCOL 2.4)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.http.client import QUIET, call, mock_of, session, web
from tests.session.dialogue import recorded
from tests.session.http_talk import STREAM, Talk

pytestmark = [pytest.mark.anyio, QUIET]

KEY: Final = "io.modelcontextprotocol/"
META: Final = {f"{KEY}protocolVersion": "2026-07-28", f"{KEY}clientCapabilities": {"elicitation": {}}}
YAML_META: Final = f"_meta: {json.dumps(META)}"
MIRRORS: Final = {"mcp_protocol_version": "2026-07-28"}

LISTED: Final = "> {id: 1, method: tools/list}\n< {id: 1, result: {tools: [%s]}}\n"
CHANGED: Final = {"method": "notifications/tools/list_changed"}


def enveloped(method: str, live_id: object = 1, **params: Any) -> dict[str, Any]:
    """A request with what each of this revision carries."""
    return {"id": live_id, "method": method, "params": {**params, "_meta": META}}


def mirrored(method: str, name: str = "") -> dict[str, str]:
    """The headers of a request."""
    return {**MIRRORS, "mcp_method": method, **({"mcp_name": name} if name else {})}


@pytest.mark.parametrize("stream", ["POST", "GET"])
async def test_sc_05_a_change_of_a_list_comes_on_the_stream_on_which_it_was_recorded(
    tmp_path: Path, over: str, stream: str
) -> None:
    """SC-05: the first list until the call that changed it has been played, then the second."""
    on_get = "- {http: {get: stream}, label: get}\n" if stream == "GET" else ""
    changes = "> {id: 2, method: tools/call, params: {name: add, arguments: {}}}\n"
    told = "< {method: notifications/tools/list_changed}\n< {id: 2, result: {}}\n"
    cassette = session(on_get + LISTED % "{name: add}" + changes + told + LISTED % "{name: add}, {name: x}")
    if stream == "GET":
        cassette = cassette.replace("list_changed}\n", "list_changed}\n    in: get\n")
    asked: dict[str, Any] = {"id": 7, "method": "tools/list"}
    with mock_of(tmp_path, cassette) as mock:
        async with web(mock, over) as client:
            await client.shake()
            async with client.listen() as standing:
                for _ in range(2):
                    assert (await client.answer(asked))["result"] == {"tools": [{"name": "add"}]}
                heard = await client.ask(call("add", 8))
                assert heard == [*([CHANGED] if stream == "POST" else []), {"id": 8, "result": {}}]
                if stream == "GET":
                    assert await standing.message() == CHANGED
                assert (await client.answer(asked))["result"] == {"tools": [{"name": "add"}, {"name": "x"}]}


async def test_pv_02_no_handshake_no_session_and_what_is_not_mirrored_is_refused(tmp_path: Path, over: str) -> None:
    """PV-02: works without a session; -32022 for a version, -32020 for a header; `_meta` does not count."""
    asked = f"> {{id: 1, method: tools/call, params: {{name: x, arguments: {{}}, {YAML_META}}}}}\n"
    with mock_of(tmp_path, recorded(asked + "< {id: 1, result: {resultType: complete, content: []}}\n")) as mock:
        async with web(mock, over) as client:
            probe = await client.answer(enveloped("server/discover"), **mirrored("server/discover"))
            assert probe["result"]["supportedVersions"] == ["2026-07-28"]
            request = enveloped("tools/call", 5, name="x", arguments={})
            refused = await client.post(request, **mirrored("tools/call", "y"))
            assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32020)
            other = {**META, f"{KEY}clientInfo": {"name": "other", "version": "9"}, "traceparent": "00-1"}
            response = await client.post(
                {**request, "params": {**request["params"], "_meta": other}}, **mirrored("tools/call", "x")
            )
            assert (response.status_code, "mcp-session-id" in response.headers) == (200, False)
            assert mock.misses == []


def test_pv_02_a_recording_needs_no_message_first() -> None:
    """PV-02: a probe without `_meta` and a method that nobody knows are kept, and so is what follows."""
    talk = Talk()
    probe = {"id": 1, "method": "server/discover", "params": {}}
    talk.answer(talk.post(probe, session=""), {"id": 1, "error": {"code": -32600, "message": "Missing session"}}, 400)
    for number, method in ((2, "tools/call"), (3, "vendor/new")):
        answer = {"id": number, "result": {"resultType": "complete"}}
        talk.answer(talk.post(enveloped(method, number, name="x"), session=""), answer)
    talk.close()
    recorded_all = "".join(talk.entries(number) for number in range(len(talk.recording.sessions)))
    assert [method in recorded_all for method in ("server/discover", "tools/call", "vendor/new")] == [True] * 3


ROUND: Final = f"name: book, arguments: {{x: 1}}, {YAML_META}"
ASKS: Final = {"who": {"method": "elicitation/create", "params": {"message": "who", "requestedSchema": {}}}}
STATE: Final = "abc+/=-_." * 50
ACCEPTED: Final = "{action: accept}"
ROUNDS: Final = f"""
> {{id: 1, method: tools/call, params: {{{ROUND}}}}}
< {{id: 1, result: {{resultType: input_required, inputRequests: {json.dumps(ASKS)}, requestState: "{STATE}"}}}}
> {{id: 2, method: tools/call, params: {{{ROUND}, inputResponses: {{who: {ACCEPTED}}}, requestState: "{STATE}"}}}}
< {{id: 2, result: {{resultType: complete, content: [final]}}}}
"""


async def test_pv_03_the_second_call_gets_the_final_result(tmp_path: Path, over: str) -> None:
    """PV-03: the state and the answers tell the rounds apart; the state is handed out whole."""
    asked: dict[str, Any] = {"name": "book", "arguments": {"x": 1}}
    with mock_of(tmp_path, recorded(ROUNDS), allow_unplayed=False) as mock:
        async with web(mock, over) as client:
            first = await client.answer(enveloped("tools/call", 1, **asked), **mirrored("tools/call", "book"))
            assert first["result"] == {
                "resultType": "input_required",
                "inputRequests": ASKS,
                "requestState": STATE,
            }
            given = {"inputResponses": {"who": {"action": "decline"}}, "requestState": STATE}
            again = enveloped("tools/call", 2, **asked, **given)
            last = await client.answer(again, **mirrored("tools/call", "book"))
            assert last["result"] == {"resultType": "complete", "content": ["final"]}


SUB: Final = f"{KEY}subscriptionId"


def stamped(number: object, method: str, **params: Any) -> dict[str, Any]:
    """A notification on a subscription."""
    return {"method": method, "params": {"_meta": {SUB: number}, **params}}


def test_a_subscription_that_the_server_ends_is_recorded_with_its_end() -> None:
    """Spec (2026-07-28): the result, and then the stream is closed; that it is closed needs no entry."""
    talk = Talk()
    wanted = {"toolsListChanged": True}
    one = talk.post(enveloped("subscriptions/listen", "l", notifications=wanted), session="")
    talk.head(one, 200, STREAM)
    talk.event(one, stamped("l", "notifications/subscriptions/acknowledged", notifications=wanted))
    talk.answer(talk.post(enveloped("tools/call", 2, name="x"), session=""), {"id": 2, "result": {}})
    talk.event(one, {"id": "l", "result": {"resultType": "complete", "_meta": {SUB: "l"}}})
    talk.end(one)
    talk.close()
    entries = talk.entries()
    assert "id: l" in entries
    assert "closed" not in entries


async def test_a_subscription_ends_as_the_server_ended_it_once_its_cause_has_come(tmp_path: Path, over: str) -> None:
    """Spec (2026-07-28): the result carries the live id with its type, and is the last on the stream."""
    listen = f"notifications: {{toolsListChanged: true}}, {YAML_META}"
    cassette = recorded(f"""
    > {{id: l, method: subscriptions/listen, params: {{{listen}}}}}
    < {json.dumps(stamped("l", "notifications/subscriptions/acknowledged", notifications={"toolsListChanged": True}))}
    > {{id: 2, method: tools/call, params: {{name: end, arguments: {{}}, {YAML_META}}}}}
    < {{id: l, result: {{resultType: complete, _meta: {{{SUB}: l}}}}}}
    < {{id: 2, result: {{resultType: complete, content: []}}}}
    """)
    asked = enveloped("subscriptions/listen", 0, notifications={"toolsListChanged": True})
    with mock_of(tmp_path, cassette) as mock:
        async with web(mock, over) as client, client.stream(asked, **mirrored("subscriptions/listen")) as stream:
            assert (await stream.message())["method"] == "notifications/subscriptions/acknowledged"
            await client.answer(enveloped("tools/call", 2, name="end", arguments={}), **mirrored("tools/call", "end"))
            assert await stream.rest() == [{"id": 0, "result": {"resultType": "complete", "_meta": {SUB: 0}}}]
