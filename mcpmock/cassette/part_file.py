"""Part files: what is recorded while it comes, in a file that is valid after every append."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Collection, Iterator
from typing import Final

from mcpmock.cassette.files import Slice
from mcpmock.cassette.locks import lock

_PRIVATE: Final = 0o600


class PartFile:
    """The file of a session while it is recorded: `NAME.yaml.part-PID-N`, locked, a valid cassette after every append.

    Its first byte is what makes an append count: it is written last, and is zero until then. So a recorder that is
    killed while it writes leaves nothing that could be taken for an entry.
    """

    def __init__(self, cassette: str, *, used: Collection[str] = (), first: int = 1) -> None:
        """Make one beside the cassette (and its folder, if there is none). Raises OSError.

        `used` are names that stand for something already, though there may be no such file; `first` is the first
        number that may be free.
        """
        folder = os.path.dirname(cassette) or "."
        self._made = list(_missing(folder))
        os.makedirs(folder, exist_ok=True)
        self.path, self.number, self._descriptor = _create(cassette, used, first)
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
        source = self.path if self._descriptor < 0 else self._descriptor
        return Slice(source, self._head, self._end - self._head)

    def sleep(self) -> None:
        """Give back the descriptor until something is appended: meanwhile it is not locked, and others may take it."""
        self.close()

    def wake(self) -> bool:
        """Have a descriptor again; False if somebody has taken the file meanwhile, or is about to. Raises OSError."""
        if self._descriptor >= 0:
            return True
        with contextlib.suppress(FileNotFoundError):
            descriptor = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
            if _is_free_or_lockless(descriptor) and os.fstat(descriptor).st_nlink:
                self._descriptor = descriptor
                return True
            os.close(descriptor)
        return False

    @property
    def is_there(self) -> bool:
        """Whether it is still ours to read."""
        return self._descriptor >= 0 or os.path.exists(self.path)

    def close(self) -> None:
        """Leave it where it is, unlocked."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

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


def _create(cassette: str, used: Collection[str], first: int) -> tuple[str, int, int]:
    for number in itertools.count(first):
        path = f"{cassette}.part-{os.getpid()}-{number}"
        if os.path.basename(path) not in used:
            with contextlib.suppress(FileExistsError):
                return path, number, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _PRIVATE)
    raise AssertionError("numbers do not end")


def _is_free_or_lockless(descriptor: int) -> bool:
    try:
        return lock(descriptor)
    except OSError:  # a file system without locks
        return True
