"""Writing a cassette, against `yaml.CSafeDumper` on the same data."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import yaml

from benchmarks.measure import Row, medians
from benchmarks.recorded import MEGABYTE, blob, chatter, prose, typical
from mcpmock.cassette.model import Cassette
from mcpmock.cassette.writer import dump

GOAL: Final = 1.0
VERY_WIDE: Final = 2**31 - 1  # so that they fold no lines either


def run(rounds: int) -> list[Row]:
    """Both give readable text in block style, with the characters as they are."""
    return [
        _row("saving 1 MB of typical traffic", typical(MEGABYTE), rounds),
        _row("saving 1 MB of small messages", chatter(MEGABYTE), rounds),
        _row("saving a string of 20 MB", blob(20 * MEGABYTE), rounds),
        _row("saving 20 MB of lines of text", prose(20 * MEGABYTE), rounds),
    ]


def _row(what: str, cassette: Cassette, rounds: int) -> Row:
    data = yaml.load(dump(cassette), Loader=yaml.CSafeLoader)
    contestants = {"ours": lambda: _seconds(lambda: dump(cassette)), "theirs": lambda: _seconds(lambda: _theirs(data))}
    seconds = medians(contestants, rounds)
    return Row(what, "yaml.CSafeDumper", seconds["ours"] / seconds["theirs"], GOAL)


def _theirs(data: Any) -> str:
    text: str = yaml.dump(data, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=VERY_WIDE)
    return text


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
