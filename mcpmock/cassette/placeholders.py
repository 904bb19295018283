"""Placeholders: the variables of a cassette, which stand where a secret or a machine's own folder stood.

`~secret.NAME.N~` and `~var.NAME~`, the same one wherever the same value was. In a recorded request one matches any
text in its place, and the same text wherever it occurs again; in recorded answers it is filled with that text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from mcpmock.wire.message import Json, dumps

__all__ = [
    "PLACEHOLDER",
    "bind",
    "escape_pointer",
    "fill",
    "fill_text",
    "has_placeholder",
    "pointers_of",
    "secret_placeholder",
]

PLACEHOLDER: Final = re.compile(r"~(?:secret\.[a-z][a-z0-9_]*\.[1-9][0-9]*|var\.[A-Za-z_][A-Za-z0-9_]*)~")
"""One placeholder, wherever it stands in a string."""


def secret_placeholder(name: str, number: int) -> str:
    """The placeholder of the `number`th secret (from 1) of the kind `name` (`[a-z][a-z0-9_]*`)."""
    return f"~secret.{name}.{number}~"


def has_placeholder(text: str) -> bool:
    """Whether a placeholder stands somewhere in the text."""
    return "~" in text and PLACEHOLDER.search(text) is not None


def pointers_of(value: Json) -> tuple[str, ...]:
    """The JSON pointers (RFC 6901) of all strings in a value that hold a placeholder, in their order.

    The names of an object's members are no such strings.
    """
    found: list[str] = []
    waiting: list[tuple[str, Json]] = [("", value)]
    while waiting:
        pointer, here = waiting.pop()
        if isinstance(here, str):
            if has_placeholder(here):
                found.append(pointer)
        elif isinstance(here, dict):
            waiting += [(f"{pointer}/{escape_pointer(key)}", member) for key, member in reversed(here.items())]
        elif isinstance(here, list):
            waiting += [(f"{pointer}/{index}", here[index]) for index in reversed(range(len(here)))]
    return tuple(found)


def bind(recorded: Json, live: Json, bound: Mapping[str, str]) -> dict[str, str] | None:
    """What the placeholders of a recorded value stand for in a live one: the bindings that are new.

    `bound` maps placeholders (whole, with their tildes) to the texts that they stand for already. None where one
    would need two values, differs from what it is bound to, or meets what is no string. All else in
    the two values is taken to agree; a member that the live value lacks is passed over.
    """
    known = dict(bound)
    for pattern, text in sorted(_pairs(recorded, live), key=lambda pair: pair[0].count("~")):
        # strings with one placeholder come first: what they bind settles where those with several divide
        if not isinstance(text, str) or not _bind_text(pattern, text, known):
            return None
    return {placeholder: known[placeholder] for placeholder in known.keys() - bound.keys()}


def fill(json_text: str, bound: Mapping[str, str]) -> str:
    """JSON text with the bound placeholders in its strings filled in; unbound ones stay as they are."""
    if not bound or "~" not in json_text:
        return json_text
    return PLACEHOLDER.sub(lambda found: _in_json(found[0], bound), json_text)


def fill_text(text: str, bound: Mapping[str, str]) -> str:
    """Plain text with the bound placeholders filled in; unbound ones stay as they are."""
    if not bound or "~" not in text:
        return text
    return PLACEHOLDER.sub(lambda found: bound.get(found[0], found[0]), text)


def conceal(json_text: str, bound: Mapping[str, str]) -> str:
    """The reverse of `fill`: JSON text in which the values of secrets stand as their placeholders again."""
    secrets = [(value, placeholder) for placeholder, value in bound.items() if placeholder.startswith("~secret.")]
    for value, placeholder in sorted(secrets, key=lambda pair: -len(pair[0])):  # one may be a part of another
        if value:
            json_text = json_text.replace(dumps(value)[1:-1], placeholder)
    return json_text


def _in_json(placeholder: str, bound: Mapping[str, str]) -> str:
    return dumps(bound[placeholder])[1:-1] if placeholder in bound else placeholder


def escape_pointer(key: str) -> str:
    """The name of a member as a segment of a JSON pointer (RFC 6901 section 3)."""
    return key.replace("~", "~0").replace("/", "~1")


def _pairs(recorded: Json, live: Json) -> Iterator[tuple[str, Json]]:
    """The recorded strings that hold placeholders, each with the live value in its place."""
    waiting: list[tuple[Json, Json]] = [(recorded, live)]
    while waiting:
        here, there = waiting.pop()
        if isinstance(here, str):
            if has_placeholder(here):
                yield here, there
        elif isinstance(here, dict) and isinstance(there, dict):
            waiting += [(here[key], there[key]) for key in here if key in there]
        elif isinstance(here, list) and isinstance(there, list):
            waiting += zip(here, there, strict=False)


def _bind_text(pattern: str, text: str, known: dict[str, str]) -> bool:
    """Whether the text fits the pattern; if so `known` has gained what the pattern's placeholders stand for."""
    filled = fill_text(pattern, known)
    if not has_placeholder(filled):
        return filled == text
    compiled, names = _compiled(pattern, tuple(_bound_in(pattern, known)))
    match = compiled.fullmatch(text)
    if match is None:
        return False
    known.update(zip(names, match.groups(), strict=True))
    return True


def _bound_in(pattern: str, known: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(name, known[name]) for name in PLACEHOLDER.findall(pattern) if name in known]


@lru_cache(maxsize=256)
def _compiled(pattern: str, bound: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """The pattern as a regular expression, and the placeholders that its groups stand for.

    Without repetitions the leftmost place of what follows a placeholder is as good as any (as in a glob), so each
    step is atomic and a text of any size is decided in linear time. With repetitions it has to try.
    """
    known = dict(bound)
    literals, names = _split(pattern, known)
    unknown = tuple(dict.fromkeys(names))
    parts = [re.escape(literals[0])]
    for index, name in enumerate(names):
        literal = re.escape(literals[index + 1])
        if name in names[:index]:
            parts.append(rf"(?:\{unknown.index(name) + 1}){literal}")
        elif index == len(names) - 1:
            parts.append(f"(.*){literal}")
        elif len(unknown) == len(names):
            parts.append(f"(?>(.*?){literal})")
        else:
            parts.append(f"(.*?){literal}")
    return re.compile("".join(parts), re.DOTALL), unknown


def _split(pattern: str, known: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The unbound placeholders of a pattern and the literal texts around them, one more than those."""
    literals, names, done = [""], [], 0
    for found in PLACEHOLDER.finditer(pattern):
        literals[-1] += pattern[done : found.start()]
        done = found.end()
        if found[0] in known:
            literals[-1] += known[found[0]]
        else:
            names.append(found[0])
            literals.append("")
    literals[-1] += pattern[done:]
    return literals, names
