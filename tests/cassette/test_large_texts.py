"""Redaction of large messages: a quick way through them that overlooks nothing."""

from __future__ import annotations

import random
from base64 import b64decode, b64encode

import pytest

from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.cassette.redaction.secret_texts import secrets_in
from mcpmock.wire.message import dumps
from tests.cassette.encodings_planted import base64, traces
from tests.cassette.secrets_planted import GITHUB, PEM, answered

KNOWN = "Zx9-kQ7v+Lm2Rt"
PROSE = "the password is told in the section on tokens, and the key to it is: see below. " * 1500
IMAGE = random.Random(7).randbytes(300_000)


@pytest.mark.parametrize("at", [0, 1, 33_000, 60_001, len(PROSE)])
@pytest.mark.parametrize("secret", [GITHUB, f"password={KNOWN}", PEM, f"https://bob:{KNOWN}@h.example/"])
def test_a_secret_is_found_anywhere_in_a_large_text(secret: str, at: int) -> None:
    """Ours: large texts are looked at where something may be."""
    text = f"{PROSE[:at]} {secret} {PROSE[at:]}"
    left = Redactor().text(text)
    assert KNOWN not in left
    assert GITHUB not in left
    assert "MIIE" not in left
    assert left.count("~secret.") == 1
    assert len(secrets_in(text)) == 1


@pytest.mark.parametrize("before", ["", "x\n", "data:text/plain;base64,", "a b"])
@pytest.mark.parametrize("at", [10, 31_000, 110_000])
def test_a_secret_is_found_in_a_large_text_in_base64(before: str, at: int) -> None:
    """Ours: be it after an escape in JSON text."""
    message = answered(before + base64(f"{PROSE[:at]} {GITHUB} {PROSE[at:]}"))
    left = Redactor().message(message)
    assert left is not message
    assert not [trace for trace in traces(GITHUB) if trace in dumps(left.body)]


@pytest.mark.parametrize("before", ["", "x\n", "data:image/png;base64,"])
@pytest.mark.parametrize("at", [0, 7, 196_600, 299_990])
def test_a_known_secret_is_found_in_a_large_image(before: str, at: int) -> None:
    """Ours: piece by piece, and on the seams between the pieces."""
    data = IMAGE[:at] + b" " + KNOWN.encode() + b" " + IMAGE[at:]
    left = Redactor(environment={"MY_PASSWORD": KNOWN}).message(answered(before + b64encode(data).decode()))
    text = left.body["result"]["content"][0]["text"]  # type: ignore[index, call-overload]
    assert b64decode(str(text).removeprefix(before)) == data.replace(KNOWN.encode(), b"~secret.my_password.1~")


def test_an_image_without_a_secret_is_not_touched() -> None:
    """Ours: nor looked at by any rule."""
    message = answered(f"data:image/png;base64,{b64encode(IMAGE).decode()}")
    assert Redactor(environment={"MY_PASSWORD": KNOWN}).message(message) is message


@pytest.mark.parametrize("size", [65_537, 262_145, 266_242, 300_001])
@pytest.mark.parametrize("behind", ["", "=", "!", ' "'])
def test_digits_in_any_number_are_no_fault(size: int, behind: str) -> None:
    """Ours: what looks like base64 and is none, whatever stands behind it."""
    message = answered("y" * size + behind)
    assert Redactor().message(message) == message
