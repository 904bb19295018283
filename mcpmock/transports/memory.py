"""A session without a wire: two streams of message objects, in the event loop of who uses them (asyncio or trio).

No task runs in the background, so none can be left behind: the machine is asked when the client sends, and woken while
the client receives. Cancel scopes are entered and left within one call.
"""

from __future__ import annotations

import math
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from anyio.lowlevel import checkpoint

from mcpmock.session.playing.actions import Action, End, Send, SendNoise
from mcpmock.transports.shell import Machine

__all__ = ["Codec", "Streams", "memory_streams"]

_TICK: Final = object()
"""Tells a waiting receiver to look at the clock again."""


class Codec(NamedTuple):
    """Between the client's message objects and JSON text; what is no message is decoded to an exception."""

    encode: Callable[[Any], bytes]
    decode: Callable[[str], Any]


class Streams(NamedTuple):
    """What a client needs: where it reads, and where it writes."""

    read: ObjectReceiveStream[Any]
    write: ObjectSendStream[Any]


@asynccontextmanager
async def memory_streams(machine: Machine, codec: Codec) -> AsyncGenerator[Streams]:
    """A session with the machine; it ends with the block, or when the client closes its writing side."""
    stage = _Stage(machine, codec)
    read, write = _Answers(stage), _Requests(stage)
    try:
        yield Streams(read, write)
    finally:
        stage.end_of_input()
        stage.close()


class _Stage:
    """Feeds the machine, and keeps what it says until it is read."""

    def __init__(self, machine: Machine, codec: Codec) -> None:
        self.machine = machine
        self._codec = codec
        self._said, self.heard = anyio.create_memory_object_stream[Any](math.inf)
        self.is_over = False
        self._has_left = False

    def receive(self, item: Any) -> None:
        self._carry_out(self.machine.receive(self._codec.encode(item), time.monotonic()))

    def wake(self) -> None:
        self._carry_out(self.machine.wake(time.monotonic()))

    def end_of_input(self) -> None:
        if not self._has_left:
            self._has_left = True
            if not self.is_over:
                self._carry_out(self.machine.end_of_input(time.monotonic()))
            self._end()

    def close(self) -> None:
        self._end()
        self.heard.close()

    def _end(self) -> None:
        self.is_over = True
        self._said.close()

    def _carry_out(self, actions: list[Action]) -> None:
        for action in actions:
            if isinstance(action, Send):
                self._tell(self._codec.decode(action.text))
            elif isinstance(action, SendNoise):
                self._tell(self._codec.decode(action.line.decode("utf-8", "replace")))
            elif isinstance(action, End):
                self._end()
                return
        if self.machine.next_wake is not None:
            self._tell(_TICK)

    def _tell(self, item: Any) -> None:
        try:
            self._said.send_nowait(item)
        except anyio.BrokenResourceError:
            self.is_over = True  # the client reads no more, as it may


class _Requests(ObjectSendStream[Any]):
    """The client's writing side."""

    def __init__(self, stage: _Stage) -> None:
        self._stage = stage
        self._is_closed = False

    async def send(self, item: Any) -> None:
        await checkpoint()
        if self._is_closed:
            raise anyio.ClosedResourceError
        if self._stage.is_over:
            raise anyio.BrokenResourceError
        self._stage.receive(item)

    def close(self) -> None:
        self._is_closed = True
        self._stage.end_of_input()

    async def aclose(self) -> None:
        self.close()
        await checkpoint()


class _Answers(ObjectReceiveStream[Any]):
    """The client's reading side. Who waits here also waits for the machine's moments."""

    def __init__(self, stage: _Stage) -> None:
        self._stage = stage

    async def receive(self) -> Any:
        item = _TICK
        while item is _TICK:
            wake = None if self._stage.is_over else self._stage.machine.next_wake
            if wake is None:
                item = await self._stage.heard.receive()
                continue
            with anyio.move_on_after(wake - time.monotonic()):
                item = await self._stage.heard.receive()
            if item is _TICK and time.monotonic() >= wake:
                self._stage.wake()
        return item

    def close(self) -> None:
        self._stage.heard.close()

    async def aclose(self) -> None:
        self.close()
        await checkpoint()
