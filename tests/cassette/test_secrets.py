"""Secrets in a cassette that exists: found, placed, named, and never told."""

from __future__ import annotations

import pytest

from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.cassette.redaction.secrets import Finding, find_secrets
from mcpmock.wire.message import Message, parse_exact
from tests.cassette.secrets_planted import GITHUB, PLACES, TOKENS, answered, call, planted


def cassette(*entries: Entry, **head: object) -> Cassette:
    """A cassette of one session, which begins in line 2."""
    return Cassette((Session(entries, line=2, **head),))  # type: ignore[arg-type]


def test_a_cassette_without_secrets_has_no_findings() -> None:
    """Ours (DESIGN 3): nor do placeholders count, or the protocol's own fields."""
    clean = call({"password": "~secret.password.1~", "maxTokens": 1, "token_type": "bearer"})
    assert find_secrets(cassette(Entry("client", (clean,), line=3), env=(("TOKEN", "~secret.token.1~"),))) == []


def test_findings_say_line_place_and_kind() -> None:
    """Ours: what `mcpmock check` prints with exit 5."""
    entries = (
        Entry(
            "client", (call({"a": [{"x/y": GITHUB}], "password": "sw0rdfish"}),), line=4, answer=answered("sw0rdfish")
        ),
        Entry("server", (answered("x"), answered(f"see {GITHUB}")), is_batch=True, line=9),
        Entry("stderr", text=f"token {GITHUB}\n", line=12),
        Entry("raw", text=b"\xff" + GITHUB.encode(), line=13),
    )
    head = {"command": ("x", "--token", "abc"), "env": (("API_KEY", "k1"),), "url": "https://a:b1@h/"}
    assert find_secrets(cassette(*entries, **head)) == [
        Finding(2, "/command/2", "token"),
        Finding(2, "/env/API_KEY", "api_key"),
        Finding(2, "/url", "url_password"),
        Finding(4, "/client/params/arguments/a/0/x~1y", "github_token"),
        Finding(4, "/client/params/arguments/password", "password"),
        Finding(4, "/server/result/content/0/text", "password"),
        Finding(9, "/server/1/result/content/0/text", "github_token"),
        Finding(12, "/stderr", "github_token"),
        Finding(13, "/raw", "github_token"),
    ]


def test_a_secret_is_found_also_before_its_name_gives_it_away() -> None:
    """Ours: a cassette is there as a whole."""
    found = find_secrets(
        cassette(
            Entry("server", (answered("sw0rdfish"),), line=3),
            Entry("client", (call({"password": "sw0rdfish"}),), line=5),
        )
    )
    assert [(finding.line, finding.what) for finding in found] == [(3, "password"), (5, "password")]


def test_a_secret_in_the_first_of_two_equal_keys_is_found() -> None:
    """Ours: the value that a mapping loses is in the file all the same."""
    text = '{"jsonrpc":"2.0","id":1,"result":{"password":"sw0rdfish","password":""}}'
    message = parse_exact(text.encode())
    assert isinstance(message, Message)
    assert find_secrets(cassette(Entry("server", (message,), line=3))) == [Finding(3, "/server", "password")]


@pytest.mark.parametrize("place", PLACES)
def test_every_place_is_searched(place: str) -> None:
    """Ours (DESIGN 3)."""
    for kind, token in TOKENS.items():
        found = find_secrets(cassette(Entry("server", (planted(place, token),), line=7)))
        assert [(finding.line, finding.what) for finding in found] == [(7, kind)]
        assert token not in str(found)


def test_what_was_masked_of_a_private_key_ends_it() -> None:
    """Issue 4: a recorder masks a key on stderr line by line; no other text, a URL neither, goes on with that key."""
    stderr = "-----BEGIN PRIVATE KEY-----\n~secret.private_key.1~\n~secret.private_key.2~\n"
    found = find_secrets(cassette(Entry("stderr", text=stderr, line=3), Entry("raw", text="ready", line=4)))
    assert found == []
    begins = "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7Zq7yKcLmN3fP1qXbVsJ2hT9wRdE5uYgC8oAiL4nMzKxQpWv\n"
    assert find_secrets(cassette(Entry("stderr", text=begins, line=3))) == [Finding(3, "/stderr", "private_key")]
