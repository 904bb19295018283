"""Which of many open requests a question takes up (DESIGN 3, rule 4), without comparing each question with each.

Requests with equal texts are one class, and texts are looked for by how they begin. So hundreds of calls that are open
at once, each with a question of its own, take no longer than one after the other.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Container, Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from mcpmock.session.interaction import Interaction
from mcpmock.wire.values import strings_in

__all__ = ["Echoes"]

_LONGEST_START: Final = 32
_COMMON: Final = 32
"""A text that more classes share tells little: it is counted only where nothing tells more."""

_LOOKS: Final = 80
"""To look for a beginning at one place costs as much as to search so many characters for a text."""


class Echoes:
    """The open requests that can ask, by the strings among their arguments; at first these `interactions`, of which
    some `have_asked` already, by number."""

    def __init__(self, interactions: Iterable[Interaction] = (), have_asked: Iterable[int] = ()) -> None:
        self._line = _Line()
        self._waiting: dict[int, Interaction] = {}  # their texts have not been looked at, as no question came yet
        self._texts: dict[int, tuple[str, ...]] = {}
        self._classes: dict[tuple[str, ...], _Line] = {}
        self._starts: dict[int, dict[str, dict[str, dict[tuple[str, ...], int]]]] = {}  # length, start, text, class
        self._have_asked = set(have_asked)
        self._distinct = 0
        self._weights: dict[str, float] = {}  # the largest part that a text has been of a class
        for interaction in interactions:
            self.add(interaction)

    def add(self, interaction: Interaction) -> None:
        """One more is open."""
        self._line.add(interaction.number, is_fresh=interaction.number not in self._have_asked)
        self._waiting[interaction.number] = interaction

    def remove(self, interaction: Interaction) -> None:
        """It is open no more, or could not ask anyway."""
        number = interaction.number
        self._line.remove(number)
        self._waiting.pop(number, None)
        texts = self._texts.pop(number, None)
        if texts is not None:
            line = self._classes[texts]
            line.remove(number)
            if not line:
                del self._classes[texts]
                self._forget(texts)

    def asked(self, interaction: Interaction) -> None:
        """The server asked because of it."""
        number = interaction.number
        if number in self._have_asked:
            return
        self._have_asked.add(number)
        self._line.asked(number)
        if number in self._texts:
            self._classes[self._texts[number]].asked(number)

    def choose(self, question: object, may_ask: Callable[[int], bool]) -> int | None:
        """The number of the request that a question with these params belongs to; None where none may ask.

        That of whose texts most turn up in the question, and the most of text; then one that has not asked yet; then
        the oldest.
        """
        self._look_at_waiting()
        words = "\n".join(strings_in(question))  # type: ignore[arg-type]  # params are JSON
        scores = sorted(self._scores(words).items(), key=lambda one: one[1], reverse=True)
        for _, tied in groupby(scores, key=lambda one: one[1]):
            lines = [self._classes[texts] for texts, _ in tied]
            found = [one for line in lines if (one := line.first(may_ask)) is not None]
            if found:
                return min(found, key=lambda number: (number in self._have_asked, number))
        return self._line.first(may_ask)

    def _look_at_waiting(self) -> None:
        for number, interaction in self._waiting.items():
            texts = tuple(_texts_of(interaction))
            self._texts[number] = texts
            if texts not in self._classes:
                self._classes[texts] = _Line()
                self._learn(texts)
            self._classes[texts].add(number, is_fresh=number not in self._have_asked)
        self._waiting.clear()

    def _learn(self, texts: tuple[str, ...]) -> None:
        for text in texts:
            start = _start_of(text)
            known = self._starts.setdefault(len(start), {}).setdefault(start, {})
            self._distinct += text not in known
            classes = known.setdefault(text, {})
            classes[texts] = classes.get(texts, 0) + 1
            self._weights[text] = max(self._weights.get(text, 0.0), classes[texts] / len(texts))

    def _forget(self, texts: tuple[str, ...]) -> None:
        for text in dict.fromkeys(texts):
            start = _start_of(text)
            starts = self._starts[len(start)]
            classes = starts[start][text]
            del classes[texts]
            if not classes:
                del starts[start][text], self._weights[text]
                self._distinct -= 1
                if not starts[start]:
                    del starts[start]

    def _scores(self, words: str) -> dict[tuple[str, ...], tuple[float, int]]:
        """Of each class some of whose texts turn up: which part of them, and how much text that is.

        Without the classes of which only common texts turn up, where these cannot be the best.
        """
        found = dict(self._found_in(words))
        rare = {texts for classes in found.values() if len(classes) <= _COMMON for texts in classes}
        scores = {texts: _score(texts, found) for texts in rare}
        common = [text for text, classes in found.items() if len(classes) > _COMMON]
        best = max((part for part, _ in scores.values()), default=0.0)
        if sum(self._weights[text] for text in common) < best - 1e-9:
            return scores
        return {texts: _score(texts, found) for classes in found.values() for texts in classes}

    def _found_in(self, words: str) -> Iterator[tuple[str, dict[tuple[str, ...], int]]]:
        for length, starts in self._starts.items():
            if len(words) * _LOOKS < self._distinct * (_LOOKS + len(words)):
                pieces = (words[at : at + length] for at in range(len(words) - length + 1))
                near = [starts[start] for start in set(filter(starts.__contains__, pieces))]
            else:
                near = list(starts.values())
            for known in near:
                yield from ((text, classes) for text, classes in known.items() if text in words)


def _score(texts: tuple[str, ...], found: Container[str]) -> tuple[float, int]:
    echoed = [text for text in texts if text in found]
    return len(echoed) / len(texts), sum(map(len, echoed))


class _Line:
    """Numbers of requests in rising order; those that have asked already stand behind all others."""

    __slots__ = ("_asked", "_fresh")

    def __init__(self) -> None:
        self._fresh: list[int] = []
        self._asked: list[int] = []

    def __len__(self) -> int:
        return len(self._fresh) + len(self._asked)

    def add(self, number: int, *, is_fresh: bool) -> None:
        insort(self._fresh if is_fresh else self._asked, number)

    def asked(self, number: int) -> None:
        if _removed(self._fresh, number):
            insort(self._asked, number)

    def remove(self, number: int) -> None:
        _ = _removed(self._fresh, number) or _removed(self._asked, number)

    def first(self, may_ask: Callable[[int], bool]) -> int | None:
        return next(filter(may_ask, self._fresh), None) or next(filter(may_ask, self._asked), None)


def _removed(numbers: list[int], number: int) -> bool:
    at = bisect_left(numbers, number)
    if at == len(numbers) or numbers[at] != number:
        return False
    del numbers[at]
    return True


def _start_of(text: str) -> str:
    """The beginning that a text is found by: half of it at least, up to a length that tells texts apart."""
    length: int = min(1 << (len(text).bit_length() - 1), _LONGEST_START)
    return text[:length]


def _texts_of(interaction: Interaction) -> Iterator[str]:
    """The string arguments of a request."""
    assert interaction.request is not None
    params: Any = interaction.request.params if isinstance(interaction.request.params, dict) else {}
    arguments = params.get("arguments") or {key: value for key, value in params.items() if key not in ("_meta", "name")}
    return (text for text in strings_in(arguments) if text)
