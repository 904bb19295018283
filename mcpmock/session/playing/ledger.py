"""What live sessions that play the same cassette know of each other: which recorded sessions are taken, and what of
a joined timeline has been played (DESIGN 4, "Sessions")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

__all__ = ["Ledger", "MemoryLedger"]


class Ledger(Protocol):
    """Shared by all live sessions of a server. Each claim succeeds for one of them only."""

    def take_first(self, sessions: Sequence[int]) -> int | None:
        """Takes the first of these recorded sessions that is free, and tells its place; None where none is."""
        ...

    def is_taken(self, session: int) -> bool:
        """Whether some live session has taken this recorded one."""
        ...

    def claim(self, interaction: int, times: int) -> bool:
        """Takes one of the `times` plays of an interaction of the joined timeline; False where none is left."""
        ...

    def counts(self) -> Mapping[int, int]:
        """How often each interaction of the joined timeline has been taken; those that never were may be missing."""
        ...

    def reach(self, position: int) -> None:
        """A change of the joined timeline was answered: live sessions are at this position, or beyond it already."""
        ...

    def position(self) -> int:
        """The position of the joined timeline."""
        ...

    def restart(self) -> None:
        """Starts the joined timeline anew."""
        ...


class MemoryLedger:
    """The ledger of live sessions within one process."""

    def __init__(self) -> None:
        self._taken: set[int] = set()
        self._cursors: dict[int, tuple[Sequence[int], int]] = {}  # by identity: the sessions, how many are taken
        self._counts: dict[int, int] = {}
        self._position = 0

    def take_first(self, sessions: Sequence[int]) -> int | None:
        """See `Ledger`. Takes no longer where thousands are taken, if it is asked with the same object."""
        _, at = self._cursors.get(id(sessions), (sessions, 0))
        while at < len(sessions) and sessions[at] in self._taken:
            at += 1
        self._taken.update(sessions[at : at + 1])
        self._cursors[id(sessions)] = (sessions, at)
        return at if at < len(sessions) else None

    def is_taken(self, session: int) -> bool:
        """See `Ledger`."""
        return session in self._taken

    def claim(self, interaction: int, times: int) -> bool:
        """See `Ledger`."""
        taken = self._counts.get(interaction, 0)
        if taken >= times:
            return False
        self._counts[interaction] = taken + 1
        return True

    def counts(self) -> Mapping[int, int]:
        """See `Ledger`."""
        return self._counts

    def reach(self, position: int) -> None:
        """See `Ledger`."""
        self._position = max(self._position, position)

    def position(self) -> int:
        """See `Ledger`."""
        return self._position

    def restart(self) -> None:
        """See `Ledger`."""
        self._counts.clear()
        self._position = 0
