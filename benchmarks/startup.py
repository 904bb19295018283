"""`mcpmock replay`: from spawn to the first answer, in a clean virtual environment made for it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.cassettes import with_calls
from benchmarks.client import seconds_of_nothing, seconds_to_first_answer
from benchmarks.measure import Row, medians

ROOT: Final = Path(__file__).parent.parent
GOAL: Final = 4.5
ROUNDS_FACTOR: Final = 3
CALLS: Final = 24  # and the handshake: about 50 messages


def run(rounds: int) -> list[Row]:
    """Start a replay of 50 messages, and an interpreter that does nothing, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "venv"
        cassette = Path(folder) / "fifty.yaml"
        cassette.write_text(with_calls(CALLS))
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, str(ROOT)], check=True)
        python, mcpmock = str(environment / "bin" / "python"), str(environment / "bin" / "mcpmock")

        replay = [mcpmock, "replay", str(cassette)]
        contestants = {"replay": lambda: seconds_to_first_answer(replay), "nothing": lambda: seconds_of_nothing(python)}
        seconds = medians(contestants, rounds * ROUNDS_FACTOR)
    return [Row("replay: spawn to first answer", "python -c pass", seconds["replay"] / seconds["nothing"], GOAL)]
