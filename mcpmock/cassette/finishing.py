"""Finishing: sessions out of part files get into their cassette, by copying bytes, under a lock."""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from mcpmock.cassette import files, joining
from mcpmock.cassette.files import Piece, Slice
from mcpmock.cassette.layout import find_layout
from mcpmock.cassette.reader import load
from mcpmock.cassette.runs import Block, Memory, Notes
from mcpmock.errors import CassetteError


class Finished(NamedTuple):
    """A session to put into a cassette: the name of its part file, its run, its text."""

    part: str
    run: str
    text: tuple[Piece, ...]


def put(cassette: str, memory: Memory, sessions: Sequence[Finished], *, adds: bool) -> None:
    """Put sessions of one run into a cassette: in place of their own earlier versions, or in the order of starting.

    What other runs have recorded goes, unless this `adds`. Raises OSError, and CassetteError if the old file is no
    cassette, or if somebody else has changed it meanwhile; then nothing has changed.
    """
    notes, run = memory.notes, sessions[0].run
    keeps = adds or run in notes.runs
    with _opened(cassette) as old:
        _check_unchanged(cassette, old, notes, sessions)
        for frame in _frames(old, notes, keeps=keeps):
            rows = _arrange(frame, notes.blocks, sessions)
            pieces = [*frame.base, *(piece for _, texts in rows for piece in texts), *frame.tail]
            if old is None or frame.is_sure or _is_sound(old, frame, pieces, keeps=keeps):
                break
        after = notes._replace(
            runs=tuple(dict.fromkeys((*(notes.runs if keeps else ()), run))),
            base=_total(frame.base),
            tail=_total(frame.tail),
            indent=frame.indent,
            blocks=tuple(block._replace(size=_total(texts)) if texts else block for block, texts in rows),
        )
        memory.intend(after)
        files.replace(cassette, pieces)
    memory.notes = after


def not_held(cassette: str, notes: Notes, sessions: Sequence[Finished]) -> list[Finished]:
    """Those of some sessions that a cassette does not hold whole already.

    The others' recorders had finished them before they were killed.
    """
    if not sessions:
        return []
    with _opened(cassette) as old:
        blocks = (_find_blocks(old, notes) or {}) if old else {}
        return [session for session in sessions if not _begins_with(blocks.get(session.part), session)]


def _begins_with(found: Slice | None, session: Finished) -> bool:
    return found is not None and _joined([found]).startswith(_joined(session.text))


class _Old(NamedTuple):
    """The old file: its path, its open descriptor, its bytes without having read them."""

    path: str
    descriptor: int
    text: mmap.mmap


class _Frame(NamedTuple):
    """What stands around the sessions of this run in the new file, and those that stay where they are."""

    base: tuple[Piece, ...]
    tail: tuple[Piece, ...] = ()
    indent: int = 0
    blocks: Mapping[str, Slice] = {}
    is_sure: bool = True


_Row: TypeAlias = tuple[Block, tuple[Piece, ...]]


@contextlib.contextmanager
def _opened(path: str) -> Iterator[_Old | None]:
    """The old file; None if there is none, or nothing in it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield None
        return
    try:
        if not os.fstat(descriptor).st_size:
            yield None
            return
        with mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) as text:
            yield _Old(path, descriptor, text)
    finally:
        os.close(descriptor)


def _check_unchanged(cassette: str, old: _Old | None, notes: Notes, sessions: Sequence[Finished]) -> None:
    """See that the earlier versions of these sessions are where they were put."""
    parts = {session.part for session in sessions}
    earlier = [block for block in notes.blocks if block.size and block.part in parts]
    if old is None or not earlier:
        return
    found = _find_blocks(old, notes)
    if any(found is None or files.checksum(found[block.part]) != block.checksum for block in earlier):
        raise CassetteError("somebody else has changed it while it was recorded", path=cassette)


def _find_blocks(old: _Old, notes: Notes) -> dict[str, Slice] | None:
    """Where the sessions of the known runs stand; None if the file is not as it was left."""
    at, found = notes.base, {}
    for block in notes.blocks:
        if block.size:
            found[block.part] = Slice(old.descriptor, at, block.size)
            at += block.size
    return found if notes.base and at + notes.tail == len(old.text) else None


def _frames(old: _Old | None, notes: Notes, *, keeps: bool) -> Iterator[_Frame]:
    """The ways to go about it, the cheapest first; raises CassetteError if the old file is no cassette."""
    if old is None:
        yield _Frame((joining.fresh_head(),))
        return
    if keeps and (blocks := _find_blocks(old, notes)) is not None:
        tail = Slice(old.descriptor, len(old.text) - notes.tail, notes.tail)
        yield _Frame((Slice(old.descriptor, 0, notes.base),), (tail,), notes.indent, blocks)
    layout = find_layout(old.text)
    if layout is not None:
        tail = Slice(old.descriptor, layout.tail, len(old.text) - layout.tail)
        if keeps:
            yield _Frame((Slice(old.descriptor, 0, layout.tail),), (tail,), layout.indent, is_sure=False)
        else:
            head = joining.renewed_head(old.text[: layout.head])
            yield _Frame((head,), (tail,), is_sure=False)
    whole = old.text[:]
    try:
        base = joining.rewritten(whole) if keeps else joining.head_of(whole)
    except CassetteError as error:
        raise _at(old.path, error) from None
    yield _Frame((base,))


def _is_sound(old: _Old, frame: _Frame, pieces: Sequence[Piece], *, keeps: bool) -> bool:
    """Whether the new file is a cassette that has lost nothing of the old one, which it should keep."""
    try:
        if not keeps:
            return not load(_joined([*frame.base, *frame.tail])).sessions
        before, after = load(old.text[:]), load(_joined(pieces))
    except CassetteError:
        return False
    return before.match == after.match and before.sessions == after.sessions[: len(before.sessions)]


def _arrange(frame: _Frame, blocks: Sequence[Block], sessions: Sequence[Finished]) -> list[_Row]:
    """The sessions of this run in the order of starting, each with its text; those still recorded have none."""
    new = {session.part: session for session in sessions}
    rows: list[_Row] = []
    for block in blocks:
        if session := new.pop(block.part, None):
            rows.append(_row(session, frame.indent))
        elif block.part in frame.blocks:
            rows.append((block, (frame.blocks[block.part],)))
        elif not block.size:
            rows.append((block, ()))
    return rows + [_row(session, frame.indent) for session in new.values()]


def _row(session: Finished, indent: int) -> _Row:
    text = (joining.indented(_joined(session.text), indent),) if indent else session.text
    checksum = 0
    for piece in text:
        checksum = files.checksum(piece, checksum)
    return Block(session.part, session.run, checksum=checksum), text


def _joined(pieces: Sequence[Piece]) -> bytes:
    return b"".join(chunk for piece in pieces for chunk in files.chunks(piece))


def _total(pieces: Sequence[Piece]) -> int:
    return sum(map(files.size_of, pieces))


def _at(path: str, error: CassetteError) -> CassetteError:
    return CassetteError(error.problem, path=path, line=error.line, hint=error.hint)
