"""Cases from public bug reports: Streamable HTTP, the replayer's side."""

from __future__ import annotations

from pathlib import Path

import anyio
import httpx
import pytest

from tests.http.client import LONG, QUIET, TALK, Web, call, mock_of, session, web

pytestmark = [pytest.mark.anyio, QUIET]

ADD = call("add", a=1)
ADDED = {"id": 1, "result": {"sum": 1}}


async def test_ht_02_what_is_no_request_is_accepted_without_a_body(tmp_path: Path, over: str) -> None:
    """Case HT-02: 202, nothing in it, and no type of that; for notifications, answers and errors."""
    with mock_of(tmp_path, session(TALK)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            for said in (
                {"method": "notifications/initialized"},
                {"id": 99, "result": {}},
                {"id": 99, "error": {"code": -1, "message": "no"}},
            ):
                response = await client.post(said)
                assert (response.status_code, response.content) == (202, b"")
                assert "content-type" not in response.headers


@pytest.mark.parametrize("status", [200, 204])
async def test_ht_02_another_status_is_played_as_recorded(tmp_path: Path, over: str, status: int) -> None:
    """Case HT-02: the norm says it, or an entry does."""
    entries = f"> {{method: notifications/roots/list_changed}}\n- {{http: {{post: {status}}}}}\n"
    with mock_of(tmp_path, session(entries, "{accepted: 200}")) as mock:
        async with web(mock, over) as client:
            params = {"protocolVersion": "2025-06-18", "capabilities": {}}
            response = await client.post({"id": 0, "method": "initialize", "params": params})
            client.head["mcp-session-id"] = response.headers["mcp-session-id"]
            assert (await client.post({"method": "notifications/initialized"})).status_code == 200
            assert (await client.post({"method": "notifications/roots/list_changed"})).status_code == status


async def test_ht_02_an_answer_is_accepted_as_the_recorded_one_was(tmp_path: Path, over: str) -> None:
    """Case HT-02: answers that the client posts, too; the call goes on."""
    answered = "> {id: 5, result: {roots: []}}\n"
    entries = TALK.replace(answered, f"{answered}- {{http: {{post: 400, type: text/plain, body: odd}}}}\n")
    with mock_of(tmp_path, session(entries)) as mock:
        async with web(mock, over) as client:
            await client.shake(roots={})
            async with client.stream(LONG) as stream:
                while (question := await stream.message())["method"] != "roots/list":
                    pass
                response = await client.post({"id": question["id"], "result": {"roots": []}})
                assert (response.status_code, response.text) == (400, "odd")
                assert (await stream.message())["result"] == {"text": "done"}


async def test_ht_03_a_server_without_a_standing_stream_refuses_it(tmp_path: Path, over: str) -> None:
    """Case HT-03: 405 and Allow, as recorded; the session goes on."""
    with mock_of(tmp_path, session("- {http: {get: 405}}" + TALK)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            async with client.listen() as stream:
                assert stream.response.status_code == 405
                assert "POST" in stream.response.headers["allow"]
            assert await client.answer(ADD) == ADDED


async def test_ht_03_a_standing_stream_is_held_open(tmp_path: Path, over: str) -> None:
    """Case HT-03: 200, and what was recorded while nothing was open comes on it when its time has come."""
    entries = TALK + "> {id: 3, method: tools/call, params: {name: change}}\n< {id: 3, result: {}}\n"
    changed = {"method": "notifications/message", "params": {"level": "info", "data": "changed"}}
    entries += "< {method: notifications/message, params: {level: info, data: changed}}\n"
    with mock_of(tmp_path, session(entries)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            async with client.listen() as stream:
                assert stream.response.headers["content-type"] == "text/event-stream"
                with anyio.move_on_after(0.05) as nothing:
                    await stream.message()
                assert nothing.cancelled_caught
            await client.answer(call("change"))
            async with client.listen() as stream:
                assert await stream.message() == changed


async def test_ht_03_the_stateless_revision_knows_no_get(tmp_path: Path, over: str) -> None:
    """Case HT-03: at 2026-07-28 always 405; DELETE too (HT-04)."""
    with mock_of(tmp_path, session(TALK)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            client.head["mcp-protocol-version"] = "2026-07-28"
            assert (await client.http.get(client.url, headers=client.head)).status_code == 405
            assert (await client.leave()).status_code == 405


@pytest.mark.parametrize(("recording", "status"), [("", 200), ("- {http: {delete: 204}}", 204)])
async def test_ht_04_a_session_is_ended_once(tmp_path: Path, over: str, recording: str, status: int) -> None:
    """Case HT-04: 200, or as recorded; then it is gone, and its streams end."""
    with mock_of(tmp_path, session(recording + TALK)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            async with client.listen() as stream:
                assert (await client.leave()).status_code == status
                assert await stream.message() is None
            assert (await client.leave()).status_code == 404
            assert (await client.post(ADD)).status_code == 404
            assert not mock.sessions[0].is_open
            await client.shake()
            assert await client.answer(ADD) == ADDED


async def test_ht_04_a_delete_that_was_refused_is_refused(tmp_path: Path, over: str) -> None:
    """Case HT-04: 405 with Allow; the session lives on."""
    with mock_of(tmp_path, session("- {http: {delete: 405}}" + TALK)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            response = await client.leave()
            assert response.status_code == 405
            assert "POST" in response.headers["allow"]
            assert await client.answer(ADD) == ADDED


async def test_ht_05_a_slash_at_the_end_makes_no_difference(tmp_path: Path, over: str) -> None:
    """Case HT-05: both spellings are served, without a redirect."""
    with mock_of(tmp_path, session(TALK), allow_playback_repeats=True) as mock:
        async with web(mock, over) as client:
            await client.shake()
            client.url += "/"
            assert await client.answer(ADD) == ADDED


@pytest.mark.parametrize(
    ("norm", "accept", "media"),
    [
        ("", "application/json, text/event-stream", "text/event-stream"),
        ("", "*/*", "text/event-stream"),
        ("", "", "text/event-stream"),
        ("", "Application/JSON;q=0.9", "application/json"),
        ("", "text/html", "text/event-stream"),
        ("{answers: json}", "application/json, text/event-stream", "application/json"),
        ("{answers: json}", "*/*", "application/json"),
        ("{answers: json}", "text/event-stream", "text/event-stream"),
    ],
)
async def test_ht_08_the_answer_is_as_recorded_or_as_the_client_takes_it(
    tmp_path: Path, over: str, norm: str, accept: str, media: str
) -> None:
    """Case HT-08: lenient; a client that takes only one kind gets that."""
    with mock_of(tmp_path, session(TALK, norm)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            response = await client.post(ADD, accept=accept, content_type="")
            assert response.headers["content-type"] == media
            assert b'"sum":1' in response.content


async def test_ht_08_who_takes_only_json_gets_the_rest_on_the_standing_stream(tmp_path: Path, over: str) -> None:
    """Case HT-08: JSON holds one message; progress and questions have another way."""
    with mock_of(tmp_path, session(TALK)) as mock:
        async with web(mock, over) as client, anyio.create_task_group() as group:
            await client.shake(roots={})
            answers = []

            async def ask() -> None:
                answers.append(await client.post(LONG, accept="application/json"))

            async with client.listen() as stream:
                group.start_soon(ask)
                assert (await stream.message())["params"]["progressToken"] == 7
                assert (await stream.message())["method"] == "roots/list"
                await client.post({"id": 5, "result": {"roots": []}})
        assert answers[0].json() == {"jsonrpc": "2.0", "id": 2, "result": {"text": "done"}}


async def test_ht_09_a_foreign_host_or_origin_is_told_why(tmp_path: Path) -> None:
    """Case HT-09: only names of this machine, whatever the port; only pages of this machine."""
    with mock_of(tmp_path, session(TALK)) as mock:
        async with web(mock, "url") as client:
            for host in ("localhost", "127.0.0.1:1", "[::1]:8808", "LOCALHOST:80"):
                assert (await client.post(b"", host=host)).status_code == 400
            refused = await client.post(b"", host="evil.example")
            assert (refused.status_code, "evil.example" in refused.json()["error"]["message"]) == (421, True)
            for origin in ("http://localhost:6274", "http://127.0.0.1", "http://[::1]:5173"):
                response = await client.post(b"", origin=origin)
                assert response.status_code == 400
                assert response.headers["access-control-allow-origin"] == origin
            refused = await client.post(b"", origin="https://evil.example")
            assert refused.status_code == 403
            assert "--allow-origin https://evil.example" in refused.json()["error"]["message"]


async def test_ht_10_a_new_standing_stream_takes_the_place_of_the_old(tmp_path: Path, over: str) -> None:
    """Case HT-10: the old one ends, and no client is shut out for ever by a connection that it has lost."""
    entries = "> {id: 3, method: tools/call, params: {name: change}}\n< {id: 3, result: {}}\n"
    entries += "< {method: notifications/message, params: {level: info, data: changed}}\n"
    with mock_of(tmp_path, session(entries)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            async with client.listen() as old, client.listen() as new:
                assert new.response.status_code == 200
                assert await old.message() is None
                await client.answer(call("change"))
                assert (await new.message())["params"]["data"] == "changed"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"id":1}', b"GET / HTTP/1.1\r\n\r\n"]
)
async def test_ht_10_garbage_is_a_bad_request(tmp_path: Path, over: str, body: bytes) -> None:
    """Case HT-10: 400 with a JSON-RPC error, before and in a session; nothing breaks."""
    with mock_of(tmp_path, session(TALK)) as mock:
        async with web(mock, over) as client:
            for _ in range(2):
                response = await client.post(body)
                assert response.status_code == 400
                assert response.json()["error"]["code"] in (-32700, -32600)
                await client.shake()
            assert await client.answer(ADD) == ADDED


async def test_ht_10_many_sessions_at_once(tmp_path: Path, over: str) -> None:
    """Case HT-10: from one cassette, each by itself."""
    with mock_of(tmp_path, session(TALK)) as mock:
        async with web(mock, over) as first, anyio.create_task_group() as group:

            async def talk() -> None:
                client = Web(first.http, first.url)
                await client.shake(roots={})
                async with client.stream(LONG) as stream:
                    assert (await stream.message())["method"] == "notifications/progress"
                    assert (await stream.message())["method"] == "roots/list"
                    assert await client.answer(ADD) == ADDED
                    await client.post({"id": 5, "result": {"roots": []}})
                    assert await stream.rest() == [{"id": 2, "result": {"text": "done"}}]
                await client.leave()

            for _ in range(20):
                group.start_soon(talk)
        assert len(mock.sessions) == 20
        assert mock.misses == []


@pytest.mark.parametrize("path", ["/", "/mcp?apiKey=x&read_only=true", "/a/b/mcp/?x=%2C&y=", "/v1", "/%C3%BC/mcp"])
async def test_ht_12_any_path_and_query_is_accepted(tmp_path: Path, over: str, path: str) -> None:
    """Case HT-12."""
    with mock_of(tmp_path, session(TALK)) as mock:
        async with web(mock, over) as client:
            client.url = client.url.removesuffix("/mcp") + path
            await client.shake()
            assert await client.answer(ADD) == ADDED


@pytest.mark.parametrize("end", ["{aborted: server}", "{aborted: client}"])
async def test_ht_13_what_was_broken_off_is_broken_off(tmp_path: Path, over: str, end: str) -> None:
    """Case HT-13: never served as if it were complete; the server lives on."""
    entries = "> {id: 1, method: tools/call, params: {name: long, _meta: {progressToken: 1}}}\n"
    entries += "< {method: notifications/progress, params: {progressToken: 1, progress: 1}}\n"
    entries += f"- {{http: {end}, in: 1}}\n" + "> {id: 3, method: ping}\n< {id: 3, result: {}}\n"
    with mock_of(tmp_path, session(entries)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            with pytest.raises(httpx.RemoteProtocolError):
                await client.post(LONG)
            assert await client.answer({"id": 8, "method": "ping"}) == {"id": 8, "result": {}}


async def test_ht_13_who_left_a_stream_before_its_first_event_had_its_head(tmp_path: Path, over: str) -> None:
    """Case HT-13: who looks for no more than the head, such as the session id of a handshake, finds it in a replay."""
    entries = "> {id: 1, method: tools/call, params: {name: long}}\n- {http: {aborted: client}, in: 1}\n"
    with mock_of(tmp_path, session(entries)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            async with client.stream(LONG) as stream:
                assert stream.response.status_code == 200
                with pytest.raises(httpx.RemoteProtocolError):
                    await stream.message()


async def test_ht_13_a_client_may_leave_in_the_middle(tmp_path: Path, over: str) -> None:
    """Case HT-13: that is neither a cancel nor an error; its session is still there."""
    with mock_of(tmp_path, session(TALK)) as mock:
        async with web(mock, over) as client:
            await client.shake(roots={})
            async with client.stream(LONG) as stream:
                assert (await stream.message())["method"] == "notifications/progress"
            assert await client.answer(ADD) == ADDED
            assert (await client.post({"id": 5, "result": {"roots": []}})).status_code == 202
