"""Secrets in what is encoded: read, masked, encoded again; and played."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.cassette.encoded_placeholders import encoded_placeholders
from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.cassette.placeholders import bind, fill, has_placeholder
from mcpmock.cassette.redaction.encodings import accepted, candidates, encode, runs_in
from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.cassette.redaction.secrets import find_secrets
from mcpmock.wire.message import dumps
from tests.cassette.encodings_planted import ENCODINGS, base64, base64url, traces
from tests.cassette.secrets_planted import GITHUB, JWT, PLACES, TOKENS, answered, call, planted

KNOWN = "Zx9-kQ7v+Lm2Rt"


def known() -> Redactor:
    """A redactor that knows one secret, which has no shape."""
    return Redactor(environment={"DB_PASSWORD": KNOWN})


@pytest.mark.parametrize("how", ENCODINGS)
@pytest.mark.parametrize("place", sorted(PLACES.keys() - {"the name of a member"}))  # there tokens are looked for
def test_a_known_secret_is_found_in_every_encoding_and_place(place: str, how: str) -> None:
    """Ours (DESIGN 3): "base64 and hex too"."""
    left = dumps(known().message(planted(place, f"see {ENCODINGS[how](KNOWN)} there")).body)
    assert not [trace for trace in traces(KNOWN) if trace in left or dumps(trace)[1:-1] in left]


@pytest.mark.parametrize("how", ENCODINGS)
def test_a_token_of_known_shape_is_found_in_every_encoding(how: str) -> None:
    """Ours (DESIGN 3): nobody has told of it."""
    message = answered(f"see {ENCODINGS[how](GITHUB)} there")
    left = dumps(Redactor().message(message).body)
    assert not [trace for trace in traces(GITHUB) if trace in left]
    found = find_secrets(Cassette((Session((Entry("server", (message,), line=3),)),)))
    assert [finding.line for finding in found] == [3]


@pytest.mark.parametrize("how", ENCODINGS)
def test_what_is_masked_in_an_encoding_is_masked_once(how: str) -> None:
    """Ours: a recording is clean, so `check` must find nothing in it."""
    clean = known().message(call({"q": ENCODINGS[how](KNOWN)}))
    assert known().message(clean) is clean
    assert find_secrets(Cassette((Session((Entry("client", (clean,)),)),))) == []


@pytest.mark.parametrize("how", [how for how in ENCODINGS if how not in ("base64 twice", "percents")])
def test_a_masked_encoding_matches_the_live_one_and_is_filled_with_it(how: str) -> None:
    """Ours (DESIGN 3): nobody needs the secret to replay; another one of another length will do."""
    recorded = known().message(call({"q": f"see {ENCODINGS[how](KNOWN)} there"}))
    live = call({"q": f"see {ENCODINGS[how]('another-Secret7')} there"})
    bound = bind(recorded.params, live.params, {})
    assert bound is not None
    assert json.loads(fill(dumps(recorded.body), bound)) == live.body


def test_what_is_bound_in_one_encoding_is_filled_in_others() -> None:
    """Ours (DESIGN 3): the same secret, the same placeholder."""
    redactor = known()
    asked = redactor.message(call({"password": KNOWN}))
    told = redactor.message(answered(f"{base64(f'bob:{KNOWN}')} {KNOWN.encode().hex()} {KNOWN}"))
    bound = bind(asked.params, call({"password": 'new "é'}).params, {})
    assert bound is not None
    filled = json.loads(fill(dumps(told.body), bound))["result"]["content"][0]["text"]
    value = 'new "é'
    assert filled == f"{base64(f'bob:{value}')} {value.encode().hex()} {value}"


def test_an_encoding_that_says_something_else_does_not_match() -> None:
    """Ours: what stands around a placeholder counts, in there too."""
    recorded = known().message(call({"q": base64(f"bob:{KNOWN}")}))
    for other in (f"ann:{KNOWN}", KNOWN, "bob"):
        assert bind(recorded.params, call({"q": base64(other)}).params, {}) is None
    assert bind(recorded.params, call({"q": "no base64!"}).params, {}) is None


def test_credentials_have_one_plain_placeholder() -> None:
    """Ours: what is a secret as a whole reads better so; the password in it is known from then on."""
    redactor = Redactor()
    assert redactor.text(f"Authorization: Basic {base64('bob:sw0rdfish')}") == (
        "Authorization: Basic ~secret.basic_auth.1~"
    )
    assert redactor.text("it was sw0rdfish") == "it was ~secret.password.1~"


def test_the_bytes_of_an_image_with_a_secret_stay_the_same_around_it() -> None:
    """Ours: no text, but a secret in it is known."""
    from base64 import b64decode, b64encode

    data = bytes(range(256)) + KNOWN.encode() + bytes(range(255, -1, -1))
    blob = b64encode(data).decode()
    message = planted("a resource", "x")
    message.body["result"]["contents"][0] = {"uri": "a:b", "blob": blob}  # type: ignore[index, call-overload]
    left = known().message(message).body["result"]["contents"][0]["blob"]  # type: ignore[index, call-overload]
    assert b64decode(left) == data.replace(KNOWN.encode(), b"~secret.db_password.1~")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "123e4567-e89b-12d3-a456-426614174000",
        base64("just a text in base64, as many are, with nothing in it"), base64url("token: see the docs"),
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJg",
        "notifications/resources/list_changed", "structuredContent/additionalProperties", "A" * 64, "deadbeef" * 8,
    ],
)  # fmt: skip
def test_what_encodes_nothing_secret_stays(text: str) -> None:
    """Ours: hashes, ids, images, words."""
    message = answered(text)
    assert known().message(message) is message


def test_a_cursor_is_never_touched_whatever_it_encodes() -> None:
    """CA-08."""
    from tests.cassette.secrets_planted import made

    for cursor in (JWT, base64(f"after {GITHUB}")):
        message = made({"id": 1, "result": {"tools": [], "nextCursor": cursor}})
        assert Redactor().message(message).body == message.body


@given(st.text(max_size=60) | st.binary(max_size=60).map(bytes.hex))
def test_every_candidate_is_encoded_again_as_it_was(text: str) -> None:
    """Ours: what is not changed is spelt as before."""
    for start, end in runs_in(text):
        for found in candidates(text, start, end):
            assert encode(found.text, found.coding) == text[found.start : found.end].replace("%2b", "%2B").replace(
                "%2f", "%2F"
            ).replace("%3d", "%3D")


READABLE = st.text(st.characters(exclude_categories=("C", "Z")), max_size=9)


@given(st.sampled_from(sorted(TOKENS)), READABLE, READABLE, st.booleans())
def test_a_placeholder_in_an_encoding_is_found(kind: str, before: str, after: str, is_hex: bool) -> None:
    """Ours: at any alignment."""
    text = f"{before}~secret.{kind}.1~{after}"
    digits = text.encode().hex() if is_hex else base64(text)
    assert has_placeholder(f"({digits})")
    assert [found.text for found in encoded_placeholders(f"({digits})")] == [text]
    assert [told for _, told in accepted(f"({digits})", lambda found: found.text == text or None)] == [True]


@pytest.mark.parametrize("login", ["admin:hunter2", "bob@h.example:swordfish1", "somebody:Sword-fish1"])
def test_user_and_password_are_found_in_base64_though_nothing_says_so(login: str) -> None:
    """Issue 4: "base64 of `user:password`"; in hexadecimal digits, and encoded twice, too."""
    user = login.partition(":")[0]
    once = b64encode(login.encode()).decode()
    assert b64decode(Redactor().text(once)).decode() == f"{user}:~secret.password.1~"
    assert bytes.fromhex(Redactor().text(f"see {login.encode().hex()}")[4:]).decode() == f"{user}:~secret.password.1~"
    assert b64decode(Redactor().text(b64encode(once.encode()).decode())).decode() == "~secret.password.1~"


@pytest.mark.parametrize("said", ["Issue:12345", "arrayconnection:10", "User:5f3a9b2c7d", "cursor:abc123def", "a:b c"])
def test_ids_in_base64_are_no_passwords(said: str) -> None:
    """Ours: many services make ids so, and cursors."""
    digits = b64encode(said.encode()).decode()
    assert Redactor().text(digits) == digits
