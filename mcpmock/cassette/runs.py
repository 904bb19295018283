"""What is remembered of a cassette while it is recorded, by whom: outside of it, in a private folder.

Several processes may record one cassette, at once or one after another. A run is what belongs together: its
recorders add to what it has recorded, and replace what an earlier run has.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import json
import os
import stat
import time
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from mcpmock.cassette.locks import lock

_PRIVATE_FOLDER: Final = 0o700
_PRIVATE_FILE: Final = 0o600
_BEGUN: Final = ".begun"
"""Behind the name of the notes: the sessions that have begun since those were written, one a line."""

_KEPT_FOR: Final = 60 * 24 * 3600.0  # seconds
_PATIENCE: Final = 10.0
_PAUSE: Final = 0.003


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

    @property
    def size(self) -> int:
        """How large the cassette is."""
        return self.base + sum(block.size for block in self.blocks) + self.tail


class Memory:
    """The notes about one cassette, while they are locked: read them, replace them.

    `path` is where they are remembered; the empty string: nowhere.
    """

    def __init__(self, notes: Notes, path: str = "", *, is_known: bool = False) -> None:
        self.notes = notes
        self.path: Final = path
        self.is_known: Final = is_known
        """Whether nobody else has changed anything since the recorder that asks has last had them."""
        self.settled = notes
        """The notes as they are remembered by now."""

    def begins(self, block: Block) -> None:
        """One more session begins. What it costs to remember that does not grow with the number of sessions."""
        is_settled = self.notes is self.settled
        self.notes = self.notes._replace(blocks=(*self.notes.blocks, block))
        if is_settled:
            if self.path:
                _append(f"{self.path}{_BEGUN}", block)
            self.settled = self.notes

    def intend(self, notes: Notes) -> None:
        """Remember what the notes will be when the cassette has been replaced, should we be killed in between."""
        self._write(self.notes, notes)

    def settle(self) -> None:
        """Remember the notes as they are."""
        self._write(self.notes, None)

    def _write(self, *both: Notes | None) -> None:
        if self.path:
            temporary = f"{self.path}.tmp"
            try:
                with open(temporary, "w", encoding="utf-8", opener=_private) as file:
                    file.write(json.dumps(both))  # five times as fast as `dump`
                os.replace(temporary, self.path)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(f"{self.path}{_BEGUN}")
            except OSError as error:
                error.filename = error.filename or temporary  # which a full disk does not tell
                raise


class Recollection:
    """The notes as one recorder has last had them: as long as nobody else changes anything, they need not be read."""

    __slots__ = ("notes", "state")

    def __init__(self) -> None:
        self.notes = Notes()
        self.state: tuple[object, ...] | None = None


@contextlib.contextmanager
def remembered(cassette: str, mine: Recollection | None = None) -> Iterator[Memory]:
    """The notes about a cassette, locked. What they are at the end is remembered, unless an exception ends it.

    `mine` is what the one who asks for them recollects; it is brought up to date. Where there can be no private
    folder, nothing is locked or remembered. Raises OSError.
    """
    path = os.path.realpath(cassette)
    folder = _folder()
    if folder is None:
        yield Memory(Notes())
        return
    place = os.path.join(folder, hashlib.sha256(os.fsencode(path)).hexdigest()[:32])
    descriptor = os.open(f"{place}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE_FILE)
    try:
        _wait_for_lock(descriptor, cassette)
        os.utime(descriptor)
        is_known = mine is not None and mine.state == _state(place, path)
        notes = mine.notes if mine is not None and is_known else _read(f"{place}.json", path)
        memory = Memory(notes, f"{place}.json", is_known=is_known)
        yield memory
        if memory.notes is not memory.settled and memory.notes != memory.settled:
            memory.settle()
        if mine is not None:
            mine.notes, mine.state = memory.notes, _state(place, path)
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int, cassette: str) -> None:
    """Lock the notes; others hold them for moments only, so one who holds them longer is stuck."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            if lock(descriptor):
                return
        except OSError:  # a file system without locks
            return
        if time.monotonic() > end:
            raise TimeoutError(errno.ETIMEDOUT, "another recorder of it is stuck", cassette)
        time.sleep(_PAUSE)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, _PRIVATE_FILE)


def _folder() -> str | None:
    """The private folder, made if need be; None if somebody else has made it, or it cannot be made."""
    path = os.path.join(os.environ.get("TMPDIR") or "/tmp", f"mcpmock-{os.getuid()}")
    try:
        os.mkdir(path, _PRIVATE_FOLDER)
    except FileExistsError:
        _forget_old(path)
    except OSError:
        return None
    state = os.lstat(path)
    is_ours = stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid() and not state.st_mode & 0o077
    return path if is_ours else None


@functools.cache
def _forget_old(folder: str) -> None:
    """Delete what nobody has asked for in months; once is enough for a process, which may record many sessions."""
    oldest = time.time() - _KEPT_FOR
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.stat(follow_symlinks=False).st_mtime < oldest:
                os.unlink(entry.path)


def _state(place: str, cassette: str) -> tuple[object, ...]:
    """What is different as soon as somebody has changed the notes, or the cassette."""
    return tuple(map(_stamp, (f"{place}.json", f"{place}.json{_BEGUN}", cassette)))


def _stamp(path: str) -> tuple[int, ...]:
    try:
        state = os.stat(path)
    except OSError:
        return ()
    return state.st_ino, state.st_size, state.st_mtime_ns


def _append(path: str, block: Block) -> None:
    """Note that a session has begun, on a line of its own even if the one before was torn."""
    line = f"\n{json.dumps(block)}\n".encode()
    try:
        with open(path, "ab", buffering=0, opener=_private) as file:
            file.write(line)
    except OSError as error:
        error.filename = error.filename or path
        raise


def _read(place: str, cassette: str) -> Notes:
    """The notes that fit the cassette as it is, with the sessions that have begun since they were written."""
    notes = _read_settled(place, cassette)
    known = {block.part for block in notes.blocks}
    begun = [block for block in _read_begun(f"{place}{_BEGUN}") if block.part not in known]
    return notes._replace(blocks=(*notes.blocks, *begun)) if begun else notes


def _read_begun(path: str) -> Iterator[Block]:
    try:
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in filter(None, lines):
        with contextlib.suppress(ValueError, TypeError):  # torn: its recorder was killed, or the disk was full
            yield Block(*json.loads(line))


def _read_settled(place: str, cassette: str) -> Notes:
    """The notes that fit the cassette as it is; none if there are none, or those of another version."""
    try:
        with open(place, encoding="utf-8") as file:
            both = [_notes_from(value) for value in json.load(file) if value is not None]
        size = os.path.getsize(cassette) if os.path.exists(cassette) else 0
        return next((notes for notes in reversed(both) if notes.size == size), both[0])
    except (OSError, ValueError, TypeError, LookupError):
        return Notes()


def _notes_from(value: Any) -> Notes:
    runs, base, tail, indent, blocks, rules, seen = value
    blocks = tuple(Block(*block) for block in blocks)
    return Notes(tuple(runs), base, tail, indent, blocks, tuple(rules), tuple(map(tuple, seen)))
