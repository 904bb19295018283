"""Headers of HTTP: what is compared how, and what travels on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.wire import http


@pytest.mark.parametrize(
    ("content_type", "media"),
    [
        ("application/json", "application/json"),
        ("Application/JSON; charset=utf-8", "application/json"),
        ("Text/Event-Stream;charset=UTF-8", "text/event-stream"),
        (" text/html ;a=b", "text/html"),
        ("", ""),
    ],
)
def test_ht_08_a_media_type_is_compared_without_case_and_parameters(content_type: str, media: str) -> None:
    """HT-08."""
    assert http.media_type(content_type) == media


def test_ht_08_the_name_of_a_field_has_no_case() -> None:
    """HT-08, RFC 9110, 5.1: and the first Content-Type counts."""
    assert (
        http.content_media([(b"X-A", b"1"), (b"CONTENT-type", b"text/HTML"), (b"content-type", b"a/b")]) == "text/html"
    )
    assert http.content_media([]) == ""


@pytest.mark.parametrize(
    ("accept", "media", "is_allowed"),
    [
        ("", "text/event-stream", True),
        (" , ", "text/event-stream", True),
        ("*/*", "text/event-stream", True),
        ("application/json", "text/event-stream", False),
        ("application/json, text/event-stream", "text/event-stream", True),
        ("Application/JSON;q=0.9,Text/*;q=0.1", "text/event-stream", True),
        ("*/*, text/event-stream;q=0", "text/event-stream", False),
        ("*/*, text/event-stream;q=0", "application/json", True),
        ("text/event-stream;q=0.0", "application/json", False),
        ("application/json;version=1; Q=0", "application/json", False),
        ("application/json;q=high", "application/json", True),
    ],
)
def test_ht_08_accept_is_read_as_rfc_9110_says(accept: str, media: str, is_allowed: bool) -> None:
    """HT-08; RFC 9110, 12.5.1: ranges, weights, the most specific first."""
    assert http.accepts(accept, media) is is_allowed


@given(st.text())
def test_no_accept_is_a_trouble(accept: str) -> None:
    """Ours: what others send never crashes us."""
    assert http.accepts(accept, "application/json") in (True, False)


def test_au_02_fields_travel_on_as_they_are_but_those_of_the_connection() -> None:
    """AU-02; RFC 9110, 7.6.1: repeated and empty ones too, in their order and spelling."""
    sent = [
        (b"X-A", b"1"),
        (b"Connection", b"keep-alive, X-Hop"),
        (b"x-hop", b"gone"),
        (b"X-A", b"2"),
        (b"X-Empty", b""),
        (b"Transfer-Encoding", b"chunked"),
        (b"TE", b"trailers"),
        (b"Authorization", b"Bearer t"),
    ]
    assert http.end_to_end(sent) == [(b"X-A", b"1"), (b"X-A", b"2"), (b"X-Empty", b""), (b"Authorization", b"Bearer t")]


def test_a_recording_keeps_only_fields_that_matter() -> None:
    """AU-02: an allow-list; repeated ones are one, as RFC 9110, 5.2 allows."""
    sent = [
        (b"Date", b"today"),
        (b"WWW-Authenticate", b"Bearer"),
        (b"www-authenticate", b"Basic"),
        (b"Allow", b"POST"),
        (b"Set-Cookie", b"a=b"),
        (b"Retry-After", b""),
    ]
    assert http.kept(sent) == (("www-authenticate", "Bearer, Basic"), ("allow", "POST"))


def test_json_has_more_media_types_than_one() -> None:
    """Ours: RFC 6839."""
    assert http.is_json("application/json")
    assert http.is_json("application/problem+json")
    assert not http.is_json("text/html")


def test_a_path_is_the_same_with_and_without_its_slash() -> None:
    """HT-05: /mcp and /mcp/ are one endpoint."""
    assert http.path_of("/mcp/?a=/b/") == http.path_of("/mcp") == "/mcp"
    assert http.path_of("/") == ""
