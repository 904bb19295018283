"""The rivals beside us: the same measurements, each over the same bound, in turns.

Every program has a virtual environment of its own, made for this with one interpreter of Python 3.12 or later, which
one of the rivals needs. Each replays what it has recorded itself.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.client import seconds_of_calls, seconds_of_nothing, seconds_to_first_answer
from benchmarks.measure import Row, medians
from benchmarks.recording import PUMP, SERVER, added, in_turns

ROOT: Final = Path(__file__).parent.parent
FEW: Final = 24  # and the handshake: about 50 messages
MANY: Final = 1000
CANDIDATES: Final = ("python3", "python3.12", "python3.13", "python3.14")


class Program(NamedTuple):
    """A program that records and replays: what pip installs, and its commands, in which `{}` is the file."""

    requirement: str
    record: tuple[str, ...]
    replay: tuple[str, ...]


PROGRAMS: Final[Mapping[str, Program]] = {
    "mcpmock": Program(str(ROOT), ("mcpmock", "record", "-o", "{}", "--"), ("mcpmock", "replay", "{}")),
    "mcp-rec": Program("mcp-rec==0.1.1", ("mcp-rec", "record", "-o", "{}", "--"), ("mcp-rec", "replay", "{}")),
    "mcp-cassette": Program(
        "mcp-cassette==0.4.0",
        ("mcp-cassette", "record", "--cassette", "{}", "--"),
        ("mcp-cassette", "serve", "{}"),
    ),
}


class Installed(NamedTuple):
    """A program in its environment, with a folder for its files."""

    program: Program
    environment: Path
    folder: Path

    def record(self, calls: int) -> list[str]:
        """The command that records a server which can answer so many calls."""
        server = [*SERVER[:-1], str(calls)]
        return [*self._command(self.program.record, calls), *server]

    def replay(self, calls: int) -> list[str]:
        """The command that replays what was recorded of it."""
        return self._command(self.program.replay, calls)

    def _command(self, words: tuple[str, ...], calls: int) -> list[str]:
        name, *arguments = words
        file = str(self.folder / f"{calls}.cassette")
        return [str(self.environment / "bin" / name), *(word.replace("{}", file) for word in arguments)]


def run(rounds: int, python: str = "") -> list[Row]:
    """All of them with an interpreter: the one that is named, else the first found that is new enough."""
    interpreter = python or _new_enough()
    with tempfile.TemporaryDirectory() as folder:
        installed = {name: _install(name, program, interpreter, Path(folder)) for name, program in PROGRAMS.items()}
        for each in installed.values():
            for calls in (FEW, MANY):
                seconds_of_calls(each.record(calls), calls)
        return [
            *_starts(installed, interpreter, rounds),
            *_trips(installed, interpreter, rounds),
            *_added(installed, interpreter, rounds),
        ]


def _starts(installed: Mapping[str, Installed], python: str, rounds: int) -> list[Row]:
    replays = {name: each.replay(FEW) for name, each in installed.items()}
    contestants = {name: (lambda words=words: seconds_to_first_answer(words)) for name, words in replays.items()}
    seconds = medians({**contestants, "": lambda: seconds_of_nothing(python)}, rounds)
    return [
        Row(f"{name}: replay, spawn to first answer", "python -c pass", seconds[name] / seconds[""])
        for name in installed
    ]


def _trips(installed: Mapping[str, Installed], python: str, rounds: int) -> list[Row]:
    commands: dict[str, list[str]] = {name: each.replay(MANY) for name, each in installed.items()}
    commands[""] = [python, *SERVER[1:-1], str(MANY)]
    contestants = {name: (lambda words=words: _median_call(words)) for name, words in commands.items()}
    seconds = medians(contestants, rounds)
    return [
        Row(f"{name}: replay, round trip, median", "bare Python loop", seconds[name] / seconds[""])
        for name in installed
    ]


def _median_call(command: list[str]) -> float:
    return statistics.median(seconds_of_calls(command, MANY))


def _added(installed: Mapping[str, Installed], python: str, rounds: int) -> list[Row]:
    commands = {name: each.record(int(SERVER[-1])) for name, each in installed.items()}
    taken = in_turns({**commands, "direct": SERVER, "pump": (python, *PUMP[1:])}, rounds)
    return [
        Row(f"{name}: record, added to a round trip, {what}", "what a bare pump adds", added(taken, name, column))
        for column, what in enumerate(("median", "p99"))
        for name in installed
    ]


def _install(name: str, program: Program, python: str, folder: Path) -> Installed:
    environment, files = folder / f"{name}-venv", folder / name
    files.mkdir()
    subprocess.run([python, "-m", "venv", environment], check=True)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, program.requirement], check=True)
    return Installed(program, environment, files)


def _new_enough() -> str:
    for python in (sys.executable, *CANDIDATES):
        asked = [python, "-c", "import sys; sys.exit(sys.version_info < (3, 12))"]
        try:
            if subprocess.run(asked, capture_output=True).returncode == 0:
                return python
        except OSError:
            continue
    raise SystemExit("no Python of 3.12 or later is on the path; name one: --rivals PYTHON")
