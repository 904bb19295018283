"""How to compare: contestants take turns, round by round, and their medians are divided."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from typing import NamedTuple

Contestant = Callable[[], float]
"""Does its work once and returns the seconds that count."""


class Row(NamedTuple):
    """One line of the table: what is measured, against what, the ratio, and the goal.

    `at_least` tells that the goal is a lower bound (how many times *faster*); else it is an upper one. A ratio that
    could not be measured is NaN, and reaches no goal. What stands beside for comparison has no goal.
    """

    what: str
    against: str
    ratio: float
    goal: float | None = None
    at_least: bool = False

    @property
    def is_reached(self) -> bool:
        """Whether the ratio meets its goal."""
        if self.goal is None:
            return True
        return self.ratio >= self.goal if self.at_least else self.ratio <= self.goal


def medians(contestants: Mapping[str, Contestant], rounds: int) -> dict[str, float]:
    """The median seconds of each, measured in turns, so that a busy moment hits them all; one round warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(rounds + 1):
        for name, contestant in contestants.items():
            taken = contestant()
            if number:
                seconds[name].append(taken)
    return {name: statistics.median(taken) for name, taken in seconds.items()}


def table(rows: list[Row]) -> str:
    """The rows as text for people."""
    cells = [("what", "against", "ratio", "goal", "")]
    for row in rows:
        goal = "" if row.goal is None else f"{'≥' if row.at_least else '≤'} {row.goal} x"
        cells.append((row.what, row.against, f"{row.ratio:.2f} x", goal, "" if row.is_reached else "missed"))
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )
