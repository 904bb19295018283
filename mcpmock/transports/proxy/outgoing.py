"""What an exchange sends to the server: held back until there is a connection, and until its turn has come."""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING, TypeAlias

import h11

from mcpmock.transports.proxy.queues import Queued, Queues
from mcpmock.transports.proxy.upstream import UpstreamConnection

if TYPE_CHECKING:
    from mcpmock.transports.proxy.client import ClientConnection
    from mcpmock.transports.proxy.exchange import Exchange

Part: TypeAlias = "h11.Request | h11.Data | h11.EndOfMessage"


class Outgoing:
    """The way of one exchange to the server. `link` is the connection that it uses, as long as it does."""

    def __init__(self, exchange: Exchange, client: ClientConnection, queues: Queues) -> None:
        self.link: UpstreamConnection | None = None
        self._exchange = exchange
        self._client = client
        self._queues = queues
        self._connecting: asyncio.Task[None] | None = None
        self._queued: Queued | None = None  # while it has to wait for earlier requests, or these for it
        self._unsent: list[Part] = []
        self._is_over = False

    @property
    def holds_back(self) -> bool:
        """Whether there is something that could not be sent yet."""
        return bool(self._unsent)

    def join(self, session: bytes) -> None:
        """Have later requests of the session wait while this one is not connected, and this one for earlier ones."""
        if self.link is None or not self._queues.is_free(session):
            self._queued = self._queues.enter(session, self._go)
            if self.link is not None:
                self._queues.ready(self._queued)

    def send(self, part: Part) -> None:
        """Send it as soon as that is possible."""
        if self.link is not None and self._queued is None:
            self.link.send(part)
            return
        self._unsent.append(part)
        if self.link is None and self._connecting is None:
            self._connecting = asyncio.get_running_loop().create_task(self._connect())

    def use(self, link: UpstreamConnection) -> None:
        """Send on this connection."""
        self.link = link
        link.asker = self._exchange
        if self._queued is not None:
            self._queues.ready(self._queued)
        else:
            self._go()

    def release(self) -> UpstreamConnection | None:
        """The connection, for somebody else to use it."""
        link, self.link = self.link, None
        return link

    def close(self) -> None:
        """Send nothing more, and close the connection, if it is still ours."""
        self._is_over = True
        if self._queued is not None:
            self._queues.leave(self._queued)
        if self._connecting is not None and self._connecting is not asyncio.current_task():
            self._connecting.cancel()
        if (link := self.release()) is not None:
            link.close()

    def _go(self) -> None:
        """Nobody has to wait any more: pass on what has come."""
        self._queued = None
        link = self.link
        if link is None:
            return
        unsent, self._unsent = self._unsent, []
        if unsent and not link.is_usable:
            self._exchange.response_broken("the server has closed the connection")
            return
        for part in unsent:
            link.send(part)
        self._client.valve.open("not connected")
        self._exchange.client_is_slow()

    async def _connect(self) -> None:
        try:
            link = await self._client.reach_server()
        except ssl.SSLCertVerificationError as error:
            self._fail(f"{error.verify_message} (SSL_CERT_FILE names other certificates, --insecure asks none)")
        except OSError as error:
            self._fail(error.strerror or str(error))
        except UnicodeError:
            self._fail("that is no name of a host")
        else:
            self._connecting = None
            if self._is_over:
                link.close()
            else:
                self.use(link)

    def _fail(self, reason: str) -> None:
        if not self._is_over:
            self._connecting = None
            self._exchange.server_unreachable(reason)
