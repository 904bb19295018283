"""A mock over HTTP in every form that a client wants (issue 5, 5)."""

from __future__ import annotations

import asyncio
import gc
import threading
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
import respx

import mcpmock
from mcpmock.mock.hosting import PlayedHost
from mcpmock.replaying_http import ServedPart
from mcpmock.transports.http.exchange import Exchange
from mcpmock.transports.http.service import HttpService
from mcpmock.transports.http.session import HttpSession
from tests.http.client import ANYWHERE, QUIET, Web, call, mock_of, session, web
from tests.mock.said import TWO
from tests.session.dialogue import recorded

pytestmark = [pytest.mark.anyio, QUIET]

ADD = "> {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}\n< {id: 1, result: {sum: 1}}"
ADDED = {"id": 1, "result": {"sum": 1}}


@pytest.fixture
def anyio_backend() -> str:
    """One event loop is enough here."""
    return "asyncio"


async def test_calls_and_misses_are_seen_as_over_stdio(tmp_path: Path, over: str) -> None:
    """Issue 5, 5: the same object tells them."""
    mock = mock_of(tmp_path, session(ADD))
    async with web(mock, over) as client:
        await client.shake()
        await client.answer(call("add", a=1))
        assert "no recorded" in (await client.answer(call("add", 2, a=2)))["error"]["message"]
        await client.leave()
    mock.close()
    (played, missed) = mock.assert_called("add")
    assert (played.answer, played.outcome, missed.outcome) == ({"sum": 1}, "played", "missed")
    assert [(one.transport, one.is_open, one.missed) for one in mock.sessions] == [("streamable_http", False, True)]
    with pytest.raises(mcpmock.MockFailure, match="near miss"):
        mock.check()


async def test_a_miss_can_fail_at_once(tmp_path: Path) -> None:
    """Issue 5, 5: in process it is raised where the client sends; through a port the server has gone."""
    mock = mock_of(tmp_path, session(ADD), raise_on_miss=True)
    async with web(mock) as client:
        await client.shake()
        with pytest.raises(mcpmock.MockFailure, match="near miss"):
            await client.post(call("add", a=2))
    async with web(mock, "url") as client:
        await client.shake()
        with pytest.raises(httpx.RemoteProtocolError):
            await client.post(call("add", a=2))
    mock.close()


async def test_each_of_several_servers_has_its_own_url(tmp_path: Path) -> None:
    """Issue 5, 5: one port for all of them, and a configuration for hosts."""
    with mock_of(tmp_path, TWO) as servers:
        config = servers.http_config["mcpServers"]
        assert config == {name: {"type": "http", "url": servers[name].url} for name in ("github", "weather")}
        assert len({httpx.URL(one["url"]).port for one in config.values()}) == 1
        for name, tool in (("github", "issues"), ("weather", "forecast")):
            async with web(servers[name], "url") as client:
                await client.shake()
                assert (await client.answer(call(tool)))["result"] == {"from": name}
        async with httpx.AsyncClient() as client:
            response = await client.post(servers["github"].url.replace("github", "gitlab"))
            assert "only github, weather" in response.json()["error"]["message"]
        with pytest.raises(mcpmock.UsageError, match="several servers"):
            _ = servers.url


async def test_httpx2_is_served_too(tmp_path: Path) -> None:
    """DESIGN 5: by duck type, it is no dependency."""
    with mock_of(tmp_path, session(ADD)) as mock:
        async with httpx2.AsyncClient(transport=mock.httpx2_transport()) as http:
            client = Web(http, ANYWHERE)  # type: ignore[arg-type]
            await client.shake()
            assert await client.answer(call("add", a=1)) == ADDED


async def test_a_transport_serves_the_clients_of_the_other_library_too(tmp_path: Path) -> None:
    """Ours: each takes its own responses only, and ended in a bare AssertionError."""
    with mock_of(tmp_path, session(ADD)) as mock:
        async with httpx2.AsyncClient(transport=mock.httpx_transport()) as http:  # type: ignore[arg-type]
            assert (await http.get("http://anywhere/__mcpmock/report")).status_code == 200
        async with httpx.AsyncClient(transport=mock.httpx2_transport()) as http:
            client = Web(http, ANYWHERE)
            await client.shake()
            assert await client.answer(call("add", a=1)) == ADDED


async def test_a_route_of_respx(tmp_path: Path) -> None:
    """Issue 5, 5: below a URL everything is answered from the recording, and streams; nothing else is."""
    with mock_of(tmp_path, session(ADD)) as mock, respx.mock(assert_all_called=False) as router:
        route = mock.mount(router, "https://api.example.com/v1")
        async with httpx.AsyncClient() as http:
            client = Web(http, "https://api.example.com/v1/mcp")
            await client.shake()
            assert await client.answer(call("add", a=1)) == ADDED
            with pytest.raises(respx.models.AllMockedAssertionError):
                await http.get("https://api.example.com/v2")
        assert route.call_count == 3


def test_a_synchronous_client_is_told_what_to_take(tmp_path: Path) -> None:
    """Ours: what runs in no event loop cannot stream; it has the port."""
    with mock_of(tmp_path, session(ADD)) as mock, respx.mock() as router:
        mock.mount(router, ANYWHERE)
        told = pytest.raises(mcpmock.UsageError, match=r"httpx\.AsyncClient only; .* by its url")
        with told:
            httpx.post(ANYWHERE, json={})
        transport: Any = mock.httpx_transport()
        with told, httpx.Client(transport=transport):
            pass
        with told:
            httpx.Client(transport=transport).post(ANYWHERE, json={})


async def test_an_asgi_application(tmp_path: Path) -> None:
    """Issue 5, 3: public, to be mounted or called; of a mock, or of a cassette alone."""
    with mock_of(tmp_path, session(ADD)) as mock:
        for application in (mock.asgi, mcpmock.asgi_app(mock.cassette)):
            async with httpx.AsyncClient(transport=httpx.ASGITransport(application)) as http:
                client = Web(http, ANYWHERE)
                await client.shake()
                assert await client.answer(call("add", a=1)) == ADDED
                assert (await client.post(b"", origin="https://evil.example")).status_code == 403


def test_without_a_url_there_is_no_port_and_with_one_it_is_closed(tmp_path: Path) -> None:
    """Issue 5, 5: lazily, one for the mock, closed with it."""
    threads = threading.active_count()
    mock = mock_of(tmp_path, session(ADD))
    mock.httpx_transport()
    assert threading.active_count() == threads
    assert mock.url == mock.url
    url = mock.sse_url
    assert threading.active_count() == threads + 1
    mock.close()
    assert threading.active_count() == threads
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)
    with pytest.raises(mcpmock.UsageError, match="closed"):
        _ = mock.url


async def test_closing_ends_open_streams(tmp_path: Path) -> None:
    """Issue 5, 5: clients are told, and nobody waits."""
    mock = mock_of(tmp_path, session(ADD))
    async with web(mock, "url") as client:
        await client.shake()
        async with client.listen() as stream:
            await anyio.to_thread.run_sync(mock.close)
            assert await stream.event() is None


def test_a_real_server_has_no_url(tmp_path: Path) -> None:
    """Ours: what is recorded by its command is reached by its command."""
    with (
        mcpmock.use_cassette(tmp_path / "a.yaml", mode="passthrough", command=["cat"]) as mock,
        pytest.raises(mcpmock.UsageError, match="no url"),
    ):
        _ = mock.url


async def test_ht_11_thousands_of_sessions_leave_nothing_behind(tmp_path: Path) -> None:
    """Case HT-11: neither those that are ended, nor those whose clients vanish, nor streams that nobody reads."""
    tasks = len(asyncio.all_tasks())
    with mock_of(tmp_path, recorded(ADD), allow_playback_repeats=True) as mock:
        shelf = mock._engine.parts[""]
        part = ServedPart("", shelf.library, shelf.options, shelf._clock)  # type: ignore[attr-defined]
        mock._engine.parts[""]._service = service = HttpService(PlayedHost(part))  # type: ignore[attr-defined]
        async with web(mock) as client:
            for number in range(1500):
                client.head.pop("mcp-session-id", None)
                await client.shake()
                if number % 3 == 0:
                    await client.leave()
                elif number % 50 == 1:
                    async with client.listen():
                        pass
        assert len(service.sessions) <= 1000
        gc.collect()
        kept = [type(one) for one in gc.get_objects() if isinstance(one, HttpSession | Exchange)]
        assert max(map(kept.count, (HttpSession, Exchange))) <= 1000
        assert len(part.sessions) == len(service.sessions)
    assert len(asyncio.all_tasks()) == tasks
