"""Hostile files: how long the worst of them keeps a reader busy."""

from __future__ import annotations

import contextlib
import time
from functools import partial
from typing import Final

from benchmarks.measure import Row, medians
from mcpmock.cassette.reader import load
from mcpmock.errors import CassetteError
from tests.fuzz.hostile import HOSTILE

MOST: Final = 1.0
"""Seconds that any of them may take."""


def run(rounds: int) -> list[Row]:
    """Each of the files that fuzzing knows, up to 8 MiB."""
    taken = medians({name: partial(seconds, data) for name, data in HOSTILE.items()}, rounds)
    worst = max(taken, key=lambda name: taken[name])
    return [Row(f"reading or refusing the worst hostile file ({worst})", "a second", taken[worst] / MOST, 1.0)]


def seconds(data: bytes) -> float:
    """To read it, or to refuse it."""
    start = time.perf_counter()
    with contextlib.suppress(CassetteError):
        load(data, path="hostile.yaml")
    return time.perf_counter() - start
