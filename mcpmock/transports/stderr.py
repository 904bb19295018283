"""Words for people, on a descriptor that perhaps nobody reads: they never hold up the session."""

from __future__ import annotations

import os
import time
from typing import Final

__all__ = ["PATIENCE", "Stderr", "open_standard_descriptors"]

PATIENCE: Final = 1.0
"""Seconds, in all, for which a reader that does not keep up is waited for; what it has no room for then is dropped."""

_PIECE: Final = 4096
"""What a pipe takes without blocking once it is ready for more (PIPE_BUF)."""


class Stderr:
    """A descriptor to tell people something on, as fast as they read and no longer than `patience` seconds."""

    def __init__(self, descriptor: int = 2, patience: float = PATIENCE) -> None:
        self._descriptor = descriptor
        self._patience = patience

    def write(self, data: bytes) -> None:
        """Writes the text, or as much of it as there is room for; where nobody reads it, nobody misses it."""
        rest = memoryview(data)
        try:
            while rest and self._is_ready():
                rest = rest[os.write(self._descriptor, rest[:_PIECE]) :]
        except OSError:
            self._patience = 0.0

    def _is_ready(self) -> bool:
        import select

        if not hasattr(select, "poll"):
            return True  # Windows
        poll = select.poll()
        poll.register(self._descriptor, select.POLLOUT)
        if poll.poll(0):
            return True
        begun = time.monotonic()
        is_ready = bool(poll.poll(self._patience * 1000))
        self._patience = max(0.0, self._patience - (time.monotonic() - begun))
        return is_ready


def open_standard_descriptors() -> None:
    """Open what is closed of 0, 1 and 2, so that no file of ours ends up there."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
