"""What OAuth hands out and asks for: in redirects, forms, headers and JSON (RFC 6749, 7636, 8628, 9207)."""

from __future__ import annotations

import pytest

from mcpmock.cassette.model import Cassette, Entry, HttpFact, Session
from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.cassette.redaction.secrets import Finding, find_secrets
from tests.cassette.secrets_planted import answered, made

CALLBACK = "http://127.0.0.1:3000/callback"


@pytest.mark.parametrize(
    "text",
    [
        f"{CALLBACK}?code=test-code&state=xyz",
        f"{CALLBACK}?state=xyz&code=test-code",
        f"{CALLBACK}?code=test-code&iss=https%3A%2F%2Fas.example",
        f"{CALLBACK}#code=test-code&state=xyz",
        f"{CALLBACK}?a=1&amp;code=test-code&amp;state=xyz",
        "code=test-code&state=xyz",
        "grant_type=authorization_code&code=test-code&redirect_uri=x",
        "next=http%3A%2F%2Fx%2F%3Fcode%3Dtest-code%26state%3Dxyz",
        "next=http://x/%23code%3Dtest-code%26state%3Dxyz",
        "grant_type=urn%3Ax&assertion=test-code",
        "client_secret=test-code&x=1",
        "x=1&device_code=test-code",
        "device_code=test-code&x=1",
        "https://as.example/device?user_code=test-code",
        "refresh_token=test-code&grant_type=refresh_token",
        f"{CALLBACK}#id_token=test-code",
        "code_verifier=test-code&code_challenge=x",
        "client_assertion=test-code&x=1",
    ],
)
def test_a_grant_is_masked_whatever_it_looks_like(text: str) -> None:
    """Ours (DESIGN 3, "No secrets"; RFC 6749, 4.1.2 and 4.1.3): by its name and the company that it keeps."""
    for left in (
        Redactor().url(text),
        Redactor().header("location", text),
        str(Redactor().message(answered(text)).body),
        str(Redactor().value({"to": text})),
    ):
        assert "test-code" not in left
        assert "~secret.url_" in left


@pytest.mark.parametrize("key", ["device_code", "userCode", "authorization_code", "auth_code", "code_verifier"])
def test_a_member_that_holds_a_grant_is_masked(key: str) -> None:
    """Ours (RFC 8628, 3.2): the answer of an authorization server."""
    assert str(Redactor().value({key: "WDJB-MJHT"})).count("~secret.") == 1


@pytest.mark.parametrize(
    "text",
    [
        "https://h.example/x?code=US&page=2",
        "https://h.example/x?error_code=12&state=xyz",
        "https://as.example/authorize?response_type=code&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8&state=xyz",
        "exit code=12 state=done",
        "code=12",
    ],
)
def test_what_is_no_grant_stays(text: str) -> None:
    """Ours: a code by itself is a number, and a challenge is shown to everybody (RFC 7636, 7.1)."""
    assert Redactor().text(text) == text


def test_codes_of_errors_and_of_places_stay() -> None:
    """Ours (DESIGN 3): `error.code` is the protocol's own, and a state may be one of fifty."""
    error = made({"id": 1, "error": {"code": -32602, "message": "x", "data": {"code": "E1", "state": "CA"}}})
    assert Redactor().message(error) is error


def test_a_code_that_was_left_in_a_redirect_is_told() -> None:
    """Ours: what `mcpmock check` prints."""
    fact = HttpFact(verb="GET", status=302, path="/authorize", headers=(("location", f"{CALLBACK}?code=abc&state=x"),))
    entry = Entry("http", http=fact, line=3)
    assert find_secrets(Cassette((Session((entry,)),))) == [Finding(3, "/http/headers/location", "url_code")]
