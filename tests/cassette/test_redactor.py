"""The redactor over a whole recording: what is known from elsewhere, and what is no message."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from mcpmock.cassette.placeholders import has_placeholder
from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.wire.message import Message, dumps, parse_exact
from tests.cassette.secrets_planted import GITHUB, JWT, PEM, answered, call


def test_the_same_secret_has_the_same_placeholder_everywhere() -> None:
    """Ours (DESIGN 3): whatever gave it away first."""
    redactor = Redactor(environment={"GITHUB_TOKEN": GITHUB, "PATH": "/bin"})
    assert redactor.command(["x", "--password", "sw0rdfish"]) == ("x", "--password", "~secret.password.1~")
    assert redactor.text(f"token {GITHUB} for sw0rdfish") == "token ~secret.github_token.1~ for ~secret.password.1~"
    assert redactor.message(call({"note": "sw0rdfish", "secret": "other1"})).params == {
        "name": "t",
        "arguments": {"note": "~secret.password.1~", "secret": "~secret.secret.1~"},
    }
    assert redactor.env([("PASSWORD", "sw0rdfish2")]) == (("PASSWORD", "~secret.password.2~"),)


def test_a_secret_of_the_environment_is_known_from_the_start() -> None:
    """Ours (DESIGN 3): env values by value; in what the recorder inherited only names of secrets count."""
    redactor = Redactor(
        environment={"DB_PASSWORD": "swordfish", "USER": "bobby77", "DATABASE_URL": "pg://a:hunter22@h"}
    )
    assert redactor.text("swordfish bobby77 hunter22") == "~secret.db_password.1~ bobby77 ~secret.url_password.1~"


def test_a_secret_of_the_command_line_is_looked_for_to_the_end() -> None:
    """Ours (DESIGN 3): however many others come after it."""
    redactor = Redactor()
    redactor.command(["server", "--password", "swordfish"])
    redactor.env([("MY_SECRET", "other-fish")])
    for number in range(600):
        redactor.message(call({"password": f"secret-{number:04}"}))
    assert redactor.text("swordfish other-fish") == "~secret.password.1~ ~secret.my_secret.1~"


@pytest.mark.parametrize("secret", ["p@ss w0rd/+é", 'a"b\\c1234'])
def test_a_known_secret_is_found_in_other_spellings(secret: str) -> None:
    """Ours (DESIGN 3): in URLs, and in JSON within strings; a spelling of its own has a placeholder of its own."""
    redactor = Redactor(environment={"MY_PASSWORD": secret})
    for text in (
        secret,
        f"https://h.example/{quote(secret, safe='')}/x",
        json.dumps({"x": secret}),
        f"see {dumps(secret)}",
    ):
        left = dumps(redactor.message(answered(text)).body)
        for spelling in (secret, quote(secret, safe=""), dumps(secret)[1:-1]):
            assert spelling not in left
            assert dumps(spelling)[1:-1] not in left


def test_a_short_or_common_value_is_masked_only_where_its_name_says_so() -> None:
    """Ours: a password `admin` must not eat every `admin`."""
    redactor = Redactor()
    message = redactor.message(call({"password": "admin", "role": "admin", "pin": "x"}))
    assert message.params == {
        "name": "t",
        "arguments": {"password": "~secret.password.1~", "role": "admin", "pin": "x"},
    }
    assert redactor.text("administrator admin") == "administrator admin"


def test_a_key_among_settings_is_one_if_it_looks_like_one() -> None:
    """Ours (DESIGN 3, argv and env values): services name variables `TAVILY_KEY`; in data a key may be anything."""
    key, other = "tv3xQ9bLm2Zr8WkD", "k8Zr2Lm9bQx3tvWd"
    redactor = Redactor(
        environment={"TAVILY_KEY": key, "SORT_KEY": "created_at", "SSH_KEY": "/home/me/.ssh/id_ed25519"}
    )
    assert redactor.text(f"asked with {key}") == "asked with ~secret.tavily_key.1~"
    assert redactor.text("by created_at, /home/me/.ssh/id_ed25519") == "by created_at, /home/me/.ssh/id_ed25519"
    assert redactor.env([("MAP_KEY", other), ("KEY", "name")]) == (("MAP_KEY", "~secret.map_key.1~"), ("KEY", "name"))
    assert redactor.command(["x", "--key", other, "--sort-key=created_at"])[2:] == (
        "~secret.map_key.1~",
        "--sort-key=created_at",
    )
    assert Redactor().text(f'{{"key": "{other}"}}') == f'{{"key": "{other}"}}'


def test_a_command_line_is_redacted_word_by_word() -> None:
    """Ours (DESIGN 3): argv."""
    words = [
        "npx", "-y", "srv", "--token", "abc", "--api-key=xyz", "-H", "Authorization: Bearer q1", "--header",
        "X-Api-Key: kk", "PORT=1", "-e", "API_KEY=v1", "https://a:b@c/", "-u", "bob:pw1", "--token-file", "/run/t",
        "--verbose", "--secret", "--next", "--key", "server.pem", GITHUB, "--password", "$PASSWORD",
    ]  # fmt: skip
    assert Redactor().command(words) == (
        "npx", "-y", "srv", "--token", "~secret.token.1~", "--api-key=~secret.api_key.1~", "-H",
        "Authorization: Bearer ~secret.bearer_token.1~", "--header", "X-Api-Key: ~secret.x_api_key.1~",
        "PORT=1", "-e", "API_KEY=~secret.api_key.2~", "https://a:~secret.url_password.1~@c/", "-u",
        "bob:~secret.password.1~", "--token-file", "/run/t", "--verbose", "--secret", "--next", "--key", "server.pem",
        "~secret.github_token.1~", "--password", "$PASSWORD",
    )  # fmt: skip


def test_the_exact_text_of_a_message_is_redacted_as_text() -> None:
    """Ours: a duplicate key, a number of many digits and a lone surrogate survive beside the placeholder."""
    text = '{"jsonrpc": "2.0", "id": 1, "result": {"a": 1e400, "a": -0, "s": "\\ud800", "password": "sw0rdfish"}}'
    message = parse_exact(text.encode())
    assert isinstance(message, Message)
    left = Redactor().message(message)
    assert left.text == text.replace("sw0rdfish", "~secret.password.1~")
    assert has_placeholder(dumps(left.body["result"]["password"]))  # type: ignore[index, call-overload]


def test_escapes_in_an_exact_text_hide_nothing() -> None:
    """Ours: JSON has many spellings for one string."""
    text = r'{"jsonrpc":"2.0","id":1,"result":{"a":-0,"pass\u0077ord":"sw0rdf\u0069sh","b":"\u0067TOKEN"}}'
    message = parse_exact(text.replace("TOKEN", GITHUB[1:]).encode())
    assert isinstance(message, Message)
    left = Redactor().message(message)
    assert left.body["result"] == {"a": 0, "password": "~secret.password.1~", "b": "~secret.github_token.1~"}
    assert r'"pass\u0077ord":"~secret.password.1~"' in (left.text or "")


def test_slashes_may_be_escaped_in_json_within_a_string() -> None:
    """Ours: as PHP writes them."""
    left = Redactor().message(answered(r'{"url":"https:\/\/bob:sw0rdfish@h.example\/x"}'))
    assert "sw0rdfish" not in dumps(left.body)


def test_a_private_key_may_come_line_by_line() -> None:
    """Ours: stderr is written as it comes."""
    redactor = Redactor()
    left = [redactor.text(line) for line in ("key:\n", *PEM.splitlines(keepends=True), "\n", "Done a1b2c3\n")]
    assert left[0] == "key:\n"
    assert left[2:5] == ["~secret.private_key.1~\n"] * 3
    assert left[-1] == "Done a1b2c3\n"
    assert all(not line or line not in "".join(left) for line in PEM.splitlines()[1:-1])


def test_a_header_is_redacted_by_its_name() -> None:
    """PROTOCOL 3.12: scheme, names of cookies and attributes stay."""
    redactor = Redactor()
    for name, value, left in (
        ("Authorization", "Bearer abc", "Bearer ~secret.bearer_token.1~"),
        ("proxy-authorization", "Basic YTpi", "Basic ~secret.basic_auth.1~"),
        ("Set-Cookie", "sid=s1; Path=/; HttpOnly", "sid=~secret.cookie.1~; Path=/; HttpOnly"),
        ("Cookie", "sid=s1; theme=dark", "sid=~secret.cookie.1~; theme=~secret.cookie.2~"),
        ("X-Api-Key", "k", "~secret.x_api_key.1~"),
        ("DPoP", JWT, "~secret.jwt.1~"),
        ("MCP-Protocol-Version", "2025-06-18", "2025-06-18"),
        ("Mcp-Name", "get_token", "get_token"),
        ("Accept", "application/json, text/event-stream", "application/json, text/event-stream"),
    ):
        assert redactor.header(name, value) == left


def test_bytes_that_are_no_text_are_redacted_too() -> None:
    """Ours: a `raw:` line in another encoding."""
    assert Redactor().data(b"\xff " + GITHUB.encode() + b" \x80") == b"\xff ~secret.github_token.1~ \x80"


def test_a_placeholder_that_stands_in_the_traffic_is_not_given_out_again() -> None:
    """Ours: a replay that is recorded sends placeholders; they stay, and stay apart from new ones."""
    redactor = Redactor()
    assert redactor.text("~secret.github_token.1~") == "~secret.github_token.1~"
    assert redactor.text(GITHUB) == "~secret.github_token.2~"
