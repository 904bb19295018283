"""What a value itself tells: whether it looks like a secret, and what is none though its name says so."""

from __future__ import annotations

import re
from typing import Final

from mcpmock.cassette.redaction.secret_names import is_secret_name

__all__ = ["SCHEME", "is_code", "is_mixed", "is_no_secret", "login_password", "looks_secret"]

SCHEME: Final = r"(?is)(bearer|basic|token|apikey|dpop|digest|negotiate)\s+(\S.*)"
"""The whole value of an `Authorization` header: the scheme and the credentials."""

_SHORTEST: Final = 6
_LONG: Final = 24

_MIXED: Final = r"(?=\S*[A-Za-z])(?=\S*\d)\S+"
_CODE: Final = r"[A-Za-z_]+\d{0,3}(?:\??\.[A-Za-z_]+\d{0,3})+"
_NO_SECRET: Final = r"""(?xi)
      true|false|null|none|nil|undefined|yes|no|on|off|unset|n/a
    | string|str|text|varchar(?:\(\d+\))?|bytes | bearer|basic|oauth2?|token|password|secret|credentials?|api[-_ ]?key
    | include|same-origin|omit
    | required|optional|hidden|redacted|masked|removed|omitted|missing|invalid|expired|empty|default|enabled|disabled
    | [~^<>=v]{0,2}\d+(?:\.[\dx*]+)+(?:-[\w.]+)? | \#[0-9a-f]{3,8}                                 # version, colour
    | \W* | x{3,} | <[^<>]*> | \[[\w .*-]*\]                                                        # mask
    | \$[A-Z_]+ | \$\{[^{}]*\} | \{\{.*\}\} | \$\(.*\) | %\w+% | your[-_ ].*                        # variable
    | (?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@ -]{1,40}){2,}[/\\]? | (?:~|\.{1,2})[/\\].*              # path
    | [a-z][a-z0-9+.-]*://[^@?]*                                                                    # URL
"""
_VARIABLE: Final = r"[A-Z]+(?:_[A-Z0-9]+)+"


def is_mixed(value: str) -> bool:
    """Whether letters and digits are mixed in it, without blanks, as in no word."""
    return len(value) >= _SHORTEST and re.fullmatch(_MIXED, value) is not None


def looks_secret(value: str) -> bool:
    """Whether a value looks like a credential, not like a word: mixed, or very long."""
    return is_mixed(value) or (len(value) >= _LONG and " " not in value)


def is_no_secret(value: str) -> bool:
    """Whether a value that has the name of a secret is none: a word for one, a mask, a variable or the name of one, a
    path to a file; also behind the scheme of an `Authorization` header, as documentation has it."""
    if re.fullmatch(_NO_SECRET, value):
        return True
    if (scheme := re.fullmatch(SCHEME, value)) and not looks_secret(scheme[2]):
        return is_no_secret(scheme[2])
    return re.fullmatch(_VARIABLE, value) is not None and is_secret_name(value)


def is_code(value: str) -> bool:
    """Whether a value is an expression that yields the secret: `self.password`, `my_token`."""
    if re.fullmatch(_CODE, value):
        return True
    return value.isidentifier() and value[-1].isalpha() and is_secret_name(value)


_LOGIN: Final = re.compile(r"([A-Za-z][\w.@+-]{1,63}):([^\s:]{6,128})")
_USERS: Final = re.compile(
    r"[\w.+-]+@[\w.-]+|admin(?:istrator)?|root|user\w*|guest|test\w*|demo|sa|postgres|mysql|alice|bob|me|dev|git"
    r"|deploy|ci|bot|svc\w*|service\w*|oauth2?|api\w*"
)
_SORTS: Final = ("[a-z]", "[A-Z]", r"\d", r"[^\w]")


def login_password(text: str) -> tuple[int, int] | None:
    """Where the password stands in a text that is nothing but `user:password`, as what was encoded may be.

    Ids are written so, too (`Issue:42`): so the password must be of three sorts of letters, or of two where the user is
    one that is well known.
    """
    login = _LOGIN.fullmatch(text)
    if login is None or is_no_secret(login[2]):
        return None
    sorts = sum(re.search(sort, login[2]) is not None for sort in _SORTS)
    return login.span(2) if sorts >= 3 or (sorts == 2 and _USERS.fullmatch(login[1])) else None
