"""Huge messages, cut to what a page about a miss or a report can show: redaction looks at every character, and few are
shown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Final, TypeAlias

from mcpmock.matching.rough import HEAVIEST, shared_length, weight_of
from mcpmock.wire.message import Json, Message, Object
from mcpmock.wire.values import strings_in

if TYPE_CHECKING:
    from mcpmock.matching.nearest import Difference

__all__ = ["Windows", "clip", "windows_of", "within"]

Windows: TypeAlias = Mapping[int, tuple[int, int]]
"""From where to where a text is kept, by the identity of the text."""

_AROUND: Final = 16_384
"""Characters that are kept on either side of a difference: no secret that could be told by its shape is longer."""

_LONG: Final = 2 * _AROUND

_SHORT: Final = 200
_LONGEST_WORD: Final = 512
_IN_WORDS: Final = ascii_letters + digits + "+/=._~%-"
_OF_NUMBERS: Final = 8


def windows_of(differences: Iterable[Difference]) -> Windows:
    """Where the long texts of these differences begin to differ, and what is around it."""
    windows: dict[int, tuple[int, int]] = {}
    for _, recorded, live in differences:
        if isinstance(recorded, str) and isinstance(live, str) and max(len(recorded), len(live)) > _LONG:
            at = shared_length(recorded, live)
            windows[id(recorded)] = windows[id(live)] = (max(0, at - _AROUND), at + _AROUND)
    return windows


def clip(message: Message, windows: Windows) -> Message | None:
    """The message with its long texts cut, to their windows or to their beginnings; None where it is huge even so."""
    if weight_of(message.params) >= HEAVIEST:
        return None
    if all(len(text) <= _LONG for text in strings_in(message.params)):
        return message
    return Message({**message.body, "params": _clipped(message.params, windows)}, message.kind)


def _clipped(value: Json, windows: Windows) -> Json:
    if isinstance(value, dict):
        return {key: _clipped(member, windows) for key, member in value.items()}
    if isinstance(value, list):
        return [_clipped(element, windows) for element in value]
    if isinstance(value, str) and len(value) > _LONG:
        start, end = windows.get(id(value), (0, _LONG))
        return f"{'…' if start else ''}{value[start:end]}{'…' if end < len(value) else ''}"
    return value


def within(items: Sequence[Object], room: int) -> list[Object]:
    """Objects that take about `room` characters of JSON together: the longest are cut, the same to all of them."""
    sizes = [len(json.dumps(item)) for item in items]
    if sum(sizes) <= room:
        return list(items)
    share = _share(sizes, room)
    return [item if size <= share else _cut(item, share) for item, size in zip(items, sizes, strict=True)]


def _share(sizes: Sequence[int], room: int) -> int:
    """The size to which those have to be cut that are longer."""
    for at, size in enumerate(sorted(sizes)):
        share = room // (len(sizes) - at)
        if size > share:
            return share
        room -= size
    return room


def _cut(item: Object, room: int) -> Object:
    """Each member by itself: what is behind a long one is told as well."""
    return {key: _Portion(room).of(member) for key, member in item.items()}


class _Portion:
    """So many characters of a value, those of its short members first."""

    def __init__(self, room: int) -> None:
        self._room = room

    def of(self, value: Json) -> Json:
        """The value, or what there is room for."""
        if isinstance(value, dict):
            return self._members(value)
        if isinstance(value, list):
            return self._elements(value)
        self._room -= len(value) if isinstance(value, str) else _OF_NUMBERS
        if isinstance(value, str) and self._room < 0 and len(value) > _SHORT:
            return f"{_beginning(value, max(0, len(value) + self._room))}…"
        return value

    def _members(self, value: Object) -> Object:
        taken: Object = {}
        for key in sorted(value, key=lambda key: _is_long(value[key])):
            if self._room <= 0:
                return {**{key: taken[key] for key in value if key in taken}, "…": "…"}
            self._room -= len(key)
            taken[key] = self.of(value[key])
        return {key: taken[key] for key in value}

    def _elements(self, value: list[Json]) -> list[Json]:
        taken: list[Json] = []
        for element in value:
            if self._room <= 0:
                return [*taken, "…"]
            taken.append(self.of(element))
        return taken


def _is_long(value: Json) -> bool:
    return isinstance(value, dict | list) or (isinstance(value, str) and len(value) > _SHORT)


def _beginning(text: str, size: int) -> str:
    """Without a part of a word, unless that is very long: half a secret is not known as one."""
    if text[size : size + 1] not in _IN_WORDS:
        return text[:size]
    start = max(0, size - _LONGEST_WORD)
    return text[:start] + (text[start:size].rstrip(_IN_WORDS) or text[start:size])
