"""One server and one client: directly, through the recorder, and against the replay of what it wrote."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.e2e.scenarios import SCENARIOS, Steps, by_itself
from tests.e2e.software import CLIENTS, SERVERS, Client, fresh
from tests.program import ENVIRONMENT, MCPMOCK, run

SECONDS: Final = 120

Log = list[list[Any]]

VOLATILE: Final = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.]\d+)?(Z|[+-]\d\d:\d\d)?|(?<=day_of_week\\\": \\\")\w+"
    r"|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
)
"""What servers vary from one run to the next: the time, the names of sessions."""


def exactly(log: Log) -> Log:
    """All of it, in its order."""
    return log


class Played(NamedTuple):
    """What the client saw, three times; how the replays ended; what `check` says of the cassette.

    Where the order of two streams is chance, `counted_live` and `counted_replayed` leave out what depends on it: of two
    runs of the server, and of what came through the recorder and of the replay.
    """

    direct: Log
    recorded: Log
    replayed: Log
    replay_exit_codes: list[int]
    check: str
    counted_live: Callable[[Log], Log] = exactly
    counted_replayed: Callable[[Log], Log] = exactly

    @property
    def faults(self) -> list[str]:
        """What is not as it must be, in words; empty if a client can tell nothing."""
        found = [
            f"{name}: the client failed: {entry[1].strip().splitlines()[-1]}"
            for name, log in (("direct", self.direct), ("recorded", self.recorded), ("replayed", self.replayed))
            for entry in log
            if entry[0] == "failed"
        ]
        found += [f"direct: {entry[1]}: {entry[2]}" for entry in self.direct if entry[0] == "step" and _waits(entry[2])]
        if told := steady_difference(self.counted_live(self.direct), self.counted_live(self.recorded)):
            found.append(f"recorded: {told}")
        recorded, replayed = self.counted_replayed(self.recorded), self.counted_replayed(self.replayed)
        if replayed != recorded:
            found.append(f"replayed: {difference(recorded, replayed)}")
        if any(self.replay_exit_codes):
            found.append(f"replay: exit codes {self.replay_exit_codes}")
        if self.check:
            found.append(f"check: {self.check}")
        return found

    def counted(self, what: str) -> int:
        """How many steps, or how many events, the replay had."""
        return sum(entry[0] == what for entry in self.replayed)


def play(server_name: str, client_name: str, folder: Path) -> Played:
    """Play a pair in a folder of its own, which keeps the cassette and what the client saw."""
    server, client = SERVERS[server_name], CLIENTS[client_name]
    work = folder / "work"
    steps = SCENARIOS[server.scenario](work)
    steps = by_itself(steps) if client.starts_each_time else steps
    command = server.command(work)
    cassette = folder / "session.yaml"
    logs = {}
    for name, started in (("direct", command), ("recorded", [*MCPMOCK, "record", "-o", str(cassette), "--", *command])):
        server.prepare(fresh(work))
        logs[name] = drive(client, steps, started, folder, server.environment(work))
    shutil.rmtree(work)  # a replay needs nothing of it
    replayed, codes = replay(client_name, steps, cassette, folder)
    for name, log in {**logs, "replayed": replayed}.items():
        (folder / f"{name}.json").write_text(json.dumps(log, indent=1))
    checked = run("check", str(cassette))
    said = (checked.stdout + checked.stderr).decode() if checked.returncode else ""
    return Played(logs["direct"], logs["recorded"], replayed, codes, said)


def replay(client_name: str, steps: Steps, cassette: Path, folder: Path) -> tuple[Log, list[int]]:
    """Do the steps against the replay of a cassette: what the client saw, and the exit codes of the replays."""
    return replay_to(CLIENTS[client_name], steps, cassette, folder)


def replay_to(client: Client, steps: Steps, cassette: Path, folder: Path) -> tuple[Log, list[int]]:
    """The same for a client of which the table of clients need not know."""
    codes = folder / "exit-codes"
    shared = ["--state", str(folder / "state")] if client.starts_each_time else []
    command = _telling_exit_codes(codes, [*MCPMOCK, "replay", *shared, str(cassette)])
    log = drive(client, steps, command, folder, {})
    return log, [int(code) for code in codes.read_text().split()]


def drive(client: Client, steps: Steps, command: Sequence[str], folder: Path, environment: dict[str, str]) -> Log:
    """Do the steps against what a command starts, or where its only word, a URL, leads: what the client saw."""
    scenario = folder / "scenario.json"
    scenario.write_text(json.dumps(steps))
    options = ["--each"] if client.starts_each_time else []
    for name, value in {**ENVIRONMENT, **environment}.items():
        options += ["--env", f"{name}={value}"]
    argv = [*client.command(), str(scenario), *options, "--", *command]
    clean = clean_environment()
    try:
        done = subprocess.run(argv, capture_output=True, text=True, encoding="utf-8", env=clean, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return [["failed", f"no end after {SECONDS} s"]]
    if done.returncode:
        return [["failed", done.stderr]]
    log: Log = json.loads(done.stdout)
    return log


def clean_environment() -> dict[str, str]:
    """The environment for servers and drivers: some have to look into their own folder, from which `tests/run.py` keeps
    Python."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}


def _waits(outcome: Any) -> bool:
    """Whether something never came."""
    return isinstance(outcome, dict) and ("hangs" in outcome or "missing" in outcome)


def _telling_exit_codes(file: Path, command: Sequence[str]) -> list[str]:
    """The command, in a shell that writes down its exit code, which SDK clients do not show."""
    file.write_text("")
    return ["sh", "-c", '"$@"; echo $? >> "$0"', str(file), *command]


def _lines(log: Log) -> list[str]:
    return [json.dumps(entry, ensure_ascii=False) for entry in log]


def _steady(log: Log) -> list[str]:
    """The log, without what the server itself varies."""
    return [VOLATILE.sub("…", line) for line in _lines(log)]


def difference(expected: Log, seen: Log) -> str:
    """What to tell of two logs that differ."""
    return _first_difference(_lines(expected), _lines(seen))


def steady_difference(expected: Log, seen: Log) -> str:
    """The same but for what the server itself varies; empty if there is no other."""
    one, other = _steady(expected), _steady(seen)
    return _first_difference(one, other) if one != other else ""


def _first_difference(expected: list[str], seen: list[str]) -> str:
    """The first place where two logs differ, or that only their order does."""
    if sorted(expected) == sorted(seen):
        kind = "in another order"
    else:
        kind = "differs"
    for number, (one, other) in enumerate(zip(expected, seen, strict=False)):
        if one != other:
            return f"{kind} from entry {number} on: {one[:300]} | {other[:300]}"
    return f"{len(seen)} entries for {len(expected)}"
