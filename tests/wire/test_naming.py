"""Whom texts name where OAuth is spoken, when proxies stand before the servers."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from mcpmock.wire.naming import Named, issuer_shown, redirect_shown, restored, shown
from mcpmock.wire.relaying import parse_origin, parse_upstream

FAR = Named(parse_upstream("https://h.example/a/b/mcp?api_key=SECRET"), "http://127.0.0.1:8808")
NEAR = Named(parse_upstream("http://127.0.0.1:3001/sse"), "http://127.0.0.1:8808")
ISSUER = Named(parse_origin("https://as.example/tenant"), "http://127.0.0.1:8809")
BOTH = [FAR, ISSUER]


def test_an_origin_is_shown_as_the_proxys_and_nothing_else() -> None:
    """AU-01."""
    text = rb'"https://h.example/mcp" "https:\/\/h.example:443\/" "https://h.example" "https://h.example.org/" "http://h.example/"'
    named = rb'"http://127.0.0.1:8808/mcp" "http:\/\/127.0.0.1:8808\/" "http://127.0.0.1:8808"'
    assert shown([FAR], text) == named + rb' "https://h.example.org/" "http://h.example/"'
    assert shown([NEAR], b"http://127.0.0.1:3001/x http://127.0.0.1/x") == b"http://127.0.0.1:8808/x http://127.0.0.1/x"


def test_an_address_of_ipv6_is_shown_as_the_proxy_too() -> None:
    """HT-12: with its brackets."""
    named = Named(parse_origin("http://[::1]:3001/x"), "http://127.0.0.1:8809")
    assert shown([named], b"http://[::1]:3001/x http://[::1]:30011/") == b"http://127.0.0.1:8809/x http://[::1]:30011/"


def test_each_server_is_shown_as_the_proxy_before_it() -> None:
    """Ours (issue 6): a document may name the server and the one that lets clients in."""
    text = b'{"resource": "https://h.example/a/b/mcp", "authorization_servers": ["https://as.example/tenant"]}'
    assert shown(BOTH, text) == (
        b'{"resource": "http://127.0.0.1:8808/a/b/mcp", "authorization_servers": ["http://127.0.0.1:8809/tenant"]}'
    )


def test_in_what_is_no_metadata_only_the_issuer_is_shown_as_a_proxy() -> None:
    """RFC 7591, RFC 7662: a token, or a place that a client has registered, is what it is."""
    text = b'{"iss": "https://as.example", "client_uri": "https://as.example", "registration_client_uri" : "https://as.example/r"}'
    assert issuer_shown(BOTH, text) == text.replace(b'"iss": "https://as.example', b'"iss": "http://127.0.0.1:8809').replace(
        b'"https://as.example/r', b'"http://127.0.0.1:8809/r'
    )  # fmt: skip


@pytest.mark.parametrize("issuer", ["https%3A%2F%2Fh.example", "https://h.example"])
def test_who_lets_a_client_in_has_the_name_that_metadata_gave_it(issuer: str) -> None:
    """AU-01 (RFC 9207): clients refuse an answer whose `iss` is not the issuer that they were told of."""
    back = "http://localhost:3000/callback?code=a%20b&iss={}&state=https%3A%2F%2Fh.example"
    own = back.format("http%3A%2F%2F127.0.0.1%3A8808").encode()
    assert redirect_shown([FAR], back.format(issuer).encode()) == own
    for other in (back.format("https%3A%2F%2Fas.example"), "/plain", "https://x.example/?", "/a?b#c"):
        assert redirect_shown([FAR], other.encode()) == other.encode()


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ("http://127.0.0.1:8808/a/b/mcp", "https://h.example/a/b/mcp"),
        ("http://127.0.0.1:8808/mcp", "https://h.example/a/b/mcp"),
        ("http://127.0.0.1:8808", "https://h.example"),
        ("http://127.0.0.1:8808/", "https://h.example/"),
        ("http://127.0.0.1:8809/mcp", "https://as.example/mcp"),
        ("http://127.0.0.1:8809/tenant?x", "https://as.example/tenant?x"),
    ],
)
def test_a_token_is_asked_for_in_the_name_of_the_server(named: str, meant: str) -> None:
    """RFC 8707: no server gives out tokens for a proxy; the alias `/mcp` is one of the recorded server alone."""
    for key in ("resource", "audience"):
        form = f"a=%2Fb&{key}={quote(named, safe='')}&redirect_uri={quote(named, safe='')}"
        wanted = f"a=%2Fb&{key}={quote(meant, safe='')}&redirect_uri={quote(named, safe='')}"
        assert restored(BOTH, form.encode()) == wanted.encode()


@pytest.mark.parametrize("named", ["http://127.0.0.1:88080/mcp", "https://h.example/", "http://127.0.0.1:8808.x", "%"])
def test_what_names_no_proxy_stays_as_it_was_written(named: str) -> None:
    """Ours: byte for byte."""
    assert restored(BOTH, f"resource={named}&x".encode()) == f"resource={named}&x".encode()
