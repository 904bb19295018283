"""Kills a recorder, without a server, at each of its steps on the file system; a program that a test runs.

    python -m tests.transports.killing FOLDER

For every step, and for the middle of every write, one process keeps a session and is killed there. What it had kept
by then must be in the cassette, or in what salvaging, or the next recorder of the run, makes of what is left. Prints
a line for each promise that was broken, and then how many kills there were.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from mcpmock.cassette.salvaging import parts_at, salvage
from tests.transports.keeping import Recorder, asked, files_beside

STEPS: Final = ("open", "write", "pwrite", "ftruncate", "fsync", "replace", "unlink", "mkdir", "rmdir", "close")
WRITES: Final = ("write", "pwrite")
CALLS: Final = ("a", "b", "c", "d")


class Killer:
    """Counts the steps of this process, and kills it at one of them, or in the middle of one of its writes."""

    def __init__(self, at: int, *, in_the_middle: bool) -> None:
        self._left = at
        self._in_the_middle = in_the_middle
        for name in WRITES if in_the_middle else STEPS:
            setattr(os, name, self._watched(name, getattr(os, name)))

    def _watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **others: Any) -> Any:
            self._left -= 1
            if self._left == 0:
                if self._in_the_middle:
                    descriptor, data, *place = arguments
                    real(descriptor, bytes(data)[: len(data) // 2], *place)
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **others)

        return step


def record(path: Path, tell: Callable[[str], None], *, adds: bool) -> None:
    """Keep four calls; between the second and the third the client seems to have gone."""
    recorder = Recorder(path, "new", adds=adds)
    for number, name in enumerate(CALLS, 1):
        recorder.asks(name, number)
        tell(name)
        if number == len(CALLS) // 2:
            recorder.finishes()
    recorder.ends()
    tell("end")


def run_killed(path: Path, at: int, *, in_the_middle: bool, adds: bool) -> tuple[str, bool]:
    """Record in a process that is killed at a step; what it had kept by then, and whether it was killed at all."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        tell = os.write
        Killer(at, in_the_middle=in_the_middle)
        record(path, lambda name: void(tell(writer, name.encode())), adds=adds)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        kept = told.read()
    _, status = os.waitpid(child, 0)
    return kept, os.WIFSIGNALED(status)


def void(_: object) -> None:
    """Nothing."""


def broken_promises(path: Path, old: bytes, kept: str, way: str, *, adds: bool) -> list[str]:
    """What does not hold after the kill; salvages by the way given."""
    broken = []
    found = [name for names in asked(path) for name in names]
    if not set(found) & set(CALLS) and path.read_bytes() != old:
        broken.append("the old cassette was changed, though nothing was put into it")
    if way == "salvage":
        if any(".part-" in name for name in files_beside(path)):
            salvage(parts_at(str(path)), appends=True)
    else:
        Recorder(path, "new", adds=adds).asks("next").ends()
    found = [str(name) for names in asked(path) for name in names]
    lost = [name for name in kept.removesuffix("end") if name not in found]
    if lost:
        broken.append(f"{lost} are lost")
    if len(found) != len(set(found)):
        broken.append(f"something is there twice: {found}")
    if (adds or way == "salvage") and "old" not in found and not set(found) & set(CALLS):
        broken.append("what was recorded before is lost")
    if left := [name for name in files_beside(path) if ".part-" in name or way == "next"]:
        broken.append(f"left behind: {left}")
    return broken


def main(folder: Path) -> None:
    """All of them."""
    os.fsync = void  # type: ignore[assignment]  # takes most of the time, and shows nothing where only a process is killed
    kills = 0
    for way, adds in (("salvage", False), ("salvage", True), ("next", False), ("next", True)):
        for in_the_middle in (False, True):
            at, was_killed = 0, True
            while was_killed:
                at += 1
                place = folder / "c"
                for used in (place, folder / "tmp"):
                    shutil.rmtree(used, ignore_errors=True)
                    used.mkdir()
                path = place / "cassette.yaml"
                Recorder(path, "old").asks("old").ends()
                old = path.read_bytes()
                kept, was_killed = run_killed(path, at, in_the_middle=in_the_middle, adds=adds)
                kills += was_killed
                for problem in broken_promises(path, old, kept, way, adds=adds):
                    print(json.dumps([way, {"adds": adds, "in_the_middle": in_the_middle, "at": at}, problem]))
    print(kills)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
