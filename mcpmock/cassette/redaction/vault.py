"""The secrets of one recording: which placeholder stands for which, and where else they may turn up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
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
        self.counts: Counter[str] = Counter()
        """How often each rule has masked something: by the kind of secret, or by a user's own rule."""
        self._placeholders: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._reserved: set[str] = set()
        self._names: dict[str, tuple[str, str]] = {}  # name and rule by spelling, of what is looked for everywhere
        self._values: dict[str, None] = {}  # the same secrets as the bytes of UTF-8 look, each byte a letter
        self._lasting = 0
        self._sought: tuple[str, ...] = ("~secret.",)  # the spellings, also as JSON text has them

    def foresee(self, value: str, name: str, rule: str = "") -> None:
        """Look for a secret of the kind `name` from now on; `rule` is the user's, if one says so."""
        self._look_for(value, name, rule)

    def know(self, value: str, placeholder: str) -> None:
        """Look for a secret that has this placeholder already."""
        self._placeholders.setdefault(value, placeholder)
        self._reserved.add(placeholder)
        self._look_for(value, placeholder.split(".")[1], "")

    def keep(self) -> None:
        """Never stop to look for what is looked for now."""
        self._lasting = len(self._names)

    def placeholder(self, value: str, name: str, *, is_certain: bool, rule: str = "", escapes: int = 0) -> str:
        """The placeholder of a secret; one that is certain is looked for everywhere from now on.

        It stands in JSON text within `escapes` strings: if it is spelt otherwise there, the spelling has its own.
        """
        self.counts[rule or name] += 1
        if is_certain and value not in self._names:
            self._look_for(value, name, rule)
        for _ in range(escapes):
            value = dumps(value)[1:-1]
        found = self._placeholders.get(value)
        if found is None:
            found = self._placeholders[value] = self._next(name)
        return found

    def reserve(self, text: str) -> None:
        """Give out none of the placeholders that stand in a text already."""
        self._reserved.update(PLACEHOLDER.findall(text))

    def may_be_in(self, text: str) -> bool:
        """Whether a text, or JSON text, may hold a secret that is looked for, or a placeholder to be reserved."""
        return any(spelling in text for spelling in self._sought)

    @property
    def knows_any(self) -> bool:
        """Whether anything is looked for."""
        return bool(self._values)

    def may_be_in_bytes(self, data: str) -> bool:
        """Whether bytes, each written as a letter, may hold a secret that is looked for."""
        return any(value in data for value in self._values)

    def replace(self, text: str, escapes: int = 0) -> str:
        """The text with all secrets in it that are looked for replaced, the longest first."""
        present = self._present(text)
        if not present:
            return text
        return re.sub(self._pattern(present), lambda found: self._replaced(found[0], escapes), text)

    def spans_in(self, text: str) -> Iterator[tuple[int, int, str, str]]:
        """Where secrets that are looked for stand in a text: start, end, the name and the rule."""
        present = self._present(text)
        for found in re.finditer(self._pattern(present), text) if present else ():
            if found[0] in self._names:
                yield *found.span(), *self._names[found[0]]

    def first_in(self, text: str) -> tuple[str, str]:
        """The name and the rule of a secret that is looked for and stands in a text; empty if none does."""
        present = self._present(text)
        found = re.search(self._pattern(present), text) if present else None
        return self._names.get(found[0], ("", "")) if found else ("", "")

    def _present(self, text: str) -> list[str]:
        return sorted((spelling for spelling in self._names if spelling in text), key=len, reverse=True)

    def _pattern(self, present: list[str]) -> str:
        return "|".join([PLACEHOLDER.pattern, *map(_alone, present)])

    def _replaced(self, found: str, escapes: int) -> str:
        if found not in self._names:
            return found  # a placeholder
        name, rule = self._names[found]
        return self.placeholder(found, name, is_certain=True, rule=rule, escapes=escapes)

    def _look_for(self, value: str, name: str, rule: str) -> None:
        if len(value) < _SHORTEST or has_placeholder(value):
            return
        for spelling in _spellings(value):
            self._names.setdefault(spelling, (name, rule))
        while len(self._names) > self._lasting + _MOST:
            # the oldest of those found on the way is dropped, so that an endless recording stays quick
            del self._names[next(islice(self._names, self._lasting, None))]
        in_json = (dumps(spelling)[1:-1] for spelling in self._names)
        self._sought = ("~secret.", *dict.fromkeys((*self._names, *in_json)))
        self._values = dict.fromkeys(_bytes(spelling) for spelling in self._names)

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
    twice = dumps(escaped)[1:-1]
    lower = re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), encoded)
    plus, loose = encoded.replace("%20", "+"), quote(value, safe="!*'()@:$,/;=&", errors="replace")
    return dict.fromkeys((value, escaped, literal, twice, encoded, plus, lower, loose))


def _bytes(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("latin-1")


def _alone(spelling: str) -> str:
    """The pattern of a spelling that stands alone; what cannot be mistaken may stand within a word, too."""
    if len(spelling) >= _UNMISTAKABLE and any(letter.isdigit() for letter in spelling):
        return re.escape(spelling)
    before = "(?<![A-Za-z0-9])" if spelling[0].isalnum() else ""
    after = "(?![A-Za-z0-9])" if spelling[-1].isalnum() else ""
    return f"{before}{re.escape(spelling)}{after}"
