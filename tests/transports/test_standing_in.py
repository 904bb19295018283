"""The recorder stands in for authorization servers on other hosts (`--rewrite-auth`), over real sockets."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from mcpmock.wire.authorization import MOST_METADATA
from tests.transports.http_upstream import Asked, Upstream
from tests.transports.letting_in import (
    CALLBACK,
    CODE,
    ISSUER,
    JSON,
    PROTECTED,
    TOKEN,
    Issuer,
    ask,
    login,
    parameter,
    scene,
)
from tests.transports.proxying import Client, open_session, proxied

SIGNED = "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_assertion=e.y.J"


def test_the_whole_way_of_a_client_leads_over_the_recorder(tmp_path: Path) -> None:
    """Issue 6: the client hears of the recorder alone, the authorization server of the real server alone."""
    issuer = Issuer(authorization_response_iss_parameter_supported=True)
    with scene(tmp_path, issuer) as (server, far, proxy, client):
        found = client.call({"id": 0, "method": "initialize", "params": {}})
        assert found.status == 401
        client.ask("GET", path=PROTECTED)
        own = client.answer().message["authorization_servers"][0]
        assert own not in (far.url, server.url, f"http://{client.authority}")
        metadata = ask(own, "GET", ISSUER).message
        assert metadata["issuer"] == own
        assert metadata["token_endpoint"] == f"{own}/token"

        back = ask(own, "GET", login(client)).all("location")[0]
        assert back.startswith(f"{CALLBACK}?code={CODE}")
        assert parameter(back, "iss") == own
        form = f"grant_type=authorization_code&code={CODE}&resource={quote(f'http://{client.authority}/mcp', safe='')}"
        token = ask(own, "POST", "/token", form=form).message
        assert token == {"access_token": TOKEN, "token_type": "Bearer", "iss": own}
        assert client.call({"id": 1, "method": "tools/list"}, f"Authorization: Bearer {TOKEN}").status == 200

        meant = f"{server.url}/mcp"
        assert parameter(issuer.asked_for("/authorize")[0].target, "resource") == meant
        assert parameter(issuer.asked_for("/token")[0].body, "resource") == meant
        assert all(asked.all("host") == [far.authority] for asked in issuer.seen)
    assert TOKEN not in proxy.text
    assert CODE not in proxy.text
    assert "/token" not in proxy.text
    assert f"authorization_servers: [{far.url}]" in proxy.text


def test_its_metadata_is_asked_for_as_often_as_the_client_does(tmp_path: Path) -> None:
    """Ours: the recorder has to look first, and the client gets what was found; after that it asks by itself."""
    issuer = Issuer()
    with scene(tmp_path, issuer) as it:
        own = it.told()
        assert it.told() == own
        for times in (1, 2):
            assert ask(own, "GET", ISSUER).message["issuer"] == own
            assert len(issuer.asked_for(ISSUER)) == times


def test_without_the_option_all_is_passed_as_it_is(tmp_path: Path) -> None:
    """Ours: the authorization server is not even asked."""
    issuer = Issuer()
    with scene(tmp_path, issuer, rewrite_auth=False) as it:
        it.client.ask("GET", path=PROTECTED)
        named = {"resource": f"{it.server.url}/mcp", "authorization_servers": [it.issuer.url]}
        assert it.client.answer().message == named
    assert not issuer.seen


def test_headers_that_are_added_for_the_server_are_not_sent_to_another(tmp_path: Path) -> None:
    """Ours: `-H` is a secret between the user and the server."""
    issuer = Issuer()
    with scene(tmp_path, issuer, headers=("X-Key: 4711",)) as it:
        ask(it.told(), "GET", "/other", "Authorization: Basic abc")
    assert [asked.all("x-key") for asked in issuer.seen] == [[], []]
    assert issuer.seen[-1].all("authorization") == ["Basic abc"]


def test_a_person_logs_in_at_the_real_server(tmp_path: Path) -> None:
    """Ours: its pages and cookies would not work under another name; the token is still asked for the right server."""
    with scene(tmp_path, Issuer(page="<form>")) as it:
        found = ask(it.told(), "GET", login(it.client))
        goal = found.all("location")[0]
        assert (found.status, found.all("set-cookie"), found.body) == (302, [], b"")
        assert goal.startswith(f"{it.issuer.url}/authorize?")
        assert parameter(goal, "resource") == f"{it.server.url}/mcp"
        assert parameter(goal, "redirect_uri") == CALLBACK
        assert it.told() != it.issuer.url


def test_a_client_that_may_refuse_what_it_is_told_then_is_told_of_the_real_one(tmp_path: Path) -> None:
    """RFC 9207: the real one tells its own name; a client that came back all the same does not mind."""
    with scene(tmp_path, Issuer("<form>", authorization_response_iss_parameter_supported=True)) as it:
        own = it.told()
        ask(own, "GET", ISSUER)
        ask(own, "GET", login(it.client))
        assert it.told() == it.issuer.url
        ask(own, "POST", "/token", form="grant_type=authorization_code&code=x")
        assert it.told() == own


@pytest.mark.parametrize(
    "offered",
    [
        {"token_endpoint_auth_methods_supported": ["private_key_jwt"]},
        {"grant_types_supported": ["urn:ietf:params:oauth:grant-type:jwt-bearer"]},
    ],
)
def test_who_is_only_asked_with_what_is_signed_is_left_alone(tmp_path: Path, offered: dict[str, list[str]]) -> None:
    """RFC 7523, 3: an assertion names the server that it is for, and nobody can change that."""
    with scene(tmp_path, Issuer(**offered)) as it:
        assert it.told() == it.issuer.url


def test_who_turns_out_to_be_asked_with_what_is_signed_is_left_alone_from_then_on(tmp_path: Path) -> None:
    """RFC 7523, 3; RFC 9449, 4.2: a server may offer several ways, and the client chooses."""
    for form, proof in ((SIGNED, ()), ("grant_type=authorization_code", ("DPoP: e.y.J",))):
        with scene(tmp_path, Issuer()) as it:
            ask(it.told(), "POST", "/token", *proof, form=form)
            assert it.told() == it.issuer.url


def test_an_endpoint_elsewhere_is_stood_in_for_as_well(tmp_path: Path) -> None:
    """RFC 8414, 2: the endpoints of a server need not be where its name says."""
    elsewhere = Issuer()
    with Upstream(elsewhere) as other:
        issuer = Issuer(
            token_endpoint=f"{other.url}/token", jwks_uri=f"{other.url}/keys", service_documentation="https://d.example"
        )
        with scene(tmp_path, issuer) as it:
            metadata = ask(it.told(), "GET", ISSUER).message
            assert other.authority not in metadata["token_endpoint"]
            assert metadata["service_documentation"] == "https://d.example"
            resource = quote(f"http://{it.client.authority}/mcp", safe="")
            ask(metadata["token_endpoint"], "POST", "/token", form=f"grant_type=x&resource={resource}")
            assert parameter(elsewhere.seen[0].body, "resource") == f"{it.server.url}/mcp"


def test_who_is_named_for_another_server_is_not_asked(tmp_path: Path) -> None:
    """RFC 9728, 3.3: the client goes no further; neither do we."""
    issuer = Issuer()
    with Upstream(issuer) as far:
        document = {"resource": "https://evil.example/mcp", "authorization_servers": [far.url]}
        with proxied(tmp_path, lambda asked: asked.answer(200, json.dumps(document), JSON), rewrite_auth=True) as it:
            it[2].ask("GET", path=PROTECTED)
            assert it[2].answer().message == document
    assert not issuer.seen


def test_a_stand_in_is_guarded_as_the_recorder_is(tmp_path: Path) -> None:
    """HT-08: a page of another machine can send requests to this one, also under a name of its own."""
    issuer = Issuer()
    with scene(tmp_path, issuer) as it:
        own = it.told()
        seen = len(issuer.seen)
        assert ask(own, "GET", "/x", host="evil.example").status == 421
        assert ask(own, "GET", "/x", "Origin: https://evil.example").status == 403
        assert len(issuer.seen) == seen


def test_a_stand_in_has_the_name_by_which_the_client_knows_the_recorder(tmp_path: Path) -> None:
    """Ours: a browser, or a client in a container, may know this machine by one name only."""
    with scene(tmp_path, Issuer()) as it:
        port = it.client.authority.partition(":")[2]
        it.client.ask("GET", path=PROTECTED, host=f"localhost:{port}")
        own = it.client.answer().message["authorization_servers"][0]
        assert urlsplit(own).hostname == "localhost"
        authority = urlsplit(own).netloc
        assert ask(own.replace("localhost", "127.0.0.1"), "GET", ISSUER, host=authority).message["issuer"] == own


def test_two_clients_may_know_the_recorder_by_two_names(tmp_path: Path) -> None:
    """Ours: each asks for a token in the name that it knows."""
    issuer = Issuer()
    with scene(tmp_path, issuer) as it:
        port = it.client.authority.partition(":")[2]
        own = it.told()
        it.client.ask("GET", path=PROTECTED, host=f"localhost:{port}")
        it.client.answer()
        for host in ("127.0.0.1", "localhost"):
            resource = quote(f"http://{host}:{port}/mcp", safe="")
            ask(own, "POST", "/token", form=f"grant_type=x&resource={resource}")
            assert parameter(issuer.seen[-1].body, "resource") == f"{it.server.url}/mcp"


def test_a_stand_in_ends_with_the_recorder(tmp_path: Path) -> None:
    """Ours: nothing listens when the recording is finished."""
    with scene(tmp_path, Issuer()) as it:
        own = it.told()
    with pytest.raises(ConnectionRefusedError):
        Client(own)


def test_an_issuer_that_cannot_be_stood_in_for_leaves_the_recorder_sound(tmp_path: Path) -> None:
    """Ours: servers write there what they like."""
    servers = [
        "",
        "nonsense",
        "http://",
        "ftp://x",
        "http://[x",
        "http://127.0.0.1:1",
        "http://\0/",
        7,
    ]

    def serve(asked: Asked) -> None:
        own = f"http://{asked.all('host')[0]}"
        if asked.method == "GET":
            asked.answer(200, json.dumps({"resource": own, "authorization_servers": [own, *servers]}), JSON)
        else:
            asked.result()

    with proxied(tmp_path, serve, rewrite_auth=True) as (_, _, client):
        client.ask("GET", path=PROTECTED)
        own = f"http://{client.authority}"
        assert client.answer().message == {"resource": own, "authorization_servers": [own, *servers]}
        open_session(client)


def test_a_server_that_names_the_recorder_itself_is_not_asked_through_it(tmp_path: Path) -> None:
    """Ours: the recorder waited for its own answer, and that for the recorder, tens of seconds in all."""
    named: list[str] = []
    seen: list[str] = []

    def serve(asked: Asked) -> None:
        seen.append(asked.target)
        document = {"issuer": "x", "token_endpoint": f"{named[0]}/token", "authorization_servers": named}
        asked.answer(200, json.dumps({"resource": f"http://{asked.all('host')[0]}/mcp", **document}), JSON)

    with proxied(tmp_path, serve, rewrite_auth=True) as (_, _, client):
        port = urlsplit(f"//{client.authority}").port
        named += [f"http://{client.authority}", f"http://localhost:{port}/tenant", f"http://[::1]:{port}"]
        client.ask("GET", path=PROTECTED)
        assert client.answer().message["authorization_servers"] == named
    assert seen == [PROTECTED]


def test_of_many_servers_the_first_are_looked_for(tmp_path: Path) -> None:
    """Ours: the client waits for its metadata meanwhile."""
    issuer = Issuer()

    with Upstream(issuer) as far:

        def serve(asked: Asked) -> None:
            own = f"http://{asked.all('host')[0]}/mcp"
            servers = [f"{far.url}/{number}" for number in range(100)]
            asked.answer(200, json.dumps({"resource": own, "authorization_servers": servers}), JSON)

        with proxied(tmp_path, serve, rewrite_auth=True) as (_, _, client):
            client.ask("GET", path=PROTECTED)
            assert len(client.answer().message["authorization_servers"]) == 100
    assert issuer.asked_for(f"{ISSUER}/7")
    assert not issuer.asked_for(f"{ISSUER}/8")


@pytest.mark.parametrize("rewrite_auth", [True, False])
def test_what_is_too_long_for_metadata_is_passed_on_as_it_came_and_not_kept(
    tmp_path: Path, *, rewrite_auth: bool
) -> None:
    """Ours: a list of 200,000 authorization servers kept the recorder for 18 seconds when it was to stop."""
    servers = [f"https://as{number}.example/tenant" for number in range(40_000)]
    given: list[str] = []

    def serve(asked: Asked) -> None:
        if asked.method != "GET":
            asked.result()
            return
        given.append(json.dumps({"resource": f"http://{asked.all('host')[0]}/mcp", "authorization_servers": servers}))
        asked.answer(200, given[0], JSON)

    with proxied(tmp_path, serve, rewrite_auth=rewrite_auth) as (_, proxy, client):
        client.ask("GET", path=PROTECTED)
        assert client.answer().body.decode() == given[0]
        open_session(client)
    assert len(given[0]) > MOST_METADATA
    assert PROTECTED in proxy.text
    assert "as7.example" not in proxy.text


@pytest.mark.parametrize("port", ["99999", "abc", "-1", ""])
def test_a_client_that_names_an_impossible_port_is_answered(tmp_path: Path, port: str) -> None:
    """Ours: it may name the recorder as it likes; its connection broke, with a traceback on stderr."""
    with scene(tmp_path, Issuer()) as it:
        found = ask(f"http://{it.client.authority}", "GET", PROTECTED, host=f"localhost:{port}")
        assert found.message["resource"] == f"http://localhost:{port}/mcp"
