"""Names that say "secret": keys of JSON, headers, options, environment variables, URL parameters.

Names are compared as words (`apiKey`, `API-KEY` and `x_api_key` are alike), and by how they end: `token_type` is no
token. Names of the protocol's own, and those that tell of tokens of text or of pages, are never secret.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = [
    "is_page_name",
    "is_password_name",
    "is_secret_name",
    "is_signature_name",
    "is_weak_name",
    "placeholder_name",
    "words",
]

_KEYS: Final = (
    "api|app|access|secret|private|signing|signature|encryption|master|account|shared|subscription|auth|license|licence"
    "|service|deploy|consumer|client|session|webhook|admin|hmac|decryption"
)
_SECRET: Final = re.compile(
    rf"""(?:
      (?:password|passwd|passwort|kennwort|passphrase|passcode|senha|secret|credential|token|authorization|cookie)s?
    | (?:{_KEYS})_?keys? | access_?key_?id
    | (?:^|_)(?:jwt|bearer|dpop|d_po_p|psk|otp|totp|pw|pwd|code_?verifier|client_?assertion|auth_?header|mot_de_passe)
    | ^(?:device|user|auth|authorization)_?code
    | ^pass
    | (?:^|_)(?:db|user|admin|root|mysql|pg|redis|smtp|imap|mail|email|ftp|ssh|sudo|proxy|http|basic|auth|login
        |become|vault)_?pass
    )(?:_?(?:value|confirmation|confirm|text|plain))?_?\d*$""",
    re.VERBOSE,
)
_NEVER: Final = re.compile(
    r"""(?:^|_)(?:
      (?:progress|next|prev|previous|page|first|last|continuation|continue|pagination|paging|cursor|sync|resume|cancel
        |cancellation|stop|start|end|eos|bos|pad|unk|sep|cls|mask|special|added|idempotency|request)_?tokens?
    | (?:max|min|num|total|input|output|prompt|completion|cached?|reasoning|thinking|budget|text|image|audio|usage|new
        |count|of|per|stop|all|remaining|used|cache_read|cache_creation)_?tokens
    )$ | ^(?:no|is|has|use|with|without|show|require|requires|allow|enable|disable)_ | ^tokens$""",
    re.VERBOSE,
)
_PAGES: Final = re.compile(r"(?:^|_)(?:cursor|(?:page|continuation|pagination|sync|next|progress)_?token)$")
_WEAK: Final = re.compile(r"(?:^|_)(?:auth|pat|key|sig|signature|code|state|assertion|hash|sas|session_?id|apitoken)$")
_NUMERIC: Final = re.compile(
    r"(?:pass(?:word|wd|wort|code|phrase)|kennwort|senha|secret|otp|(?:^|_)(?:pwd?|api_?key))$"
)
_SIGNED: Final = re.compile(r"(?:^|_)(?:sig|signature)$")
_BOUNDARY: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+")
_LONGEST: Final = 80  # longer ones are data that happens to be a key


@lru_cache(maxsize=4096)
def words(name: str) -> str:
    """The words of a name, in lower case, joined by `_`: `X-Api-Key` and `xApiKey` are `x_api_key`."""
    return "_".join(_BOUNDARY.sub(" ", name[: _LONGEST + 1]).lower().split())


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether what has this name is a secret."""
    plain = words(name)
    return len(plain) <= _LONGEST and _SECRET.search(plain) is not None and _NEVER.search(plain) is None


@lru_cache(maxsize=4096)
def is_password_name(name: str) -> bool:
    """Whether a number that has this name is a secret; of tokens and keys a number only tells how many or which."""
    return is_secret_name(name) and _NUMERIC.search(words(name)) is not None


@lru_cache(maxsize=4096)
def is_weak_name(name: str) -> bool:
    """Whether what has this name may be a secret, if it looks like one."""
    plain = words(name)
    return len(plain) <= _LONGEST and _WEAK.search(plain) is not None


@lru_cache(maxsize=4096)
def is_page_name(name: str) -> bool:
    """Whether what has this name leads to the next page, or to progress: never a secret, whatever it looks like."""
    return _PAGES.search(words(name)) is not None


def is_signature_name(name: str) -> bool:
    """Whether a URL parameter of this name signs the URL."""
    return _SIGNED.search(words(name)) is not None


def placeholder_name(name: str) -> str:
    """The name as a placeholder has it: `[a-z][a-z0-9_]*`, of at most 40 characters."""
    plain = words(name).strip("_")[-40:].lstrip("_0123456789")
    return plain or "value"
