"""The recorder of HTTP hands the requests of a session on in the order in which they have come (DESIGN 2.4)."""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from mcpmock.keeping import Keeping
from mcpmock.recording_http import HttpRecordRequest, recording_mind, relaying_for
from mcpmock.transports.proxy.recorder import Address, HttpRecorder
from tests.transports.proxying import Client

SECONDS: Final = 20
CERTIFICATE: Final = Path(__file__).parent / "tls" / "localhost.pem"
OURS: Final = "Mcp-Session-Id: ours"
OTHER: Final = "Mcp-Session-Id: other"


class Accepted(NamedTuple):
    """A connection that the server has accepted. It is not open before the server has shaken hands (TLS)."""

    plain: socket.socket

    def opened(self) -> Opened:
        """Shake hands."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        return Opened(context.wrap_socket(self.plain, server_side=True))


class Opened(NamedTuple):
    """A connection on which requests come."""

    secured: ssl.SSLSocket

    def asked(self) -> str:
        """The next request: its method and the session that it names."""
        data = b""
        while b"\r\n\r\n" not in data:
            more = self.secured.recv(65536)
            assert more, "the connection has ended"
            data += more
        head, _, body = data.partition(b"\r\n\r\n")
        length = _field(head, b"content-length")
        while len(body) < int(length or b"0"):
            body += self.secured.recv(65536)
        return f"{head.split()[0].decode()} {_field(head, b'mcp-session-id').decode()}".strip()

    def answer(self) -> None:
        """Answer it with nothing."""
        self.secured.sendall(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")

    def is_silent(self) -> bool:
        """Whether nothing has come by now."""
        self.secured.settimeout(0)
        with contextlib.suppress(ssl.SSLWantReadError):
            return not self.secured.recv(1)
        self.secured.settimeout(SECONDS)
        return True


class Server:
    """Accepts connections one by one, and shakes hands when a test says so."""

    def __init__(self, patience: float, folder: Path) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(SECONDS)
        self._accepted: list[socket.socket] = []
        url = f"https://127.0.0.1:{self._listener.getsockname()[1]}/mcp"
        request = HttpRecordRequest(Keeping(str(folder / "c.yaml"), "s", "r"), url, insecure=True)
        relaying = relaying_for(request)._replace(patience=patience)
        self._recorder = HttpRecorder(relaying, partial(recording_mind, request, relaying.changes), print)

    def __enter__(self) -> Self:
        self.url = self._recorder.start(Address())
        return self

    def __exit__(self, *exc: object) -> None:
        self._recorder.stop()
        for connection in (self._listener, *self._accepted):
            connection.close()

    def accept(self) -> Accepted:
        """The next connection of the recorder."""
        connection, _ = self._listener.accept()
        connection.settimeout(SECONDS)
        self._accepted.append(connection)
        return Accepted(connection)

    @contextmanager
    def used(self, *fields: str) -> Iterator[tuple[Client, Opened]]:
        """A client's connection on which something was asked already, with the server's end."""
        with Client(self.url) as client:
            opened = self.accept().opened()
            try:
                client.post(note(), *fields)
                assert opened.asked()
                opened.answer()
                client.answer()
                yield client, opened
            finally:
                opened.secured.close()


def note() -> dict[str, Any]:
    """A message that needs no answer."""
    return {"method": "notifications/initialized"}


def _field(head: bytes, wanted: bytes) -> bytes:
    fields = (line.partition(b":") for line in head.split(b"\r\n"))
    return next((value.strip() for name, _, value in fields if name.lower() == wanted), b"")


def test_a_post_on_a_used_connection_does_not_overtake_the_get_before_it(tmp_path: Path) -> None:
    """Ours: a server drops a question that has no stream to come on yet; the client has asked for the stream first."""
    with (
        Server(SECONDS, tmp_path) as server,
        server.used(OURS) as (one, first),
        server.used(OTHER) as (three, third),
        Client(server.url) as two,
    ):
        second = server.accept()
        two.get(OURS)
        one.post(note(), OURS)
        three.post(note(), OTHER)
        assert third.asked() == "POST other", "what another session asks waits for nobody"
        assert first.is_silent()
        with second.opened().secured as secured:
            assert Opened(secured).asked() == "GET ours"
            assert first.asked() == "POST ours"


def test_what_waits_goes_in_its_order(tmp_path: Path) -> None:
    """Ours: neither a post that has a connection, nor the next one, gets before the first."""
    with Server(SECONDS, tmp_path) as server, server.used(OURS) as (one, first), Client(server.url) as two:
        second = server.accept()
        two.post(note(), OURS)
        with Client(server.url) as three:
            third = server.accept()
            three.get(OURS)
            one.post(note(), OURS)
            with third.opened().secured as late:
                assert first.is_silent()
                with second.opened().secured as secured:
                    assert Opened(secured).asked() == "POST ours"
                    assert Opened(late).asked() == "GET ours"
                    assert first.asked() == "POST ours"


def test_a_request_that_cannot_be_connected_holds_others_back_for_a_moment_only(tmp_path: Path) -> None:
    """Ours: a server that takes no new connections still answers on those that it has."""
    with Server(0.01, tmp_path) as server, server.used(OURS) as (one, first), Client(server.url) as two:
        second = server.accept()
        two.get(OURS)
        one.post(note(), OURS)
        assert first.asked() == "POST ours"
        with second.opened().secured as secured:
            assert Opened(secured).asked() == "GET ours", "it is late, not lost"


def test_nobody_waits_for_a_client_that_has_left(tmp_path: Path) -> None:
    """Ours: what is not asked any more is not waited for."""
    with Server(SECONDS, tmp_path) as server, server.used(OURS) as (one, first), Client(server.url) as two:
        server.accept()
        two.get(OURS)
        one.post(note(), OURS)
        two.leave()
        assert first.asked() == "POST ours"


def test_the_server_is_reached_as_soon_as_the_client_has_connected(tmp_path: Path) -> None:
    """Ours: without a recorder a client that is connected is connected to the server; either end leaves for both."""
    with Server(SECONDS, tmp_path) as server:
        with Client(server.url):
            left = server.accept().opened().secured
        with left:
            assert left.recv(1) == b""
        with Client(server.url) as client:
            server.accept().opened().secured.close()
            assert client.is_broken_off()


def test_a_client_that_waits_its_turn_is_told_when_its_server_leaves(tmp_path: Path) -> None:
    """Ours: nobody waits for an answer on a connection that has ended."""
    with Server(SECONDS, tmp_path) as server, server.used(OURS) as (one, first), Client(server.url) as two:
        second = server.accept()
        two.get(OURS)
        one.post(note(), OURS)
        first.secured.close()
        with second.opened().secured as secured:
            assert Opened(secured).asked() == "GET ours"
            assert one.is_broken_off()
