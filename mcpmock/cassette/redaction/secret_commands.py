"""Passwords in commands and statements, where no name stands before them: `curl -u user:password`, SQL, Python's
`auth=("user", "password")`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mcpmock.cassette.redaction.secret_values import is_mixed, is_no_secret

__all__ = ["in_commands", "user_password"]

_VALUE: Final = r"\\*[\"']?([^\s\"'\\<>$:|;]+)"
_CURL: Final = (
    r"\bcurl\b(?:[^\r\n|;]|\\\r?\n){0,400}?\s(?:-u|--user|--proxy-user)[ =]{0,3}\\*[\"']?"
    r"[^\s:\"'\\/-][^\s:\"'\\/]{0,80}:([^\s\"'\\]+)"
)
_SSHPASS: Final = rf"\bsshpass\s{{1,3}}-p ?{_VALUE}"
_MYSQL: Final = rf"\b(?:mysql|mariadb)\w*\b[^\r\n|;]{{0,200}}?\s-p{_VALUE}"
_IDENTIFIED: Final = r"(?i)\bidentified\s{1,9}by\s{1,9}\\*'((?:[^'\\\r\n]|''){1,200})\\*'"
_PASSWORD: Final = r"\b(?i:password)\s{1,9}\\*'((?:[^'\\\r\n]|''){4,200})\\*'"
_AUTH: Final = (
    r"\bauth\s{0,2}=\s{0,2}\(\s{0,2}\\*[\"'][^\"'\\\s]{1,80}\\*[\"'],\s{0,2}\\*[\"']([^\"'\\\s]{3,200})\\*[\"']"
)
_USER: Final = r"[^\s:/]+:(?!\d+$)(\S+)"


def in_commands(text: str) -> Iterator[tuple[int, int]]:
    """Where in a text such passwords stand."""
    for word, pattern in (("curl", _CURL), ("sshpass", _SSHPASS), (" -p", _MYSQL), ("auth", _AUTH)):
        for found in re.finditer(pattern, text) if word in text else ():
            if not is_no_secret(found[1]):
                yield found.span(1)
    for found in re.finditer(_IDENTIFIED, text):
        yield found.span(1)
    for found in re.finditer(_PASSWORD, text):
        if (found[0].startswith("PASSWORD") or is_mixed(found[1])) and not is_no_secret(found[1]):
            yield found.span(1)


def user_password(value: str) -> tuple[int, int] | None:
    """Where the password stands in what an option `-u` is given: `user:password`, but not two numbers."""
    found = re.fullmatch(_USER, value)
    return found.span(1) if found else None
