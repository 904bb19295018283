"""A bare HTTP server for comparison: answers every POST at once, and sends events that tell when they were sent.

    python benchmarks/http_server.py

Its first line is its port. `GET /events?N` is a stream of N events, some milliseconds apart.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Final

BODY: Final = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"3"}]}}'
ANSWER: Final = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
STREAM: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
PAUSE: Final = 0.004


class Connection(asyncio.Protocol):
    """One connection of a client."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._data += data
        while b"\r\n\r\n" in self._data:
            head, _, rest = self._data.partition(b"\r\n\r\n")
            _, found, tail = head.lower().partition(b"content-length:")
            length = int(tail.split(b"\r\n")[0]) if found else 0
            if len(rest) < length:
                return
            self._data = rest[length:]
            if head.startswith(b"GET /events?"):
                count = int(head.split(b"?")[1].split()[0])
                self._events = asyncio.get_running_loop().create_task(self._send_events(count))
            else:
                self.transport.write(ANSWER)

    async def _send_events(self, count: int) -> None:
        self.transport.write(STREAM)
        for _ in range(count):
            await asyncio.sleep(PAUSE)
            event = b'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":%.9f}}\n\n'
            event %= time.monotonic()
            self.transport.write(b"%x\r\n%b\r\n" % (len(event), event))
        self.transport.write(b"0\r\n\r\n")


async def main() -> None:
    """Serve for ever."""
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
