"""Huge messages, cut to what a page about a miss can show: redaction looks at every character, and few are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from mcpmock.matching.rough import HEAVIEST, shared_length, weight_of
from mcpmock.wire.message import Json, Message
from mcpmock.wire.values import strings_in

if TYPE_CHECKING:
    from mcpmock.matching.nearest import Difference

__all__ = ["Windows", "clip", "windows_of"]

Windows: TypeAlias = Mapping[int, tuple[int, int]]
"""From where to where a text is kept, by the identity of the text."""

_AROUND: Final = 16_384
"""Characters that are kept on either side of a difference: no secret that could be told by its shape is longer."""

_LONG: Final = 2 * _AROUND


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
