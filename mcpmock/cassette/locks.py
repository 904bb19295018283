"""Locks on open files, which end with the process that holds them, however it ends."""

from __future__ import annotations

import fcntl


def lock(descriptor: int) -> bool:
    """Lock an open file for ourselves, without waiting; False if somebody else holds it.

    Raises OSError where the file system has no locks.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
