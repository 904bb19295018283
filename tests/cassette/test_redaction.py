"""Redaction: what is a secret is never written down, what is none is never touched."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.cassette.placeholders import bind, fill, has_placeholder
from mcpmock.cassette.redaction import Redactor
from mcpmock.wire.message import Message, dumps, parse_exact
from tests.cassette.secrets_planted import GITHUB, JWT, PEM, PLACES, TOKENS, answered, call, made, planted


def clean(message: Message) -> str:
    """The JSON text of what redaction leaves of a message."""
    return dumps(Redactor().message(message).body)


@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_of_known_shape_is_replaced_wherever_it_stands(kind: str) -> None:
    """Ours (DESIGN 3, "No secrets"): in 25 places, alone, in a sentence, and in JSON within a string."""
    token = TOKENS[kind]
    texts = (token, f"Using {token}.", f"a\n{token}\nb", json.dumps({"x": [token]}), json.dumps(json.dumps([token])))
    for place in PLACES:
        for text in texts:
            left = clean(planted(place, text))
            assert token not in left, (place, text)
            assert f"~secret.{kind}.1~" in left, (place, text)


@pytest.mark.parametrize(
    "key",
    [
        "password", "passwd", "passphrase", "secret", "token", "apiKey", "api_key", "API-KEY", "apikey", "x-api-key",
        "access_token", "accessToken", "refresh_token", "id_token", "clientSecret", "code_verifier", "Authorization",
        "Proxy-Authorization", "Cookie", "set-cookie", "DPoP", "private_key", "credentials", "db_password",
        "GITHUB_TOKEN", "aws_secret_access_key", "registration_access_token", "newPassword", "password2",
        "webhook_secret", "jwt", "pwd",
    ],
)  # fmt: skip
def test_what_has_the_name_of_a_secret_is_one(key: str) -> None:
    """Ours (DESIGN 3): JSON by key name, in any spelling, at any depth, also in JSON within a string."""
    for value in ("swordfish", "correct horse battery", 'quote " and \\', "pässwörd"):
        nested = {"outer": [{key: value}, {key: [value]}]}
        for message in (
            call(nested),
            answered(json.dumps(nested, indent=2)),
            answered(f"got {json.dumps(nested)} back"),
        ):
            left = clean(message)
            assert dumps(value)[1:-1] not in left, message
            assert dumps(dumps(value)[1:-1])[1:-1] not in left, message


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("GET https://bob:sw0rdfish@host.example/x", "sw0rdfish"),
        ("redis://:sw0rdfish@127.0.0.1:6379/0", "sw0rdfish"),
        ("https://h.example/x?api_key=abc&features=docs%2Cdb&x=", "abc"),
        ("https://h.example/x?a=1&sig=Zm9v%2Bbar%3D", "Zm9v%2Bbar%3D"),
        ("https://h.example/cb#access_token=abc123", "abc123"),
        ("https://h.example/cb?code=4a6f8c1e9b2d7035&state=1", "4a6f8c1e9b2d7035"),
        ("> Authorization: Bearer abcdefgh", "abcdefgh"),
        ("sent 'authorization': 'Basic Ym9iOnN3b3JkZmlzaA=='", "Ym9iOnN3b3JkZmlzaA=="),
        ("with Bearer 4a6f8c1e9b2d7035", "4a6f8c1e9b2d7035"),
        ("Cookie: sid=s3ss10n; theme=dark", "s3ss10n"),
        ("Server=db;User Id=sa;Password=Sw0rd!fish;Encrypt=yes", "Sw0rd!fish"),
        ("DefaultEndpointsProtocol=https;AccountKey=Zm9vYmFyYmF6cXV4Zm9vYmF4==;x", "Zm9vYmFyYmF6cXV4Zm9vYmF4"),
        ("GITHUB_TOKEN=swordfish ./run", "swordfish"),
        ("config: {password: 'swordfish', user: 'bob'}", "swordfish"),
        ("{'password': 'sword fish'}", "sword fish"),
        ("db password: sw0rdfish", "sw0rdfish"),
        ("the token is 4a6f8c1e9b2d", "4a6f8c1e9b2d"),
        ("started: server --token abcd --verbose", "abcd"),
        ("<user>bob</user><password>swordfish</password>", "swordfish"),
        ("machine h.example login bob password swordfish", "swordfish"),
        ("//registry.example/:_authToken=swordfish", "swordfish"),
        ("\x1b[31mpassword=sw0rdfish\x1b[0m", "sw0rdfish"),
        (f"key:\n{PEM}\nend", "MIIEpAIBAAKCAQEA7Zq7yKcL"),
        (json.dumps({"key": PEM}), "MIIEpAIBAAKCAQEA7Zq7yKcL"),
    ],
)  # fmt: skip
def test_a_text_gives_its_secrets_away_by_what_stands_around_them(text: str, secret: str) -> None:
    """Ours (DESIGN 3): URLs, headers, connection strings, assignments, keys."""
    redactor = Redactor()
    assert secret not in redactor.text(text)
    assert redactor.text(text) == redactor.text(text)
    assert secret not in dumps(redactor.message(answered(text)).body)
    assert secret not in dumps(Redactor().message(answered(json.dumps([text]))).body)


@pytest.mark.parametrize(
    "text",
    [
        "token: see docs", "The password is required.", "Set password=<your password> first", "api_key: optional",
        "Bearer authentication", "Basic authentication is not supported", "self.token = get_token()",
        "connect(password=password, token=config.token)", "https://h.example/x?key=apples&code=US", "max_tokens=100",
        "usage: tokens: 1234, total_tokens: 12345678", "https://user@host/x", "password: ********", "TOKEN=$TOKEN",
        "secret: ${SECRET}", "token_type=bearer", "a.b.c@x.example", "123e4567-e89b-12d3-a456-426614174000",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "next_page_token: abc12345",
        "task-sk-learn-something-with-a-long-name", "{\"token\": \"if\"}", "git@github.com:owner/repo.git",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----", "keyboard: qwerty12",
        '"cookie": "^0.7.1", "passport-token": "1.2.1"', "{ onToken: options?.onToken, token: this.tokenOf(user1) }",
        "authkey=process.current_process().authkey",
        "Usage: run --token TOKEN [--password-file FILE] --secret=<secret>",
    ],
)  # fmt: skip
def test_a_text_that_only_talks_of_secrets_holds_none(text: str) -> None:
    """Ours: what is masked in vain no longer replays."""
    assert Redactor().text(text) == text
    message = answered(text)
    assert Redactor().message(message) is message


def test_ca_08_the_protocols_own_fields_are_never_masked() -> None:
    """CA-08: tool names, ids, cursors, task ids, versions, schemas, numbers; and they are not, though a secret is
    beside them."""
    beside = {"password": "sw0rdfish"}
    for body in (
        {"id": "token-1", "method": "tools/call",
         "params": {"name": "get_token", "arguments": {"token_type": "bearer"}}},
        {"id": 1, "result": {"tools": [], "nextCursor": JWT}},
        {"id": 1, "method": "tools/list", "params": {"cursor": JWT}},
        {"id": 1, "method": "tools/call", "params": {"name": "a", "_meta": {"progressToken": "secret-token-12345678"}}},
        {"method": "notifications/progress", "params": {"progressToken": GITHUB, "progress": 1}},
        {"id": 1, "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 100}},
        {"id": 1, "result": {"task": {"taskId": GITHUB, "status": "working"}}},
        {"id": 1, "result": {"resultType": "input_required", "requestState": JWT}},
        {"id": 1, "error": {"code": -32602, "message": "Unknown tool: get_token"}},
        {"id": 1, "method": "completion/complete", "params": {"ref": {"type": "ref/prompt", "name": "p"},
                                                              "argument": {"name": "token", "value": "gh"}}},
        {"id": 1, "result": {"structuredContent": {"tokens": 5, "token_count": "7", "nextPageToken": JWT,
                                                   "secret": None, "password": True, "token": 12, "apiKey": ""}}},
        {"id": 1, "result": {"tools": [{"name": "login", "inputSchema": {
            "type": "object", "properties": {"password": {"type": "string", "format": "password"},
                                             "token": {"const": GITHUB}}, "required": ["password", "token"]}}]}},
        {"id": 1, "method": "elicitation/create", "params": {"message": "?", "requestedSchema": {
            "type": "object", "properties": {"api_key": {"type": "string", "enum": ["sw0rdfish"]}}}}},
    ):  # fmt: skip
        message = made(body)  # type: ignore[arg-type]
        redactor = Redactor()
        assert redactor.message(message).body == body
        assert redactor.message(made({**body, "vendor": beside})).body == {  # type: ignore[dict-item]
            **body,
            "vendor": {"password": "~secret.password.1~"},
        }


def test_ca_08_a_signed_uri_is_the_same_everywhere() -> None:
    """CA-08: equal values get equal marks, so that a client which sends one back is understood."""
    uri = "https://h.example/doc?sig=4a6f8c1e9b2d7035&page=1"
    redactor = Redactor()
    listed = redactor.message(made({"id": 1, "result": {"resources": [{"uri": uri, "name": "d"}]}}))
    read = redactor.message(made({"id": 2, "method": "resources/read", "params": {"uri": uri}}))
    assert dumps(listed.body).count("https://h.example/doc?sig=~secret.url_sig.1~&page=1") == 1
    assert read.params == {"uri": "https://h.example/doc?sig=~secret.url_sig.1~&page=1"}


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


def test_a_private_key_may_come_line_by_line() -> None:
    """Ours: stderr is written as it comes."""
    redactor = Redactor()
    left = [redactor.text(line) for line in ("key:\n", *PEM.splitlines(keepends=True), "\n", "Done a1b2c3\n")]
    assert left[0] == "key:\n"
    assert left[2:5] == ["~secret.private_key.1~\n"] * 3
    assert left[-1] == "Done a1b2c3\n"
    assert all(not line or line not in "".join(left) for line in PEM.splitlines()[1:-1])


def test_bytes_that_are_no_text_are_redacted_too() -> None:
    """Ours: a `raw:` line in another encoding."""
    assert Redactor().data(b"\xff " + GITHUB.encode() + b" \x80") == b"\xff ~secret.github_token.1~ \x80"


def test_a_placeholder_that_stands_in_the_traffic_is_not_given_out_again() -> None:
    """Ours: a replay that is recorded sends placeholders; they stay, and stay apart from new ones."""
    redactor = Redactor()
    assert redactor.text("~secret.github_token.1~") == "~secret.github_token.1~"
    assert redactor.text(GITHUB) == "~secret.github_token.2~"


def test_without_a_secret_the_message_is_the_same_object() -> None:
    """Ours: this runs for every message."""
    message = call({"path": "/a", "maxTokens": 5})
    assert Redactor().message(message) is message


secrets = st.one_of(st.sampled_from([*TOKENS.values(), PEM]), st.text(min_size=1, max_size=12))
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), secrets)
keys = st.sampled_from(["password", "x", "token", "api_key", "name", "value", "text"]) | st.text(max_size=5)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=10
)


@given(values, st.booleans())
def test_the_live_message_fills_what_was_recorded_of_it(value: object, nested: bool) -> None:
    """Ours (DESIGN 3, "Placeholders are variables"): whatever was masked, the unmasked message fits it and fills it."""
    live = call({"a": json.dumps(value) if nested else value})  # type: ignore[dict-item]
    recorded = Redactor().message(live)
    bound = bind(recorded.body, live.body, {})
    assert bound is not None
    if not has_placeholder(str(live.body)):
        assert fill(dumps(recorded.body), bound) == dumps(live.body)


@given(st.sampled_from(sorted(PLACES)), st.text(max_size=20), st.sampled_from(sorted(TOKENS)), st.text(max_size=20))
def test_no_text_around_a_token_hides_it(place: str, before: str, kind: str, after: str) -> None:
    """Ours (DESIGN 3): unless letters or digits go on, and it is no token but something longer."""
    token = TOKENS[kind]
    separated = f"{before} {token} {after}"
    assert token not in clean(planted(place, separated))


@given(st.binary(max_size=200))
def test_no_bytes_crash_it(data: bytes) -> None:
    """Ours: what servers print is anything."""
    Redactor(environment={"TOKEN": "sw0rdfish"}).data(data)
