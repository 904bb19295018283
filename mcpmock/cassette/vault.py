"""The secrets of one recording: which placeholder stands for which, and where else they may turn up."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final
from urllib.parse import quote

from mcpmock.cassette.placeholders import PLACEHOLDER, has_placeholder, secret_placeholder
from mcpmock.wire.message import dumps

__all__ = ["Vault"]

_SHORTEST: Final = 6  # shorter ones would turn up in other words
_UNMISTAKABLE: Final = 16
_MOST: Final = 512  # how many of the secrets found on the way are looked for elsewhere


class Vault:
    """Secrets and their placeholders. Numbers are given out when a placeholder is first used, from 1 for each name."""

    def __init__(self) -> None:
        self._placeholders: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._reserved: set[str] = set()
        self._names: dict[str, str] = {}  # by spelling, of what is looked for everywhere
        self._lasting = 0
        self._sought: tuple[str, ...] = ("~secret.",)  # the same spellings, also as JSON text has them

    def foresee(self, value: str, name: str) -> None:
        """Look for a secret of the kind `name` from now on."""
        self._look_for(value, name)

    def keep(self) -> None:
        """Never stop to look for what is looked for now."""
        self._lasting = len(self._names)

    def placeholder(self, value: str, name: str, *, is_certain: bool) -> str:
        """The placeholder of a secret; one that is certain is looked for everywhere from now on."""
        found = self._placeholders.get(value)
        if found is None:
            found = self._placeholders[value] = self._next(name)
        if is_certain and value not in self._names:
            self._look_for(value, name)
        return found

    def reserve(self, text: str) -> None:
        """Give out none of the placeholders that stand in a text already."""
        self._reserved.update(PLACEHOLDER.findall(text))

    def may_be_in(self, text: str) -> bool:
        """Whether a text, or JSON text, may hold a secret that is looked for, or a placeholder to be reserved."""
        return any(spelling in text for spelling in self._sought)

    def replace(self, text: str) -> str:
        """The text with all secrets in it that are looked for replaced, the longest first."""
        present = sorted((spelling for spelling in self._names if spelling in text), key=len, reverse=True)
        if not present:
            return text
        pattern = "|".join([PLACEHOLDER.pattern, *map(_alone, present)])
        return re.sub(pattern, lambda found: self._replaced(found[0]), text)

    def _replaced(self, found: str) -> str:
        if found not in self._names:
            return found  # a placeholder
        return self.placeholder(found, self._names[found], is_certain=True)

    def _look_for(self, value: str, name: str) -> None:
        if len(value) < _SHORTEST or has_placeholder(value):
            return
        for spelling in _spellings(value):
            self._names.setdefault(spelling, name)
        while len(self._names) > self._lasting + _MOST:
            # the oldest of those found on the way is dropped, so that an endless recording stays quick
            del self._names[next(islice(self._names, self._lasting, None))]
        in_json = (dumps(spelling)[1:-1] for spelling in self._names)
        self._sought = ("~secret.", *dict.fromkeys((*self._names, *in_json)))

    def _next(self, name: str) -> str:
        while True:
            number = self._numbers[name] = self._numbers.get(name, 0) + 1
            placeholder = secret_placeholder(name, number)
            if placeholder not in self._reserved:
                return placeholder


def _spellings(value: str) -> dict[str, None]:
    """How a secret may be written: as it is, within JSON text, in a URL. Each gets a placeholder of its own where
    they differ, so that each fits the live value in its place."""
    encoded = quote(value, safe="", errors="replace")
    escaped = dumps(value)[1:-1]
    literal = escaped if value.isascii() else value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return dict.fromkeys((value, escaped, literal, encoded, encoded.replace("%20", "+")))


def _alone(spelling: str) -> str:
    """The pattern of a spelling that stands alone; what cannot be mistaken may stand within a word, too."""
    if len(spelling) >= _UNMISTAKABLE and any(letter.isdigit() for letter in spelling):
        return re.escape(spelling)
    before = "(?<![A-Za-z0-9])" if spelling[0].isalnum() else ""
    after = "(?![A-Za-z0-9])" if spelling[-1].isalnum() else ""
    return f"{before}{re.escape(spelling)}{after}"
