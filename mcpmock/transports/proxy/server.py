"""A proxy in front of one HTTP server: what it moves is noted on a tape, and otherwise as it was."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from typing import Final

from mcpmock.errors import UsageError
from mcpmock.transports.proxy.client import ClientConnection
from mcpmock.transports.proxy.relay import Relay

LOCAL: Final = "127.0.0.1"
"""The address that only this machine reaches."""

ANY_ADDRESS: Final = ("0.0.0.0", "::")
"""Where a server listens at all addresses of a machine; none at which a client finds it."""


def _reason(error: OSError | UnicodeError) -> str:
    if isinstance(error, UnicodeError):
        return "it is no name of a host"
    if error.errno == errno.EADDRINUSE:
        return "it is taken"
    # the words of asyncio repeat the address, but the system has none of its own for a name that nobody knows
    return str(error.strerror) if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)


class HttpProxy:
    """Listens, for the event loop in which it is started."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> str:
        """Accept connections (port 0: a free one); returns the URL that stands for the server's.

        Raises UsageError where nothing can listen there.
        """
        try:
            self._server = await self._listen(host, port)
        except (OSError, UnicodeError) as error:
            raise UsageError(
                f"port {port} of {host} cannot be used: {_reason(error)}; --port 0 takes a free one"
            ) from None
        name = "localhost" if host in ANY_ADDRESS else f"[{host}]" if ":" in host else host
        port = self._server.sockets[0].getsockname()[1]
        return f"http://{name}:{port}{self._relay.upstream.path.decode()}"

    async def _listen(self, host: str, port: int) -> asyncio.Server:
        """A name may have several addresses (`localhost`: of IPv4 and IPv6), and each is given a free port of its own;
        but clients are told of one."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: ClientConnection(self._relay), host, port)
        ports = [listener.getsockname()[1] for listener in server.sockets]
        if len(set(ports)) > 1:
            server.close()
            server = await loop.create_server(lambda: ClientConnection(self._relay), host, ports[0])
        return server

    async def stop(self) -> None:
        """Leave everybody. What happens from here on is not noted."""
        self._relay.tape.close()
        if self._server is not None:
            self._server.close()
        for client in list(self._relay.clients):
            client.transport.abort()
        await asyncio.sleep(0)  # so that the connections are told
        for rest in list(self._relay.rests):
            rest.close()
        if self._server is not None:
            await self._server.wait_closed()
