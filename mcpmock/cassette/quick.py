"""The tree of a file in the shape in which our writer writes, without a YAML parser and several times faster.

It knows few forms: block mappings and lists, flow collections on one line, plain, quoted and literal scalars, comments
on lines of their own. Whatever else it meets makes it *unsure*, and then the events of libyaml decide, also on what is
wrong: what is read here must be what they give, and nothing is reported from here.

Every line is matched once. A match of `_line` tells how far it is indented (group 1) and what it begins with: an item
(2), or a key, plain (3) or quoted (4), with its value (5) where that is plain and takes the rest of the line.
"""

from __future__ import annotations

import re
from typing import Any, Final

from mcpmock.cassette.flow import DEEPEST, KEY, WORD, UnsureError, read_flow, read_flow_mapping, unquoted
from mcpmock.cassette.scalars import CONSTANTS, NUMBER_STARTS, resolve
from mcpmock.cassette.tree import ENTRY, FILE, SESSION, Branch, Level
from mcpmock.wire.message import BOM, Json, Object

_REST: Final = rf"{WORD}[^\n\t:#]{{0,500}}+(?:(?::(?! |\n)|(?<! )#)[^\n\t:#]{{0,500}}+){{0,20}}+(?<! )(?=\n)"
_line: Any = re.compile(rf"(?: *+(?:#.*+)?\n)*+( *+)(?:(- ++)|{KEY}:(?: ++({_REST})?|(?=\n)))?").match
_NO_PLAIN_STARTS: Final = frozenset("-?:,[]{}#&*!|>'\"%@`\t\n ")
_literal_head = re.compile(r"\|([1-9]?)([+-]?)\n").match
_literal_lead = re.compile(r"\n*( ++)[^\n\t]").match
_blank_line = re.compile(r" +\n").match
_BELOW: Final = {"sessions": SESSION, "entries": ENTRY}  # `match:` may come without its lines

_ALLOWED_BYTES: Final = b"\t\n" + bytes(range(0x20, 0x7F)) + bytes(range(0x80, 0x100))
_control_character = re.compile(rb"\xc2[\x80-\x9f]").search
_ODD: Final = (b"\xe2\x80\xa8", b"\xe2\x80\xa9", BOM, b"\xef\xbf\xbe", b"\xef\xbf\xbf")


def read_quickly(data: bytes) -> Branch | None:
    """The tree of a file, with the lines of branches but not of their members; None where this is not sure."""
    data = data.removeprefix(BOM)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if not data.endswith(b"\n") or not _is_clean(data):
        return None
    try:
        return _Text(data.decode()).tree()
    except (UnsureError, ValueError, IndexError, RecursionError):
        return None


def _is_clean(data: bytes) -> bool:
    """Whether there is no character that YAML forbids or takes for the end of a line."""
    if data.translate(None, _ALLOWED_BYTES):
        return False
    return data.isascii() or not (_control_character(data) or any(odd in data for odd in _ODD))


class _Text:
    """A text and how far its lines have been counted. Positions are indexes into the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._counted = 0
        self._line_number = 1

    def tree(self) -> Branch:
        """The whole text."""
        match = _line(self._text, 0)
        if match[1]:
            raise UnsureError
        branch, match = self._branch(match, 0, FILE)
        if match.end() != len(self._text):
            raise UnsureError
        return branch

    # Each of the following returns what it read and the match of the next line.

    def _branch(self, match: Any, column: int, level: Level) -> tuple[Branch, Any]:
        line = self._number_of_line(match.start(1))
        members: dict[str, Any] = {}
        while match.lastindex > 2:
            key = match[3] or unquoted(match[4])
            if key in members:
                raise UnsureError
            at = match.start(5) if match[5] else match.end()
            if (below := _BELOW.get(key)) and key in level.lists:
                members[key], match = self._branches(at, column, below)
            else:
                members[key], match = self._value(at, column, 0)
            if len(match[1]) != column:
                break
        if len(match[1]) > column or not members:
            raise UnsureError
        return Branch(members, line, {}), match

    def _branches(self, at: int, column: int, level: Level) -> tuple[list[Branch], Any]:
        """The list behind a key of a branch."""
        branches: list[Branch] = []
        if self._text.startswith("[]\n", at):
            return branches, _line(self._text, at + 3)
        if self._text[at] != "\n":
            raise UnsureError
        match = _line(self._text, at + 1)
        list_column = len(match[1])
        while match.lastindex == 2 and len(match[1]) == list_column >= column:
            first = self._first_of_item(match)
            branch, match = self._branch(first, list_column + len(match[2]), level)
            branches.append(branch)
        return branches, match

    def _first_of_item(self, match: Any) -> Any:
        """The match of what stands behind `- `."""
        if self._text[match.end()] in "#\n ":
            raise UnsureError
        return _line(self._text, match.end())

    def _value(self, at: int, column: int, depth: int, *, in_list: bool = False) -> tuple[Json, Any]:
        """The value at a position, in a collection whose lines begin at `column`."""
        text = self._text
        start = text[at]
        value: Json
        if start == "\n" and not in_list:
            return self._block(_line(text, at + 1), column, depth + 1)
        if start == "|":
            return self._literal(at, column)
        if start == "{":
            value, end = read_flow_mapping(text, at + 1, depth + 1)
        elif start not in _NO_PLAIN_STARTS or (start == "-" and text[at + 1] not in " \n"):
            end = text.index("\n", at)
            value = _plain(text[at:end])
        else:
            value, end = read_flow(text, at, depth)
        if text[end] != "\n":
            raise UnsureError
        return value, _line(text, end + 1)

    def _block(self, match: Any, column: int, depth: int) -> tuple[Json, Any]:
        """What stands below `key:`: a block further in, a list as far in, or nothing, which is null."""
        inner = len(match[1])
        if match.lastindex == 2 and inner >= column:
            return self._list(match, inner, depth)
        if inner <= column:
            return None, match
        return self._mapping(match, inner, depth)

    def _mapping(self, match: Any, column: int, depth: int) -> tuple[Object, Any]:
        if depth > DEEPEST:
            raise UnsureError
        text = self._text
        members: Object = {}
        while match.lastindex > 2:
            key = match[3] or unquoted(match[4])
            if key in members:
                raise UnsureError
            if word := match[5]:
                members[key] = word if word not in CONSTANTS and word[0] not in NUMBER_STARTS else resolve(word)
                match = _line(text, match.end() + 1)
            else:
                members[key], match = self._value(match.end(), column, depth)
            if len(match[1]) != column:
                break
        if len(match[1]) > column or not members:
            raise UnsureError
        return members, match

    def _list(self, match: Any, column: int, depth: int) -> tuple[list[Json], Any]:
        if depth > DEEPEST:
            raise UnsureError
        members: list[Json] = []
        while match.lastindex == 2:
            at, inner = match.end(), column + len(match[2])
            member: Json
            if self._text[at] in "{[" or (first := self._first_of_item(match)).lastindex == 1:
                member, match = self._value(at, column, depth, in_list=True)
            elif first.lastindex == 2:
                member, match = self._list(first, inner, depth + 1)
            else:
                member, match = self._mapping(first, inner, depth + 1)
            members.append(member)
            if len(match[1]) != column:
                break
        if len(match[1]) > column:
            raise UnsureError
        return members, match

    def _literal(self, at: int, column: int) -> tuple[str, Any]:
        """A literal block: its lines without their indentation."""
        text = self._text
        head = _literal_head(text, at)
        if head is None:
            raise UnsureError
        if head[1]:
            indent = column + int(head[1])
        elif lead := _literal_lead(text, head.end()):
            indent = len(lead[1])
        else:
            raise UnsureError
        start = head.end() - 1
        end = _end_of_block(text, start, indent)
        if indent <= column or end <= start or _blank_line(text, end + 1):
            raise UnsureError
        content = text[start:end].replace("\n" + " " * indent, "\n")[1:]
        if head[2] != "+":
            content = content.rstrip("\n")
        return content if head[2] == "-" else content + "\n", _line(text, end + 1)

    def _number_of_line(self, at: int) -> int:
        """The line of a position, from 1. Positions must come in ascending order."""
        self._line_number += self._text.count("\n", self._counted, at)
        self._counted = at
        return self._line_number


def _plain(word: str) -> Json:
    """A plain scalar that takes the rest of a line."""
    if ": " in word or " #" in word or "\t" in word or word[-1] in ": ":
        raise UnsureError
    return resolve(word)


_searches: dict[int, Any] = {}


def _end_of_block(text: str, start: int, indent: int) -> int:
    """Where the last line of a literal block ends: behind it begins a line that is indented less."""
    if (search := _searches.get(indent)) is None:
        search = _searches[indent] = re.compile(rf"\n(?=[^\n])(?! {{{indent}}})").search
    found = search(text, start)
    return found.start() if found else len(text) - 1
