"""`mcpmock record`: what it adds to a round trip, against what a bare pump of bytes adds."""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.client import RawClient, call
from benchmarks.measure import Row

GOAL: Final = 1.5
CALLS: Final = 3000
FIRST: Final = 1000  # not counted: a recorder imports what it needs while the first messages pass
HERE: Final = Path(__file__).parent
SERVER: Final = (sys.executable, str(HERE / "bare_server.py"), str(CALLS))


class Latency(NamedTuple):
    """Seconds of one round trip: the median, and what 1 in 100 takes at least."""

    median: float
    p99: float


def run(rounds: int) -> list[Row]:
    """A server directly, behind the pump, and behind the recorder, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        record = [sys.executable, "-m", "mcpmock", "record", "-o", str(Path(folder) / "calls.yaml"), "--", *SERVER]
        commands = {"direct": SERVER, "pump": (sys.executable, str(HERE / "pump.py"), *SERVER), "record": record}
        taken: dict[str, list[Latency]] = {name: [] for name in commands}
        for number in range(rounds + 1):
            for name, command in commands.items():
                latency = _drive(command)
                if number:  # the first round warms up
                    taken[name].append(latency)
    return [
        Row(f"record: added to a round trip, {what}", "what a bare pump adds", _added(taken, column), GOAL)
        for column, what in enumerate(("median", "p99"))
    ]


def _added(taken: dict[str, list[Latency]], column: int) -> float:
    direct, pump, record = (
        statistics.median(latency[column] for latency in taken[name]) for name in ("direct", "pump", "record")
    )
    if pump <= direct:
        return math.nan  # the machine is too busy: what is measured drowns in what else goes on
    return (record - direct) / (pump - direct)


def _drive(command: Sequence[str]) -> Latency:
    seconds: list[float] = []
    with RawClient(command) as client:
        for number in range(CALLS):
            start = time.perf_counter()
            client.request("tools/call", call(number), number + 1)
            if number >= FIRST:
                seconds.append(time.perf_counter() - start)
    seconds.sort()
    return Latency(seconds[len(seconds) // 2], seconds[len(seconds) * 99 // 100])
