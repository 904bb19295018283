"""What servers and clients send that nobody expects: it passes through a recorder, and its cassette stays readable."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mcpmock.transports.proxy.recorder import Address
from tests.cases.http_cases import TOOL, after_handshake, result
from tests.program import ENVIRONMENT, SECONDS
from tests.transports.http_upstream import STREAM, Asked, Upstream
from tests.transports.proxying import Client, open_session, proxied, recording


def answering(status: int, body: bytes, *fields: str) -> Callable[[Asked], None]:
    """A server that answers the handshake, and anything else so."""
    return after_handshake(lambda asked: asked.answer(status, body, *fields))


@pytest.mark.parametrize("verb", ["OPTIONS", "PUT", "PATCH", "HEAD"])
def test_other_verbs_are_told_once_where_the_server_is_asked(tmp_path: Path, verb: str) -> None:
    """Ours: a replay answers them as the server did; the Allow of a refusal says what it takes."""
    with proxied(tmp_path, answering(405, b"", "Allow: POST")) as (_, proxy, client):
        open_session(client)
        for _ in range(3):
            client.ask(verb)
            assert client.answer().status == 405
    facts = [entry.http for entry in proxy.sessions[0].entries if entry.http is not None and entry.http.verb == verb]
    assert [(fact.status, fact.headers, fact.sent) for fact in facts] == [(405, (("allow", "POST"),), ())]


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        ("TRACE", "/mcp"),
        ("BREW", "/mcp"),
        *((verb, "/.well-known/oauth-protected-resource") for verb in ("OPTIONS", "PUT", "PATCH", "TRACE")),
    ],
)
def test_other_verbs_are_no_part_of_a_cassette(tmp_path: Path, verb: str, path: str) -> None:
    """Ours: the cassette of a browser, which asks OPTIONS beforehand, held a key that nothing could read."""
    with proxied(tmp_path, answering(204, b"", "Allow: POST")) as (_, proxy, client):
        client.ask(verb, path=path)
        assert client.answer().status == 204
        open_session(client)
        client.ask(verb, path=path)
        assert client.answer().status == 204
    (session,) = proxy.sessions
    assert [entry for entry in session.entries if entry.http is not None] == []


def test_what_a_server_says_before_its_answer_passes_as_it_is(tmp_path: Path) -> None:
    """Ours (DESIGN 2.4): the phrase of an interim response, too."""

    def serve(asked: Asked) -> None:
        asked.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
        asked.result()

    with proxied(tmp_path, serve) as (_, _, client):
        client.post({"id": 1, "method": "ping"})
        assert client.until(b"\r\n\r\n") == b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
        assert client.answer().status == 200


@pytest.mark.parametrize("status", [299, 599, 600, 999])
def test_any_status_can_be_read_again(tmp_path: Path, status: int) -> None:
    """RFC 9110, 15: a status has three digits; some servers refuse robots with 999."""
    with proxied(tmp_path, answering(status, b"no", "Content-Type: text/plain")) as (_, proxy, client):
        open_session(client)
        assert client.call({"id": 1, "method": "tools/list"}).status == status
    facts = [entry.http.status for entry in proxy.sessions[0].entries if entry.http is not None]
    assert facts == [status]


def test_a_redirect_to_bytes_that_are_no_text_is_passed_on(tmp_path: Path) -> None:
    """Issue 5, 2: whatever a server sends; the connection was lost."""
    with proxied(
        tmp_path,
        lambda asked: asked.send(b"HTTP/1.1 307 X\r\nLocation: http://\xe9.example/\xff\r\nContent-Length: 0\r\n\r\n"),
    ) as (_, _, client):
        answer = client.call({"id": 1, "method": "ping"})
        assert (answer.status, answer.all("location")) == (307, ["http://\xe9.example/\xff"])


def test_an_endpoint_that_is_no_uri_ends_nothing(tmp_path: Path) -> None:
    """Issue 5, 4: one client gets nowhere; nothing more was recorded of any other."""

    def serve(asked: Asked) -> None:
        if asked.method == "GET":
            asked.head(200, STREAM)
            asked.chunk("event: endpoint\ndata: http://[x\n\n")
            asked.end()
        else:
            asked.result()

    with proxied(tmp_path, serve) as (_, proxy, client):
        client.get()
        assert b"http://[x" in client.answer().body
        open_session(client)
    proxy.holds("- server: {id: 0, result: {}}")


def test_what_cannot_be_written_is_told_once_and_the_session_goes_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """DESIGN 4: what helps is told, as by the recorder of stdio."""
    folder = tmp_path / "gone"
    folder.mkdir()
    with Upstream(result) as upstream, recording(folder / "c.yaml", f"{upstream.url}/mcp") as proxy:
        folder.rmdir()
        folder.write_text("a file stands there now")
        with Client(proxy.url) as client:
            open_session(client)
            proxy.recorder.catch_up()
            assert client.call(TOOL).status == 200
    told = capfd.readouterr().err
    assert told.count("not recorded from here on") == 1
    assert told.endswith("; record to another place: mcpmock record -o OTHER.yaml ...\n")


STARTING = """
import os, resource
from mcpmock.errors import McpmockError
from mcpmock.keeping import Keeping
from mcpmock.recording_http import HttpRecordRequest, open_recorder
request = HttpRecordRequest(Keeping("c.yaml"), "http://127.0.0.1:9/mcp")
recorder = open_recorder(request)
limits = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (5, limits[1]))  # two are free, and an event loop takes three
try:
    recorder.start(request.address)
except McpmockError as error:
    print(error)
"""


def test_a_name_of_several_addresses_is_one_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 5.2: `--host localhost --port 0`, on a machine whose `localhost` is of IPv4 and of IPv6."""
    families = {"127.0.0.1": socket.AF_INET, "::1": socket.AF_INET6}
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")

    def both(host: object, port: object, *args: object, **kwargs: object) -> list[object]:
        addresses = families if host == "localhost" else {str(host): families.get(str(host), socket.AF_INET)}
        return [(family, socket.SOCK_STREAM, 6, "", (address, port)) for address, family in addresses.items()]

    with Upstream(result) as upstream, monkeypatch.context() as patched:
        patched.setattr(socket, "getaddrinfo", both)
        with recording(tmp_path / "c.yaml", f"{upstream.url}/mcp", address=Address(0, "localhost")) as proxy:
            port = urlsplit(proxy.url).port or 0
            for address in ("127.0.0.1", "[::1]"):
                with Client(f"http://{address}:{port}/mcp") as client:
                    open_session(client)


def test_who_listens_everywhere_is_found_by_a_name(tmp_path: Path) -> None:
    """Ours: not every system lets a client call 0.0.0.0."""
    everywhere = Address(0, "0.0.0.0")
    with Upstream(result) as upstream, recording(tmp_path / "c.yaml", upstream.url, address=everywhere) as proxy:
        assert urlsplit(proxy.url).hostname == "localhost"


def test_a_proxy_that_cannot_start_says_so(tmp_path: Path) -> None:
    """Ours: where too many files were open for an event loop, a test waited for its URL for ever."""
    pytest.importorskip("resource", reason="Windows has no such limit")
    done = subprocess.run(
        [sys.executable, "-c", STARTING],
        cwd=tmp_path,
        env={**os.environ, **ENVIRONMENT},
        stdout=subprocess.PIPE,
        timeout=SECONDS,
        check=True,
    )
    assert done.stdout.startswith(b"no proxy can be started: ")
