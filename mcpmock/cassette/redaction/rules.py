"""What users call a secret beyond what we know: rules by name, by place, and by pattern.

key:NAME         what has this name: a member of JSON, a header, an option, a variable, a parameter of a URL
pointer:POINTER  what stands there in a message (RFC 6901, `*` for any segment): pointer:/params/arguments/pin
regex:PATTERN    what the pattern matches in any text; its first group, if it has one
env:NAME         the value of that variable of the environment, wherever it turns up
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from mcpmock.cassette.redaction.secret_names import placeholder_name, words
from mcpmock.errors import UsageError
from mcpmock.wire.message import Json

__all__ = ["NO_RULES", "KeyRule", "Pattern", "Pointer", "RedactionRules", "read_rules", "rewrite_at"]

KINDS: Final = ("key", "pointer", "regex", "env")
FORMS: Final = "key:NAME, pointer:/params/arguments/x, regex:PATTERN or env:NAME"

MaskLeaf: TypeAlias = Callable[[str, str, str], Json]
"""Takes a value as text, the name for its placeholder, and the rule; gives what is written instead."""


class KeyRule(NamedTuple):
    """`key:NAME`: the name for the placeholder, and the rule's own id."""

    name: str
    rule: str


class Pointer(NamedTuple):
    """`pointer:POINTER`: its segments, the name for the placeholder, the rule's own id."""

    segments: tuple[str, ...]
    name: str
    rule: str


class Pattern(NamedTuple):
    """`regex:PATTERN`; the id tells its number, not the pattern, for people write secrets into patterns."""

    pattern: re.Pattern[str]
    name: str
    rule: str

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where something stands that is to be masked."""
        group = 1 if self.pattern.groups else 0
        return (found.span(group) for found in self.pattern.finditer(text) if found[group])


class RedactionRules(NamedTuple):
    """The rules of one recording. `keys` is by the words of a name, `variables` by variable; `values` are those that
    variables have, as far as they are known before anything is recorded."""

    keys: Mapping[str, KeyRule] = {}
    pointers: tuple[Pointer, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    variables: Mapping[str, str] = {}
    values: Mapping[str, str] = {}

    def key(self, name: str) -> KeyRule | None:
        """The rule for what has this name."""
        return self.keys.get(words(name)) if self.keys else None


NO_RULES: Final = RedactionRules()


def read_rules(texts: Iterable[str], environment: Mapping[str, str] | None = None) -> RedactionRules:
    """The rules that these texts are. Raises UsageError, which says what is wrong with which, by what stands before the
    colon: behind it may be the secret itself.

    For a cassette that exists, variables have their values in this `environment`.
    """
    keys: dict[str, KeyRule] = {}
    pointers: list[Pointer] = []
    patterns: list[Pattern] = []
    variables: dict[str, str] = {}
    for text in texts:
        kind, colon, value = text.partition(":")
        if not colon:
            raise UsageError(f"a rule of redaction has a colon; write {FORMS} (did you mean key:…?)")
        if kind not in KINDS:
            raise UsageError(f"'{kind}:…' is no rule of redaction; write {FORMS}{_meant(kind)}")
        if not value:
            raise UsageError(f"{text!r} says nothing behind the colon; write {FORMS}")
        if kind == "key":
            keys[words(value)] = KeyRule(placeholder_name(value), text)
        elif kind == "pointer":
            pointers.append(_pointer(text, value))
        elif kind == "regex":
            patterns.append(_pattern(value, len(patterns) + 1))
        else:
            variables[value] = text
    values: dict[str, str] = {}
    if environment is not None:
        if unset := next((name for name in variables if not environment.get(name)), ""):
            raise UsageError(f"'env:{unset}': the variable {unset} is not set, so there is nothing to look for")
        values = {name: environment[name] for name in variables}
    return RedactionRules(keys, tuple(pointers), tuple(patterns), variables, values)


def _meant(kind: str) -> str:
    import difflib  # only for who has mistyped

    near = difflib.get_close_matches(kind, KINDS, n=1)
    return f" (did you mean {near[0]}:…?)" if near else ""


def _pointer(rule: str, pointer: str) -> Pointer:
    if not pointer.startswith("/"):
        raise UsageError("'pointer:…': a JSON pointer begins with '/', as in pointer:/params/arguments/x")
    if re.search(r"~(?![01])", pointer):
        raise UsageError("'pointer:…': in a JSON pointer ~ is written ~0, and a slash within a name ~1")
    segments = tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))
    named = next((part for part in reversed(segments) if part != "*" and not part.isdigit()), "value")
    return Pointer(segments, placeholder_name(named), rule)


def _pattern(pattern: str, number: int) -> Pattern:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"'regex:…' (number {number}): {error}") from None
    if compiled.fullmatch(""):
        raise UsageError(f"'regex:…' (number {number}) matches the empty text, and so everything; say more")
    named = next(iter(compiled.groupindex), "match")
    return Pattern(compiled, placeholder_name(named), f"regex:{number}")


def rewrite_at(value: Json, pointer: Pointer, mask: MaskLeaf, depth: int = 0) -> Json:
    """The value with all texts, numbers and truth values below a pointer masked; the same object if there are none."""
    if depth == len(pointer.segments):
        return _masked(value, pointer, mask)
    segment = pointer.segments[depth]
    if isinstance(value, dict):
        new = {
            key: rewrite_at(one, pointer, mask, depth + 1) if segment in (key, "*") else one
            for key, one in value.items()
        }
        return value if all(new[key] is value[key] for key in value) else new
    if isinstance(value, list):
        elements = [
            rewrite_at(one, pointer, mask, depth + 1) if segment in (str(at), "*") else one
            for at, one in enumerate(value)
        ]
        return value if all(old is one for old, one in zip(value, elements, strict=True)) else elements
    return value


def _masked(value: Json, pointer: Pointer, mask: MaskLeaf) -> Json:
    if isinstance(value, dict):
        return {key: _masked(one, pointer, mask) for key, one in value.items()}
    if isinstance(value, list):
        return [_masked(one, pointer, mask) for one in value]
    if isinstance(value, bool) or value is None or value == "":
        return value
    return mask(value if isinstance(value, str) else repr(value), pointer.name, pointer.rule)
