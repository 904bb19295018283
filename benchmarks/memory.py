"""`mcpmock record`: the memory that a recorder takes after a million messages, against after ten thousand."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from benchmarks.measure import Row

GOAL: Final = 1.1
FEW: Final = 10_000
MANY: Final = 1_000_000
TIME: Final = 4  # bytes for the time of each entry, which the goal leaves out
PATIENCE: Final = 900.0

SERVER: Final = """
import os, sys
COUNT = int(sys.argv[1])
LINE = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"line %d of a long story"}}\\n'
def send(data):
    while data:
        data = data[os.write(1, data):]
sys.stdin.buffer.readline()
for first in range(0, COUNT, 100):
    send(b"".join(LINE % number for number in range(first, first + 100)))
send(b'{"jsonrpc":"2.0","id":1,"result":{}}\\n')
sys.stdin.buffer.read()
"""
REQUEST: Final = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
LAST: Final = b"- server: {id: 1, result: {}}"


def run(rounds: int) -> list[Row]:
    """Each once, whatever the number of rounds: a million messages take minutes, and what is counted are bytes."""
    few, many = _memory(FEW), _memory(MANY) - TIME * MANY
    return [Row("record: memory after 1,000,000 messages", "after 10,000", many / few, GOAL)]


def _memory(count: int) -> float:
    """Bytes of memory that a recorder takes when it has written down so many messages, sent as fast as they can be."""
    with tempfile.TemporaryDirectory() as folder:
        cassette = Path(folder) / "flood.yaml"
        words = [sys.executable, "-m", "mcpmock", "record", "-o", str(cassette), "--", sys.executable, "-c", SERVER]
        process = subprocess.Popen(
            [*words, str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with process:
            process.stdin.write(REQUEST)
            process.stdin.flush()
            while b'"id":1' not in os.read(process.stdout.fileno(), 1 << 16)[-100:]:
                pass
            _await_last_entry(Path(folder))
            memory = _taken(process.pid)
    return memory


def _await_last_entry(folder: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for part in folder.glob("*.part-*"):
            with part.open("rb") as file:
                file.seek(max(0, part.stat().st_size - 200))
                if LAST in file.read():
                    time.sleep(1.0)  # what it gives back it gives back after this
                    return
        time.sleep(0.2)
    raise AssertionError("the recorder does not come to the end")


def _taken(recorder: int) -> float:
    """Bytes of physical memory of a recorder and of the process in which it thinks; NaN where the system is silent.

    That one is a fork, so pages that both have count once.
    """
    try:
        processes = [recorder, *_forks(recorder)]
        maps = [Path(f"/proc/{process}/smaps_rollup").read_text() for process in processes]
    except OSError:
        return math.nan
    return sum(int(text.split("\nPss:")[1].split()[0]) * 1024.0 for text in maps)


def _forks(parent: int) -> list[int]:
    """The children of a process that run the same program, which the server does not."""
    command = Path(f"/proc/{parent}/cmdline").read_bytes()
    children = (
        int(child) for listed in Path(f"/proc/{parent}/task").glob("*/children") for child in listed.read_text().split()
    )
    return [child for child in children if Path(f"/proc/{child}/cmdline").read_bytes() == command]
