"""Secrets in a text, whatever it is: prose, a log line, a URL, code, a connection string.

Rules from the surest to the vaguest; each finds spans, and what a surer one has found the others leave alone. A text
that only talks of secrets ("token: see the docs") holds none.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from mcpmock.cassette.placeholders import PLACEHOLDER, has_placeholder
from mcpmock.cassette.secret_names import is_secret_name, is_signature_name, is_weak_name, placeholder_name
from mcpmock.cassette.token_shapes import PRIVATE_KEY, may_hold_token, tokens_in

__all__ = [
    "SCHEME",
    "Found",
    "cookies_in",
    "is_no_secret",
    "looks_secret",
    "may_hold_secret",
    "scheme_name",
    "secrets_in",
]


class Found(NamedTuple):
    """A secret in a text: where it stands, the name of its kind, and whether it is one wherever else it occurs."""

    start: int
    end: int
    name: str
    is_certain: bool = True


def secrets_in(text: str) -> list[Found]:
    """The secrets in a text, in the order in which they stand; none of them overlap, none is a placeholder."""
    taken: list[Found] = [Found(found.start(), found.end(), "") for found in _placeholders(text)]
    for rule in _RULES:
        for found in rule(text):
            if found.end > found.start and not any(found.start < old.end and old.start < found.end for old in taken):
                taken.append(found)
    return sorted(found for found in taken if found.name)


def looks_secret(value: str) -> bool:
    """Whether a value looks like a credential, not like a word: letters and digits mixed, or very long."""
    return (len(value) >= 6 and _MIXED.match(value) is not None) or (len(value) >= 24 and " " not in value)


def is_no_secret(value: str) -> bool:
    """Whether a value that has the name of a secret is none: a word for one, a mask, a variable, a path to a file."""
    return _NO_SECRET.fullmatch(value) is not None


_MIXED: Final = re.compile(r"(?=[^\s]*[A-Za-z])(?=[^\s]*\d)^\S+$")
_NO_SECRET: Final = re.compile(
    r"""\s* | true|false|null|none|nil|undefined|yes|no|on|off|unset|n/a | string|str|text|varchar(?:\(\d+\))?|bytes
    | required|optional|hidden|redacted|masked|removed|omitted|missing|invalid|expired|empty|default|enabled|disabled
    | bearer|basic|oauth2?|token|password|secret|credentials?|api[-_ ]?key
    | \W* | x{3,} | <[^<>]*> | \[[\w .*-]*\] | \$[A-Z_]+ | \$\{[^{}]*\} | \{\{.*\}\} | \$\(.*\) | %\w+% | your[-_ ].*
    | (?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@ -]{1,40}){2,}[/\\]? | (?:~|\.{1,2})[/\\].* | [a-z][a-z0-9+.-]*://[^@?]*""",
    re.VERBOSE | re.IGNORECASE,
)


def _placeholders(text: str) -> Iterator[re.Match[str]]:
    return PLACEHOLDER.finditer(text) if has_placeholder(text) else iter(())


def _keys(text: str) -> Iterator[Found]:
    for found in PRIVATE_KEY.finditer(text) if "-----BEGIN " in text else ():
        yield Found(found.start(), found.end(), "private_key")


def _tokens(text: str) -> Iterator[Found]:
    return (Found(start, end, name) for start, end, name in tokens_in(text))


_USER_INFO: Final = re.compile(r"://([^\s/:@?#\"'<>\\]*)(?::([^\s/?#\"'<>\\]*))?@")


def _user_info(text: str) -> Iterator[Found]:
    """`scheme://user:password@host`, and a user that is a token (RFC 3986 section 3.2.1)."""
    for found in _USER_INFO.finditer(text) if "://" in text and "@" in text else ():
        if found[2] and not is_no_secret(found[2]):
            yield Found(*found.span(2), "url_password")
        elif not found[2] and len(found[1]) >= 16 and looks_secret(found[1]):
            yield Found(*found.span(1), "url_user")


_QUERY: Final = re.compile(r"[?&#](?:amp;)?([A-Za-z][\w.\-\[\]]*)=([^\s&#;\"'<>\\`)]+)")


def _query(text: str) -> Iterator[Found]:
    """Parameters of a URL: those with the name of a secret, and signatures."""
    for found in _QUERY.finditer(text) if "=" in text else ():
        name, value = found[1], found[2]
        if is_no_secret(value):
            continue
        if is_secret_name(name) or is_signature_name(name):
            yield Found(*found.span(2), _in_url(name), looks_secret(value))
        elif is_weak_name(name) and len(value) >= 16 and looks_secret(value):
            yield Found(*found.span(2), _in_url(name))


def _in_url(name: str) -> str:
    return f"url_{placeholder_name(name)}"


_SCHEME: Final = re.compile(r"\b(bearer|basic|token|apikey|dpop)[ \t]+([A-Za-z0-9+/_.~-]{6,}={0,2})", re.IGNORECASE)
SCHEME: Final = re.compile(r"(bearer|basic|token|apikey|dpop|digest|negotiate)\s+(\S.*)", re.IGNORECASE | re.DOTALL)
"""The whole value of an `Authorization` header: the scheme and the credentials."""

_HEADER: Final = re.compile(
    r"""\b(?:proxy-)?authorization\\*["']?\s{0,3}[:=]\s{0,3}\\*["']?
        (?:(bearer|basic|token|apikey|dpop|digest|negotiate|aws4-hmac-sha256)[ \t]+)([^\s"'\\,;<>]+)""",
    re.IGNORECASE | re.VERBOSE,
)


def _authorization(text: str) -> Iterator[Found]:
    """`Authorization: SCHEME CREDENTIALS` (RFC 9110 section 11.4), and credentials after a scheme anywhere."""
    for found in _HEADER.finditer(text):
        if not is_no_secret(found[2]):
            yield Found(*found.span(2), scheme_name(found[1]))
    for found in _SCHEME.finditer(text):
        if _is_basic(found[2]) if found[1].lower() == "basic" else looks_secret(found[2]) and len(found[2]) >= 8:
            yield Found(*found.span(2), scheme_name(found[1]))


def scheme_name(scheme: str) -> str:
    """The placeholder's name for the credentials of an authorization scheme."""
    return "basic_auth" if scheme.lower() == "basic" else f"{placeholder_name(scheme)}_token".removeprefix("token_")


def _is_basic(credentials: str) -> bool:
    try:
        return b":" in b64decode(credentials + "=" * (-len(credentials) % 4), validate=True)
    except ValueError:
        return False


_NAME: Final = r"(?<![\w.$-])([A-Za-z_@$][\w.$-]{0,60}+)(?:\[?\\*[\"']\]?)?"
_VALUE: Final = r"([^\s\"'\\,;&<>()\[\]{}`|]+)(?![(\[\w])"
_QUOTED: Final = re.compile(rf"{_NAME} {{0,3}}(?::|=>?) {{0,3}}(\\*[\"'])([^\s\"'\\]+)\2")
_MEMBER: Final = re.compile(
    r"(?<!\\)(\\*[\"'])([A-Za-z][\w.-]{0,60})\1\s{0,9}:[\s\[]{0,9}\1((?:(?!\1)[^\r\n])+(?:\\\\)*)(?<!\\)\1"
)
_ASSIGNED: Final = re.compile(rf"{_NAME}={_VALUE}")
_TOLD: Final = re.compile(rf"{_NAME}(?::[ \t]{{0,3}}| = | is ){_VALUE}")
_COOKIES: Final = re.compile(r"\b(?:set-)?cookie:[ \t]*([^\r\n\"'\\]+)", re.IGNORECASE)


def _members(text: str) -> Iterator[Found]:
    """`"password": "x y"` in a piece of JSON or in what a language prints, at any depth of escaping."""
    for found in _MEMBER.finditer(text):
        if is_secret_name(found[2]) and not is_no_secret(found[3]):
            yield Found(*found.span(3), placeholder_name(found[2]), looks_secret(found[3]))


def _quoted(text: str) -> Iterator[Found]:
    """`token = 'x'`."""
    for found in _QUOTED.finditer(text):
        if is_secret_name(found[1]) and not is_no_secret(found[3]):
            yield Found(*found.span(3), placeholder_name(found[1]), looks_secret(found[3]))


def _assigned(text: str) -> Iterator[Found]:
    """`PASSWORD=x` in an environment, `Password=x;` in a connection string."""
    for found in _ASSIGNED.finditer(text) if "=" in text else ():
        value = found[2]
        if is_secret_name(found[1]) and len(value) >= 4 and not is_no_secret(value) and not _is_code(value):
            yield Found(*found.span(2), placeholder_name(found[1]), looks_secret(value))


def _told(text: str) -> Iterator[Found]:
    """`password: x` in a log line or a YAML file, where x looks like one."""
    for found in _TOLD.finditer(text):
        value = found[2].rstrip(".:!?")
        if is_secret_name(found[1]) and looks_secret(value) and not is_no_secret(value) and not _is_code(value):
            yield Found(found.start(2), found.start(2) + len(value), placeholder_name(found[1]))


_CODE: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def _is_code(value: str) -> bool:
    """Whether a value is an expression that yields the secret: `self.password`, `my_token`."""
    if any(letter.isdigit() for letter in value):
        return False
    return _CODE.fullmatch(value) is not None or (value.isidentifier() and is_secret_name(value))


def _cookies(text: str) -> Iterator[Found]:
    for header in _COOKIES.finditer(text):
        start = header.start(1)
        for found in cookies_in(header[1]):
            yield found._replace(start=found.start + start, end=found.end + start)


_COOKIE: Final = re.compile(r"(?:^|;)\s*([^\s=;,]+)=([^;\s]+)")
_ATTRIBUTES: Final = frozenset(("path", "domain", "expires", "max-age", "samesite", "secure", "httponly", "priority"))


def cookies_in(header: str) -> Iterator[Found]:
    """The values of the cookies in a `Cookie` or `Set-Cookie` header, without attributes (RFC 6265 section 4)."""
    for found in _COOKIE.finditer(header):
        if found[1].lower() not in _ATTRIBUTES:
            yield Found(*found.span(2), "cookie", looks_secret(found[2]))


_RULES: Final[tuple[Callable[[str], Iterator[Found]], ...]] = (
    _keys,
    _tokens,
    _user_info,
    _query,
    _authorization,
    _cookies,
    _members,
    _quoted,
    _assigned,
    _told,
)


_ROOTS: Final = (
    "token", "secret", "pass", "key", "auth", "cred", "cookie", "bearer", "jwt", "pwd", "pw", "dpop", "basic ", "sig",
    "psk", "otp", "verifier", "assertion", "kennwort", "senha", "code=", "state=", "pat=",
)  # fmt: skip
# Each alternative begins with a letter of its own, so that the search can skip all others (ten times as fast).
_NAMED: Final = re.compile(
    r"""
    (?: token(?<!progresstoken) | secret | pass | key(?:(?<=[a-z]key)|(?<=[a-z][-_.\ ]key)) | auth | cred | cookie | jwt
      | bearer | dpop | pwd? | psk | otp | verifier | assertion | kennwort | senha )
    [\w.-]{0,24}
    (?: (?:=|:|\sis\s|\s=\s)(?:\s|\\+t){0,3}\[?(?:[^\s{"'\\]|\\+u)                     # name=value, name: value
      | \s{0,3}(?::|=>?)\s{0,3}\\*["'](?!\\*["'])                                   # name: "value", name = "value"
      | \[?\\*["']\]?\s{0,9}(?::|=>?)(?:\s|\\+[nrt]|\[)*\\*["'](?!\\*["'])           # "name": "value", "name": ["value"
      | \\*["'],(?:\s|\\+[nrt])*\\*["']\w{1,20}\\*["']:\s{0,9}\\*["'](?!\\*["']) )   # "name": "name", "value": "value"
    """,
    re.VERBOSE,
)
_PLAIN_SCHEME: Final = re.compile(r"(?:bearer|basic|token|apikey|dpop)(?:\s|\\+t)+[a-z0-9+/_.~-]{6}")
_PLAIN_QUERY: Final = re.compile(r"[?&#;](?:key|sig|signature|code|state|assertion|auth|pat)=")


def may_hold_secret(text: str) -> bool:
    """Whether a secret may stand in a text or, also as a member, in JSON text; quick, says yes a little too often."""
    if may_hold_token(text) or "-----BEGIN " in text or ("://" in text and _USER_INFO.search(text)):
        return True
    lower = text.lower()
    if not any(root in lower for root in _ROOTS):
        return False
    return any(pattern.search(lower) for pattern in (_NAMED, _PLAIN_SCHEME, _PLAIN_QUERY))
