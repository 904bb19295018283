"""The recorder of HTTP as a proxy: whatever the server does."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path
from typing import Final

import pytest

from tests.cases.http_cases import TOOL, result
from tests.transports.http_upstream import Asked, Upstream
from tests.transports.proxying import Client, is_served, proxied, recording

CERTIFICATE: Final = Path(__file__).parent / "tls" / "localhost.pem"
"""A key, and a certificate for `localhost` that is its own authority; for tests alone."""


def test_a_server_that_closes_a_connection_between_two_requests_is_no_fault(tmp_path: Path) -> None:
    """Ours: the client's connection ends as the server's does; nothing is sent twice."""

    def serve(asked: Asked) -> None:
        result(asked)
        asked.drop()

    with Upstream(serve) as upstream, recording(tmp_path / "c.yaml", f"{upstream.url}/mcp") as proxy:
        for number in range(3):
            with Client(proxy.url) as client:
                assert client.call({**TOOL, "id": number}).message["id"] == number
                assert client.is_broken_off()
        assert upstream.asked.qsize() == 3


def test_a_server_that_says_close_leaves_the_client_its_connection(tmp_path: Path) -> None:
    """RFC 9112, 9.6: Connection is meant for us."""

    def serve(asked: Asked) -> None:
        asked.answer(200, {"id": asked.message["id"], "result": {}}, "Connection: close")
        asked.drop()

    with proxied(tmp_path, serve) as (_, _, client):
        for number in range(3):
            found = client.call({**TOOL, "id": number})
            assert (found.message["id"], found.all("connection")) == (number, [])


def test_an_answer_that_comes_before_the_request_is_complete_is_passed_on(tmp_path: Path) -> None:
    """RFC 9112, 9.5: as 413 is."""

    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        recording(tmp_path / "c.yaml", f"http://127.0.0.1:{listener.getsockname()[1]}/mcp") as proxy,
        Client(proxy.url) as client,
    ):
        client.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + "x" * 1000)
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig")
            assert client.answer().body == b"big"


@pytest.mark.parametrize(
    "said",
    [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", b"HTTP/1.1 2"],
)
def test_a_server_that_gives_no_answer_is_told_of(
    tmp_path: Path, said: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    """PR-05: 502 with the reason, on stderr too."""

    def serve(asked: Asked) -> None:
        asked.send(said)
        asked.drop()

    with proxied(tmp_path, serve) as (upstream, _, client):
        found = client.call(TOOL)
        assert found.status == 502
        reason = found.message["error"]["message"]
        assert reason.startswith(f"mcpmock record: no answer from {upstream.url}: ")
    assert reason.removeprefix("mcpmock record: ") in capfd.readouterr().err


def test_a_server_that_cannot_be_reached_is_told_of_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Issue 5: 502 for each request, one line on stderr; and no cassette (CA-07)."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/mcp"
    with recording(tmp_path / "c.yaml", url) as proxy, Client(proxy.url) as client:
        for _ in range(3):
            found = client.call(TOOL)
            assert found.status == 502
            assert "Connect call failed" in found.message["error"]["message"]
    assert capfd.readouterr().err.count("no answer from") == 1
    assert not proxy.cassette.exists()


def test_a_name_that_no_host_can_have_is_told_of(tmp_path: Path) -> None:
    """Ours: Python fails to write it down, and the client waited for ever."""
    with recording(tmp_path / "c.yaml", "http://a..b/mcp") as proxy, Client(proxy.url) as client:
        answer = client.call({"id": 1, "method": "ping"})
    assert answer.status == 502
    assert "no name of a host" in answer.message["error"]["message"]


def test_a_server_behind_tls_has_to_show_a_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: one that is trusted, or named by SSL_CERT_FILE; `--insecure` asks for none."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    with Upstream(result, tls=context, host="localhost") as upstream:
        url = f"{upstream.url}/mcp"
        with recording(tmp_path / "a.yaml", url) as proxy, Client(proxy.url) as client:
            found = client.call(TOOL)
            assert found.status == 502
            assert "--insecure" in found.message["error"]["message"]
        with recording(tmp_path / "b.yaml", url, insecure=True) as proxy:
            assert is_served(proxy.url)
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        with recording(tmp_path / "c.yaml", url) as proxy:
            assert is_served(proxy.url)
