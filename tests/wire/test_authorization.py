"""What the documents and requests of OAuth say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcpmock.wire.authorization import (
    endpoints,
    is_bound,
    is_login,
    is_signed,
    issuers_for,
    leads_back,
    metadata_place,
    metadata_targets,
    parse_document,
    tells_issuer,
)
from mcpmock.wire.naming import Named
from mcpmock.wire.relaying import parse_upstream

SERVER = Named(parse_upstream("https://h.example/mcp"), "http://127.0.0.1:8808")
LOGIN = b"/authorize?response_type=code&client_id=c&redirect_uri=http%3A%2F%2Flocalhost%3A3000%2Fcallback%3Fa%3Db"


def test_a_challenge_says_where_there_is_metadata() -> None:
    """RFC 9728, 5.1."""
    assert metadata_place(b'Bearer scope="a", resource_metadata="https://h.example/x/y.json"') == b"/x/y.json"
    assert metadata_place(b"Bearer") == b""


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b"1" * 5000])
def test_what_is_no_metadata_says_nothing(text: bytes) -> None:
    """Ours: servers send bytes of any kind."""
    assert parse_document(text) == {}


def test_the_authorization_servers_of_the_server_itself_count_and_those_of_another_do_not() -> None:
    """RFC 9728, 3.3: no client goes on with a document that names another server."""
    servers = ["https://as.example", 1, "https://b.example/t"]
    own = {"resource": "https://h.example/mcp", "authorization_servers": servers}
    assert issuers_for(SERVER, own) == ["https://as.example", "https://b.example/t"]
    for other in ({**own, "resource": "https://evil.example/mcp"}, {**own, "resource": 1}, {"resource": "https://h.example"},
                  {**own, "authorization_servers": "https://as.example"}):  # fmt: skip
        assert issuers_for(SERVER, other) == []


def test_the_endpoints_that_are_told_for_whom_a_token_is_to_be() -> None:
    """RFC 8414, 2: a client may ask for keys, or register, wherever it likes."""
    document = parse_document(
        json.dumps(
            {
                "issuer": "https://a",
                "authorization_endpoint": "https://b",
                "token_endpoint": "https://c",
                "jwks_uri": "https://d",
                "registration_endpoint": "https://e",
                "pushed_authorization_request_endpoint": 1,
            }
        ).encode()
    )
    assert endpoints(document) == ["https://b", "https://c"]


def test_whether_it_tells_its_name() -> None:
    """RFC 9207, 3: false if it says nothing."""
    assert tells_issuer({"authorization_response_iss_parameter_supported": True})
    assert not tells_issuer({"authorization_response_iss_parameter_supported": "true"})
    assert not tells_issuer({})


@pytest.mark.parametrize(
    ("document", "bound"),
    [
        ({}, False),
        ({"token_endpoint_auth_methods_supported": []}, False),
        ({"token_endpoint_auth_methods_supported": ["private_key_jwt"]}, True),
        ({"token_endpoint_auth_methods_supported": ["client_secret_jwt", "tls_client_auth"]}, True),
        ({"token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_post"]}, False),
        ({"grant_types_supported": ["urn:ietf:params:oauth:grant-type:jwt-bearer"]}, True),
        ({"grant_types_supported": ["urn:ietf:params:oauth:grant-type:jwt-bearer", "authorization_code"]}, False),
    ],
)
def test_nobody_stands_in_where_all_is_signed_for_the_real_one(document: Any, bound: bool) -> None:
    """RFC 7523, 3: the assertion names its audience; RFC 8705: the certificate is the client's own."""
    assert is_bound(document) is bound


def test_where_the_metadata_of_an_authorization_server_may_be() -> None:
    """The specification, authorization: in this order; with a path, and without one."""
    assert metadata_targets("https://as.example/") == [
        b"/.well-known/oauth-authorization-server",
        b"/.well-known/openid-configuration",
    ]
    assert metadata_targets("https://as.example/t/caf\u00e9") == [
        b"/.well-known/oauth-authorization-server/t/caf%C3%A9",
        b"/.well-known/openid-configuration/t/caf%C3%A9",
        b"/t/caf%C3%A9/.well-known/openid-configuration",
    ]


def test_what_was_signed_is_told_by_its_name() -> None:
    """RFC 7521, 4: the proof that a client, or a user, is who they say."""
    assert is_signed(b"grant_type=client_credentials&client_assertion=e.y.J")
    assert is_signed(b"assertion=e.y.J")
    assert not is_signed(b"grant_type=authorization_code&code=assertion&client_assertion_type=x")


def test_a_person_is_sent_to_log_in() -> None:
    """RFC 6749, 4.1.1; RFC 9126, 4."""
    assert is_login(LOGIN)
    assert is_login(b"/par?client_id=c&request_uri=urn%3Ax")
    for other in (b"/authorize", b"/?response_type=code", b"/?client_id=c", b"//[x?client_id=c"):
        assert not is_login(other)


@pytest.mark.parametrize(
    ("location", "back"),
    [
        (b"http://localhost:3000/callback?a=b&code=x", True),
        (b"http://localhost:3000/callback?a=b&error=access_denied", True),
        (b"https://as.example/login?code=x", False),
        (b"/login", False),
        (b"http://[x", False),
        (b"http://\xff", False),
    ],
)
def test_a_redirect_leads_back_to_the_client_or_to_a_page(location: bytes, back: bool) -> None:
    """RFC 6749, 4.1.2: to the place that the client has named."""
    assert leads_back(LOGIN, location) is back


def test_where_the_place_of_the_client_was_not_named_the_answer_tells() -> None:
    """RFC 9126, 4: it was pushed before, or is the only one that is registered."""
    pushed = b"/authorize?client_id=c&request_uri=urn%3Ax"
    assert leads_back(pushed, b"http://localhost:3000/callback?code=x")
    assert leads_back(pushed, b"http://localhost:3000/callback#error=x")
    assert not leads_back(pushed, b"/login?code=x")
    assert not leads_back(pushed, b"https://idp.example/login?state=x")
