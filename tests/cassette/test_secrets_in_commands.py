"""Secrets without a name right before them: behind options, in commands and statements, percent-encoded, in objects."""

from __future__ import annotations

import json

import pytest

from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.wire.message import Json
from tests.cassette.secrets_planted import GITHUB, call

PASSWORD = "Xk39fkD02kAA"


@pytest.mark.parametrize("arguments", [
    {"args": ["--api-key", PASSWORD, "x"]}, {"args": ["run", "--key", PASSWORD + PASSWORD]},
    {"args": ["curl", "-u", f"bob:{PASSWORD}"]}, {"args": ["x", "--user", f"bob:{PASSWORD}"]},
    {"command": f"curl -s -u bob:{PASSWORD} https://x.example"}, {"command": f"curl --user 'bob:{PASSWORD}' https://x"},
    {"command": f"curl https://x.example \\\n  -u bob:{PASSWORD}"}, {"command": f"sshpass -p {PASSWORD} ssh x"},
    {"command": f"mysqldump -uroot -p{PASSWORD} db"},
    {"sql": f"CREATE USER x WITH PASSWORD '{PASSWORD}'"}, {"sql": f"create user x identified by '{PASSWORD}'"},
    {"sql": "ALTER ROLE x PASSWORD 'correct horse'"},
    {"password": {"value": PASSWORD}}, {"password": {"type": "text", "value": PASSWORD}},
    {"headers": [{"name": "X-Api-Key", "value": [PASSWORD]}]},
    {"url": f"https://a.example/?q=%7B%22password%22%3A%22{PASSWORD}%22%7D"},
    {"url": f"https://a.example/?to=https%3A%2F%2Fb%2F%3Faccess_token%3D{PASSWORD}"},
    {"url": f"https://a.example/?to=https://b.example/?access_token={PASSWORD}"},
    {"url": f"https://a.example/?to=https%253A%252F%252Fb%252F%253Faccess_token%253D{PASSWORD}"},
    {"url": f"https://a.example/?db=postgres%3A%2F%2Fbob%3A{PASSWORD}%40h%2Fx"},
    {"url": f"https://a.example/?h=Bearer%20{GITHUB}"},
])  # fmt: skip
def test_a_secret_is_known_by_what_stands_around_it(arguments: Json) -> None:
    """Issue 4: tool arguments that are command lines, statements and URLs; as they are, and in JSON in a string."""
    bodies: list[Json] = [arguments]
    bodies += [{"body": json.dumps(arguments)}, {"body": json.dumps({"more": json.dumps(arguments)})}]
    for body in bodies:
        clean = json.dumps(Redactor().message(call(body)).body)
        assert not any(secret in clean for secret in (PASSWORD, GITHUB, "correct horse"))


@pytest.mark.parametrize("arguments", [
    {"command": "docker run --user 1000:1000 -u root:wheel x"}, {"command": "curl -s https://u.example; id -u bob:x1"},
    {"args": ["--api-key", "--verbose"]}, {"args": ["--token-file", "x9y8z7w6", "--passwords"]},
    {"args": ["-u", "1000:1000"]}, {"required": ["api_key", "region2"]}, {"text": "the password 'button' is red"},
    {"text": "use --password=PASSWORD. Then go on"}, {"uri": "file:///a%20b/%5Btoken%5D/%7Eann.txt"},
    {"password": {"type": "string", "title": "value1"}}, {"command": "mkdir -p a1b2c3 && mysql --version"},
])  # fmt: skip
def test_what_only_looks_like_it_is_left_alone(arguments: Json) -> None:
    """Ours: what is masked without need is missing in a review."""
    message = call(arguments)
    assert Redactor().message(message) is message


def test_what_is_percent_encoded_is_masked_in_its_place() -> None:
    """Ours (DESIGN 3): the rest of the URL stays as it is written, so a live one fits it."""
    url = "https://a/?q=%7B%22password%22%3A%22{}%22%7D&x=%C3%A4"
    clean = Redactor().message(call({"url": url.format(PASSWORD)}))
    assert clean.body == call({"url": url.format("~secret.password.1~")}).body


@pytest.mark.parametrize("letters", [PASSWORD, PASSWORD[:4], PASSWORD[::3]])
def test_a_known_secret_is_found_however_much_of_it_is_percent_encoded(letters: str) -> None:
    """Issue 4: letters and digits need no encoding, and may have one all the same (RFC 3986 section 2.3)."""
    redactor = Redactor()
    redactor.message(call({"password": PASSWORD}))
    spelt = "".join(f"%{ord(letter):02X}" if letter in letters else letter for letter in PASSWORD)
    clean = redactor.message(call({"url": f"https://a.example/{spelt}?x=100%25&y={spelt}"})).body
    assert clean == call({"url": "https://a.example/~secret.password.2~?x=100%25&y=~secret.password.2~"}).body
