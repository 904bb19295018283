"""Files: part files that are valid after every append, and cassettes that change from one moment to the next."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import zlib
from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from mcpmock.cassette.locks import lock

_COPY: Final = 1024 * 1024
_PRIVATE: Final = 0o600


class Slice(NamedTuple):
    """Bytes that stand in an open file."""

    descriptor: int
    start: int
    size: int


Piece: TypeAlias = bytes | Slice


class PartFile:
    """The file of a session while it is recorded: `NAME.yaml.part-PID-N`, locked, a valid cassette after every append.

    Its first byte is what makes an append count: it is written last, and is zero until then. So a recorder that is
    killed while it writes leaves nothing that could be taken for an entry.
    """

    def __init__(self, cassette: str, *, used: Collection[str] = ()) -> None:
        """Make one beside the cassette (and its folder, if there is none). Raises OSError.

        `used` are names that stand for something already, though there may be no such file.
        """
        folder = os.path.dirname(cassette) or "."
        self._made = list(_missing(folder))
        os.makedirs(folder, exist_ok=True)
        self.path, self._descriptor = _create(cassette, used)
        with contextlib.suppress(OSError):  # a file system without locks: nobody will take the part in
            lock(self._descriptor)
        self._head = 0
        self._settled = 0
        self._end = 0

    def begin(self, head: bytes, session_head: bytes) -> None:
        """Write what stands before the first entry: the head of a cassette, and that of the session.

        Raises OSError; then there is no file.
        """
        try:
            self._write(head + session_head)
        except OSError:
            self.remove()
            raise
        self._head = len(head)
        self._settled = self._end = len(head) + len(session_head)

    def append(self, settled: bytes, growing: bytes = b"") -> None:
        """Append entries; `growing`, the last one, is replaced by the next call.

        Raises OSError, having taken back what could not be written whole.
        """
        data = settled + growing
        if not data:
            return
        self._write(data)
        end = self._settled + len(data)
        if end < self._end:
            os.ftruncate(self._descriptor, end)
        self._settled += len(settled)
        self._end = end

    @property
    def session(self) -> Slice:
        """The session's text, from `- server:` to its last entry."""
        return Slice(self._descriptor, self._head, self._end - self._head)

    def close(self) -> None:
        """Leave it where it is, unlocked."""
        os.close(self._descriptor)

    def remove(self) -> None:
        """Delete it, and the folders that were made for it, if nothing else is in them."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        self.close()
        with contextlib.suppress(OSError):
            for folder in self._made:
                os.rmdir(folder)

    def _write(self, data: bytes) -> None:
        at = self._settled
        try:
            if self._end > at:
                self._write_all(b"\0", at)
            self._write_all(data[1:], at + 1)
            self._write_all(data[:1], at)
        except OSError as error:
            error.filename = self.path  # which a descriptor does not tell
            self._end = at
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, at)
            raise

    def _write_all(self, data: bytes, at: int) -> None:
        written = 0
        while written < len(data):
            written += os.pwrite(self._descriptor, data[written:], at + written)


def _missing(folder: str) -> Iterator[str]:
    """A folder that is not there, and those above it that are not there, from below."""
    while folder and not os.path.lexists(folder):
        yield folder
        folder = os.path.dirname(folder)


def _create(cassette: str, used: Collection[str]) -> tuple[str, int]:
    for number in itertools.count(1):
        path = f"{cassette}.part-{os.getpid()}-{number}"
        if os.path.basename(path) not in used:
            with contextlib.suppress(FileExistsError):
                return path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _PRIVATE)
    raise AssertionError("numbers do not end")


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
        return
    at, end = piece.start, piece.start + piece.size
    while at < end and (chunk := os.pread(piece.descriptor, min(_COPY, end - at), at)):
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
