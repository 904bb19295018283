"""What is remembered of a cassette while it is recorded, by whom: outside of it, in a private folder.

Several processes may record one cassette, at once or one after another. A run is what belongs together: its
recorders add to what it has recorded, and replace what an earlier run has.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from mcpmock.cassette.locks import lock

_PRIVATE_FOLDER: Final = 0o700
_PRIVATE_FILE: Final = 0o600
_KEPT_FOR: Final = 60 * 24 * 3600.0  # seconds


class Block(NamedTuple):
    """A session as its recorder left it: the name of its part file, its run, its size and checksum in the cassette.

    `size` is 0 while it is not in the cassette.
    """

    part: str
    run: str
    size: int = 0
    checksum: int = 0


class Notes(NamedTuple):
    """What is remembered.

    runs    whose recordings the cassette holds
    base    how many bytes stand before the blocks, `tail` how many behind them
    indent  how far the sessions are indented
    blocks  the sessions of these runs, in the order of starting
    rules   what the replaced cassette said about how interactions are played, see `session.rules`
    seen    how often requests with such rules have been asked: (server, request, number)
    """

    runs: tuple[str, ...] = ()
    base: int = 0
    tail: int = 0
    indent: int = 0
    blocks: tuple[Block, ...] = ()
    rules: tuple[Any, ...] = ()
    seen: tuple[Any, ...] = ()


class Memory:
    """The notes about one cassette, while they are locked: read them, replace them.

    `is_kept`: whether they will be remembered.
    """

    def __init__(self, notes: Notes, *, is_kept: bool = True) -> None:
        self.notes = notes
        self.is_kept = is_kept


@contextlib.contextmanager
def remembered(cassette: str) -> Iterator[Memory]:
    """The notes about a cassette, locked. What they are at the end is remembered, unless an exception ends it.

    Where there can be no private folder, nothing is locked or remembered.
    """
    place = _place(os.path.realpath(cassette))
    if place is None:
        yield Memory(Notes(), is_kept=False)
        return
    descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE_FILE)
    try:
        with contextlib.suppress(OSError):
            lock(descriptor, wait=True)
        with open(descriptor, "r+", encoding="utf-8", closefd=False) as file:
            memory = Memory(_read(file.read()))
            before = memory.notes
            yield memory
            if memory.notes != before:
                file.seek(0)
                file.truncate()
                json.dump(memory.notes, file)
    finally:
        os.close(descriptor)


def _place(cassette: str) -> str | None:
    folder = _folder()
    if folder is None:
        return None
    name = hashlib.sha256(os.fsencode(cassette)).hexdigest()[:32]
    return os.path.join(folder, f"{name}.json")


def _folder() -> str | None:
    """The private folder, made if need be; None if somebody else has made it, or it cannot be made."""
    path = os.path.join(tempfile.gettempdir(), f"mcpmock-{os.getuid()}")
    try:
        os.mkdir(path, _PRIVATE_FOLDER)
    except FileExistsError:
        _forget_old(path)
    except OSError:
        return None
    state = os.lstat(path)
    is_ours = stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid() and not state.st_mode & 0o077
    return path if is_ours else None


def _forget_old(folder: str) -> None:
    """Delete what nobody has asked for in months."""
    oldest = time.time() - _KEPT_FOR
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".json") and entry.stat(follow_symlinks=False).st_mtime < oldest:
                os.unlink(entry.path)


def _read(text: str) -> Notes:
    """The notes in a text; none if it does not hold any, or those of another version."""
    try:
        runs, base, tail, indent, blocks, rules, seen = json.loads(text)
        blocks = tuple(Block(*block) for block in blocks)
        return Notes(tuple(runs), base, tail, indent, blocks, tuple(rules), tuple(map(tuple, seen)))
    except (ValueError, TypeError):
        return Notes()
