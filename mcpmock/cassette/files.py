"""Files: pieces of them, the part files beside a cassette, and cassettes that change from one moment to the next."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from mcpmock.cassette.locks import lock

_COPY: Final = 1024 * 1024
_PRIVATE: Final = 0o600


class Slice(NamedTuple):
    """Bytes that stand in a file: an open one, or else one that is opened, by its path, when they are read."""

    descriptor: int | str
    start: int
    size: int


Piece: TypeAlias = bytes | Slice


def parts_of(cassette: str) -> list[str]:
    """The part files beside a cassette, or beside the file that a link stands for, sorted by name."""
    folder, name = os.path.split(os.path.realpath(cassette) if os.path.islink(cassette) else cassette)
    is_part = re.compile(re.escape(name) + r"\.part-\d+-\d+").fullmatch
    try:
        return sorted(os.path.join(folder, other) for other in os.listdir(folder or ".") if is_part(other))
    except OSError:
        return []


def cassette_of(part: str) -> str:
    """The path of the cassette that a part file belongs to; the empty string if it is no part file's name."""
    found = re.fullmatch(r"(.+)\.part-\d+-\d+", part, re.DOTALL)
    return found[1] if found else ""


@contextlib.contextmanager
def abandoned(part: str) -> Iterator[int | None]:
    """The descriptor of a part file whose recorder is no more, locked meanwhile; None if that one still runs."""
    try:
        descriptor = os.open(part, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        yield descriptor if _is_free(descriptor) else None
    finally:
        os.close(descriptor)


def is_locked(part: str) -> bool:
    """Whether somebody still writes it."""
    with abandoned(part) as descriptor:
        return descriptor is None and os.path.exists(part)


def _is_free(descriptor: int) -> bool:
    try:
        return lock(descriptor)
    except OSError:
        return False


def read_all(descriptor: int) -> bytes:
    """All bytes of an open file."""
    return b"".join(chunks(Slice(descriptor, 0, os.fstat(descriptor).st_size)))


def checksum(piece: Piece, value: int = 0) -> int:
    """A number by which a piece, or several (`value` is that of those before), are known again."""
    for chunk in chunks(piece):
        value = zlib.crc32(chunk, value)
    return value


def size_of(piece: Piece) -> int:
    """How many bytes a piece has."""
    return piece.size if isinstance(piece, Slice) else len(piece)


def replace(path: str, pieces: Iterable[Piece]) -> None:
    """Put a file of these bytes where another one, or none, is; whoever reads it sees the old or the new one whole.

    A new file is for its owner alone; an old one's mode is kept. What others have left here, who were killed, goes.
    Raises OSError, having changed nothing.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "this is no file, but a folder, a device or a pipe", path)  # root would replace it
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is write-protected", path)
    folder, name = os.path.split(path)
    _clear_away(folder, name)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _PRIVATE)
    try:
        try:
            with contextlib.suppress(OSError):  # a file system without locks: nobody will clear it away
                lock(descriptor)
            _keep_mode(path, descriptor)
            for piece in pieces:
                for chunk in chunks(piece):
                    _write_all(descriptor, chunk)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:  # whatever ends us: the temporary file goes, and the error goes on
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder or ".")


def _clear_away(folder: str, name: str) -> None:
    """Delete the temporary files of this name whose makers were killed: nobody holds their locks."""
    is_temporary = re.compile(re.escape(f".{name}.") + r"\d+\.tmp").fullmatch
    for path in (os.path.join(folder, other) for other in os.listdir(folder or ".") if is_temporary(other)):
        with abandoned(path) as descriptor:
            if descriptor is not None:
                os.unlink(path)


def chunks(piece: Piece) -> Iterator[bytes]:
    """The bytes of a piece, not many at once."""
    if isinstance(piece, bytes):
        yield piece
    elif isinstance(piece.descriptor, int):
        yield from _chunks(piece.descriptor, piece.start, piece.start + piece.size)
    else:
        descriptor = os.open(piece.descriptor, os.O_RDONLY | os.O_CLOEXEC)
        try:
            yield from _chunks(descriptor, piece.start, piece.start + piece.size)
        finally:
            os.close(descriptor)


def _chunks(descriptor: int, at: int, end: int) -> Iterator[bytes]:
    while at < end and (chunk := os.pread(descriptor, min(_COPY, end - at), at)):
        yield chunk
        at += len(chunk)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _keep_mode(path: str, descriptor: int) -> None:
    with contextlib.suppress(FileNotFoundError, PermissionError):
        old = os.stat(path)
        os.fchmod(descriptor, old.st_mode & 0o7777)
        if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(descriptor, old.st_uid, old.st_gid)


def _sync_folder(folder: str) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
