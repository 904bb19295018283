"""Whether a secret may be there at all: asked of every message, so it must be quick, and may say yes too often.

It must never say no where the rules of redaction find one, be the text as it is or within JSON text.
"""

from __future__ import annotations

import re
from typing import Final

from mcpmock.cassette.token_shapes import may_hold_token

__all__ = ["may_hold_secret"]

_ROOTS: Final = (
    "token", "secret", "pass", "key", "auth", "cred", "cookie", "bearer", "jwt", "pwd", "pw", "dpop", "basic", "sig",
    "psk", "otp", "verifier", "assertion", "kennwort", "senha", "code=", "state=", "pat=",
)  # fmt: skip
# Each alternative begins with a letter of its own, so that the search can skip all others (ten times as fast).
_NAMED: Final = r"""(?x)
    (?: token(?<!progresstoken) | secret | pass | key(?:(?<=[a-z]key)|(?<=[a-z][-_.\ ]key)) | auth(?!ors?\b) | cred
      | cookie | jwt | bearer | dpop | pwd? | psk | otp | verifier | assertion | kennwort | senha )
    [\w.-]{0,24}
    (?: > | (?:=|:|\sis\s|\s=\s)(?:\s|\\+t){0,3}\[?(?:[^\s{"'\\]|\\+u)              # name=value, name: value
      | \s{0,3}(?::|=>?)\s{0,3}\\*["'](?!\\*["'])                                   # name: "value", name = "value"
      | \[?\\*["']\]?\s{0,9}(?::|=>?)(?:\s|\\+[nrt]|\[)*\\*["'](?!\\*["'])          # "name": "value", "name": ["value"
      | \\*["'],(?:\s|\\+[nrt])*\\*["']\w{1,20}\\*["']:\s{0,9}\\*["'](?!\\*["']) )  # "name": "name", "value": "value"
"""
_SCHEME: Final = r"(?:bearer|basic|token|apikey|dpop)(?:\s|\\+t)+[a-z0-9+/_.~-]{6}"
_OPTION: Final = r"--[\w-]{0,60}[ =]|login\s.{1,90}password"
_QUERY: Final = r"[?&#;](?:key|sig|signature|code|state|assertion|auth|pat)="
_PATTERNS: Final = (
    (_NAMED, ()),
    (_SCHEME, ("bearer", "basic", "token", "apikey", "dpop")),
    (_OPTION, ("--", "login")),
    (_QUERY, ("=",)),
)
_USER_INFO: Final = r":(?://|\\+/\\+/)[^\s/?#\"'<>\\]*@"  # some write `\/` in JSON


def may_hold_secret(text: str) -> bool:
    """Whether a secret may stand in a text or, also as a member, in JSON text."""
    if may_hold_token(text) or "-----BEGIN " in text or ("@" in text and re.search(_USER_INFO, text)):
        return True
    lower = text.lower()
    if not any(root in lower for root in _ROOTS):
        return False
    return any(
        re.search(pattern, lower) for pattern, hints in _PATTERNS if not hints or any(hint in lower for hint in hints)
    )
