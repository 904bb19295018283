"""Cases from public bug reports: Streamable HTTP, the recorder's side: several streams, their ends, odd bodies."""

from __future__ import annotations

import gzip
import threading
import zlib
from pathlib import Path

import pytest

from tests.cases.http_cases import TOOL, after_handshake, result, until_left
from tests.transports.http_upstream import STREAM, Asked, Upstream
from tests.transports.proxying import Client, open_session, proxied, recording


def test_ht_10_two_streams_of_one_session(tmp_path: Path) -> None:
    """HT-10: the second is passed on, whatever the server says to it; a stray POST harms nobody."""
    streams: list[Asked] = []

    def serve(asked: Asked) -> None:
        if asked.method == "GET" and streams:
            asked.answer(409, {"id": None, "error": {"code": -32000, "message": "Conflict"}})
        elif asked.method == "GET":
            streams.append(asked)
            asked.head(200, STREAM)
        elif asked.body and "id" in asked.message:
            asked.answer(200, {"id": asked.message["id"], "result": {}}, "Mcp-Session-Id: S")
        else:
            asked.answer(400, {"id": None, "error": {"code": -32700, "message": "Parse error"}})

    with proxied(tmp_path, serve) as (_, proxy, one), Client(proxy.url) as two, Client(proxy.url) as three:
        open_session(one)
        two.get("Mcp-Session-Id: S")
        assert two.head()[0] == 200
        three.get("Mcp-Session-Id: S")
        assert three.answer().status == 409
        three.ask("POST", body=b"", path="/message")
        assert three.answer().status == 400
        streams[0].event({"method": "notifications/message", "params": {"level": "info", "data": "still here"}})
        assert b"still here" in two.chunk()
    assert "still here" in proxy.text


def test_ht_11_streams_of_clients_that_vanish_end_upstream_too(tmp_path: Path) -> None:
    """HT-11: nothing is left behind of twenty clients that hold streams and go."""
    held: list[Asked] = []

    def serve(asked: Asked) -> None:
        held.append(asked)
        asked.head(200, STREAM)

    with Upstream(serve) as upstream, recording(tmp_path / "c.yaml", f"{upstream.url}/mcp") as proxy:
        clients = [Client(proxy.url) for _ in range(20)]
        for client in clients:
            client.get()
            client.head()
        for client in clients:
            client.leave()
        assert all(asked.is_left() for asked in held)
        assert len(held) == 20


def test_ht_12_the_query_of_the_url(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """HT-12: sent byte for byte, with the client's own behind it; the secret is neither stored nor told."""
    secret = "sk_live_51HqLyjWDarjtT1zdp7dcXXXX"
    query = f"api_key={secret}&features=docs%2Cdb&x="
    with Upstream(result) as upstream, recording(tmp_path / "c.yaml", f"{upstream.url}/a/b/mcp?{query}") as proxy:
        assert proxy.url.endswith("/a/b/mcp")
        with Client(proxy.url) as client:
            open_session(client)
            assert upstream.next().target == f"/a/b/mcp?{query}"
            client.call(TOOL, path="/mcp?trace=1")
            assert upstream.next().target == f"/a/b/mcp?{query}&trace=1"
    [session] = proxy.sessions
    assert "features=docs%2Cdb" in session.url
    assert secret not in proxy.text
    assert secret not in "".join(capfd.readouterr())


def test_ht_13_a_client_that_leaves_in_the_middle_of_a_stream(tmp_path: Path) -> None:
    """HT-13: the server's stream is closed, what was seen is kept, and the recorder goes on; no cancel is made up."""
    progress = {"method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}
    left = threading.Event()
    with proxied(tmp_path, until_left(left, progress)) as (upstream, proxy, one), Client(proxy.url) as two:
        open_session(one)
        one.post({**TOOL, "params": {"name": "t", "_meta": {"progressToken": 1}}})
        one.head()
        assert b"progress" in one.chunk()
        one.leave()
        assert left.wait(20)
        assert two.call({**TOOL, "id": 2}).status == 200
        assert upstream.asked.qsize() == 3
    proxy.holds("- http: {aborted: client}")


def test_ht_13_a_server_that_dies_in_the_middle_of_a_stream(tmp_path: Path) -> None:
    """HT-13's other side: the client sees a broken connection, not an end in order."""

    def die(asked: Asked) -> None:
        asked.head(200, STREAM)
        asked.event({"method": "notifications/message", "params": {"level": "info", "data": "last words"}})
        asked.drop()

    with proxied(tmp_path, after_handshake(die)) as (_, proxy, client):
        open_session(client)
        client.post(TOOL)
        client.head()
        assert b"last words" in client.chunk()
        assert client.is_broken_off()
    proxy.holds("- http: {aborted: server}")


def test_rp_02_two_requests_in_flight_with_one_id_and_two_sessions_with_the_same_ids(tmp_path: Path) -> None:
    """RP-02: an answer belongs to the POST that it came on."""
    slow: list[Asked] = []

    def serve(asked: Asked) -> None:
        message = asked.message
        if message["method"] == "initialize":
            name = message["params"]["clientInfo"]["name"]
            asked.answer(200, {"id": message["id"], "result": {}}, f"Mcp-Session-Id: {name}")
        elif message["params"]["name"] == "A":
            slow.append(asked)
        else:
            asked.result({"of": "B"})
            for waiting in slow:
                waiting.result({"of": "A"})

    with proxied(tmp_path, serve) as (upstream, proxy, one), Client(proxy.url) as two:
        open_session(one, clientInfo={"name": "S1"})
        open_session(two, clientInfo={"name": "S2"})
        one.post({"id": 1, "method": "tools/call", "params": {"name": "A"}}, "Mcp-Session-Id: S1")
        upstream.next(), upstream.next(), upstream.next()
        assert two.call({"id": 1, "method": "tools/call", "params": {"name": "B"}}, "Mcp-Session-Id: S1").message[
            "result"
        ] == {"of": "B"}
        assert one.answer().message["result"] == {"of": "A"}
        two.call({"id": 1, "method": "tools/call", "params": {"name": "B"}}, "Mcp-Session-Id: S2")
    first, second = proxy.sessions
    assert [entry.owner for entry in first.entries if entry.kind == "server"][1:] == ["1-2", first.entries[-1].owner]
    assert len(second.entries) == 4


@pytest.mark.parametrize(
    ("body", "media"),
    [
        (b'{"Output":{},"Version":"1"}', "application/json"),
        (b"<html>login</html>", "text/html"),
        (b'{"jsonrpc":"2.0","id":3}', "application/json"),
    ],
)
def test_rp_08_a_body_that_is_no_message(tmp_path: Path, body: bytes, media: str) -> None:
    """RP-08: passed on unchanged, and recorded as what it is."""

    def answer(asked: Asked) -> None:
        asked.answer(200, body, f"Content-Type: {media}", "X-Y: z")

    with proxied(tmp_path, after_handshake(answer)) as (_, proxy, client):
        open_session(client)
        found = client.call({**TOOL, "id": 3})
        assert (found.status, found.body, found.all("x-y")) == (200, body, ["z"])
        assert found.all("content-type") == [media]
    assert "post: 200" in proxy.text
    assert media in proxy.text


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_ours_a_compressed_answer_is_passed_on_as_it_is_and_read_for_the_record(tmp_path: Path, coding: str) -> None:
    """Issue 5: identity is asked for; what comes compressed all the same keeps its length and its coding."""
    plain = b'{"jsonrpc":"2.0","id":1,"result":{"text":"hidden inside"}}'
    if coding == "br":
        brotli = pytest.importorskip("brotli")
        body = brotli.compress(plain)
    else:
        body = gzip.compress(plain) if coding == "gzip" else zlib.compress(plain)

    def serve(asked: Asked) -> None:
        assert asked.all("accept-encoding") == ["identity"]
        asked.answer(200, body, f"Content-Encoding: {coding}", "Content-Type: application/json")

    with proxied(tmp_path, serve) as (_, proxy, client):
        found = client.call(TOOL, "Accept-Encoding: gzip, br")
        assert found.body == body
        assert found.all("content-encoding") == [coding]
        assert found.all("content-length") == [str(len(body))]
    assert "hidden inside" in proxy.text
