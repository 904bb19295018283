"""Redaction: what is a secret is never written down, what is none is never touched."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcpmock.cassette.placeholders import bind, fill, has_placeholder
from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.wire.message import Message, dumps
from tests.cassette.secrets_planted import GITHUB, JWT, PEM, PLACES, TOKENS, answered, call, made, planted


def clean(message: Message) -> str:
    """The JSON text of what redaction leaves of a message."""
    return dumps(Redactor().message(message).body)


def test_a_value_is_a_secret_by_a_name_that_stands_behind_it() -> None:
    """Ours (issue 4): JSON has no order; also in JSON within a string."""
    pairs = [{"value": "swordfish", "key": "DB_PASSWORD"}, {"value": "Oslo", "name": "city"}]
    for message in (call({"all": pairs}), answered(json.dumps(pairs)), answered(json.dumps(json.dumps(pairs)))):
        left = clean(message)
        assert "swordfish" not in left
        assert "Oslo" in left
        assert Message(json.loads(left), message.kind) == Redactor().message(message)


def test_a_number_is_a_secret_where_it_is_a_password() -> None:
    """Ours (issue 4): of four digits or more; how many tokens there are, and a schema, is never touched."""
    given = {"password": 86753091, "login": {"otp": 123456, "passcode": 12}, "maxTokens": 4096, "token": 15339}
    left = {
        "password": "~secret.password.1~", "login": {"otp": "~secret.otp.1~", "passcode": 12}, "maxTokens": 4096,
        "token": 15339,
    }  # fmt: skip
    assert Redactor().message(call(given)).params["arguments"] == left  # type: ignore[index, call-overload]
    assert json.loads(Redactor().text(json.dumps(given))) == left
    schema = {"inputSchema": {"properties": {"password": {"type": "integer", "default": 12345678}}, "secret": 12345}}
    message = made({"id": 1, "result": {"tools": [{"name": "t", **schema}]}})
    assert Redactor().message(message).body == message.body


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('<add key="ApiKey" value="swordfish1"/>', '<add key="ApiKey" value="~secret.api_key.1~"/>'),
        ('<input name="city" value="swordfish1">', '<input name="city" value="swordfish1">'),
        ("DB_PASSWORD='a b swordfish1'", "DB_PASSWORD='~secret.db_password.1~'"),
        ('INVALID_TOKEN = "The token is not valid"', 'INVALID_TOKEN = "The token is not valid"'),
        ("| password | swordfish1 |\n| city | Oslo1234 |", "| password | ~secret.password.1~ |\n| city | Oslo1234 |"),
        ("the password is: swordfish1.", "the password is: ~secret.password.1~."),
        ("| token | string |", "| token | string |"),
        ("apiKey: `swordfish1`", "apiKey: `~secret.api_key.1~`"),
        ("OPENAI_KEY=swordfish1swordfish2\n", "OPENAI_KEY=~secret.openai_key.1~\n"),
        ("PRIMARY_KEY=customer_id CACHE_KEY=v1", "PRIMARY_KEY=customer_id CACHE_KEY=v1"),
        ("get(url, auth=('bob', 'swordfish'))", "get(url, auth=('bob', '~secret.password.1~'))"),
        ("ansible_become_pass: swordfish1", "ansible_become_pass: ~secret.ansible_become_pass.1~"),
        ("/bot123456789:AA" + "abcdefgh_jklmnopqrstuvwxyz0123456/getMe", "/bot~secret.telegram_token.1~/getMe"),
        ("root:$6$salt$" + "aB3./" * 17 + ":19000:0:", "root:~secret.password_hash.1~:19000:0:"),
    ],
)
def test_names_and_shapes_in_texts(text: str, left: str) -> None:
    """Issue 4: attributes of elements, a token in the path of a URL, what a file of passwords holds."""
    assert Redactor().text(text) == left
    assert clean(answered(text)) == dumps(answered(left).body)


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
        ("https://4a6f8c1e9b2d70354a6f8c1e9b2d7035@o1.sentry.example/7", "4a6f8c1e9b2d70354a6f8c1e9b2d7035"),
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
        "https://u:$PASSWORD@h.example/?token=$TOKEN", "{'password' {\"password\": } [\"secret\",",
        "Authorization: Bearer <token>", '{"X-Custom": "value", "Authorization": "Bearer token"}',
        '{"authorization": "Bearer YOUR_TOKEN"}', '{"Authorization": "Basic <credentials>"}',
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


@pytest.mark.parametrize(
    "arguments",
    [
        {"credentials": "include"}, {"auth": "oauth"}, {"pass": "5 of 6"}, {"secrets": ["DB_PASSWORD", "API_KEY"]},
        {"token": "if"}, {"password": "********"}, {"token": "${GITHUB_TOKEN}"}, {"credentials": "/home/me/.aws/creds"},
        {"cookie": "^1.2.3"}, {"password": "required"}, {"api_key": "https://h.example/keys"}, {"key": "a1b2c3d4e5"},
    ],
)  # fmt: skip
def test_a_name_alone_does_not_make_a_secret(arguments: dict[str, str]) -> None:
    """Ours: words, masks, names of variables, paths, versions and URLs are none."""
    assert Redactor().message(call(arguments)).params == {"name": "t", "arguments": arguments}  # type: ignore[arg-type]


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
@example(value={"password": 1000}, nested=True)
@example(value=[json.dumps({"password": 4711, "api_key": "swordfish99"})], nested=True)
def test_the_live_message_fills_what_was_recorded_of_it(value: object, nested: bool) -> None:
    """Ours (DESIGN 3, "Placeholders are variables"): whatever was masked, the unmasked message fits it and fills it."""
    live = call({"a": json.dumps(value) if nested else value})  # type: ignore[dict-item]
    recorded = Redactor().message(live)
    bound = bind(recorded.body, live.body, {})
    assert bound is not None
    assert Redactor().message(recorded).body == recorded.body  # what is redacted holds no secret
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
