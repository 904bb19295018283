"""The tree of a file in the shape in which our writer writes, without a YAML parser and several times faster.

It knows few forms: block mappings and lists, flow collections on one line, plain, quoted and literal scalars, comments
on lines of their own. Whatever else it meets makes it *unsure*, and then the events of libyaml decide, also on what is
wrong: what is read here must be what they give, and nothing is reported from here.

The whole text is cut into rows by one regular expression, because that is done in C. A row is a line, with the comments
before it and the literal block behind it; a list of rows is then walked through from the top.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

from mcpmock.cassette.flow import DEEPEST, KEY, UnsureError, read_flow, read_flow_mapping, unquoted, whole_numbers
from mcpmock.cassette.scalars import CONSTANTS, NUMBER_STARTS, resolve
from mcpmock.cassette.tree import ENTRY, FILE, SESSION, Branch, Level
from mcpmock.wire.message import BOM, Json, Object

Row: TypeAlias = tuple[str, str, str, str, str, str, str, str]

_cut: Final = re.compile(
    r"((?: *+(?:#.*+)?\n)*+)"  # 0: empty lines and comments
    r"( *+)((?:- )++)?"  # 1, 2: the indentation, and the dashes of list items
    rf"(?:{KEY}:(?: ++|(?=\n)))?"  # 3, 4: the key, plain or quoted
    r"(?:("  # 5: a literal block, its first line indented by 6; or as far as it must be, where the head tells
    r"\|[+-]?\n\n*+( ++)[^ \n\t].*+\n(?:\7.*+\n|\n)*+"
    r"|\|2[+-]?\n(?:(?(3)(?(4)\2   |(?(5)\2   |\2 ))|\2 ).*+\n|\n)++)"
    r"|(.*+)\n|\Z)"  # 7: the rest of the line; the last row of all is empty
).findall

_NO_PLAIN_STARTS: Final = frozenset("-?:,[]{}#&*!|>'\"%@`\t ")
_BELOW: Final = {"sessions": SESSION, "entries": ENTRY}  # `match:` may come without its lines

_ASCII: Final = b"\t\n" + bytes(range(0x20, 0x7F))
_ODD: Final = frozenset(map(chr, (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF)))


def read_quickly(data: bytes) -> Branch | None:
    """The tree of a file, with the lines of branches but not of their members; None where this is not sure."""
    data = data.removeprefix(BOM)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if not data.endswith(b"\n"):
        return None
    try:
        return _Rows(data.decode()).tree() if _is_clean(data) else None
    except (UnsureError, ValueError, IndexError, RecursionError):
        return None


def _is_clean(data: bytes) -> bool:
    """Whether there is no character that YAML forbids or takes for the end of a line."""
    rest = data.translate(None, _ASCII).decode()
    return rest.isprintable() or _ODD.isdisjoint(rest)


class _Rows:
    """The rows of a text. Each method reads what begins in row `at`, and returns the number of the next row with it."""

    def __init__(self, text: str) -> None:
        self._rows: list[Row] = _cut(text)
        self._has_tabs = "\t" in text
        self._longer = [(at, row) for at, row in enumerate(self._rows) if row[0] or row[5]]  # than one line
        self._counted = 0  # of these
        self._more_lines = 0  # in those

    def tree(self) -> Branch:
        """The whole text."""
        if self._rows[0][1] or self._rows[0][2]:
            raise UnsureError
        branch, at = self._branch(0, 0, FILE)
        if any(any(row[1:]) for row in self._rows[at:]):  # there may be comments, and then the last row
            raise UnsureError
        return branch

    def _branch(self, at: int, column: int, level: Level) -> tuple[Branch, int]:
        line = self._line(at)
        members: dict[str, Any] = {}
        while True:
            row = self._rows[at]
            key = row[3] or unquoted(row[4])
            if key in members:
                raise UnsureError
            if (below := _BELOW.get(key)) and key in level.lists:
                members[key], at = self._branches(at, column, below)
            else:
                members[key], at = self._member(at, column, 0)
            row = self._rows[at]
            if len(row[1]) != column or row[2] or not (row[3] or row[4]):
                break
        if len(row[1]) > column:
            raise UnsureError
        return Branch(members, line, {}), at

    def _branches(self, at: int, column: int, level: Level) -> tuple[list[Branch], int]:
        """The list behind a key of a branch."""
        branches: list[Branch] = []
        row = self._rows[at]
        if row[5] or row[7] not in ("", "[]"):
            raise UnsureError
        at += 1
        is_empty, row = bool(row[7]), self._rows[at]
        list_column = len(row[1])
        while not is_empty and row[2] == "- " and len(row[1]) == list_column >= column:
            branch, at = self._branch(at, list_column + 2, level)
            branches.append(branch)
            row = self._rows[at]
        return branches, at

    def _mapping(self, at: int, column: int, depth: int) -> tuple[Object, int]:
        if depth > DEEPEST:
            raise UnsureError
        rows, has_tabs = self._rows, self._has_tabs
        members: Object = {}
        _, _, _, key, quoted, _, _, rest = rows[at]
        while True:
            if not key:
                key = unquoted(quoted)
            if key in members:
                raise UnsureError
            if rest and rest[0] not in _NO_PLAIN_STARTS:
                if ": " in rest or " #" in rest or rest[-1] in " :" or (has_tabs and "\t" in rest):
                    raise UnsureError
                members[key] = rest if rest[0] not in NUMBER_STARTS and rest not in CONSTANTS else resolve(rest)
                at += 1
            else:
                members[key], at = self._member(at, column, depth)
            _, indent, dashes, key, quoted, _, _, rest = rows[at]
            if len(indent) != column or dashes or not (key or quoted):
                break
        if len(indent) > column:
            raise UnsureError
        return members, at

    def _list(self, at: int, column: int, dashes: int, depth: int) -> tuple[list[Json], int]:
        """A list, of whose first row `dashes` is left of the dashes."""
        if depth > DEEPEST:
            raise UnsureError
        rows = self._rows
        members: list[Json] = []
        while True:
            row = rows[at]
            member: Json
            if dashes > 2:
                member, at = self._list(at, column + 2, dashes - 2, depth + 1)
            elif row[3] or row[4]:
                member, at = self._mapping(at, column + 2, depth + 1)
            elif row[7] or row[5]:
                member, at = self._member(at, column, depth)
            else:
                raise UnsureError
            members.append(member)
            row = rows[at]
            dashes = len(row[2])
            if len(row[1]) != column or not dashes:
                break
        if len(row[1]) > column:
            raise UnsureError
        return members, at

    def _member(self, at: int, column: int, depth: int) -> tuple[Json, int]:
        """The value behind the key or the dashes of a row, in a collection whose rows begin at `column`."""
        row = self._rows[at]
        at += 1
        if rest := row[7]:
            return self._numbers(rest, at) if rest[0] == "[" and rest[-1] == "," else (_inline(rest, depth), at)
        if row[5]:
            return self._literal(row, column, self._rows[at]), at
        row = self._rows[at]
        inner = len(row[1])
        if row[2] and inner >= column:
            return self._list(at, inner, len(row[2]), depth + 1)
        return self._mapping(at, inner, depth + 1) if inner > column else (None, at)

    def _numbers(self, rest: str, at: int) -> tuple[Json, int]:
        """A list of whole numbers that goes on in the next rows, as `timing:` does."""
        parts = [rest]
        while parts[-1][-1] == ",":
            row = self._rows[at]
            if row[0] or row[2] or row[3] or row[4] or not row[1]:
                raise UnsureError
            parts.append(row[7])
            at += 1
        return whole_numbers(" ".join(parts)), at

    def _literal(self, row: Row, column: int, following: Row) -> str:
        """A literal block: its lines without their indentation."""
        block = row[5]
        pad = row[6] or " " * (column + 2)
        if len(pad) <= column or (not row[6] and not _is_indented(block, pad)):
            raise UnsureError
        start = block.index("\n") + 1
        chomp = block[start - 2]
        content = block.replace("\n" + pad, "\n")[start:-1]
        if chomp == "+":
            if following[0].startswith(" ") and following[0].lstrip(" ").startswith("\n"):
                raise UnsureError  # a line of blanks may or may not belong to the text
            return content + "\n"
        return content.rstrip("\n") if chomp == "-" else content.rstrip("\n") + "\n"

    def _line(self, at: int) -> int:
        """The line of a row, from 1. Rows must come in ascending order."""
        while self._counted < len(self._longer) and self._longer[self._counted][0] < at:
            row = self._longer[self._counted][1]
            self._more_lines += row[0].count("\n") + max(0, row[5].count("\n") - 1)
            self._counted += 1
        return at + 1 + self._more_lines + self._rows[at][0].count("\n")


def _is_indented(block: str, pad: str) -> bool:
    """Whether something stands in a block, and all of it behind the indentation."""
    lines = [line for line in block.split("\n")[1:] if line]
    return all(line.startswith(pad) for line in lines) and any(len(line) > len(pad) for line in lines)


def _inline(rest: str, depth: int) -> Json:
    """The value that takes the rest of a line."""
    first = rest[0]
    if first not in _NO_PLAIN_STARTS or (first == "-" and rest[1] != " "):
        if ": " in rest or " #" in rest or "\t" in rest or rest[-1] in " :":
            raise UnsureError
        return resolve(rest)
    value, end = read_flow_mapping(rest, 1, depth + 1) if first == "{" else read_flow(rest, 0, depth)
    if end != len(rest):
        raise UnsureError
    return value
