"""A replay server on a port: uvicorn around an ASGI application, in this thread or in one of its own."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import threading
import time
from collections.abc import Callable, Collection
from typing import Final, cast

import uvicorn
from uvicorn.protocols.http import h11_impl

from mcpmock.errors import UsageError
from mcpmock.transports.http.guard import LOOPBACK, Guard

__all__ = ["LOCAL", "HttpServing", "HttpThread", "guard_for", "listen"]

LOCAL: Final = "127.0.0.1"
"""The address that only this machine reaches."""

_ANY: Final = ("0.0.0.0", "::", "")
_BACKLOG: Final = 1024
_PATIENCE: Final = 2.0
"""Seconds for connections to end once the server stops."""

_LAST_PATIENCE: Final = 0.5
"""Seconds for requests to notice that their connection was broken; uvicorn tells of those that are cancelled."""


for _status in range(600, 1000):  # of which uvicorn knows none; some servers send them, and clients take them
    getattr(h11_impl, "STATUS_PHRASES", {}).setdefault(_status, b"")


def guard_for(host: str, origins: tuple[str, ...] = ()) -> Guard:
    """Who may talk to a server that listens at this address: the whole network may use any name for it."""
    return Guard(None if host in _ANY else LOOPBACK | {host}, origins)


def listen(host: str = LOCAL, port: int = 0) -> socket.socket:
    """A socket that accepts connections there, port 0: on a free one. Raises UsageError where that cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends at once (TCP_NODELAY) only where the protocol is named: else every response took 40 ms more
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
        return listener
    except OSError as error:
        listener.close()
        reason = "it is taken" if error.errno == errno.EADDRINUSE else error.strerror or os.strerror(error.errno or 0)
        raise UsageError(f"port {port} of {host} cannot be used: {reason}; --port 0 takes a free one") from None


async def _until_empty(some: Collection[object], patience: float) -> None:
    end = time.monotonic() + patience
    while some and time.monotonic() < end:
        await asyncio.sleep(0.002)


class HttpServing:
    """An ASGI application on a socket, in the running event loop. `base` is the URL of its root.

    `close` is called when it stops, so that open streams end.
    """

    def __init__(self, application: object, listener: socket.socket, close: Callable[[], None]) -> None:
        self.base = _url_of(listener)
        self._listener = listener
        self._close = close
        config = uvicorn.Config(
            cast("uvicorn._types.ASGIApplication", application),
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
        )
        config.load()
        self._server = uvicorn.Server(config)
        self._server.lifespan = config.lifespan_class(config)

    async def start(self) -> None:
        """Accepts connections."""
        await self._server.startup(sockets=[self._listener])

    async def stop(self) -> None:
        """Ends all sessions in good order, and then all connections."""
        for server in self._server.servers:
            server.close()
        self._listener.close()
        self._close()
        connections = self._server.server_state.connections
        for connection in list(connections):
            connection.shutdown()
        await _until_empty(connections, _PATIENCE)
        for connection in list(connections):  # whose client does not read, or has sent half a request
            if connection.transport is not None:
                connection.transport.abort()
        await _until_empty(self._server.server_state.tasks, _LAST_PATIENCE)
        for task in list(self._server.server_state.tasks):
            task.cancel()


class HttpThread:
    """The same in a thread and an event loop of its own, until it is stopped."""

    def __init__(self, application: object, close: Callable[[], None]) -> None:
        self._serving = HttpServing(application, listen(), close)
        self.base = self._serving.base
        self._stopping = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._is_ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mcpmock-http", daemon=True)
        self._thread.start()
        self._is_ready.wait()

    def stop(self) -> None:
        """Ends it in good order, and waits for that."""
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(2 * _PATIENCE)

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        finally:
            self._is_ready.set()  # who waits must not wait for ever

    async def _serve(self) -> None:
        await self._serving.start()
        self._is_ready.set()
        await self._stopping.wait()
        await self._serving.stop()


def _url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    name = "localhost" if host in _ANY else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}"
