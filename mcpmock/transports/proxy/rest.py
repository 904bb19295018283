"""The rest of a response whose client has left: noted for a moment more, and passed on to nobody."""

from __future__ import annotations

import asyncio

import h11

from mcpmock.transports.proxy.relay import Relay
from mcpmock.transports.proxy.upstream import Asker, UpstreamConnection
from mcpmock.wire.envelope import MODERN_REVISION
from mcpmock.wire.http import PROTOCOL_VERSION
from mcpmock.wire.relaying import first


def is_answered_anyway(request: h11.Request) -> bool:
    """Whether a request is not cancelled by its client's leaving: a message of any revision but 2026-07-28."""
    version = first(list(request.headers.raw_items()), PROTOCOL_VERSION)
    return request.method == b"POST" and version != MODERN_REVISION.encode()


class Rest(Asker):
    """Takes a connection over from an exchange (see `Asker`), and ends it.

    In the revisions with a handshake a disconnect cancels nothing (MCP 2025-11-25, Streamable HTTP): the server goes on
    to answer, and whoever is asked the same in a replay is answered, too.
    """

    def __init__(self, relay: Relay, number: int, link: UpstreamConnection) -> None:
        self._relay = relay
        self._number = number
        self._link = link
        self._timer = asyncio.get_running_loop().call_later(relay.relaying.moment, self._give_up)
        relay.rests.add(self)
        link.asker = self
        link.valve.open("peer is slow")

    def close(self) -> None:
        """Nobody listens any more."""
        self._timer.cancel()
        self._relay.rests.discard(self)
        self._link.close()

    def response_data(self, data: bytes) -> None:
        """See `Asker`."""
        self._relay.tape.put("response", self._number, data)

    def response_ended(self) -> None:
        """See `Asker`."""
        self._relay.tape.put("responded", self._number)
        self.close()

    def response_flushed(self) -> None:
        """See `Asker`."""
        self._relay.wait_for_tape(self._link.valve)

    def response_broken(self, reason: str) -> None:
        """See `Asker`."""
        self._give_up()

    def _give_up(self) -> None:
        self._relay.tape.put("aborted", self._number, "client")
        self.close()
