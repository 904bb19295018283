"""Cases from public bug reports: event streams, HTTP+SSE, authorization; the replayer's side."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx
import pytest

import mcpmock
from mcpmock.transports.http.streams import Bell, Events, Outlet, Reading
from tests.http.client import ANYWHERE, LONG, QUIET, Stream, Web, call, mock_of, session, web
from tests.program import SECONDS
from tests.session.dialogue import recorded

pytestmark = [pytest.mark.anyio, QUIET]

TALK = """
> {id: 1, method: tools/call, params: {name: long, _meta: {progressToken: 1}}}
< {method: notifications/progress, params: {progressToken: 1, progress: 1}}
< {id: 5, method: roots/list}
> {id: 5, result: {roots: []}}
< {method: notifications/progress, params: {progressToken: 1, progress: 2}}
< {id: 1, result: {text: done}}
"""
ROOTS = {"id": 5, "result": {"roots": []}}
RESUMABLE = "{ids: true, priming: true, retry: 20}"


def progress(number: int) -> dict[str, object]:
    """The progress of the long call."""
    return {"method": "notifications/progress", "params": {"progressToken": 7, "progress": number}}


DONE = {"id": 2, "result": {"text": "done"}}


async def test_ss_02_a_text_of_several_lines_is_several_data_lines(tmp_path: Path, over: str) -> None:
    """Case SS-02: JSON that was written over several lines is one event all the same."""
    text = '{"jsonrpc": "2.0",\n"id": 1,\r\n"result": {"n": 1e400}}'
    entries = f"> {{id: 1, method: tools/call, params: {{name: t}}}}\n- server: {json.dumps(text)}"
    with mock_of(tmp_path, session(entries)) as mock:
        async with web(mock, over) as client:
            await client.shake()
            async with client.stream(call("t")) as stream:
                event = await stream.event()
                assert event is not None
                assert b'"n":1e400' in event.data.replace(b" ", b"")
                assert await stream.event() is None
                assert stream.raw.count(b"data: ") == 3


@pytest.mark.parametrize(
    ("norm", "version"), [(RESUMABLE, "2025-06-18"), ("{ids: true}", "2025-11-25"), ("", "2025-11-25")]
)
async def test_ss_03_nobody_is_primed_who_was_not_or_cannot_be(
    tmp_path: Path, over: str, norm: str, version: str
) -> None:
    """Case SS-03: only if recorded, and only at 2025-11-25: older clients take the empty data for a message."""
    with mock_of(tmp_path, session(TALK, norm)) as mock:
        async with web(mock, over) as client:
            response = await client.shake(version)
            assert b'data: {"jsonrpc"' in response.content
            assert b"data: \n" not in response.content
            assert b"retry: " not in response.content  # it stands in what primes
            assert (b"id: " in response.content) == bool(norm)
            async with client.stream({"id": 1, "method": "ping"}) as stream:
                event = await stream.event()
                assert event is not None
                assert event.data


async def test_ss_03_a_stream_is_primed_where_it_was(tmp_path: Path, over: str) -> None:
    """Case SS-03: an id and `retry` at once, then the messages, each with an id of its own."""
    with mock_of(tmp_path, session(TALK, RESUMABLE)) as mock:
        async with web(mock, over) as client:
            response = await client.shake("2025-11-25", roots={})
            assert response.content.startswith(b"id: 1:0\nretry: 20\ndata: \n\n")
            async with client.stream(LONG) as stream:
                events = [await stream.event() for _ in range(3)]
                assert events[0] is not None
                assert (events[0].is_priming, events[0].retry) == (True, 20)
                await client.post(ROOTS)
                while (event := await stream.event()) is not None:
                    events.append(event)
            ids = [event.id for event in events if event is not None]
            assert ids == [f"3:{number}" for number in range(5)]
        assert mock.misses == []


async def test_ss_04_an_idle_stream_carries_comments() -> None:
    """Case SS-04: our own, and only while nothing comes."""

    class Quiet:
        """A session in which nothing happens."""

        next_wake = None

        def __init__(self) -> None:
            self.bell = Bell()

        def wake(self) -> None:
            """Never called."""

    outlet = Outlet("1")
    events = Events(Quiet(), outlet, lambda: None, Reading(keep_alive=0.01))
    with anyio.fail_after(SECONDS):
        assert [await anext(events), await anext(events)] == [b": keep-alive\n\n"] * 2
        outlet.put("{}")
        assert await anext(events) == b"event: message\ndata: {}\n\n"


async def test_ss_05_every_event_ends_with_an_empty_line(tmp_path: Path, over: str) -> None:
    """Case SS-05: also where the recorded stream ended without."""
    with mock_of(tmp_path, session("> {id: 1, method: tools/call, params: {name: t}}\n< {id: 1, result: {}}")) as mock:
        async with web(mock, over) as client:
            await client.shake()
            assert (await client.post(call("t"))).content.endswith(b"}\n\n")


async def test_ss_06_a_stream_is_gone_on_with_behind_an_event(tmp_path: Path, over: str) -> None:
    """Case SS-06: only that stream, only what came later, and nothing twice."""
    with mock_of(tmp_path, session(TALK, RESUMABLE)) as mock:
        async with web(mock, over) as client:
            await client.shake("2025-11-25", roots={})
            async with client.stream(LONG) as stream:
                await stream.event()
                event = await stream.event()
                assert event is not None
            async with client.listen(last_event_id=event.id or "") as rest:
                assert (await rest.message())["method"] == "roots/list"
                await client.post(ROOTS)
                assert await rest.rest() == [progress(2), DONE]
            async with client.listen(last_event_id=event.id or "") as again:
                assert len(await again.rest()) == 3


async def test_ss_06_what_comes_before_anybody_listens_can_be_asked_for_again(tmp_path: Path, over: str) -> None:
    """Case SS-06: an event that waited for the first GET has an id as those behind it have."""
    entries = "> {id: 1, method: tools/call, params: {name: change}}\n< {id: 1, result: {}}\n"
    entries += "< {method: notifications/message, params: {level: info, data: early}}\n"
    with mock_of(tmp_path, session(entries, RESUMABLE)) as mock:
        async with web(mock, over) as client:
            await client.shake("2025-11-25")
            await client.answer(call("change"))
            async with client.listen() as listening:
                event = await listening.event()
            assert event is not None
            assert b"early" in event.data
            assert event.id == "get:0"


@pytest.mark.parametrize("event_id", ["nonsense", "3", "3:x", "99:0", ":", "get:0"])
async def test_ss_06_an_unknown_id_is_a_fresh_stream(tmp_path: Path, over: str, event_id: str) -> None:
    """Case SS-06: no crash, and nothing that was sent before."""
    with mock_of(tmp_path, session(TALK, RESUMABLE)) as mock:
        async with web(mock, over) as client:
            await client.shake("2025-11-25")
            async with client.listen(last_event_id=event_id) as stream:
                assert stream.response.status_code == 200
                with anyio.move_on_after(0.03) as nothing:
                    await stream.event()
                assert nothing.cancelled_caught


async def test_ss_06_the_id_of_another_session_brings_nothing_of_it(tmp_path: Path, over: str) -> None:
    """Case SS-06: ids are looked up in the session only."""
    with mock_of(tmp_path, session(TALK, RESUMABLE)) as mock:
        async with web(mock, over) as one, web(mock, over) as other:
            await one.shake("2025-11-25", roots={})
            await other.shake("2025-11-25")
            async with one.stream(LONG) as stream:
                await stream.event()
                event = await stream.event()
                assert event is not None
            async with other.listen(last_event_id=event.id or "") as stream:
                with anyio.move_on_after(0.03) as nothing:
                    await stream.event()
                assert nothing.cancelled_caught


@asynccontextmanager
async def legacy(mock: mcpmock.MockServer, over: str, path: str = "/sse") -> AsyncIterator[tuple[Web, Stream]]:
    """A client of HTTP+SSE: where it posts, and what it hears."""
    inside = over == "in process"
    transport = mock.httpx_transport() if inside else None
    root = (ANYWHERE if inside else mock.sse_url).rpartition("/")[0]
    async with (
        httpx.AsyncClient(transport=transport, timeout=SECONDS) as http,
        http.stream("GET", root + path, headers={"accept": "text/event-stream"}) as response,
    ):
        stream = Stream(response)
        event = await stream.event()
        assert event is not None
        assert event.name == "endpoint"
        yield Web(http, str(httpx.URL(root + path).join(event.data.decode()))), stream


@pytest.mark.parametrize("path", ["/sse", "/sse/", "/gw/v1/sse?key=x"])
async def test_lg_01_answers_come_on_the_one_stream(tmp_path: Path, over: str, path: str) -> None:
    """Case LG-01: our own endpoint as a path from the root on; 202 for every POST."""
    with mock_of(tmp_path, session(TALK)) as mock:
        async with legacy(mock, over, path) as (client, stream):
            assert client.url.partition("?")[0].endswith(path.partition("?")[0].strip("/").replace("sse", "messages"))
            params = {"protocolVersion": "2024-11-05", "capabilities": {"roots": {}}}
            response = await client.post({"id": 0, "method": "initialize", "params": params})
            assert (response.status_code, response.text) == (202, "Accepted")
            assert (await stream.message())["id"] == 0
            await client.post(LONG)
            assert [await stream.message(), (await stream.message())["method"]] == [progress(1), "roots/list"]
            await client.post(ROOTS)
            assert [await stream.message(), await stream.message()] == [progress(2), DONE]
        assert [one.transport for one in mock.sessions] == ["sse"]


async def test_lg_01_the_session_ends_with_its_stream(tmp_path: Path, over: str) -> None:
    """Ours (PROTOCOL 2.2): 404 for whoever posts to it later, 400 for what is no message."""
    with mock_of(tmp_path, session(TALK)) as mock:
        async with legacy(mock, over) as (client, _):
            assert (await client.post(b"{")).status_code == 400
            url = client.url
        async with httpx.AsyncClient(transport=mock.httpx_transport() if over == "in process" else None) as http:
            with anyio.fail_after(SECONDS):
                while (await http.post(url, json={})).status_code != 404:
                    pass
        assert not mock.sessions[0].is_open


async def test_ht_10_what_is_no_message_is_refused_as_it_was(tmp_path: Path, over: str) -> None:
    """Case HT-10, on HTTP+SSE; what nobody posted then is refused in our words."""
    garbage = '- {raw: "{nope", from: client}\n- http: {post: 400, body: Could not parse message}\n'
    with mock_of(tmp_path, session(garbage + TALK).replace("streamable_http", "sse")) as mock:
        async with legacy(mock, over) as (client, _):
            assert (await client.post(b"{nope")).text == "Could not parse message"
            assert (await client.post(b"{other")).json()["error"]["code"] == -32700


async def test_lg_02_each_path_serves_its_own_transport(tmp_path: Path, over: str) -> None:
    """Case LG-02: who looks for the other one is told by 405, and falls back."""
    with mock_of(tmp_path, session(TALK)) as mock:
        async with web(mock, over) as client:
            response = await client.http.get(client.url, headers={"accept": "text/event-stream"})
            assert (response.status_code, response.headers["allow"]) == (405, "POST, OPTIONS")
            client.url = client.url.removesuffix("mcp") + "sse"
            assert (await client.post({"id": 0, "method": "initialize", "params": {}})).status_code == 405


UP = "https://up.example"
METADATA = "/.well-known/oauth-protected-resource/mcp"


def protected(place: str, challenge: str) -> str:
    """A call that is refused, and the document that the challenge names."""
    return f"""
- {{http: {{get: 200, path: {place}, type: application/json, body: {{resource: "{UP}/mcp"}}}}}}
- {{http: {{get: 200, path: /else, type: text/html, body: hello}}}}
> {{id: 1, method: tools/call, params: {{name: t}}}}
- {{http: {{post: 401, headers: {{www-authenticate: {json.dumps(challenge)}}}}}, in: 1}}
"""


@pytest.mark.parametrize("place", [METADATA, "/custom/place.json"])
async def test_au_01_a_recorded_challenge_names_our_own_address(tmp_path: Path, over: str, place: str) -> None:
    """Case AU-01: the header, and the document that it names, wherever this server is, and that is there."""
    challenge = f'Bearer resource_metadata="{UP}{place}"'
    cassette = session(protected(place, challenge)).replace("- transport:", f"- url: {UP}/mcp\n  transport:")
    with mock_of(tmp_path, cassette) as mock:
        async with web(mock, over) as client:
            origin = client.url.removesuffix("/mcp")
            await client.shake()
            response = await client.post(call("t"))
            assert response.status_code == 401
            assert response.headers["www-authenticate"] == challenge.replace(UP, origin)
            document = await client.http.get(origin + place)
            assert document.json() == {"resource": client.url}
            unknown = await client.http.get(f"{origin}/.well-known/oauth-authorization-server")
            assert unknown.status_code == 404
            page = await client.http.get(f"{origin}/else")
            assert page.text != "hello"  # no part of MCP


async def test_au_02_headers_of_the_client_make_no_difference(tmp_path: Path, over: str) -> None:
    """Case AU-02: whatever it is configured to send."""
    with mock_of(
        tmp_path, recorded("- {client: {method: tools/call, params: {name: t}}, server: {result: {}}}")
    ) as mock:
        async with web(mock, over) as client:
            client.head |= {"authorization": "Bearer T", "x-a": "1, 2", "x-empty": ""}
            await client.shake()
            assert await client.answer(call("t")) == {"id": 1, "result": {}}
