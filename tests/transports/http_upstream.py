"""A small HTTP server on raw sockets, one thread for each connection: a test says byte for byte what it sends.

def serve(asked: Asked) -> None:
    asked.answer(200, {"result": {}, "id": asked.message["id"]})

with Upstream(serve) as upstream:
    upstream.url
"""

from __future__ import annotations

import contextlib
import json
import queue
import socket
import ssl
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Self

SECONDS: Final = 20
STREAM: Final = "Content-Type: text/event-stream"


class Asked:
    """One request, as it came, and the connection to answer on."""

    def __init__(self, connection: socket.socket, head: bytes, body: bytes) -> None:
        self._connection = connection
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = lines[0].split(" ")
        self.fields = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines[1:])]
        self.body = body

    @property
    def message(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    def all(self, name: str) -> list[str]:
        """The values of a field, one for each time that it came."""
        return [value for other, value in self.fields if other.lower() == name.lower()]

    def send(self, data: bytes | str) -> None:
        """Send these bytes, now."""
        with contextlib.suppress(OSError):
            self._connection.sendall(data.encode() if isinstance(data, str) else data)

    def head(self, status: int, *fields: str) -> None:
        """Send the head of a response whose body is chunked."""
        self.send("\r\n".join((f"HTTP/1.1 {status} X", "Transfer-Encoding: chunked", *fields, "", "")))

    def chunk(self, data: bytes | str) -> None:
        """Send one chunk."""
        data = data.encode() if isinstance(data, str) else data
        self.send(b"%x\r\n%b\r\n" % (len(data), data))

    def event(self, message: Any) -> None:
        """Send a message as an event, in a chunk of its own."""
        self.chunk(f"event: message\ndata: {json.dumps({'jsonrpc': '2.0', **message})}\n\n")

    def end(self) -> None:
        """Send the last chunk."""
        self.send("0\r\n\r\n")

    def stream(self, *messages: Any) -> None:
        """A whole event stream."""
        self.head(200, STREAM)
        for message in messages:
            self.event(message)
        self.end()

    def answer(self, status: int, body: Any = b"", *fields: str) -> None:
        """A whole response; anything but bytes and text goes as JSON."""
        if not isinstance(body, bytes | str):
            fields = ("Content-Type: application/json", *fields)
            body = json.dumps({"jsonrpc": "2.0", **body} if isinstance(body, dict) else body)
        data = body.encode() if isinstance(body, str) else body
        length = () if status in (204, 304) else (f"Content-Length: {len(data)}",)
        self.send("\r\n".join((f"HTTP/1.1 {status} X", *length, *fields, "", "")).encode() + data)

    def result(self, result: Any = None) -> None:
        """The JSON answer to the request in the body."""
        self.answer(200, {"id": self.message["id"], "result": {} if result is None else result})

    def is_left(self) -> bool:
        """Whether the other end leaves, waiting for it."""
        self._connection.settimeout(SECONDS)
        try:
            return self._connection.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True

    def drop(self) -> None:
        """Close the connection, whatever is still to come."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)


class Upstream:
    """Serves until the end of the block, in which `asked` collects the requests."""

    def __init__(self, serve: Callable[[Asked], None], *, tls: ssl.SSLContext | None = None, host: str = "") -> None:
        self._serve = serve
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.asked: queue.SimpleQueue[Asked] = queue.SimpleQueue()
        self.connections = 0
        self.authority = f"{host or '127.0.0.1'}:{self._listener.getsockname()[1]}"

    @property
    def url(self) -> str:
        """Its origin."""
        return f"{'https' if self._tls else 'http'}://{self.authority}"

    def next(self) -> Asked:
        """The next request that comes."""
        return self.asked.get(timeout=SECONDS)

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *exc: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(SECONDS)
        for connection in self._open:
            connection.close()

    def _start(self, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
                if self._tls is not None:
                    connection = self._tls.wrap_socket(connection, server_side=True)
            except ssl.SSLError:
                continue
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            self._start(partial(self._talk, connection))

    def _talk(self, connection: socket.socket) -> None:
        data = b""
        while True:
            try:
                while b"\r\n\r\n" not in data:
                    if not (more := connection.recv(65536)):
                        return
                    data += more
                head, _, data = data.partition(b"\r\n\r\n")
                body, data = _body(connection, head, data)
            except OSError:
                return
            asked = Asked(connection, head, body)
            self.asked.put(asked)
            self._serve(asked)


def _body(connection: socket.socket, head: bytes, data: bytes) -> tuple[bytes, bytes]:
    fields = head.lower()
    if b"transfer-encoding: chunked" in fields:
        while not data.endswith(b"0\r\n\r\n"):
            data += connection.recv(65536)
        return _unchunked(data), b""
    _, found, rest = fields.partition(b"content-length:")
    length = int(rest.split(b"\r\n")[0]) if found else 0
    while len(data) < length:
        data += connection.recv(65536)
    return data[:length], data[length:]


def _unchunked(data: bytes) -> bytes:
    body = b""
    while data:
        size, _, rest = data.partition(b"\r\n")
        length = int(size, 16)
        body, data = body + rest[:length], rest[length + 2 :]
        if not length:
            break
    return body
