"""Placeholders: the variables of a cassette, which stand where a secret or a machine's own folder stood.

`~secret.NAME.N~` and `~var.NAME~`, the same one wherever the same value was. In a recorded request one matches any
text in its place, and the same text wherever it occurs again; in recorded answers it is filled with that text.

A placeholder may be encoded: in a text in base64 or hexadecimal digits that held a secret it stands where the secret
stood, and the whole is encoded again. There it matches, and is filled with, what the live text in that encoding says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Final

from mcpmock.cassette.patterns import MARKS, PLACEHOLDER, bind_text, filled
from mcpmock.wire.message import Json, dumps

__all__ = [
    "ENCODED",
    "MACHINE_VARIABLES",
    "PLACEHOLDER",
    "REAL",
    "TILDE",
    "VARIABLE_NAME",
    "Number",
    "bind",
    "escape_pointer",
    "fill",
    "fill_text",
    "has_placeholder",
    "paired",
    "secret_placeholder",
    "spellings_of",
    "texts_with_placeholders",
    "variable_name",
    "variable_placeholder",
]

VARIABLE_NAME: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
"""What a variable may be called."""

REAL: Final = "_real"
ENCODED: Final = "_encoded"
"""What the names of a variable's other spellings end with."""

MACHINE_VARIABLES: Final = ("home", "temp", "work")
"""The variables that stand for folders of the machine."""

TILDE: Final = "~var.tilde~"
"""Stands for `~`: so a text that looks like a placeholder and is none can be written (`~var.tilde~var.home~`)."""


def secret_placeholder(name: str, number: int) -> str:
    """The placeholder of the `number`th secret (from 1) of the kind `name` (`[a-z][a-z0-9_]*`)."""
    return f"~secret.{name}.{number}~"


def variable_placeholder(name: str) -> str:
    """The placeholder of a variable."""
    return f"~var.{name}~"


def variable_name(placeholder: str) -> str:
    """The reverse; empty for the placeholder of a secret."""
    return placeholder[5:-1] if placeholder.startswith("~var.") else ""


def spellings_of(placeholder: str, text: str) -> dict[str, str]:
    """The placeholders of a variable's other spellings, each with what it would stand for.

    A variable may be written as `NAME`, as `NAME_real` where symbolic links made a difference, and as `NAME_encoded`,
    the value of a URI's parameter.
    """
    name = variable_name(placeholder)
    if not name:
        return {}
    from mcpmock.cassette.uri_paths import decode, encode

    base = name.removesuffix(REAL).removesuffix(ENCODED)
    plain = decode(text) if name.endswith(ENCODED) else text
    spelt = {base: plain, base + REAL: plain, base + ENCODED: encode(plain)}
    return {variable_placeholder(other): spelling for other, spelling in spelt.items() if other != name}


def has_placeholder(text: str) -> bool:
    """Whether a placeholder stands somewhere in the text, be it encoded."""
    if "~" in text and PLACEHOLDER.search(text):
        return True
    return _may_encode(text) and _encoded().has_encoded(text)


def _may_encode(text: str) -> bool:
    return any(mark in text for mark in MARKS)


def _encoded() -> ModuleType:
    from mcpmock.cassette import encoded_placeholders  # few cassettes hold any

    return encoded_placeholders


def texts_with_placeholders(value: Json) -> Iterator[tuple[str, str]]:
    """All strings in a value that hold a placeholder, in their order, each behind its JSON pointer (RFC 6901).

    The names of an object's members are no such strings.
    """
    waiting: list[tuple[str, Json]] = [("", value)]
    while waiting:
        pointer, here = waiting.pop()
        if isinstance(here, str):
            if has_placeholder(here):
                yield pointer, here
        elif isinstance(here, dict):
            waiting += [(f"{pointer}/{escape_pointer(key)}", member) for key, member in reversed(here.items())]
        elif isinstance(here, list):
            waiting += [(f"{pointer}/{index}", here[index]) for index in reversed(range(len(here)))]


def bind(recorded: Json, live: Json, bound: Mapping[str, str]) -> dict[str, str] | None:
    """What the placeholders of a recorded value stand for in a live one: the bindings that are new.

    `bound` maps placeholders (whole, with their tildes) to the texts that they stand for already. None where one
    would need two values, differs from what it is bound to, or meets what is neither a string nor, in the place of a
    secret, a number. All else in the two values is taken to agree; a member that the live value lacks is passed over.
    """
    known = dict(bound)
    for pattern, text in sorted(paired(recorded, live), key=lambda pair: pair[0].count("~")):
        # strings with one placeholder come first: what they bind settles where those with several divide
        spelt = _spelt(pattern, text)
        if spelt is None:
            return None
        if '"~secret.' in pattern:  # of JSON in a string, where a number was masked it stands in quotes
            pattern = _bind_numbers(pattern, spelt, known)
        if not _bind_text(pattern, spelt, known):
            return None
        if isinstance(spelt, Number):
            known[pattern] = spelt
    return {placeholder: known[placeholder] for placeholder in known.keys() - bound.keys()}


def fill(json_text: str, bound: Mapping[str, str]) -> str:
    """JSON text with the bound placeholders in its strings filled in; unbound ones stay as they are."""
    if not bound:
        return json_text
    if _may_encode(json_text):
        json_text = _encoded().fill_encoded_in_json(json_text, lambda name: bound.get(name, name))
    if '"~secret.' in json_text:
        json_text = re.sub(_QUOTED, lambda found: _number(found, bound), json_text)
    if "~" not in json_text:
        return json_text
    escaped: list[str] = []
    text = PLACEHOLDER.sub(lambda found: _in_json(found, bound, escaped), json_text)
    if not escaped:
        return text
    from mcpmock.cassette.nested_placeholders import fill_nested  # few folders have quotes or backslashes

    return PLACEHOLDER.sub(lambda found: _in_json(found, bound, escaped), fill_nested(json_text, bound))


def fill_text(text: str, bound: Mapping[str, str]) -> str:
    """Plain text with the bound placeholders filled in; unbound ones stay as they are."""
    if not bound:
        return text
    if _may_encode(text):
        text = _encoded().fill_encoded(text, lambda name: bound.get(name, name))
    return PLACEHOLDER.sub(lambda found: filled(found, bound), text) if "~" in text else text


def _bind_numbers(pattern: str, text: str, known: dict[str, str]) -> str:
    """The pattern with those numbers in it that the text has in the places of secrets; they are known from here on."""
    from mcpmock.cassette.nested_placeholders import numbers_in  # few secrets stand in JSON in a string

    numbers = numbers_in(pattern, text)
    for placeholder, number in numbers.items():
        known.setdefault(placeholder, number)
    return re.sub(_QUOTED, lambda found: _number(found, numbers), pattern) if numbers else pattern


class Number(str):
    """A number that the placeholder of a secret stands for, as JSON spells it."""


_QUOTED: Final = rf'(\\*")({PLACEHOLDER.pattern})\1(?!\s*:)'  # whole, and no name of a member; compiled when needed


def _number(found: re.Match[str], bound: Mapping[str, str]) -> str:
    """What stands for a string of JSON that is a placeholder: a number where it is bound to one."""
    value = bound.get(found[2])
    return str(value) if isinstance(value, Number) else found[0]


def _spelt(pattern: str, live: Json) -> str | None:
    """A live value as text; None for one that no placeholder stands for."""
    if isinstance(live, str):
        return live
    if isinstance(live, int | float) and not isinstance(live, bool):
        return Number(dumps(live)) if PLACEHOLDER.fullmatch(pattern) and not variable_name(pattern) else None
    return None


def _in_json(found: re.Match[str], bound: Mapping[str, str], escaped: list[str]) -> str:
    """What stands for a placeholder in JSON text; `escaped` gains the variables that need escapes there."""
    if found[0] not in bound:
        return found[0]
    value = filled(found, bound)
    spelt = dumps(value)[1:-1]
    if spelt != value and variable_name(found[0]):
        escaped.append(found[0])
    return spelt


def escape_pointer(key: str) -> str:
    """The name of a member as a segment of a JSON pointer (RFC 6901 section 3)."""
    return key.replace("~", "~0").replace("/", "~1")


def paired(recorded: Json, live: Json) -> Iterator[tuple[str, Json]]:
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
    if _may_encode(pattern):
        fits: bool | None = _encoded().bind_encoded(
            pattern, text, lambda part, live: bind_text(part, live, known), known
        )
        if fits is not None:
            return fits
    return bind_text(pattern, text, known)
