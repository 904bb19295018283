"""The command of a fixture: from spawn to the first answer, and round trips, through a relay."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Final

import mcpmock
from benchmarks.cassettes import with_calls
from benchmarks.client import RawClient, seconds_of_calls, seconds_of_nothing
from benchmarks.measure import Row, medians

STARTUP: Final = 1.5
ROUND_TRIP: Final = 3.0
CALLS: Final = 2000
FEW: Final = 24  # and the handshake: about 50 messages
BARE: Final = (sys.executable, str(Path(__file__).with_name("bare_server.py")), str(CALLS))


def run(rounds: int) -> list[Row]:
    """A fixture's server, a bare interpreter and a bare loop, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder) / "few.yaml", Path(folder) / "many.yaml"
        few.write_text(with_calls(FEW))
        many.write_text(with_calls(CALLS))
        starts = medians(
            {"relay": lambda: _start(few), "nothing": lambda: seconds_of_nothing(sys.executable)}, rounds * 3
        )
        trips = medians(
            {"relay": lambda: _drive_mock(many), "bare": lambda: sum(seconds_of_calls(BARE, CALLS))}, rounds
        )
    return [
        Row("fixture: spawn to first answer", "python -c pass", starts["relay"] / starts["nothing"], STARTUP),
        Row("fixture: round trip", "bare Python loop", trips["relay"] / trips["bare"], ROUND_TRIP),
    ]


def _start(cassette: Path) -> float:
    with mcpmock.replay(cassette, allow_unplayed=True) as server, RawClient(server.command) as client:
        return client.seconds_to_first_answer


def _drive_mock(cassette: Path) -> float:
    with mcpmock.replay(cassette) as server:
        return sum(seconds_of_calls(server.command, CALLS))
