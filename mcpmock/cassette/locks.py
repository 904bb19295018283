"""Locks on open files, which end with the process that holds them, however it ends."""

from __future__ import annotations

import sys

if sys.platform == "win32":  # untested
    import msvcrt

    def lock(descriptor: int, *, wait: bool) -> bool:
        """Lock an open file for ourselves; False if somebody else holds it and we do not wait (10 seconds at most)."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def lock(descriptor: int, *, wait: bool) -> bool:
        """Lock an open file for ourselves; False if somebody else holds it and we do not wait."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
