"""A client of sockets: each request on a connection of its own, which is read when a test likes."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.http.client import message_text, mock_of
from tests.program import SECONDS

_ASIDE = 0.05
"""Seconds in which something would have come, were it not held back."""


class Connection:
    """A connection on which one request has been sent. It is unread until it is asked for."""

    def __init__(self, host: str, request: bytes) -> None:
        name, _, port = host.partition(":")
        self.socket = socket.create_connection((name, int(port)), SECONDS)
        self.socket.sendall(request)
        self._read = b""

    def is_silent(self) -> bool:
        """Whether nothing more comes."""
        return not select.select([self.socket], [], [], _ASIDE)[0]

    def await_something(self) -> None:
        """Waits until there is something to be read."""
        assert select.select([self.socket], [], [], SECONDS)[0]

    def read_until(self, what: bytes) -> bytes:
        """All that has been read, once that is in it."""
        end = time.monotonic() + SECONDS
        while what not in self._read:
            assert time.monotonic() < end, self._read
            data = self.socket.recv(65536)
            assert data, self._read
            self._read += data
        return self._read

    def read_head(self) -> str:
        """The head of the response, with what has come behind it."""
        return self.read_until(b"\r\n\r\n").decode()


class Client:
    """A client of one server. `head` goes with every request."""

    def __init__(self, url: str, stack: ExitStack) -> None:
        self._host = url.removeprefix("http://").partition("/")[0]
        self._stack = stack
        self.head = {"accept": "application/json, text/event-stream"}

    def shake(self) -> None:
        """The handshake."""
        params = {"protocolVersion": "2025-06-18", "capabilities": {}}
        head = self.post({"id": "h", "method": "initialize", "params": params}).read_until(b'"h"').decode()
        lines = [line.partition(": ") for line in head.splitlines()]
        self.head["mcp-session-id"] = next(value for name, _, value in lines if name.lower() == "mcp-session-id")
        self.post({"method": "notifications/initialized"}).read_until(b"202")

    def post(self, message: dict[str, Any], head: Mapping[str, str] | None = None) -> Connection:
        """Sends a message."""
        return self._ask("POST", message_text(message), head or {})

    def listen(self) -> Connection:
        """Opens the stream of a GET, and reads its head."""
        stream = self._ask("GET", b"", {})
        stream.read_head()
        return stream

    def _ask(self, verb: str, body: bytes, head: Mapping[str, str]) -> Connection:
        fields = {"host": self._host, **self.head, **head, "content-length": str(len(body))}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        connection = Connection(self._host, f"{verb} /mcp HTTP/1.1\r\n{lines}\r\n".encode() + body)
        self._stack.callback(connection.socket.close)
        return connection


@contextmanager
def clients_of(folder: Path, cassette: str, count: int = 1) -> Iterator[list[Client]]:
    """Clients of the replay of a cassette."""
    with mock_of(folder, cassette) as mock, ExitStack() as stack:
        yield [Client(mock.url, stack) for _ in range(count)]
