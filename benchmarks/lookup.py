"""Finding one interaction among many: the playback machine in process, without pipes."""

from __future__ import annotations

import gc
import json
import time
from typing import Final

from benchmarks.cassettes import with_calls
from benchmarks.client import call
from benchmarks.measure import Row, medians
from mcpmock.cassette.reader import load
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.ledger import MemoryLedger
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.playback import Playback
from mcpmock.session.playing.report import Report
from mcpmock.session.story import Story

GOAL: Final = 1.3
MANY: Final = 100_000
FEW: Final = 10
REQUESTS: Final = 2000


def run(rounds: int) -> list[Row]:
    """The same number of requests to a cassette of 10 and one of 100,000 interactions, in turns."""
    contestants = {size: _machine(size) for size in (FEW, MANY)}
    gc.freeze()  # what the collector would walk through belongs to loading, not to looking up
    seconds = medians(
        {str(size): lambda machine=machine, size=size: _ask(machine, size) for size, machine in contestants.items()},
        rounds,
    )
    return [Row("look-up in 100,000 interactions", "in 10", seconds[str(MANY)] / seconds[str(FEW)], GOAL)]


def _machine(size: int) -> Library:
    return Library(Story(load(with_calls(size).encode())))


def _ask(library: Library, size: int) -> float:
    """Seconds for the requests, spread over all that was recorded; a fresh live session each time."""
    playback = Playback(library, Options(repeats=True), MemoryLedger(), Report(keep_calls=False))
    frames = [_frame(number * size // REQUESTS % size, number) for number in range(REQUESTS)]
    playback.receive(frames[0], 0.0)
    start = time.perf_counter()
    for frame in frames:
        playback.receive(frame, 0.0)
    return time.perf_counter() - start


def _frame(which: int, number: int) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call(which)}
    return json.dumps(message, separators=(",", ":")).encode()
