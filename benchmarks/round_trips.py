"""`mcpmock replay`: round trips of a raw client, against a bare Python loop over the same pipes."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.cassettes import with_calls
from benchmarks.client import RawClient, call
from benchmarks.measure import Row, medians

GOAL: Final = 1.3
CALLS: Final = 2000
BARE: Final = str(Path(__file__).with_name("bare_server.py"))


def run(rounds: int) -> list[Row]:
    """Some thousand different calls, one after another, to each in turn."""
    with tempfile.TemporaryDirectory() as folder:
        cassette = Path(folder) / "calls.yaml"
        cassette.write_text(with_calls(CALLS))
        replay = [sys.executable, "-m", "mcpmock", "replay", str(cassette)]
        bare = [sys.executable, BARE, str(CALLS)]
        seconds = medians({"replay": lambda: _drive(replay), "bare": lambda: _drive(bare)}, rounds)
    return [Row("replay: round trip", "bare Python loop", seconds["replay"] / seconds["bare"], GOAL)]


def _drive(command: Sequence[str]) -> float:
    with RawClient(command) as client:
        start = time.perf_counter()
        for number in range(CALLS):
            client.request("tools/call", call(number), number + 1)
        return time.perf_counter() - start
