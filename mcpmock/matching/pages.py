"""What people read about misses and unplayed interactions. Imported only where there is one."""

from __future__ import annotations

from collections.abc import Sequence

from mcpmock.matching.miss import Miss
from mcpmock.matching.nearest import Candidate


def page(miss: Miss) -> str:
    """The page about a miss, for stderr and for a failing test; ends with a line end."""
    return f"mcpmock: {miss.kind}\n"


def unplayed_page(unplayed: Sequence[Candidate]) -> str:
    """The page about recorded interactions that were never played; ends with a line end."""
    return f"mcpmock: {len(unplayed)} unplayed\n"


def summary(played: int, misses: Sequence[Miss], unplayed: int = 0) -> str:
    """The closing line of a replay; ends with a line end."""
    return f"mcpmock: {played} played, {len(misses)} missed, {unplayed} unplayed\n"
