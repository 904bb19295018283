"""`mcpmock record`: what it adds to a round trip, against what a bare pump of bytes adds."""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.client import seconds_of_calls
from benchmarks.measure import Row

GOAL: Final = 1.5
CALLS: Final = 3000
FIRST: Final = 1000  # not counted: a recorder imports what it needs while the first messages pass
HERE: Final = Path(__file__).parent
SERVER: Final = (sys.executable, str(HERE / "bare_server.py"), str(CALLS))
PUMP: Final = (sys.executable, str(HERE / "pump.py"), *SERVER)


class Latency(NamedTuple):
    """Seconds of one round trip: the median, and what 1 in 100 takes at least."""

    median: float
    p99: float


def run(rounds: int) -> list[Row]:
    """A server directly, behind the pump, and behind the recorder, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        record = [sys.executable, "-m", "mcpmock", "record", "-o", str(Path(folder) / "calls.yaml"), "--", *SERVER]
        commands = {"direct": SERVER, "pump": PUMP, "record": record}
        taken = in_turns(commands, rounds)
    return [*rows_of(taken, 0, "median"), *rows_of(taken, 1, "p99")]


def rows_of(taken: Mapping[str, Sequence[Latency]], column: int, what: str) -> Iterator[Row]:
    """What the recorder adds, and beside it the whole: the former is the difference of two noises."""
    yield Row(f"record: added to a round trip, {what}", "what a bare pump adds", added(taken, "record", column), GOAL)
    yield Row(f"record: a round trip, {what}", "through a bare pump", whole(taken, "record", column))


def latency(command: Sequence[str]) -> Latency:
    """Of the calls behind the first ones."""
    seconds = sorted(seconds_of_calls(command, CALLS)[FIRST:])
    return Latency(seconds[len(seconds) // 2], seconds[len(seconds) * 99 // 100])


def added(taken: Mapping[str, Sequence[Latency]], recorder: str, column: int) -> float:
    """What a recorder adds to a round trip, over what the pump adds; by the medians of the rounds.

    Which core a process wakes on can cost more than either adds: 0 where the recorder was no slower than nothing, NaN
    where that was so of the pump alone.
    """
    direct, pump, record = (typical(taken[name], column) for name in ("direct", "pump", recorder))
    if record <= direct:
        return 0.0
    return (record - direct) / (pump - direct) if pump > direct else math.nan


def whole(taken: Mapping[str, Sequence[Latency]], recorder: str, column: int) -> float:
    """A round trip through a recorder, over one through the pump."""
    return typical(taken[recorder], column) / typical(taken["pump"], column)


def typical(latencies: Sequence[Latency], column: int) -> float:
    """The median of the rounds, in seconds."""
    return statistics.median(latency[column] for latency in latencies)


def in_turns(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, list[Latency]]:
    """The latencies of each, round by round; one round warms up."""
    taken: dict[str, list[Latency]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            found = latency(command)
            if number:
                taken[name].append(found)
    return taken
