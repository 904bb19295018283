"""A recorder of HTTP in this process, and raw clients of it."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent, indent
from typing import Any, Final, NamedTuple, Self
from urllib.parse import urlsplit

from mcpmock.cassette.load import load_file
from mcpmock.cassette.model import Session
from mcpmock.keeping import Keeping
from mcpmock.recording_http import HttpRecordRequest, open_recorder
from mcpmock.transports.proxy.recorder import HttpRecorder
from tests.transports.http_upstream import Asked, Upstream

SECONDS: Final = 20


class Proxy(NamedTuple):
    """A recorder that runs: its URL, what it writes, and what it said on stderr is left to pytest's capture."""

    url: str
    cassette: Path
    recorder: HttpRecorder

    @property
    def sessions(self) -> list[Session]:
        """What is recorded, once it has ended."""
        return list(load_file(str(self.cassette)).sessions)

    @property
    def text(self) -> str:
        """The cassette as it is written."""
        return self.cassette.read_text()

    def holds(self, entries: str) -> None:
        """Asserts that these entries stand in the cassette, one behind the other, as they are written there."""
        wanted = indent(dedent(entries).strip(), "  ")
        assert wanted in self.text, f"{wanted}\n--- is not in ---\n{self.text}"


@contextmanager
def recording(cassette: Path, url: str, **options: Any) -> Iterator[Proxy]:
    """A recorder of the server at this URL; `options` are fields of `Keeping` and of `HttpRecordRequest`."""
    kept = {name: options.pop(name) for name in Keeping._fields if name in options}
    request = HttpRecordRequest(Keeping(str(cassette), "s", "r", **kept), url, **options)
    recorder = open_recorder(request)
    proxy = Proxy(recorder.start(request.address), cassette, recorder)
    try:
        yield proxy
    finally:
        recorder.stop()


@contextmanager
def proxied(folder: Path, serve: Callable[[Asked], None], **options: Any) -> Iterator[tuple[Upstream, Proxy, Client]]:
    """A server that serves so, a recorder of its `/mcp` into `c.yaml` of the folder, and a client of that recorder.

    `options` are those of `recording`.
    """
    with (
        Upstream(serve) as upstream,
        recording(folder / "c.yaml", f"{upstream.url}/mcp", **options) as proxy,
        Client(proxy.url) as client,
    ):
        yield upstream, proxy, client


class Answer(NamedTuple):
    """A response as it came: its body without the chunks of the way."""

    status: int
    fields: list[tuple[str, str]]
    body: bytes

    def all(self, name: str) -> list[str]:
        """The values of a field, one for each time that it came."""
        return [value for other, value in self.fields if other.lower() == name.lower()]

    @property
    def message(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Client:
    """One connection of a client, on a raw socket."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self.path = parts.path
        self.authority = parts.netloc
        self._socket = socket.create_connection((parts.hostname, parts.port), timeout=SECONDS)
        self._data = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.leave()

    def send(self, data: bytes | str) -> None:
        """Send these bytes."""
        self._socket.sendall(data.encode() if isinstance(data, str) else data)

    def ask(self, method: str, *fields: str, body: bytes | None = None, path: str = "", host: str = "") -> None:
        """Send a request."""
        length = [] if body is None else [f"Content-Length: {len(body)}"]
        lines = [f"{method} {path or self.path} HTTP/1.1", f"Host: {host or self.authority}", *fields, *length, "", ""]
        self.send("\r\n".join(lines).encode() + (body or b""))

    def post(self, message: Any, *fields: str, path: str = "") -> None:
        """Send a message; anything but bytes goes as JSON."""
        if isinstance(message, dict):
            message = {"jsonrpc": "2.0", **message}
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.ask("POST", "Content-Type: application/json", *fields, body=body, path=path)

    def call(self, message: Any, *fields: str, path: str = "") -> Answer:
        """Send a message and read the whole answer."""
        self.post(message, *fields, path=path)
        return self.answer()

    def get(self, *fields: str, path: str = "") -> None:
        """Ask for a stream."""
        self.ask("GET", "Accept: text/event-stream", *fields, path=path)

    def until(self, end: bytes) -> bytes:
        """What comes, up to and with these bytes."""
        while end not in self._data:
            self._more()
        at = self._data.index(end) + len(end)
        found, self._data = self._data[:at], self._data[at:]
        return found

    def head(self) -> tuple[int, list[tuple[str, str]]]:
        """The head of the next response: its status and its fields."""
        lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        fields = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines[1:-2])]
        return int(lines[0].split()[1]), fields

    def answer(self, *, has_body: bool = True) -> Answer:
        """The next response, to its end."""
        status, fields = self.head()
        found = Answer(status, fields, b"")
        if not has_body or status in (204, 304):
            return found
        if found.all("transfer-encoding"):
            return found._replace(body=b"".join(iter(self.chunk, b"")))
        length = int(found.all("content-length")[0])
        while len(self._data) < length:
            self._more()
        body, self._data = self._data[:length], self._data[length:]
        return found._replace(body=body)

    def chunk(self) -> bytes:
        """The next chunk of a body; empty at its end."""
        size = int(self.until(b"\r\n"), 16)
        return self.until(b"\r\n") and b"" if not size else self._chunk(size)

    def _chunk(self, size: int) -> bytes:
        while len(self._data) < size + 2:
            self._more()
        found, self._data = self._data[:size], self._data[size + 2 :]
        return found

    def is_broken_off(self) -> bool:
        """Whether the connection ends, with nothing more on it."""
        try:
            rest = self._data + self._socket.recv(65536)
        except ConnectionResetError:
            return True
        return rest == b""

    def reset(self) -> None:
        """Have the system end the connection with a reset."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def leave(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _more(self) -> None:
        data = self._socket.recv(65536)
        assert data, f"the connection has ended after {self._data!r}"
        self._data += data


def open_session(client: Client, **extra: Any) -> None:
    """The handshake, without the notification."""
    client.call({"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", **extra}})


def is_served(url: str) -> bool:
    """Whether an ordinary client gets its answer."""
    with Client(url) as client:
        return client.call({"id": 1, "method": "ping"}).status == 200
