"""A proxy that records: on the main thread of a process, which signals end, or on a thread of its own, in a test."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Final, NamedTuple

from mcpmock.errors import McpmockError
from mcpmock.transports.ending import end_on_signals
from mcpmock.transports.joiner import NO_LIMIT
from mcpmock.transports.proxy.minds import Mind
from mcpmock.transports.proxy.relay import Relay, Relaying
from mcpmock.transports.proxy.server import LOCAL, HttpProxy
from mcpmock.transports.proxy.standing import Standing
from mcpmock.transports.proxy.tape import ProxyTape
from mcpmock.transports.proxy.thinker import HttpThinker

_FEW_FILES: Final = 64
_FEWEST_FILES: Final = 4


class Address(NamedTuple):
    """Where a proxy listens; port 0: a free one."""

    port: int = 0
    host: str = LOCAL


class HttpRecorder:
    """A proxy, and a mind that thinks about what it moves."""

    def __init__(self, relaying: Relaying, prepare: Callable[[], Mind], say: Callable[[str], None]) -> None:
        tape = ProxyTape()
        relay = Relay(relaying, tape, say)
        self._proxy = HttpProxy(relay)
        self._standing = relay.standing = Standing(relay, say) if relaying.rewrites_auth else None
        self._thinker = HttpThinker(tape, prepare, say)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    def run(self, address: Address, on_ready: Callable[[str], None]) -> bool:
        """Serve until a signal ends it, the second one at once; then finish what was recorded.

        `on_ready` is told the URL when connections are accepted. Returns whether everything was recorded that should
        have been. Raises UsageError where nothing can listen there.
        """
        _allow_many_files()
        asyncio.run(self._serve(address, on_ready, heeds_signals=True))
        self._thinker.end()
        return not self._thinker.has_failed

    def start(self, address: Address) -> str:
        """Serve on a thread until `stop`; returns the URL. Raises UsageError where nothing can listen there."""
        told: queue.SimpleQueue[str | McpmockError] = queue.SimpleQueue()

        def serve() -> None:
            try:
                asyncio.run(self._serve(address, told.put))
            except McpmockError as error:
                told.put(error)
            except OSError as error:  # too many files are open for an event loop
                told.put(McpmockError(f"no proxy can be started: {error}"))
            finally:
                told.put(McpmockError("the proxy has ended"))  # who still waits must not wait for ever

        self._thread = threading.Thread(target=serve, name="proxy", daemon=True)
        self._thread.start()
        url = told.get()
        if isinstance(url, McpmockError):
            self._thread.join()  # an interpreter that ends while a thread complains on stderr aborts
            self._thread = None
            raise url
        return url

    def catch_up(self) -> None:
        """Returns when everything has been thought about that has moved by now."""
        self._thinker.catch_up()

    def stop(self) -> bool:
        """End what `start` has begun, and finish what was recorded; returns what `run` does."""
        if self._loop is not None and self._ended is not None:
            with contextlib.suppress(RuntimeError):  # it has ended by itself
                self._loop.call_soon_threadsafe(self._ended.set)
        if self._thread is not None:
            self._thread.join()
            self._thinker.end()
        return not self._thinker.has_failed

    async def _serve(self, address: Address, on_ready: Callable[[str], None], *, heeds_signals: bool = False) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        url = await self._proxy.start(address.host, address.port)
        if self._standing is not None:
            self._standing.listen_beside(address.host, address.port, url)
        self._thinker.start()
        if heeds_signals:
            end_on_signals(self._ended.set)
        on_ready(url)
        try:
            await self._ended.wait()
        finally:
            await self._proxy.stop()
            if self._standing is not None:
                await self._standing.stop()


def most_part_files() -> int:
    """How many part files may be open at a time: most of what this process may have open is for connections."""
    try:
        import resource
    except ImportError:  # Windows
        return _FEW_FILES
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return NO_LIMIT if most == resource.RLIM_INFINITY else max(_FEWEST_FILES, most // 4)


def _allow_many_files() -> None:
    """Every connection and every session that is recorded has a file open: take as many as this process may have."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
