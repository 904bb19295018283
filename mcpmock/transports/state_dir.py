"""A ledger in a folder: what separate replay processes of one cassette know of each other (`--state DIR`).

Each claim is an empty file that is created exclusively, so of two processes one succeeds; nothing is ever changed.
"""

from __future__ import annotations

import os
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence

from mcpmock.errors import McpmockError, UsageError

__all__ = ["FolderLedger"]


class FolderLedger:
    """The ledger of all processes that name the same folder, for one server of one cassette (see `Ledger`).

    Raises McpmockError where the folder cannot be written to, UsageError where it is none.
    """

    def __init__(self, folder: str, cassette: str, server: str) -> None:
        if os.path.exists(folder) and not os.path.isdir(folder):
            raise UsageError(f"--state {folder}: Not a directory, but a file; name a folder")
        stem = re.sub(r"[^A-Za-z0-9._-]+", "_", os.path.basename(cassette))
        mark = zlib.crc32(f"{os.path.realpath(cassette)}\0{server}".encode("utf-8", "surrogateescape"))
        self._folder = os.path.join(folder, f"{stem}-{mark:08x}")
        self._seen = 0  # the round that was looked at last
        try:
            os.makedirs(self._folder_of(0), exist_ok=True)
        except OSError as error:
            raise McpmockError(f"--state {folder}: {error.strerror}") from error

    def take(self, session: int) -> bool:
        """Takes a recorded session; False where it is taken already."""
        return self._create(self._mark_of(session))

    def is_taken(self, session: int) -> bool:
        """See `Ledger`."""
        return os.path.exists(self._mark_of(session))

    def take_first(self, sessions: Sequence[int]) -> int | None:
        """See `Ledger`."""
        return next((at for at, session in enumerate(sessions) if self.take(session)), None)

    def claim(self, interaction: int, times: int) -> bool:
        """See `Ledger`."""
        folder = self._round()
        return any(self._create(os.path.join(folder, f"play-{interaction}-{nth}")) for nth in range(times))

    def counts(self) -> Mapping[int, int]:
        """See `Ledger`."""
        plays = [name for name in os.listdir(self._round()) if name.startswith("play-")]
        return Counter(int(name.split("-")[1]) for name in plays)

    def reach(self, position: int) -> None:
        """See `Ledger`."""
        self._create(os.path.join(self._round(), f"position-{position}"))

    def position(self) -> int:
        """See `Ledger`."""
        return max(_numbers("position-", self._round()), default=0)

    def restart(self) -> None:
        """See `Ledger`. Of several processes that find the same round used up, the first begins the next one."""
        os.makedirs(self._folder_of(self._seen + 1), exist_ok=True)

    def _mark_of(self, session: int) -> str:
        return os.path.join(self._folder, f"session-{session}")

    def _round(self) -> str:
        while os.path.isdir(self._folder_of(self._seen + 1)):
            self._seen += 1
        return self._folder_of(self._seen)

    def _folder_of(self, number: int) -> str:
        return os.path.join(self._folder, f"round-{number}")

    @staticmethod
    def _create(path: str) -> bool:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        return True


def _numbers(prefix: str, folder: str) -> list[int]:
    return [int(name.removeprefix(prefix)) for name in os.listdir(folder) if name.startswith(prefix)]
