"""When are two requests equal: masks of what does not count, and one text per class of equal requests.

Everything that decides or explains equality goes through this module, so that a look-up and the page about a miss
cannot disagree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from mcpmock.errors import UsageError
from mcpmock.wire.message import Json, Lexeme, Object

Tree: TypeAlias = "dict[str, Tree]"
"""Pointers by segment; an empty tree says that the place itself does not count."""

Trees: TypeAlias = tuple[Tree, ...]
"""The trees that apply at one place: several where a `*` and a name both lead there."""

ANY_SEGMENT: Final = "*"
_ESCAPE: Final = re.compile("~(.?)", re.DOTALL)
_ESCAPES: Final = {"0": "~", "1": "/"}


class Mask:
    """Places in the params that do not count, compiled from `pointers` (sorted, each once); falsy without any.

    Masks are values: equal pointers make equal masks with equal hashes.
    """

    __slots__ = ("pointers", "trees")

    def __init__(self, pointers: tuple[str, ...], trees: Trees) -> None:
        self.pointers: Final = pointers
        self.trees: Final = trees

    def __bool__(self) -> bool:
        return bool(self.trees)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mask) and self.pointers == other.pointers

    def __hash__(self) -> int:
        return hash(self.pointers)

    def __or__(self, other: Mask) -> Mask:
        return compile_mask(self.pointers + other.pointers) if self and other else self or other

    def __repr__(self) -> str:
        return f"Mask{self.pointers!r}"


NO_MASK: Final = Mask((), ())


def compile_mask(pointers: Iterable[str]) -> Mask:
    """The mask of some JSON pointers (RFC 6901; `*` stands for any one segment, a member or an index).

    Raises UsageError, which names the pointer, where one does not begin with `/` or holds a wrong escape.
    """
    unique = tuple(sorted(set(pointers)))
    if not unique:
        return NO_MASK
    tree: Tree = {}
    for pointer in unique:
        _plant(tree, segments_of(pointer))
    return Mask(unique, (tree,))


def segments_of(pointer: str) -> list[str]:
    """The unescaped segments of a JSON pointer, at least one; raises UsageError."""
    if not pointer.startswith("/"):
        raise UsageError(f"the JSON pointer {pointer!r} does not begin with '/', as /arguments/at does")
    return [_ESCAPE.sub(lambda match: _unescape(match[1], pointer), part) for part in pointer[1:].split("/")]


def pointer_to(segments: Iterable[str | int]) -> str:
    """The JSON pointer with these segments, escaped as RFC 6901 section 3 says."""
    return "".join("/" + str(segment).replace("~", "~0").replace("/", "~1") for segment in segments)


def canonical(method: str, params: Json, mask: Mask = NO_MASK) -> str:
    """The text that all equal requests of a method have in common, and no other one has.

    Params that are absent (None) are `{}`; ids, `_meta` and who the client is are left out (DESIGN 4, Key).
    """
    return canonical_json(comparable(method, params), mask)


def canonical_json(value: Json, mask: Mask = NO_MASK) -> str:
    """The text that all equal JSON values have in common: members in any order, numbers by value, `true` not 1.

    Never raises, whatever the depth. Numbers are equal as Python compares them (1, 1.0 and 1e0; integers exactly);
    those beyond a double are all equal to infinity, because a parser that is not ours has told them so already.
    """
    if mask.trees:
        value = prune(value, mask.trees)
    try:
        text = _encode(value)
    except RecursionError:
        return _write(value)
    # What the quick encoder spells in a way that is not canonical shows itself by one of these, or (in a string)
    # seems to; then the slow writer decides.
    if _looks_like_lexeme(text) or ((".0" in text or "e+" in text) and _looks_like_float(text)):
        return _write(value)
    return text


def comparable(method: str, params: Json) -> Json:
    """The params of a request without what never counts, and with the `arguments` that may be left out."""
    if params is None:
        params = {}
    elif type(params) is not dict:
        return params
    left_out = _LEFT_OUT.get(method, _META)
    if not left_out.isdisjoint(params):
        params = {key: value for key, value in params.items() if key not in left_out}
    if method in _WITH_ARGUMENTS and "arguments" not in params:
        params = {**params, "arguments": {}}
    responses = params.get("inputResponses")
    if type(responses) is dict:  # the names count, the answers are the live user's (2026-07-28, rounds of input)
        params = {**params, "inputResponses": dict.fromkeys(responses)}
    return params


def members(value: list[Json] | Object, trees: Trees) -> Iterator[tuple[str | int, Json, Trees]]:
    """The members or elements that count, each with its segment and the trees that apply below it."""
    children: Iterable[tuple[str | int, Json]] = value.items() if isinstance(value, dict) else enumerate(value)
    for segment, child in children:
        names = (str(segment), ANY_SEGMENT)
        below = tuple(tree[name] for tree in trees for name in names if name in tree)
        if all(below):
            yield segment, child, below


def prune(value: Json, trees: Trees) -> Json:
    """The value without the masked places; parts that no pointer leads to are shared, not copied."""
    if not trees:
        return value
    if isinstance(value, dict):
        return {str(key): prune(child, below) for key, child, below in members(value, trees)}
    if isinstance(value, list):
        return [prune(child, below) for _, child, below in members(value, trees)]
    return value


_META: Final = frozenset({"_meta"})
_LEFT_OUT: Final = {
    "initialize": frozenset({"_meta", "clientInfo", "capabilities", "protocolVersion"}),
    "notifications/cancelled": frozenset({"_meta", "requestId"}),
    "notifications/progress": frozenset({"_meta", "progressToken"}),
}
"""What is told apart by correlation, or is no part of what was asked."""

_WITH_ARGUMENTS: Final = frozenset({"tools/call", "prompts/get"})

_encode: Final = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False
).encode
_looks_like_float: Final = re.compile(r"\.0(?:[,}\]]|\Z)|\de\+\d").search
"""Finds every float that is an integer, as the encoder writes it: 1.0, 1e+16."""

_looks_like_lexeme: Final = re.compile(r'"-?\d(?:\d{300}|[\d.]*[eE])').search
"""Finds every number kept as a `Lexeme` (an exponent, or hundreds of digits), which the encoder writes as a string."""


def _plant(tree: Tree, segments: list[str]) -> None:
    *inner, last = segments
    for segment in inner:
        if tree.get(segment) == {}:
            return  # what is above does not count already
        tree = tree.setdefault(segment, {})
    tree[last] = {}


def _unescape(code: str, pointer: str) -> str:
    if code not in _ESCAPES:
        raise UsageError(f"the JSON pointer {pointer!r} holds '~{code}'; write ~0 for '~' and ~1 for '/'")
    return _ESCAPES[code]


def _write(value: Json) -> str:
    """The canonical text, slowly, by a loop that needs no depth of calls."""
    pieces: list[str] = []
    waiting: list[Json | tuple[str]] = [value]  # values, and in tuples text that is ready
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple):
            pieces.append(item[0])
        elif isinstance(item, dict):
            waiting += reversed([*_between("{", ((_encode(key) + ":", item[key]) for key in sorted(item))), ("}",)])
        elif isinstance(item, list):
            waiting += reversed([*_between("[", (("", element) for element in item)), ("]",)])
        else:
            pieces.append(_scalar(item))
    return "".join(pieces)


def _between(bracket: str, children: Iterable[tuple[str, Json]]) -> Iterator[Json | tuple[str]]:
    before = bracket
    for key, child in children:
        yield (before + key,)
        yield child
        before = ","
    if before == bracket:
        yield (bracket,)


def _scalar(value: Json) -> str:
    if isinstance(value, Lexeme):
        return value if value.lstrip("-").isdecimal() else _encode(float(value))
    if type(value) is float and value.is_integer():
        return str(int(value))
    return _encode(value)
