"""Cases from public bug reports: Streamable HTTP, the recorder's side, over real sockets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcpmock.transports.proxy.recorder import Address
from tests.cases.http_cases import INITIALIZED, TOOL, after_handshake, result
from tests.transports.http_upstream import Asked
from tests.transports.proxying import open_session, proxied


@pytest.mark.parametrize(
    ("status", "body", "fields"),
    [
        (202, b"", ()),
        (202, b"", ("Content-Type: application/json",)),
        (204, b"", ()),
        (200, b"", ()),
        (200, b"null", ("Content-Type: application/json",)),
        (200, b'{"ok":true}', ("Content-Type: application/json",)),
        (202, b"Accepted", ("Content-Type: text/plain",)),
    ],
)
def test_ht_02_answers_to_notifications(tmp_path: Path, status: int, body: bytes, fields: tuple[str, ...]) -> None:
    """HT-02: status, headers and body are passed on as they are; no body is taken for a message."""

    def serve(asked: Asked) -> None:
        if "id" in asked.message:
            asked.result()
        else:
            asked.answer(status, body, *fields)

    with proxied(tmp_path, serve) as (_, proxy, client):
        open_session(client)
        found = client.call(INITIALIZED)
        assert (found.status, found.body) == (status, body)
        assert found.all("content-type") == [field.partition(": ")[2] for field in fields]
        client.call(TOOL)
    [session] = proxy.sessions
    assert [entry.kind for entry in session.entries if entry.kind != "http"] == [
        "client", "server", "client", "client", "server",
    ]  # fmt: skip


def test_ht_02_a_request_that_is_only_accepted(tmp_path: Path) -> None:
    """HT-02: the status is passed on, and recorded as an answer that is none."""
    with proxied(tmp_path, after_handshake(lambda asked: asked.answer(202))) as (_, proxy, client):
        open_session(client)
        assert client.call({**TOOL, "id": 5}).status == 202
    proxy.holds("- http: {post: 202}")


@pytest.mark.parametrize("status", [404, 405, 406, 400])
def test_ht_03_a_get_that_is_refused(tmp_path: Path, status: int) -> None:
    """HT-03: passed on each time, recorded once, and no error."""

    def serve(asked: Asked) -> None:
        if asked.method == "GET":
            asked.answer(status, b"", "Allow: POST")
        else:
            result(asked)

    with proxied(tmp_path, serve) as (_, proxy, client):
        open_session(client)
        for _ in range(3):
            client.get()
            found = client.answer()
            assert (found.status, found.all("allow")) == (status, ["POST"])
        assert client.call(TOOL).message["id"] == 1
    assert proxy.text.count("get:") == 1


@pytest.mark.parametrize("status", [200, 204, 404, 405, 501])
def test_ht_04_the_end_of_a_session(tmp_path: Path, status: int) -> None:
    """HT-04: DELETE is passed on without a body, its status is recorded; what the session said is in the cassette."""

    def serve(asked: Asked) -> None:
        if asked.method == "DELETE":
            assert asked.all("mcp-session-id") == ["S1"]
            assert not asked.all("content-length")
            asked.answer(status)
        elif asked.message["method"] == "initialize":
            asked.answer(200, {"id": 0, "result": {}}, "Mcp-Session-Id: S1")
        else:
            asked.answer(404, {"id": None, "error": {"code": -32001, "message": "Session not found"}})

    with proxied(tmp_path, serve) as (_, proxy, client):
        open_session(client)
        client.ask("DELETE", "Mcp-Session-Id: S1")
        assert client.answer().status == status
        proxy.recorder.catch_up()
        if status < 400:
            assert len(proxy.sessions) == 1  # in the cassette already, though the proxy still runs
        assert client.call(TOOL, "Mcp-Session-Id: S1").status == 404
    proxy.holds(f"- http: {{delete: {status}}}")


@pytest.mark.parametrize("status", [307, 308, 301])
@pytest.mark.parametrize("keeps", ["keep-alive", "close"])
def test_ht_05_redirects_to_the_same_server_are_followed(tmp_path: Path, status: int, keeps: str) -> None:
    """HT-05: with method, body and authorization; the client sees the answer only."""

    def serve(asked: Asked) -> None:
        if asked.target == "/mcp":
            asked.answer(status, b"moved", f"Location: {upstream.url}/mcp/?x=%2C", f"Connection: {keeps}")
            if keeps == "close":
                asked.drop()
        else:
            assert (asked.method, asked.target) == ("POST", "/mcp/?x=%2C")
            assert asked.all("authorization") == ["Bearer T"]
            asked.result()

    with proxied(tmp_path, serve) as (upstream, _, client):
        for number in range(2):
            assert client.call({**TOOL, "id": number}, "Authorization: Bearer T").message["id"] == number


def test_ht_05_a_redirect_to_an_inner_host_does_not_lead_past_the_proxy(tmp_path: Path) -> None:
    """HT-05: what a server behind another proxy takes for itself."""

    def serve(asked: Asked) -> None:
        asked.answer(307, b"", "Location: http://internal:9000/mcp/")

    with proxied(tmp_path, serve) as (_, _, client):
        found = client.call(TOOL)
        assert (found.status, found.all("location")) == (307, [f"http://{client.authority}/mcp/"])


def test_ht_05_redirects_in_a_circle_end(tmp_path: Path) -> None:
    """HT-05: after ten of them, with an answer that says so."""

    def serve(asked: Asked) -> None:
        asked.answer(307, b"", f"Location: {asked.target}x")

    with proxied(tmp_path, serve) as (upstream, _, client):
        found = client.call(TOOL)
        assert found.status == 502
        assert "redirects in a circle" in found.message["error"]["message"]
        assert upstream.asked.qsize() == 11


@pytest.mark.parametrize("media", ["application/json;charset=UTF-8", "Application/JSON", "application/json ; x=y"])
def test_ht_08_media_types_with_parameters_and_in_any_case(tmp_path: Path, media: str) -> None:
    """HT-08: passed on as they came, and understood."""

    def serve(asked: Asked) -> None:
        asked.answer(200, f'{{"jsonrpc":"2.0","id":{asked.message["id"]},"result":{{}}}}', f"Content-Type: {media}")

    with proxied(tmp_path, serve) as (_, proxy, client):
        open_session(client)
        client.ask("POST", "Accept: */*", body=b'{"jsonrpc":"2.0","id":7,"method":"ping"}')
        assert client.answer().all("content-type") == [media]
    proxy.holds("""
        - client: {id: 7, method: ping}
        - server: {id: 7, result: {}}
    """)


def test_ht_09_host_and_origin(tmp_path: Path) -> None:
    """HT-09: the server gets its own Host; the client's Origin is passed on, if it is a page of this machine."""
    with proxied(tmp_path, result) as (upstream, _, client):
        port = client.authority.partition(":")[2]
        client.ask("POST", "Origin: http://localhost:6274", body=b"{}", host=f"localhost:{port}")
        client.answer()
        asked = upstream.next()
        assert asked.all("host") == [upstream.authority]
        assert asked.all("origin") == ["http://localhost:6274"]


def test_ht_09_a_server_on_this_machine_judges_foreign_names_itself(tmp_path: Path) -> None:
    """HT-09: the recorder opens no door; its own page is one of the server; the names are told once."""
    with proxied(tmp_path, after_handshake(result)) as (upstream, proxy, client):
        open_session(client)
        seen = []
        for number, origin in enumerate(("https://evil.example", "https://evil.example", f"http://{client.authority}")):
            host = client.authority if origin.startswith("http:") else "evil.example"
            client.ask(
                "POST",
                f"Origin: {origin}",
                body=json.dumps({"jsonrpc": "2.0", **TOOL, "id": number}).encode(),
                host=host,
            )
            assert client.answer().status == 200
        while not upstream.asked.empty():
            asked = upstream.next()
            seen += [(asked.all("host"), asked.all("origin"))] if asked.all("origin") else []
        own = f"http://{upstream.authority}"
        evil = (["evil.example"], ["https://evil.example"])
        assert seen == [evil, evil, ([upstream.authority], [own])]
    sent = [entry.http.sent for entry in proxy.sessions[0].entries if entry.http is not None and entry.http.sent]
    assert sent == [(("host", "evil.example"), ("origin", "https://evil.example"))]


@pytest.mark.parametrize(
    "options", [{"headers": ["X-Key: 1"]}, {"rewrite_auth": True}, {"origin": "drop"}, {"origin": "rewrite"}]
)
def test_ht_09_foreign_hosts_and_origins_are_refused_with_the_reason(tmp_path: Path, options: dict[str, Any]) -> None:
    """HT-09: 421 and 403, and the connection goes on: where the recorder lets clients in that the server would not."""
    with proxied(tmp_path, result, **options) as (upstream, _, client):
        client.ask("POST", body=b"{}", host="evil.example")
        found = client.answer()
        assert (found.status, "evil.example" in found.message["error"]["message"]) == (421, True)
        client.ask("POST", "Origin: https://evil.example", body=b"{}")
        found = client.answer()
        assert (found.status, "--allow-origin https://evil.example" in found.message["error"]["message"]) == (
            403,
            True,
        )
        assert client.call(TOOL).status == 200
        assert upstream.asked.qsize() == 1


def test_a_recorder_for_everybody_leaves_it_to_the_server_whom_it_answers(tmp_path: Path) -> None:
    """Ours: an address for all and `--allow-origin '*'`, as a replay takes it; the `*` let nobody in."""
    with proxied(tmp_path, result, address=Address(host="0.0.0.0"), allow_origin=["*"]) as (upstream, _, client):
        client.ask("POST", "Origin: https://evil.example", body=b"{}", host="evil.example")
        assert client.answer().status == 202  # the server's own word
        assert upstream.next().all("origin") == ["https://evil.example"]
