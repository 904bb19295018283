"""Reading a cassette, against `yaml.CSafeLoader` on the same bytes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import yaml

from benchmarks.measure import Row, medians
from benchmarks.recorded import MEGABYTE, blob, chatter, typical
from mcpmock.cassette.model import Cassette
from mcpmock.cassette.reader import load
from mcpmock.cassette.writer import dump

GOAL: Final = 4.0


def run(rounds: int) -> list[Row]:
    """Files as we write them; the largest in fewer rounds."""
    return [
        _row("loading 1 MB of typical traffic", typical(MEGABYTE), rounds),
        _row("loading 1 MB of small messages", chatter(MEGABYTE), rounds),
        _row("loading a string of 20 MB", blob(20 * MEGABYTE), rounds),
        _row("loading 20 MB of typical traffic", typical(20 * MEGABYTE), 1),
    ]


def _row(what: str, cassette: Cassette, rounds: int) -> Row:
    data = dump(cassette).encode()
    contestants = {
        "ours": lambda: _seconds(load, data),
        "theirs": lambda: _seconds(lambda data: yaml.load(data, Loader=yaml.CSafeLoader), data),
    }
    seconds = medians(contestants, rounds)
    return Row(what, "yaml.CSafeLoader", seconds["theirs"] / seconds["ours"], GOAL, at_least=True)


def _seconds(reader: Callable[[bytes], Any], data: bytes) -> float:
    start = time.perf_counter()
    reader(data)
    return time.perf_counter() - start
