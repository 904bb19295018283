"""Secrets in a text, whatever it is: prose, a log line, a URL, code, a connection string.

Rules from the surest to the vaguest; each finds spans, and what a surer one has found the others leave alone. A text
that only talks of secrets ("token: see the docs") holds none.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from mcpmock.cassette.encoded_placeholders import encoded_placeholders
from mcpmock.cassette.placeholders import PLACEHOLDER
from mcpmock.cassette.redaction.oauth import is_grant
from mcpmock.cassette.redaction.percents import percented
from mcpmock.cassette.redaction.private_keys import PRIVATE_KEY
from mcpmock.cassette.redaction.secret_commands import in_commands
from mcpmock.cassette.redaction.secret_names import is_secret_name, is_signature_name, is_weak_name, placeholder_name
from mcpmock.cassette.redaction.secret_values import is_code, is_mixed, is_no_secret, looks_secret
from mcpmock.cassette.redaction.suspicion import spots
from mcpmock.cassette.redaction.token_shapes import tokens_in

__all__ = ["Found", "basic_password", "cookies_in", "scheme_name", "secrets_in"]


class Found(NamedTuple):
    """A secret in a text: where it stands, the name of its kind, whether it is one wherever else it occurs, and the
    user's rule that says so, if one does."""

    start: int
    end: int
    name: str
    is_certain: bool = True
    rule: str = ""


def secrets_in(text: str) -> list[Found]:
    """The secrets in a text, in the order in which they stand; none of them overlap, none is a placeholder."""
    if len(text) <= _LARGE:
        return _secrets_in(text)
    return [
        found._replace(start=start + found.start, end=start + found.end)
        for start, end in _windows(text)
        for found in _secrets_in(text[start:end])
    ]


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """The parts of a large text where secrets may stand, with what stands around them; none of them overlap."""
    start = end = 0
    if len(text.lower()) != len(text):
        yield 0, len(text)
        return
    for spot, reach in sorted(spots(text)):
        if spot + reach <= end:
            continue
        if spot - _BEFORE > end:
            if end:
                yield start, end
            start = _edge(text, spot - _BEFORE)
        end = min(len(text), _edge(text, spot + reach))
    if end:
        yield start, end


def _edge(text: str, at: int) -> int:
    """A place right behind a blank, near a place in a text."""
    if at <= 0:
        return 0
    found = _BLANK.search(text, at, at + _BEFORE)
    return found.end() if found else at


_LARGE: Final = 32 * 1024
_BEFORE: Final = 512
_BLANK: Final = re.compile(r"\s")
_DEEPEST: Final = 2  # of what is percent-encoded in what is


def _secrets_in(text: str, depth: int = 0) -> list[Found]:
    taken = bytearray(len(text))
    for placeholder in PLACEHOLDER.finditer(text):
        _take(taken, *placeholder.span())
    for encoded in encoded_placeholders(text):
        _take(taken, encoded.start, encoded.end)
    secrets: list[Found] = []
    for found in chain.from_iterable([*(rule(text) for rule in _RULES), _percented(text, depth)]):
        if taken.find(1, found.start, found.end) < 0:
            _take(taken, found.start, found.end)
            secrets.append(found)
    return sorted(secrets)


def _percented(text: str, depth: int) -> Iterator[Found]:
    """The same in what is percent-encoded, and in what is so within that."""
    for run in percented(text) if depth < _DEEPEST else ():
        for found in _secrets_in(run.text, depth + 1):
            yield found._replace(start=run.places[found.start], end=run.places[found.end])


def _take(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\1" * (end - start)


# The patterns are text until they are needed: to compile them all takes longer than to start the recorder.


def _keys(text: str) -> Iterator[Found]:
    for found in re.finditer(PRIVATE_KEY, text) if "-----BEGIN " in text else ():
        yield Found(found.start(), found.end(), "private_key")


def _tokens(text: str) -> Iterator[Found]:
    return (Found(start, end, name) for start, end, name in tokens_in(text))


_USER_INFO: Final = r"://([^\s/:@?#\"'<>\\]*)(?::([^\s/?#\"'<>\\]*))?@"


def _user_info(text: str) -> Iterator[Found]:
    """`scheme://user:password@host`, and a user that is a token (RFC 3986 section 3.2.1)."""
    for found in re.finditer(_USER_INFO, text) if "://" in text and "@" in text else ():
        if found[2] and not is_no_secret(found[2]):
            yield Found(*found.span(2), "url_password")
        elif not found[2] and len(found[1]) >= 16 and looks_secret(found[1]):
            yield Found(*found.span(1), "url_user")


_QUERY: Final = (  # a value may be a URL; a form is a query without its mark
    r"(?:[?&#](?:amp;)?|\A(?=\S+&))([A-Za-z][\w.\-\[\]]*)=(?=([^\s&#;\"'<>\\`)]+))"
)


def _query(text: str) -> Iterator[Found]:
    """Parameters of a URL or a form: those with the name of a secret, signatures, and what a token is given for."""
    for found in re.finditer(_QUERY, text) if "=" in text else ():
        name, value = found[1], found[2]
        if is_no_secret(value):
            continue
        if is_secret_name(name) or is_signature_name(name) or is_grant(name, text, *found.span()):
            yield Found(*found.span(2), f"url_{placeholder_name(name)}", looks_secret(value))
        elif is_weak_name(name) and len(value) >= 16 and looks_secret(value):
            yield Found(*found.span(2), f"url_{placeholder_name(name)}")


_HEADER: Final = r"""(?xi)\b(?:proxy-)?authorization\\*["']?\s{0,3}[:=]\s{0,3}\\*["']?
    (bearer|basic|token|apikey|dpop|digest|negotiate|aws4-hmac-sha256)[ \t]+([^\s"'\\,;<>]+)"""
_SCHEME_IN_TEXT: Final = r"(?i)\b(bearer|basic|token|apikey|dpop)[ \t]+([A-Za-z0-9+/_.~-]{6,}={0,2})"


def _authorization(text: str) -> Iterator[Found]:
    """`Authorization: SCHEME CREDENTIALS` (RFC 9110 section 11.4), and credentials after a scheme anywhere."""
    for found in re.finditer(_HEADER, text):
        if not is_no_secret(found[2]):
            yield Found(*found.span(2), scheme_name(found[1]))
    for found in re.finditer(_SCHEME_IN_TEXT, text):
        if _is_basic(found[2]) if found[1].lower() == "basic" else looks_secret(found[2]) and len(found[2]) >= 8:
            yield Found(*found.span(2), scheme_name(found[1]))


def scheme_name(scheme: str) -> str:
    """The placeholder's name for the credentials of an authorization scheme."""
    return "basic_auth" if scheme.lower() == "basic" else f"{placeholder_name(scheme)}_token".removeprefix("token_")


def _is_basic(credentials: str) -> bool:
    return ":" in _decoded(credentials)


def basic_password(credentials: str) -> str:
    """The password in the credentials of the scheme `Basic` (RFC 7617 section 2); empty if there is none."""
    return _decoded(credentials).partition(":")[2]


def _decoded(credentials: str) -> str:
    try:
        return b64decode(credentials + "=" * (-len(credentials) % 4), validate=True).decode("utf-8", "replace")
    except ValueError:
        return ""


_COOKIES: Final = r"(?i)\b(?:set-)?cookie:[ \t]*([^\r\n\"'\\]+)"
_COOKIE: Final = r"(?:^|;)\s*([^\s=;,]+)=([^;\s]+)"
_ATTRIBUTES: Final = frozenset(("path", "domain", "expires", "max-age", "samesite", "secure", "httponly", "priority"))


def _cookies(text: str) -> Iterator[Found]:
    for header in re.finditer(_COOKIES, text):
        start = header.start(1)
        for found in cookies_in(header[1]):
            yield found._replace(start=found.start + start, end=found.end + start)


def cookies_in(header: str) -> Iterator[Found]:
    """The values of the cookies in a `Cookie` or `Set-Cookie` header, without attributes (RFC 6265 section 4)."""
    for found in re.finditer(_COOKIE, header):
        if found[1].lower() not in _ATTRIBUTES:
            yield Found(*found.span(2), "cookie", looks_secret(found[2]))


_NAME: Final = r"(?<![A-Za-z_.$-])([A-Za-z_@$][\w.$-]{0,60}+)(?:\[?\\*[\"']\]?)?"
_VALUE: Final = r"([^\s\x00-\x1f\"'\\,;&<>()\[\]{}`|]++)(?![(\[])"  # what a bracket follows is code

_MEMBER: Final = (
    r"(?<!\\)(\\*[\"'])([A-Za-z][\w.-]{0,60})\1\s{0,9}:[\s\[]{0,9}\1((?:(?!\1)[^\r\n]){1,9999}(?:\\\\)*)(?<!\\)\1"
)
_LABEL: Final = r"(?:name|key|header|field)"
_TEXT: Final = r"((?:(?!\1)[^\r\n]){1,999}(?:\\\\)*)(?<!\\)"
_LABELLED: Final = rf"(?<!\\)(\\*[\"']){_LABEL}\1\s*:\s*\1([\w.$-]{{1,60}})\1\s*,\s*\1value\1\s*:\s*\1{_TEXT}\1"
_LABELLED_BEHIND: Final = rf"(?<!\\)(\\*[\"'])value\1\s*:\s*\1{_TEXT}\1\s*,\s*\1{_LABEL}\1\s*:\s*\1([\w.$-]{{1,60}})\1"
_QUOTED: Final = rf"{_NAME} {{0,3}}(?::|=>?) {{0,3}}(\\*[\"'`])([^\s\"'`\\]+)\2"
_SPACED: Final = rf"{_NAME} {{0,3}}(?::|=>?) {{0,3}}(\\*[\"'])((?:(?!\2)[^\r\n\\]){{3,100}})\2"


def _quoted(text: str) -> Iterator[Found]:
    """`"password": "x y"` and `"key": "password", "value": "x y"` in a piece of JSON, at any depth of escaping, and
    `token = 'x'` in code."""
    patterns = [(_MEMBER, 2, 3), (_QUOTED, 1, 3)]
    if "value" in text:
        patterns += [(_LABELLED, 2, 3), (_LABELLED_BEHIND, 3, 2)]
    for pattern, name, value in patterns:
        for found in re.finditer(pattern, text):
            if is_secret_name(found[name]) and not is_no_secret(found[value]):
                yield Found(*found.span(value), placeholder_name(found[name]), looks_secret(found[value]))


def _spaced(text: str) -> Iterator[Found]:
    """`PASSWORD = "x y1z2a3"`: several words, one of which is none."""
    for found in re.finditer(_SPACED, text):
        if is_secret_name(found[1]) and " " in found[3] and any(map(is_mixed, found[3].split())):
            yield Found(*found.span(3), placeholder_name(found[1]))


_ASSIGNED: Final = rf"{_NAME}={_VALUE}"
_OPTION: Final = r"(?<![\w-])--([A-Za-z][\w-]{0,60}+)[ =]\\*[\"']?([^\s\x00-\x1f\"'\\<>-][^\s\x00-\x1f\"'\\<>]*)"
_ELEMENT: Final = r"<([A-Za-z][\w:.-]{0,60}+)>([^<>\s]+)</\1>"
_ATTRIBUTE: Final = r"""(?i)\b(?:name|key)=["']([\w:.-]{1,60})["']\s{1,9}value=["']([^"'<>\s]+)["']"""
_NETRC: Final = r"\blogin\s{1,9}\S{1,80}\s{1,9}(password)\s{1,9}(\S+)"


def _assigned(text: str) -> Iterator[Found]:
    """`PASSWORD=x`, also within a connection string, `--token x`, `<password>x</password>`, `name="token" value="x"`, a
    netrc's `password x`."""
    for pattern in (_ASSIGNED, _OPTION, _ELEMENT, _ATTRIBUTE, _NETRC):
        for found in re.finditer(pattern, text):
            value = found[2]
            if len(value) < 4 or not (is_secret_name(found[1]) or _is_key_of_service(found[1], value)):
                continue
            if not is_no_secret(value.rstrip(".:!?")) and not is_code(value):
                yield Found(*found.span(2), placeholder_name(found[1]), looks_secret(value))


_SERVICE_KEY: Final = r"[A-Z][A-Z0-9_]*[A-Z]_KEY"


def _is_key_of_service(name: str, value: str) -> bool:
    """`OPENAI_KEY`, as files of variables have it: if it holds what looks like a key."""
    return len(value) >= 16 and is_mixed(value) and re.fullmatch(_SERVICE_KEY, name) is not None


_TOLD: Final = rf"{_NAME}(?::[ \t]{{0,3}}| = | is:? | ?\| ?){_VALUE}"


def _told(text: str) -> Iterator[Found]:
    """`password: x` in a log line or a YAML file, `| password | x |` in a table, where x looks like one."""
    for found in re.finditer(_TOLD, text):
        value = found[2].rstrip(".:!?")
        if is_mixed(value) and is_secret_name(found[1]) and not is_no_secret(value) and not is_code(value):
            yield Found(found.start(2), found.start(2) + len(value), placeholder_name(found[1]))


def _commands(text: str) -> Iterator[Found]:
    return (Found(start, end, "password", looks_secret(text[start:end])) for start, end in in_commands(text))


_RULES: Final[tuple[Callable[[str], Iterator[Found]], ...]] = (
    _keys,
    _tokens,
    _user_info,
    _query,
    _authorization,
    _cookies,
    _quoted,
    _spaced,
    _assigned,
    _told,
    _commands,
)
