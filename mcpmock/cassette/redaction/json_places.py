"""Walking the strings of JSON text with their places, and rewriting them in the text itself.

Everything else in the text stays byte for byte as it was: order, blanks, numbers of any size, duplicate keys, escapes
of strings that are not rewritten. Needs no recursion, so depth is no matter.

The place tells what a string is to the protocol. Names of the protocol's own, ids, cursors and schemas are no data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from mcpmock.cassette.redaction.secret_names import is_password_name, words
from mcpmock.wire.message import Message, dumps, parse_exact

__all__ = ["Place", "Realm", "Rewrite", "embedded", "is_fixed", "rewrite_strings", "rewritten"]

Realm: TypeAlias = Literal["protocol", "data", "schema"]


class Place(NamedTuple):
    """Where a string stands.

    realm    protocol: in a message, outside of what users fill in; data: what users fill in; schema: a JSON schema
    key      the member's name; within arrays that of the array
    label    of a `value`: the `name` or `key` that stands in the same object, else the name of that object; in an array
             the option right before it (`--password`)
    is_name  whether it is the name of a member itself
    rule     the key by which a user calls it a secret: its own, or that of an object or array around it
    """

    realm: Realm
    key: str = ""
    label: str = ""
    is_name: bool = False
    rule: str = ""


Rewrite: TypeAlias = Callable[[str, Place], str]

_FIXED: Final = frozenset((
    "jsonrpc", "id", "method", "protocolVersion", "supportedVersions", "requested", "name", "type", "role", "mimeType",
    "progressToken", "requestId", "taskId", "cursor", "nextCursor", "requestState", "elicitationId", "toolUseId",
    "level", "logger", "status", "action", "mode", "resultType", "cacheScope", "stopReason", "audience",
    "includeContext", "createdAt", "lastUpdatedAt", "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/subscriptionId", "io.modelcontextprotocol/logLevel",
))  # fmt: skip
_SCHEMAS: Final = frozenset(
    ("inputSchema", "outputSchema", "requestedSchema", "input_schema", "output_schema", "json_schema")
)
_DATA: Final = frozenset(("arguments", "structuredContent", "data", "metadata", "input", "content"))
_LISTS_OF_DATA: Final = _DATA - {"arguments", "content"}
_REMARKS: Final = frozenset(("title", "description", "default", "examples", "$comment"))
_LABELS: Final = frozenset(("name", "key", "header", "field"))
_OPTION: Final = re.compile(r"--[A-Za-z][\w-]*|-u")


def is_fixed(place: Place) -> bool:
    """Whether what stands there is the protocol's or a schema's, and no place for a secret."""
    if place.realm == "protocol":
        return place.key in _FIXED
    return place.realm == "schema" and (place.is_name or place.key not in _REMARKS)


class _Container:
    """An object or array that is open where the walk stands."""

    __slots__ = ("is_object", "key", "label", "realm", "rule", "unnamed", "wants_name")

    def __init__(self, realm: Realm, key: str, rule: str, label: str = "", *, is_object: bool) -> None:
        self.realm = realm
        self.key = key
        self.rule = rule
        self.label = label
        self.is_object = is_object
        self.wants_name = is_object
        self.unnamed: tuple[int, int, str] | None = None  # a `value` behind which its name may stand

    def open(self, bracket: str, keys: Collection[str]) -> _Container:
        """The container that begins with this bracket in this one."""
        is_object = bracket == "{"
        realm, rule = self._realm_within(is_object=is_object), self._rule(keys)
        label = self.key if is_object else self._label
        return _Container(realm, "" if is_object else self.key, rule, label, is_object=is_object)

    def _rule(self, keys: Collection[str]) -> str:
        return self.rule or (self.key if keys and self.realm != "schema" and words(self.key) in keys else "")

    def _realm_within(self, *, is_object: bool) -> Realm:
        if self.realm != "schema" and self.key in _SCHEMAS and is_object:
            return "schema"
        if self.realm == "protocol" and self.key in (_DATA if is_object else _LISTS_OF_DATA):
            return "data"
        return self.realm

    def place(self, keys: Collection[str]) -> Place:
        """The place of the next string or number."""
        if self.wants_name:
            return Place(self.realm, is_name=True)
        rule = self._rule(keys) if keys else ""
        return Place(self.realm, self.key, self._label, rule=rule)

    @property
    def _label(self) -> str:
        return self.label if self.key == "value" or not self.is_object else ""

    def took(self, text: str) -> None:
        """A string has been passed: the name of a member, or the value of one."""
        if self.wants_name:
            self.key, self.wants_name = text, False
        elif not self.is_object:
            self.label = text if _OPTION.fullmatch(text) else ""
        elif self.key in _LABELS:
            self.label = text

    def holds_password(self, lexeme: str) -> bool:
        """Whether the next number is a password, or the like: of four digits or more."""
        if self.realm == "schema" or self.wants_name or len(lexeme) < _SHORTEST_NUMBER or not lexeme.isdigit():
            return False
        return is_password_name(self._label or self.key)


_START: Final = re.compile(r'[{\[](?=\s*["{\[])')
_MOST_FAILURES: Final = 64  # each may cost a pass through the text


def embedded(text: str) -> Iterator[tuple[int, int]]:
    """Where JSON objects and arrays stand in a text (start and end), the text itself being one included."""
    at = failures = 0
    while failures < _MOST_FAILURES and (found := _START.search(text, at)):
        try:
            _, at = _scan(text, found.start())
        except (ValueError, RecursionError):
            failures += 1
            at = found.start() + 1
        else:
            yield found.start(), at


_scan = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],]')
_WITH_NUMBERS: Final = re.compile(rf"{_TOKEN.pattern}|[-0-9][^\s,\]}}]*")
_SHORTEST_NUMBER: Final = 4
_decode = json.JSONDecoder().decode


def rewrite_strings(
    text: str, rewrite: Rewrite, realm: Realm, keys: Collection[str] = (), *, with_numbers: bool = False
) -> str:
    """The JSON text with every string replaced by what `rewrite` makes of it; the same object if nothing changed.

    The text must be well-formed. Strings in fixed places are not asked about. Numbers are, as they are spelt, where
    one of the `keys`, the words of names, stands before them or before what they are in, and `with_numbers` those that
    have the name of a password.
    """
    edits: dict[int, tuple[int, str]] = {}  # by where it starts: where it ends, and what stands there instead
    open_containers = [_Container(realm, "", "", is_object=False)]
    for token in (_WITH_NUMBERS if keys or with_numbers else _TOKEN).finditer(text):
        here, lexeme = open_containers[-1], token[0]
        if lexeme in "{[":
            open_containers.append(here.open(lexeme, keys))
        elif lexeme == ",":
            here.wants_name = here.is_object
        elif lexeme in "}]":
            open_containers.pop()
        else:
            is_string = lexeme[0] == '"'
            value = (_decode(lexeme) if "\\" in lexeme else lexeme[1:-1]) if is_string else lexeme
            place = here.place(keys)
            is_asked = is_string or place.rule or (with_numbers and here.holds_password(lexeme))
            new = rewrite(value, place) if is_asked and not is_fixed(place) else value
            if is_string:
                here.took(value)
            if new != value:
                edits[token.start()] = (token.end(), dumps(new))
            elif place.key == "value" and is_string:
                here.unnamed = (*token.span(), value)
            elif here.unnamed and place.key in _LABELS:
                _name_behind(here, rewrite, edits)
    return _edited(text, edits) if edits else text


def rewritten(message: Message, text: str) -> Message:
    """The message whose JSON text was rewritten so; one that was kept as exact text stays exact."""
    if message.text is None:
        return Message(_decode(text), message.kind)
    parsed = parse_exact(text.encode("utf-8", "surrogatepass"))
    return parsed if isinstance(parsed, Message) else Message({}, message.kind, text)


def _name_behind(here: _Container, rewrite: Rewrite, edits: dict[int, tuple[int, str]]) -> None:
    """Ask again about a `value` whose name has come behind it."""
    if here.unnamed and here.realm == "data":
        start, end, value = here.unnamed
        new = rewrite(value, Place(here.realm, "value", here.label))
        if new != value:
            edits[start] = (end, dumps(new))
    here.unnamed = None


def _edited(text: str, edits: Mapping[int, tuple[int, str]]) -> str:
    pieces: list[str] = []
    done = 0
    for start in sorted(edits):
        end, new = edits[start]
        pieces += [text[done:start], new]
        done = end
    return "".join([*pieces, text[done:]])
