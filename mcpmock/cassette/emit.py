"""JSON values as YAML that reads well in a review: short ones in one line, large ones as blocks, texts as literals.

No anchors, no tags, no folding at any width. What is written is read as the same value by every YAML 1.1 and 1.2
reader (`spelling` says how strings are spelt).
"""

from __future__ import annotations

import re
from typing import Final

from mcpmock.cassette import spelling
from mcpmock.cassette.spelling import UnfitForYamlError
from mcpmock.wire.message import Json

WIDTH: Final = 100
"""A collection that fits into so many columns is written in one line."""

DEEPEST: Final = 64
"""Deeper values are not written as YAML: nobody could read them, and other readers give up."""

_LONGEST_KEY: Final = 1000  # libyaml looks for the colon of a key within 1,024 characters, quotes and escapes included
_MOST_REMEMBERED: Final = 4096
_LONGEST_REMEMBERED: Final = 48


def emit(out: list[str], value: Json, indent: int, column: int) -> None:
    """Append what stands behind `key:` or `-`, from the blank to the line's end.

    `indent` is the column at which the lines of a block begin, `column` the one that is reached. Raises
    UnfitForYamlError, and ValueError for what JSON has not.
    """
    if isinstance(value, str):
        _emit_text(out, value, indent, WIDTH - column)
    elif not isinstance(value, dict | list) or not value:
        out.append(f" {_atom(value)}\n")
    elif (line := _flow(value, WIDTH - column - 1)) is not None:
        out.append(f" {line}\n")
    else:
        out.append("\n" + " " * indent)
        _emit_block(out, value, indent)


def _emit_block(out: list[str], value: dict[str, Json] | list[Json], indent: int) -> None:
    """Append a collection item by item; the first line's indentation stands there already."""
    if indent > 2 * DEEPEST:
        raise UnfitForYamlError("nested too deeply")
    if isinstance(value, dict):
        _emit_mapping(out, value, indent)
    else:
        _emit_sequence(out, value, indent)


def _emit_mapping(out: list[str], value: dict[str, Json], indent: int) -> None:
    pad = ""
    for key, member in value.items():
        name = _key(key)
        if len(name) > _LONGEST_KEY:
            out.append(f"{pad}? {name}\n{' ' * indent}:")
            emit(out, member, indent + 2, indent + 1)
        else:
            out.append(f"{pad}{name}:")
            emit(out, member, indent if isinstance(member, list) else indent + 2, indent + len(name) + 1)
        pad = " " * indent


def _emit_sequence(out: list[str], value: list[Json], indent: int) -> None:
    pad = ""
    for member in value:
        out.append(f"{pad}-")
        pad = " " * indent
        if not isinstance(member, dict | list) or not member:
            emit(out, member, indent + 2, indent + 1)
        elif (line := _flow(member, WIDTH - indent - 2)) is not None:
            out.append(f" {line}\n")
        else:
            out.append(" ")
            _emit_block(out, member, indent + 2)


def _emit_text(out: list[str], text: str, indent: int, room: int) -> None:
    """Append a string: in one line where that reads well, else as a literal block, if a block keeps it as it is."""
    line = _one_line(text, room)
    if line is None:
        out.append(_literal(text, " " * indent) if _is_literal(text) else f" {spelling.double_quoted(text)}\n")
    else:
        out.append(f" {line}\n")


def _one_line(text: str, room: int) -> str | None:
    """The string in one line; None where a block would read better: several lines, or long and full of escapes."""
    if "\n" in text and (len(text) > room - 4 or text.find("\n") != len(text) - 1):
        return None
    line = _string(text, flow=False)
    return None if len(line) > room and line[0] == "'" else line


# What an editor, a checkout or a reader might change in a block: blanks at the end of a line (of any kind), and a
# text of nothing but line ends.
_has_loose_end = re.compile(r"[^\S\n](?:\n|\Z)").search


def _is_literal(text: str) -> bool:
    if not text.strip("\n") or not spelling.is_clean(text):
        return False
    if text.isascii():
        return " \n" not in text and "\t\n" not in text and text[-1] not in " \t"
    return _has_loose_end(text) is None


def _literal(text: str, pad: str) -> str:
    """The text as a literal block, from `|` on; the indicators only where a reader would guess wrongly."""
    indent = "2" if text.lstrip("\n")[0] in " \t" else ""
    chomp = "-" if text[-1] != "\n" else "+" if text.endswith("\n\n") else ""
    body = ("\n" + text.removesuffix("\n")).replace("\n", "\n" + pad)
    if f"\n{pad}\n" in body or body.endswith(f"\n{pad}"):
        body = re.sub(rf"\n{pad}(?=\n|\Z)", "\n", body)  # lines that hold nothing are left empty
    return f" |{indent}{chomp}{body}\n"


def _flow(value: Json, room: int) -> str | None:
    """The value in one line of at most `room` columns, or None."""
    if isinstance(value, str):
        if "\n" in value and value.find("\n") != len(value) - 1:
            return None
        return line if len(value) <= room and len(line := _string(value, flow=True)) <= room else None
    if not isinstance(value, dict | list) or not value:
        return _atom(value)
    if 3 * len(value) > room:  # spares trying what cannot fit
        return None
    return _flow_mapping(value, room) if isinstance(value, dict) else _flow_sequence(value, room)


def _flow_mapping(value: dict[str, Json], room: int) -> str | None:
    pieces = []
    for key, member in value.items():
        if len(key) > room:
            return None
        name = _key(key)
        room -= len(name) + 4  # with its colon and its comma; the braces are the last comma
        if (line := _flow(member, room)) is None or (room := room - len(line)) < 0:
            return None
        pieces.append(f"{name}: {line}")
    return "{" + ", ".join(pieces) + "}"


def _flow_sequence(value: list[Json], room: int) -> str | None:
    pieces = []
    for member in value:
        room -= 2
        if (line := _flow(member, room)) is None or (room := room - len(line)) < 0:
            return None
        pieces.append(line)
    return "[" + ", ".join(pieces) + "]"


def _atom(value: Json) -> str:
    """What is neither a string nor a collection with members."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return spelling.number(value)
    return "{}" if isinstance(value, dict) else "[]"


_in_blocks: dict[str, str] = {}
_in_flows: dict[str, str] = {}
_keys: dict[str, str] = {}


def _string(text: str, *, flow: bool) -> str:
    """A string in one line."""
    known = _in_flows if flow else _in_blocks
    if (line := known.get(text)) is None:
        line = text if spelling.is_plain(text, flow=flow) else spelling.quoted(text)
        _remember(known, text, line)
    return line


def _key(text: str) -> str:
    if (line := _keys.get(text)) is None:
        line = text if spelling.is_plain_key(text) else spelling.double_quoted(text)
        _remember(_keys, text, line)
    return line


def _remember(known: dict[str, str], text: str, line: str) -> None:
    """The same short words come again and again: they are spelt once."""
    if len(text) <= _LONGEST_REMEMBERED:
        if len(known) >= _MOST_REMEMBERED:
            known.clear()
        known[text] = line
