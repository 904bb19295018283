"""What a proxy changes in targets, headers and redirects."""

from __future__ import annotations

import pytest

from mcpmock.errors import UsageError
from mcpmock.wire.relaying import (
    Changes,
    check_header,
    endpoint_path,
    followed,
    is_local,
    is_local_origin,
    parse_origin,
    parse_upstream,
    passed_on,
    relocated,
)

FAR = parse_upstream("https://h.example/a/b/mcp?api_key=SECRET&features=docs%2Cdb&x=")
NEAR = parse_upstream("http://127.0.0.1:3001/sse")
OWN = "http://127.0.0.1:8808"


def test_a_url_is_taken_apart_byte_for_byte() -> None:
    """HT-12."""
    assert FAR.path == b"/a/b/mcp"
    assert FAR.query == b"api_key=SECRET&features=docs%2Cdb&x="
    assert (FAR.authority, FAR.port) == ("h.example", 443)
    assert parse_upstream("http://h").path == b"/"
    assert parse_upstream("http://h/caf\u00e9").path == b"/caf%C3%A9"
    assert parse_upstream("http://[::1]:80/x").authority == "[::1]"


def test_a_whole_origin_has_no_path_of_its_own() -> None:
    """Ours: everything there is what it says, `/mcp` too."""
    origin = parse_origin("https://user:pass@h.example/a/b?c")
    assert (origin.url, origin.credentials, origin.query) == ("https://h.example/", b"", b"")
    for target in (b"/mcp?x=y", b"/?x", b"/"):
        assert origin.place(target).sent == origin.place(target).shown == target


def test_what_may_be_shown_of_a_url_holds_neither_query_nor_credentials() -> None:
    """HT-12: nothing of it is logged."""
    upstream = parse_upstream("https://user:pa%40ss@h.example:444/mcp?key=SECRET")
    assert upstream.url == "https://h.example:444/mcp"
    assert upstream.credentials == b"Basic dXNlcjpwYUBzcw=="


@pytest.mark.parametrize(
    "url", ["h.example/mcp", "ftp://h/x", "http://", "http://h:x/", "http://u:SECRET@[/x?SECRET", "http://h\0x/"]
)
def test_what_is_no_url_of_a_server_is_refused_without_its_secrets(url: str) -> None:
    """Ours."""
    with pytest.raises(UsageError) as caught:
        parse_upstream(url)
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(
    ("target", "sent", "shown"),
    [
        (b"/a/b/mcp", b"/a/b/mcp?" + FAR.query, b"/a/b/mcp"),
        (b"/mcp?trace=1", b"/a/b/mcp?" + FAR.query + b"&trace=1", b"/a/b/mcp?trace=1"),
        (b"/a/b/mcp?" + FAR.query, b"/a/b/mcp?" + FAR.query, b"/a/b/mcp"),
        (b"/a/b/mcp?" + FAR.query + b"&y=%2C", b"/a/b/mcp?" + FAR.query + b"&y=%2C", b"/a/b/mcp?y=%2C"),
        (b"/.well-known/x?y", b"/.well-known/x?y", b"/.well-known/x?y"),
        (b"http://127.0.0.1:8808/mcp", b"/a/b/mcp?" + FAR.query, b"/a/b/mcp"),
        (b"*", b"*", b"*"),
    ],
)
def test_the_query_of_the_url_is_sent_once_and_never_shown(target: bytes, sent: bytes, shown: bytes) -> None:
    """HT-12."""
    assert FAR.place(target) == (sent, shown)


def test_beside_a_legacy_url_mcp_is_a_path_of_its_own() -> None:
    """Ours: one server may offer both transports."""
    assert NEAR.place(b"/mcp").sent == b"/mcp"


def test_what_is_meant_for_the_next_hop_stays_here() -> None:
    """AU-02: also what Connection names."""
    fields = [(b"Connection", b"close, X-Hop"), (b"x-hop", b"1"), (b"TE", b"trailers"), (b"X-Empty", b""), (b"A", b"1")]
    assert passed_on([*fields, (b"A", b"2")]) == [(b"X-Empty", b""), (b"A", b"1"), (b"A", b"2")]
    assert passed_on([(b"Transfer-Encoding", b"chunked"), (b"Content-Length", b"3")]) == []


def test_given_headers_take_the_place_of_the_clients_and_may_be_repeated_or_empty() -> None:
    """AU-02."""
    added = [(b"X-A", b"1"), (b"X-A", b"2"), (b"X-Empty", b"")]
    changes = Changes(NEAR, added)
    found = changes.request([(b"Host", b"localhost:1"), (b"x-a", b"0"), (b"Accept-Encoding", b"gzip"), (b"B", b"")])
    assert found == [(b"Host", b"127.0.0.1:3001"), (b"B", b""), (b"Accept-Encoding", b"identity"), *added]


@pytest.mark.parametrize(
    ("rule", "origins"), [("pass", [b"http://localhost:1"]), ("drop", []), ("rewrite", [b"http://127.0.0.1:3001"])]
)
def test_the_origin_is_passed_dropped_or_rewritten(rule: str, origins: list[bytes]) -> None:
    """HT-09."""
    changes = Changes(NEAR, (), rule)  # type: ignore[arg-type]
    found = changes.request([(b"Origin", b"http://localhost:1")])
    assert [value for name, value in found if name == b"Origin"] == origins


@pytest.mark.parametrize(
    ("status", "location", "target"),
    [
        (307, b"/a/b/mcp/?x=1", b"/a/b/mcp/?x=1"),
        (308, b"https://H.example:443/new", b"/new"),
        (301, b"mcp/", b"/a/b/mcp/"),
        (307, b"http://h.example/a/b/mcp", None),
        (307, b"https://h.example:444/a", None),
        (303, b"/a", None),
        (200, b"/a", None),
        (307, b"https://[", None),
    ],
)
def test_redirects_to_the_same_origin_are_followed(status: int, location: bytes, target: bytes | None) -> None:
    """HT-05."""
    assert followed(FAR, b"/a/b/mcp", status, [(b"Location", location)]) == target
    assert followed(FAR, b"/a/b/mcp", status, []) is None


@pytest.mark.parametrize(
    ("location", "new"),
    [
        (b"http://internal:9000/a/b/mcp/", b"http://127.0.0.1:8808/a/b/mcp/"),
        (b"http://h.example:443/else", b"http://127.0.0.1:8808/else"),
        (b"https://login.example/authorize", b"https://login.example/authorize"),
        (b"http://[", b"http://["),
    ],
)
def test_other_redirects_do_not_lead_past_the_proxy_to_the_server(location: bytes, new: bytes) -> None:
    """HT-05: the client never leaves the proxy for the server, by whatever name that goes."""
    assert relocated(FAR, b"/a/b/mcp", location, OWN) == new


def test_a_redirect_to_https_is_no_way_back_to_the_proxy() -> None:
    """HT-05: it would come back for ever; one to http is the mistake of a server behind TLS, and is."""
    plain = parse_upstream("http://h.example/mcp")
    assert relocated(plain, b"/mcp", b"https://h.example/mcp", OWN) == b"https://h.example/mcp"
    assert relocated(FAR, b"/a/b/mcp", b"http://h.example/a/b/mcp/", OWN) == b"http://127.0.0.1:8808/a/b/mcp/"


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("messages?sessionId=abc", "/gw/v1/messages?sessionId=abc"),
        ("?sessionId=abc", "/gw/v1/sse?sessionId=abc"),
        ("http://10.0.0.5:9000/v1/messages?sessionId=abc", "/v1/messages?sessionId=abc"),
        ("http://h.example", "/"),
        ("http://[", "http://["),
    ],
)
def test_an_endpoint_is_a_path_of_the_proxy_whatever_its_form(uri: str, path: str) -> None:
    """LG-01."""
    assert endpoint_path(b"/gw/v1/sse", uri) == path


def test_this_machine_is_known_by_its_own_names_only() -> None:
    """HT-09."""
    assert all(map(is_local, [b"127.0.0.1", b"localhost:8808", b"[::1]:1", b"LOCALHOST"]))
    assert not any(map(is_local, [b"evil.example", b"127.0.0.1.evil.example", b"", b"[::", b"0.0.0.0"]))
    assert is_local_origin(b"http://localhost:6274")
    assert not is_local_origin(b"null")
    assert not is_local_origin(b"file://localhost")
    assert not any(map(is_local_origin, [b"http://evil.example", b"https://localhost.evil.example", b"http://"]))


def test_a_field_that_can_be_sent_is_a_token_and_a_line() -> None:
    """RFC 9110, 5.1 and 5.5: blanks around a value are none of it, a tab within one is allowed."""
    assert check_header("X-Key_1", " a\tb ") == (b"X-Key_1", b"a\tb")
    for name, value in (("X A", "1"), ("", "1"), ("X:", "1"), ("X", "a\nb"), ("X", "a\0")):
        with pytest.raises(UsageError):
            check_header(name, value)
