"""Where a secret may stand: asked of every message, so it must be quick, and may cry wolf.

It must never overlook what the rules of redaction find, be the text as it is or within JSON text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from mcpmock.cassette.redaction.token_shapes import token_spots

__all__ = ["blobs_in", "may_hold_secret", "spots", "without_blobs"]

_TAIL: Final = r"""
    [\w.-]{0,24}
    (?: > | \\*["']\s{1,9}value=\\*["'] | %(?:25)*(?:22|3[ad]) | \s{1,3}\\*'(?!\\*')  # name%3Dvalue, PASSWORD 'value'
      | (?:=|:|\sis:?\s|\s=\s|\ ?\|)(?:\s|\\+t){0,3}\[?(?:[^\s{"'\\]|\\+u)  # name=value, name: value
      | \s{0,3}(?::|=>?)\s{0,3}\\*["'](?!\\*["'])  # name: "value", name = "value"
      | \[?\\*["']\]?\s{0,9}(?::|=>?)(?:\s|\\+[nrt]|\[)*\\*["'](?!\\*["'])  # "name": "value", "name": ["value"
      | \\*["'],(?:\s|\\+[nrt])*\\*["']\w{1,20}\\*["']:(?:\s|\[){0,9}\\*["'](?!\\*["'])  # "name": "n", "value": "v"
      | \\*["']\s{0,9}:(?:\s|\\+[nrt])*\{[^{}]{0,200}?value\\*["'] )  # "name": {"value": "value"}
"""
_NUMBER: Final = r"""[\w.-]{0,24}\\*["']\s{0,9}:(?:\s|\\+[nrt]|\[)*\d{4}"""  # "name": 1234
_LABELLED: Final = (  # "value": "value", "name": "name"
    r"""\\*["']\s{0,9}:(?:\s|\\+[nrt])*\\*["'](?!\\*["'])[^{}]{1,2000}?"""
    r"""(?:name|key|header|field)\\*["']\s{0,9}:(?:\s|\\+[nrt])*\\*["'][\w.$ -]{0,60}?"""
    r"(?:secret|pass|cred|cookie|jwt|pw|psk|otp|verifier|kennwort|senha|bearer|dpop|assertion|token|key|auth)"
)
_BASIC: Final = r"(?:\s|\\+t)+[a-z0-9+/_.~-]{6}"
_SCHEME: Final = r"(?:\s|\\+t)+(?:[a-z+/_.~-]{0,300}+\d|[a-z0-9+/_.~-]{24})"
_KEY: Final = r"(?:(?<=[a-z]key)|(?<=[a-z][-_.\ ]key))"
_CODE: Final = r"(?:(?<=device_code)|(?<=devicecode)|(?<=device-code)|(?<=user_code)|(?<=usercode)|(?<=user-code))"
_QUERY: Final = r"(?<![a-z]{0})=|(?:(?<=26{0})|(?<=3f{0})|(?<=23{0}))(?:=|%(?:25)*3d)"
_NEXT: Final = r"""\\*["'],(?:\s|\\+[nrt])*\\*["'](?!\\*["'])"""  # an element of an array, after another
_ROOTS: Final = {
    **dict.fromkeys(("secret", "pass", "pw", "otp", "kennwort", "senha"), (_TAIL, _NUMBER)),
    **dict.fromkeys(("cred", "cookie", "jwt", "psk", "verifier"), (_TAIL,)),
    "value": (_LABELLED,),
    **dict.fromkeys(("bearer", "dpop"), (_TAIL, _SCHEME)),
    "basic": (_BASIC,),
    "apikey": (_SCHEME,),
    **dict.fromkeys(("sig", "signature", "state", "pat"), ()),
    "code": (_CODE + _TAIL,),
    "assertion": (_TAIL,),
    "token": (rf"(?<!progresstoken)(?:{_TAIL})", _SCHEME),
    "key": (_KEY + _TAIL, _KEY + _NUMBER),
    "auth": (rf"(?!ors?\b){_TAIL}",),
    "--": (rf"[\w-]{{0,60}}(?:[ =]|{_NEXT}[^-])",),
    "-u": (rf"(?:[ =]\\*[\"']?|{_NEXT})[^\s:\"'\\]{{1,80}}:",),
    "sshpass": (r"\s{1,3}-p",),
    **dict.fromkeys(("mysql", "mariadb"), (r"[^\r\n]{0,200}?\s-p\S",)),
    "identified": (r"(?:\s|\\+[nrt])+by",),
    "login": (r"\s.{1,90}password",),
}
"""What may follow these words, in lower case, where they are part of the name of a secret; `_QUERY` for all others."""

_IN_QUERIES: Final = frozenset(("key", "sig", "signature", "code", "state", "assertion", "auth", "pat"))
_USER_INFO: Final = r":(?://|\\+/\\+/)[^\s/?#\"'<>\\]*@"  # some write `\/` in JSON
_USER_INFO_ENCODED: Final = r"%(?:25)*3[Aa]%(?:25)*2[Ff]%(?:25)*2[Ff][^\s\"'<>\\]*?%(?:25)*40"
_NEAR: Final = 4 * 1024
_FAR: Final = 16 * 1024  # a private key has room there
_HARMLESS: Final = "progresstoken"


def may_hold_secret(text: str) -> bool:
    """Whether a secret may stand in a text or, also as a member, in JSON text."""
    return next(spots(text), None) is not None


def spots(text: str) -> Iterator[tuple[int, int]]:
    """About where secrets may stand in a text, or as members in JSON text, and how far they may reach; in no order.

    Not exact where capitals and small letters differ in length.
    """
    for at in token_spots(text):
        yield at, _FAR
    if "-----BEGIN " in text:
        for found in re.finditer("-----BEGIN ", text):
            yield found.start(), _FAR
    if "@" in text:
        for found in re.finditer(_USER_INFO, text):
            yield found.start(), _NEAR
    if "40" in text and "%" in text:
        for found in re.finditer(_USER_INFO_ENCODED, text):
            yield found.start(), _NEAR
    lower = text.lower()
    for root, patterns in _ROOTS.items():
        if root in lower and not (root == "token" and lower.count(root) == lower.count(_HARMLESS)):
            yield from _at(lower, root, _compiled(root, patterns))


def _at(lower: str, root: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    at = lower.find(root)
    while at >= 0:
        if pattern.match(lower, at + len(root)):
            yield at, _NEAR
        at = lower.find(root, at + 1)


@cache
def _compiled(root: str, patterns: tuple[str, ...]) -> re.Pattern[str]:
    query = (_QUERY.format(root),) if root in _IN_QUERIES else ()
    return re.compile("|".join(f"(?:{pattern})" for pattern in (*patterns, *query)), re.VERBOSE)


_BLOB: Final = 4096
_STEP: Final = _BLOB // 2
_DIGITS: Final = re.compile(r"[A-Za-z0-9+/]*+=*")
_KEPT: Final = 64


def blobs_in(text: str) -> Iterator[tuple[int, int]]:
    """Where digits of base64 stand without end: images and the like. What is shorter than 4,096 may be left out."""
    at = done = 0
    while at + _STEP <= len(text):
        if _DIGITS.fullmatch(text, at, at + _STEP):
            start = at
            while start > done and _DIGITS.fullmatch(text, start - 1, start):
                start -= 1
            found = _DIGITS.match(text, at)
            assert found is not None
            done = found.end()
            yield start, done
            at = done
        else:
            at += _STEP


def without_blobs(text: str, blobs: Sequence[tuple[int, int]]) -> str:
    """The text with only the ends of what `blobs_in` finds."""
    pieces: list[str] = []
    done = 0
    for start, end in blobs:
        pieces += [text[done : start + _KEPT], " "]
        done = end - _KEPT
    return "".join([*pieces, text[done:]]) if pieces else text
