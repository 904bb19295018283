"""Cases from public bug reports: authorization and headers, the recorder's side, over real sockets."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from mcpmock.errors import UsageError
from mcpmock.keeping import Keeping
from mcpmock.recording_http import HttpRecordRequest, open_recorder
from tests.cases.http_cases import TOOL, result
from tests.transports.http_upstream import STREAM, Asked, Upstream
from tests.transports.proxying import Client, open_session, proxied, recording

METADATA = "/.well-known/oauth-protected-resource/mcp"
NOBODY = "http://127.0.0.1:1"  # an authorization server that cannot be reached
TOKEN = "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"


def guarded(asked: Asked) -> None:
    """A server that wants a token, and says where to get one."""
    own = f"http://{asked.all('host')[0]}"
    if asked.target == METADATA:
        asked.answer(200, json.dumps({"resource": f"{own}/mcp", "authorization_servers": [NOBODY]}),
                     "Content-Type: application/json")  # fmt: skip
    elif asked.all("authorization") != [f"Bearer {TOKEN}"]:
        asked.answer(401, b"", f'WWW-Authenticate: Bearer resource_metadata="{own}{METADATA}"')
    else:
        result(asked)


def test_au_01_the_challenge_and_the_metadata_are_passed_on(tmp_path: Path) -> None:
    """AU-01: as they are; what the client then sends is never stored."""
    with proxied(tmp_path, guarded) as (upstream, proxy, client):
        found = client.call({"id": 0, "method": "initialize", "params": {}})
        assert found.status == 401
        assert found.all("www-authenticate") == [f'Bearer resource_metadata="{upstream.url}{METADATA}"']
        client.ask("GET", path=METADATA)
        assert client.answer().message["resource"] == f"{upstream.url}/mcp"
        answer = client.call({"id": 0, "method": "initialize", "params": {}}, f"Authorization: Bearer {TOKEN}")
        assert answer.status == 200
    assert TOKEN not in proxy.text
    assert METADATA in proxy.text
    assert "www-authenticate" in proxy.text


def test_au_01_the_proxy_stands_in_the_metadata_where_that_is_asked_for(tmp_path: Path) -> None:
    """AU-01: where the server is named, and nowhere else."""
    with proxied(tmp_path, guarded, rewrite_auth=True) as (_, _, client):
        own = f"http://{client.authority}"
        found = client.call({"id": 0, "method": "initialize", "params": {}})
        assert found.all("www-authenticate") == [f'Bearer resource_metadata="{own}{METADATA}"']
        client.ask("GET", path=METADATA)
        assert client.answer().message == {"resource": f"{own}/mcp", "authorization_servers": [NOBODY]}


def test_au_01_metadata_is_wherever_the_challenge_says(tmp_path: Path) -> None:
    """AU-01 (RFC 9728, 5.1): it need not be under `/.well-known/`; a document that nobody named stays as it is."""

    def serve(asked: Asked) -> None:
        own = f"http://{asked.all('host')[0]}"
        if asked.method == "GET":
            asked.answer(200, json.dumps({"resource": f"{own}/mcp"}), "Content-Type: application/json")
        else:
            asked.answer(401, b"", f'WWW-Authenticate: Bearer scope="a", resource_metadata="{own}/custom/place.json"')

    with proxied(tmp_path, serve, rewrite_auth=True) as (upstream, _, client):
        client.call({"id": 0, "method": "initialize", "params": {}})
        for path, named in (("/custom/place.json", f"http://{client.authority}"), ("/other.json", upstream.url)):
            client.ask("GET", path=path)
            assert client.answer().message == {"resource": f"{named}/mcp"}


def test_au_01_a_token_is_asked_for_in_the_name_of_the_server(tmp_path: Path) -> None:
    """AU-01: `resource` names the proxy, because its metadata did; servers give out no token for another one."""
    with proxied(tmp_path, lambda asked: asked.answer(200), rewrite_auth=True) as (upstream, _, client):
        own, named = quote(f"http://{client.authority}/mcp", safe=""), quote(f"{upstream.url}/mcp", safe="")
        other = quote(f"http://{client.authority}.example/mcp", safe="")
        client.ask("GET", path=f"/authorize?a=%2Fb&resource={own}&redirect_uri={own}&resource={other}")
        client.answer()
        assert upstream.next().target == f"/authorize?a=%2Fb&resource={named}&redirect_uri={own}&resource={other}"
        form = f"grant_type=authorization_code&resource={own}&code=x+y"
        client.ask("POST", "Content-Type: application/x-www-form-urlencoded", path="/token", body=form.encode())
        client.answer()
        asked = upstream.next()
        assert asked.body.decode() == form.replace(own, named)
        assert asked.all("content-length") == [str(len(asked.body))]


def test_au_02_given_headers_are_sent_with_every_kind_of_request_and_never_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AU-02: repeated and empty ones too; a POST without a body is a request like any other."""
    monkeypatch.setenv("MCPMOCK_TEST_TOKEN", TOKEN)
    headers = ("Authorization: Bearer ${MCPMOCK_TEST_TOKEN}", "X-A: 1", "X-A: 2", "X-Empty:")

    def serve(asked: Asked) -> None:
        if asked.method == "GET":
            asked.head(200, STREAM)
            asked.end()
        elif asked.method == "POST" and asked.body:
            asked.answer(200, {"id": asked.message["id"], "result": {"echo": asked.all("authorization")[0]}})
        else:
            asked.answer(200)

    with proxied(tmp_path, serve, headers=headers) as (upstream, proxy, client):
        open_session(client)
        client.get("X-Mine: a", "X-Mine: b", "X-Nothing:", "Connection: X-Hop", "X-Hop: 1")
        client.answer()
        for method in ("DELETE", "OPTIONS", "POST"):
            client.ask(method)
            assert client.answer().status == 200
        client.ask("HEAD")
        assert client.answer(has_body=False).status == 200
        for method in ("POST", "GET", "DELETE", "OPTIONS", "POST", "HEAD"):
            asked = upstream.next()
            assert asked.method == method
            assert asked.all("authorization") == [f"Bearer {TOKEN}"]
            assert (asked.all("x-a"), asked.all("x-empty")) == (["1", "2"], [""])
            if method == "GET":
                assert (asked.all("x-mine"), asked.all("x-nothing")) == (["a", "b"], [""])
                assert not asked.all("x-hop")
                assert not asked.all("connection")
    assert TOKEN not in proxy.text


def test_au_02_repeated_and_empty_headers_of_the_answer(tmp_path: Path) -> None:
    """AU-02: on the way back too."""

    def serve(asked: Asked) -> None:
        asked.answer(
            200, {"id": 1, "result": {}}, "Set-Cookie: a=1", "Set-Cookie: b=2", "X-Empty:", "Connection: X-H", "X-H: 1"
        )

    with proxied(tmp_path, serve) as (_, _, client):
        found = client.call(TOOL)
        assert (found.all("set-cookie"), found.all("x-empty"), found.all("x-h")) == (["a=1", "b=2"], [""], [])


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        ("X-A: ${MCPMOCK_NOT_SET}", "MCPMOCK_NOT_SET"),
        (f"Bearer {TOKEN}", "Name: value"),
        ("X A: 1", "is no name of a header"),
        ("X-A: a\nb", "control character"),
    ],
)
def test_ours_a_header_that_cannot_be_sent_is_refused_before_anything_is_moved(header: str, complaint: str) -> None:
    """Ours: and its value is not told."""
    with pytest.raises(UsageError, match=complaint) as caught:
        open_recorder(HttpRecordRequest(Keeping("c.yaml"), "http://127.0.0.1/mcp", headers=(header,)))
    assert TOKEN not in str(caught.value)


def test_ours_the_credentials_of_a_url_are_sent_and_never_stored(tmp_path: Path) -> None:
    """HT-12: the user-info of the URL."""
    with Upstream(result) as upstream:
        url = upstream.url.replace("//", "//user:Zk93hfKs82hf@") + "/mcp"
        with recording(tmp_path / "c.yaml", url) as proxy, Client(proxy.url) as client:
            open_session(client)
            assert upstream.next().all("authorization") == ["Basic dXNlcjpaazkzaGZLczgyaGY="]
    assert "Zk93hfKs82hf" not in proxy.text
