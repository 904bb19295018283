"""A real server as streams of message objects, in the event loop of who uses them (asyncio or trio).

As in `memory`, no task runs in the background: who receives reads from the process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream, Process

from mcpmock.errors import CommandError
from mcpmock.transports.bridge import Launch, Listener
from mcpmock.transports.memory import Codec, Streams
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE, Frame, LineSplitter, Oversize

__all__ = ["process_streams"]

LADDER: Final = (10.0, 5.0)
"""Seconds for the server to end by itself, and after TERM."""


@asynccontextmanager
async def process_streams(launch: Launch, codec: Codec, listener: Listener) -> AsyncGenerator[Streams]:
    """A session with a server that is started for it, and has ended with the block. Raises CommandError."""
    try:
        process = await anyio.open_process(
            list(launch.command), stderr=None, env=dict(launch.env), cwd=launch.cwd, start_new_session=True
        )
    except OSError as error:
        raise CommandError(f"{launch.command[0]}: cannot be started: {error.strerror}") from error
    read, write = _Answers(process, codec, listener), _Requests(process, codec, listener)
    try:
        yield Streams(read, write)
    finally:
        with anyio.CancelScope(shield=True):
            await write.aclose()
            await read.drain()
            await _end(process)


async def _end(process: Process) -> None:
    for seconds, end in zip(LADDER, (process.terminate, process.kill), strict=True):
        with anyio.move_on_after(seconds):
            await process.wait()
            break
        with suppress(ProcessLookupError):
            end()
    await process.aclose()


class _Requests(ObjectSendStream[Any]):
    def __init__(self, process: Process, codec: Codec, listener: Listener) -> None:
        assert process.stdin is not None
        self._stdin = process.stdin
        self._codec = codec
        self._listener = listener
        self._is_closed = False

    async def send(self, item: Any) -> None:
        if self._is_closed:
            raise anyio.ClosedResourceError
        data = self._codec.encode(item) + b"\n"
        self._listener.from_client(data)
        try:
            await self._stdin.send(data)
        except OSError as error:
            raise anyio.BrokenResourceError from error

    async def aclose(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._listener.from_client(b"")
            with suppress(OSError, anyio.BrokenResourceError):
                await self._stdin.aclose()


class _Answers(ObjectReceiveStream[Any]):
    def __init__(self, process: Process, codec: Codec, listener: Listener) -> None:
        assert process.stdout is not None
        self._stdout = process.stdout
        self._codec = codec
        self._listener = listener
        self._splitter = LineSplitter(DEFAULT_MAX_MESSAGE)
        self._frames: deque[Frame] = deque()

    async def receive(self) -> Any:
        while not self._frames:
            self._frames += await self._more()
        frame = self._frames.popleft()
        return ValueError("too long") if isinstance(frame, Oversize) else self._codec.decode(frame.decode())

    async def _more(self) -> list[Frame]:
        chunk = await self._stdout.receive()
        self._listener.from_server(chunk)
        return self._splitter.feed(chunk)

    async def drain(self) -> None:
        """Hears what the server says until it ends, for a bounded time."""
        with anyio.move_on_after(LADDER[0]), suppress(anyio.EndOfStream, anyio.ClosedResourceError):
            while True:
                await self._more()

    async def aclose(self) -> None:
        pass  # the process is closed with the block
