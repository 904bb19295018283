"""Texts with placeholders: which texts they fit, what that binds, and what they are once they are filled.

Right behind `file://` a variable stands for its folder as URIs spell it. A live client's own spelling is kept beside
what the variable stands for, under the placeholder with `file://` before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Final, NamedTuple

__all__ = ["MARKS", "PLACEHOLDER", "bind_text", "filled"]

PLACEHOLDER: Final = re.compile(r"~(?:secret\.[a-z][a-z0-9_]*\.[1-9][0-9]*|var\.[A-Za-z_][A-Za-z0-9_]*)~")
"""One placeholder, wherever it stands in a string."""

MARKS: Final = ("fnNlY3JldC", "5zZWNyZXQu", "c2VjcmV0L", "fnZhci", "52YXIu", "dmFyL", "7e7365637265742e", "7e7661722e",
                "7E7365637265742E", "7E7661722E")  # fmt: skip
"""What begins a placeholder (`~secret.`, `~var.`) in base64, at each of its three alignments, and in hexadecimal."""

_FILE: Final = ("file://", "file://localhost")


def filled(found: re.Match[str], bound: Mapping[str, str]) -> str:
    """What stands in the place of a placeholder that was found in a text; itself where it is not bound."""
    placeholder = found[0]
    value = bound.get(placeholder, placeholder)
    if value is not placeholder and _is_in_uri(found):
        return bound.get(_FILE[0] + placeholder) or _path_in_uri(value)
    return value


def bind_text(pattern: str, text: str, known: dict[str, str]) -> bool:
    """Whether the text fits the pattern; if so `known` has gained what the pattern's placeholders stand for."""
    bound = _bound_in(pattern, known)
    if bound.keys() >= set(PLACEHOLDER.findall(pattern)):
        if text == PLACEHOLDER.sub(lambda found: filled(found, bound), pattern):
            return True
        if "~var." not in pattern:
            return False
    compiled, gaps = _compiled(pattern, tuple(bound.items()))
    match = compiled.fullmatch(text)
    return match is not None and all(map(partial(_bind_gap, known), gaps, match.groups()))


def _path_in_uri(path: str) -> str:
    """A folder as URIs spell it."""
    from mcpmock.cassette import uri_paths  # most cassettes name no folder

    return uri_paths.path_in_uri(path)


def _path_of_uri(text: str) -> str:
    """The reverse."""
    from mcpmock.cassette import uri_paths

    return uri_paths.path_of_uri(text)


def _path_of_json(text: str) -> str:
    """A folder that JSON text spells."""
    from mcpmock.cassette import uri_paths

    return uri_paths.path_of_json(text)


def _spellings(path: str) -> tuple[str, ...]:
    from mcpmock.cassette import uri_paths

    return uri_paths.spellings(path)


def _is_in_uri(found: re.Match[str]) -> bool:
    """Whether a placeholder is that of a variable, and what stands right before it makes it the path of a URI."""
    return found.string.endswith(_FILE, 0, found.start()) and found[0].startswith("~var.")


class _Gap(NamedTuple):
    """A place in a pattern where any text may stand."""

    placeholder: str
    is_in_uri: bool


def _bind_gap(known: dict[str, str], gap: _Gap, text: str) -> bool:
    """Whether a placeholder can stand for what stands in its place; if so it does."""
    value = _path_of_uri(text) if gap.is_in_uri else text
    if gap.placeholder.startswith("~var."):
        value = _path_of_json(value) if "\\" in value else value
        value = value.removesuffix("/") if len(value) > 1 and value[0] == "/" else value
    if gap.is_in_uri and _path_in_uri(value) != text.removesuffix("/"):
        known[_FILE[0] + gap.placeholder] = text.removesuffix("/")
    return known.setdefault(gap.placeholder, value) == value


def _bound_in(pattern: str, known: Mapping[str, str]) -> dict[str, str]:
    names = [key for name in PLACEHOLDER.findall(pattern) for key in (name, _FILE[0] + name)]
    return {name: known[name] for name in names if name in known}


@lru_cache(maxsize=256)
def _compiled(pattern: str, bound: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], tuple[_Gap, ...]]:
    """The pattern as a regular expression, and the placeholders that its groups stand for.

    Without repetitions the leftmost place of what follows a placeholder is as good as any (as in a glob), so each
    step is atomic and a text of any size is decided in linear time. With repetitions it has to try.
    """
    literals, gaps = _split(pattern, dict(bound))
    unknown = tuple(dict.fromkeys(gaps))
    parts = [literals[0]]
    for index, gap in enumerate(gaps):
        literal = literals[index + 1]
        if gap in gaps[:index]:
            parts.append(rf"(?:\{unknown.index(gap) + 1}){literal}")
        elif index == len(gaps) - 1:
            parts.append(f"(.*){literal}")
        elif len(unknown) == len(gaps):
            parts.append(f"(?>(.*?){literal})")
        else:
            parts.append(f"(.*?){literal}")
    return re.compile("".join(parts), re.DOTALL), unknown


def _split(pattern: str, known: Mapping[str, str]) -> tuple[list[str], list[_Gap]]:
    """The gaps of a pattern and, as regular expressions, what stands around them: one more than those."""
    literals, gaps, done = [""], [], 0
    for found in PLACEHOLDER.finditer(pattern):
        literals[-1] += re.escape(pattern[done : found.start()])
        done = found.end()
        if found[0] in known:
            literals[-1] += _known(found, known)
        else:
            gaps.append(_Gap(found[0], _is_in_uri(found)))
            literals.append("")
    literals[-1] += re.escape(pattern[done:])
    return literals, gaps


def _known(found: re.Match[str], known: Mapping[str, str]) -> str:
    """A bound placeholder as a regular expression: of a folder all spellings will do."""
    value = known[found[0]]
    spellings = [*_spellings(value)] if found[0].startswith("~var.") else [value]
    if _is_in_uri(found):
        spellings.append(known.get(_FILE[0] + found[0], value))
    slash = "/?" if found.end() == len(found.string) and value[:1] == "/" and found[0].startswith("~var.") else ""
    return f"(?:{'|'.join(map(re.escape, dict.fromkeys(spellings)))}){slash}"
