"""How a secret may be written without standing there: for the tests of redaction."""

from __future__ import annotations

import json
import textwrap
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from typing import Final
from urllib.parse import quote


def base64(text: str) -> str:
    """In base64, padded."""
    return b64encode(text.encode()).decode()


def base64url(text: str) -> str:
    """In base64 for URLs, without padding."""
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


ENCODINGS: Final[dict[str, Callable[[str], str]]] = {
    "as it is": lambda secret: secret,
    "base64 of user:password": lambda secret: base64(f"bob:{secret}"),
    "base64, second alignment": lambda secret: base64(f":{secret} and more"),
    "base64, third alignment": lambda secret: base64(f"a:{secret}"),
    "base64 for URLs": lambda secret: base64url(f"?>~ {secret} ?>~"),
    "base64 in lines": lambda secret: "\n".join(textwrap.wrap(base64(f"{'some text ' * 9}{secret} {'more ' * 9}"), 76)),
    "base64 of JSON": lambda secret: base64(json.dumps({"note": f"it is {secret}"})),
    "base64 twice": lambda secret: base64(base64(f"pw {secret}")),
    "hexadecimal digits": lambda secret: secret.encode().hex(),
    "capital hexadecimal digits": lambda secret: f"0x{secret.encode().hex().upper()}",
    "percents": lambda secret: f"https://h.example/x/{quote(secret, safe='')}?q=1",
    "base64 in a URL": lambda secret: f"https://h.example/x?d={quote(base64(f'??>{secret}??>'), safe='')}&q=1",
    "JSON in JSON in a text": lambda secret: f"got {json.dumps(json.dumps({'a': [json.dumps({'b': secret})]}))}",
}
"""A text that holds a secret, by how."""


def traces(secret: str) -> list[str]:
    """What of a secret stands in all of these texts: itself, and the middle of it in each encoding and alignment."""
    found = [secret, secret.encode().hex(), secret.encode().hex().upper()]
    for start in range(3):
        digits = b64encode(b"-" * start + secret.encode()).decode()
        middle = digits[4 if start else 0 : len(digits) - 4]
        found += [middle, middle.replace("+", "-").replace("/", "_"), quote(middle, safe="")]
        found += [twice[4:-4] for twice in (base64(middle),)]
    return list(dict.fromkeys(found))
