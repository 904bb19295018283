"""A session in process: the same machine, without a wire and without a task of its own (case TE-03)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from mcpmock.session.playing.live import Options
from mcpmock.transports.memory import Codec, Streams, memory_streams
from tests.program import SECONDS
from tests.session.dialogue import HANDSHAKE, playback, recorded

pytestmark = [pytest.mark.anyio]

INITIALIZE = {
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {"sampling": {}, "roots": {}}},
}
TALK = recorded(
    HANDSHAKE,
    """
    > {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}
    < {id: 1, result: {sum: 1}}
    > {id: 2, method: tools/call, params: {name: ask, arguments: {}, _meta: {progressToken: 1}}}
    < {method: notifications/progress, params: {progressToken: 1, progress: 1}}
    < {id: 5, method: roots/list}
    > {id: 5, result: {roots: []}}
    < {id: 2, result: {text: done}}
    > {id: 3, method: tools/call, params: {name: leave}}
    < {id: 3, result: {}}
    - eof: server
    - exit: 3
    """,
)
SLOW = recorded("- {client: {method: tools/call, params: {name: slow}}, server: {result: {}}, delay: 40}")


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Both event loops that clients use."""
    return str(request.param)


def encode(item: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **item}).encode()


def decode(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError as error:
        return error
    value.pop("jsonrpc")
    return value


@asynccontextmanager
async def connected(cassette: str, options: Options | None = None) -> AsyncIterator[Streams]:
    """A client's two streams; nothing in the block takes longer than a test may."""
    with anyio.fail_after(SECONDS):
        async with memory_streams(playback(cassette, options), Codec(encode, decode)) as streams:
            yield streams


async def test_a_whole_session(anyio_backend: str) -> None:
    """Ours (DESIGN 4): a call, progress on the live token, a question that is really asked, and the answer."""
    async with connected(TALK) as (read, write):
        await write.send(INITIALIZE)
        assert (await read.receive())["id"] == 0
        await write.send({"id": "x", "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1}}})
        assert await read.receive() == {"id": "x", "result": {"sum": 1}}
        meta = {"progressToken": "t"}
        await write.send({"id": 2, "method": "tools/call", "params": {"name": "ask", "arguments": {}, "_meta": meta}})
        assert (await read.receive())["params"] == {"progressToken": "t", "progress": 1}
        assert await read.receive() == {"id": 5, "method": "roots/list"}
        await write.send({"id": 5, "result": {"roots": []}})
        assert await read.receive() == {"id": 2, "result": {"text": "done"}}


async def test_who_waits_is_woken_by_who_sends(anyio_backend: str) -> None:
    """Ours (DESIGN 5): SDK clients read in a task of their own."""
    async with connected(TALK) as (read, write), anyio.create_task_group() as group:
        heard: list[Any] = []

        async def listen() -> None:
            heard.append(await read.receive())

        group.start_soon(listen)
        await anyio.wait_all_tasks_blocked()
        await write.send(INITIALIZE)
    assert heard[0]["id"] == 0


async def test_who_waits_is_woken_by_the_clock(anyio_backend: str) -> None:
    """Ours (DESIGN 3): `delay:` holds an answer back, and nothing in the background is needed for that."""
    async with connected(SLOW) as (read, write), anyio.create_task_group() as group:
        heard: list[Any] = []

        async def listen() -> None:
            heard.append(await read.receive())

        group.start_soon(listen)
        await anyio.wait_all_tasks_blocked()
        await write.send({"id": 7, "method": "tools/call", "params": {"name": "slow"}})
        assert heard == []
        start = anyio.current_time()
    assert heard == [{"id": 7, "result": {}}]
    assert anyio.current_time() - start >= 0.03


async def test_an_answer_that_waits_does_not_hold_up_others(anyio_backend: str) -> None:
    """Ours (DESIGN 4, "Answering"): independent requests interleave freely."""
    async with connected(SLOW) as (read, write):
        await write.send({"id": 7, "method": "tools/call", "params": {"name": "slow"}})
        await write.send({"id": 8, "method": "ping"})
        assert [(await read.receive())["id"] for _ in range(2)] == [8, 7]


async def test_the_recorded_end_ends_the_reading_and_refuses_what_is_sent(anyio_backend: str) -> None:
    """Ours (DESIGN 4, "The end"): the client sees that the server has left."""
    async with connected(TALK) as (read, write):
        await write.send(INITIALIZE)
        await write.send({"id": 3, "method": "tools/call", "params": {"name": "leave"}})
        assert [item["id"] async for item in read] == [0, 3]
        with pytest.raises(anyio.BrokenResourceError):
            await write.send({"id": 4, "method": "ping"})


async def test_closing_what_is_written_ends_what_is_read(anyio_backend: str) -> None:
    """Ours (DESIGN 4): after the client's end come the last answers, and the end."""
    async with connected(SLOW) as (read, write):
        await write.send({"id": 7, "method": "tools/call", "params": {"name": "slow"}})
        await write.aclose()
        assert [item["id"] async for item in read] == [7]
        with pytest.raises(anyio.ClosedResourceError):
            await write.send({"id": 8, "method": "ping"})


async def test_noise_is_what_the_codec_makes_of_it(anyio_backend: str) -> None:
    """Ours (DESIGN 4): a line that is no message reaches the client as the SDK's own client would have it."""
    noisy = recorded("> {id: 1, method: tools/list}\n- raw: not json\n< {id: 1, result: {tools: []}}")
    async with connected(noisy, Options(noise=True)) as (read, write):
        await write.send({"id": 1, "method": "tools/list"})
        assert isinstance(await read.receive(), ValueError)
        assert (await read.receive())["id"] == 1


async def test_a_client_that_reads_no_more_is_no_fault(anyio_backend: str) -> None:
    """Ours: clients close in any order."""
    async with connected(TALK) as (read, write):
        await read.aclose()
        await write.send({"id": 8, "method": "ping"})
        await write.aclose()
        await write.aclose()


@pytest.mark.parametrize("anyio_backend", ["asyncio"], indirect=True)
async def test_te_03_streams_may_be_opened_in_one_task_and_closed_in_another(anyio_backend: str) -> None:
    """Case TE-03: fixtures of pytest-asyncio are set up and torn down in tasks of their own."""
    import asyncio

    before = asyncio.all_tasks()
    manager = memory_streams(playback(TALK), Codec(encode, decode))

    async def leave() -> None:
        await manager.__aexit__(None, None, None)

    streams = await asyncio.create_task(manager.__aenter__())  # type: ignore[arg-type]  # it is a coroutine
    await streams.write.send(INITIALIZE)
    assert (await streams.read.receive())["id"] == 0
    await asyncio.create_task(leave())
    assert asyncio.all_tasks() == before


async def test_te_03_two_sessions_may_be_closed_first_in_first_out(anyio_backend: str) -> None:
    """Case TE-03: nothing is nested."""
    managers = [memory_streams(playback(TALK), Codec(encode, decode)) for _ in range(2)]
    opened = [await manager.__aenter__() for manager in managers]
    for manager, streams in zip(managers, opened, strict=True):
        await streams.write.send(INITIALIZE)
        assert (await streams.read.receive())["id"] == 0
        await manager.__aexit__(None, None, None)


async def test_te_03_a_cancelled_reader_loses_nothing(anyio_backend: str) -> None:
    """Case TE-03: time-outs of clients are cancel scopes around their reading."""
    async with connected(SLOW) as (read, write):
        await write.send({"id": 7, "method": "tools/call", "params": {"name": "slow"}})
        with anyio.move_on_after(0.001):
            await read.receive()
        assert (await read.receive())["id"] == 7
