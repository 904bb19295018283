"""The quick look at every message: it may cry wolf, but it must never overlook what the rules would find."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpmock.cassette.redaction.secret_texts import secrets_in
from mcpmock.cassette.redaction.suspicion import may_hold_secret
from mcpmock.cassette.redaction.token_shapes import may_hold_token, tokens_in
from mcpmock.cassette.redaction.token_table import SHAPES, Shape
from mcpmock.wire.message import dumps
from tests.cassette.secrets_planted import TOKENS

PIECES = st.sampled_from(
    [
        "password", "token", "api_key", "apiKey", "api key", "Authorization", "Bearer ", "basic ", "cookie", "Cookie: ",
        "=", ":", " is ", "{", "}", "[", "]", '"', "'", "\\", '\\"', ",", ";", "?", "&", "#", "://", "user:", "@", "--",
        "hunter22", "swordfish", "a1b2c3d4e5f6g7h8i9", " ", "\n", "\t", "\x1b[0m", "key", "sig=", "code=", "state=",
        "Zm9vOmJhcg==", "x", "<password>", "</password>", "login bob password ", "é", *TOKENS.values(),
    ]
)  # fmt: skip


@settings(max_examples=500)
@given(st.lists(PIECES | st.text(max_size=3), max_size=10).map("".join))
def test_where_a_rule_finds_a_secret_the_quick_look_does_not_say_no(text: str) -> None:
    """Ours: in the text itself, in JSON text, and in JSON within a string of JSON."""
    if secrets_in(text):
        assert may_hold_secret(text)
        assert may_hold_secret(dumps(text))
        assert may_hold_secret(dumps(dumps(text)))


HOSTS = {"slack_webhook": "hooks.slack.com/", "zapier_webhook": "hooks.zapier.com/"}


def shaped(shape: Shape) -> st.SearchStrategy[str]:
    """Tokens of a shape, with what has to stand before them."""
    before, _, body = (
        shape.body.removeprefix("(?<=").partition(")") if shape.body.startswith("(?<=") else ("", "", shape.body)
    )
    return st.from_regex(body, fullmatch=True, alphabet=st.characters(codec="ascii")).map(lambda token: before + token)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.name}: {shape.hints[0]}")
def test_every_shape_is_found_between_words(shape: Shape) -> None:
    """Ours: the hints and the long run that a token must have fit the shape itself."""

    @settings(max_examples=5)
    @given(shaped(shape))
    def check(token: str) -> None:
        token = HOSTS.get(shape.name, "") + token
        ends = {end for _, end, _ in tokens_in(f"({token})")}
        assert len(token) + 1 in ends
        assert may_hold_token(dumps(f"see\n{token}\nfor more"))

    check()


@pytest.mark.parametrize(
    "text",
    [
        '{"id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}}}',
        '{"params":{"progressToken":"token-1","progress":1}}',
        '{"params":{"maxTokens":100,"messages":[]}}',
        '{"tools":[{"inputSchema":{"properties":{"password":{"type":"string"}},"additionalProperties":false}}]}',
        '{"nextCursor":"abc","keys":["a"],"author":"b","signed":true}',
    ],
)
def test_messages_of_every_day_are_not_looked_at_twice(text: str) -> None:
    """Ours: what only sounds like a secret costs a walk through the whole message."""
    assert not may_hold_secret(text)
