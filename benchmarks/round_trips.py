"""`mcpmock replay`: round trips of a raw client, against a bare Python loop over the same pipes."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.cassettes import with_calls
from benchmarks.client import seconds_of_calls
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
        seconds = medians(
            {
                "replay": lambda: sum(seconds_of_calls(replay, CALLS)),
                "bare": lambda: sum(seconds_of_calls(bare, CALLS)),
            },
            rounds,
        )
    return [Row("replay: round trip", "bare Python loop", seconds["replay"] / seconds["bare"], GOAL)]
