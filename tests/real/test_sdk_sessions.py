"""The official SDK against real servers: directly, through the recorder, and against the replay of what it wrote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.program import ENVIRONMENT, MCPMOCK, run
from tests.real.conftest import Drive, Once, server

pytestmark = [pytest.mark.real]

VOLATILE: Final = {"time": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=[+-])|(?<=day_of_week['\"]: ['\"])\w+")}
"""What a server itself varies from one run to the next, by server."""


class Played(NamedTuple):
    """One scenario, three times."""

    name: str
    direct: list[Any]
    recorded: list[Any]
    replayed: list[Any]
    cassette: str
    replay_exit_code: int


@pytest.fixture(scope="module", params=["everything", "memory", "time"])
def played(request: pytest.FixtureRequest, drive: Drive, once: Once) -> Played:
    """A real server, driven directly, through the recorder and as a replay."""
    name = request.param
    command, scenario = server(name)

    def play(folder: Path) -> Any:
        cassette = folder / "session.yaml"
        told = folder / "exit-code"

        def env(run_name: str) -> dict[str, str]:
            return {**ENVIRONMENT, "MEMORY_FILE_PATH": str(folder / f"{run_name}.jsonl")}

        direct = drive(scenario, command, env("direct"))
        recorded = drive(scenario, [*MCPMOCK, "record", "-o", str(cassette), "--", *command], env("recorded"))
        replayed = drive(scenario, _telling_exit_code(told, [*MCPMOCK, "replay", str(cassette)]), ENVIRONMENT)
        return Played(name, direct, recorded, replayed, str(cassette), int(told.read_text()))

    return Played(*once(name, play))


def _telling_exit_code(file: Path, command: Sequence[str]) -> list[str]:
    """The command, in a shell that writes down its exit code, which SDK clients do not show."""
    return ["sh", "-c", '"$@"; echo $? > "$0"', str(file), *command]


def _steady(played: Played, log: list[Any]) -> str:
    """The log as text, without what the server itself varies."""
    text = "\n".join(repr(entry) for entry in log)
    return VOLATILE[played.name].sub("…", text) if played.name in VOLATILE else text


def _steps(log: list[Any]) -> list[tuple[str, Any]]:
    """What the client did, and how it ended."""
    return [(entry[1], entry[2]) for entry in log if entry[0] == "step"]


def test_a_client_cannot_tell_the_recorder_from_the_server(played: Played) -> None:
    """Ours (DESIGN 2.4): results, callbacks and their order are those of a direct session."""
    assert _steady(played, played.recorded) == _steady(played, played.direct)


def test_a_client_cannot_tell_the_replay_from_the_server(played: Played) -> None:
    """Ours (DESIGN 1): results, callbacks and their order are those of the recorded session, to the letter."""
    assert played.replayed == played.recorded


def test_a_replay_without_a_miss_ends_with_zero(played: Played) -> None:
    """Ours (DESIGN 4, "The end")."""
    assert played.replay_exit_code == 0


def test_what_was_recorded_passes_the_check(played: Played) -> None:
    """Ours (issue 2): `check` says that it is well-formed, would replay itself and holds no secret."""
    done = run("check", played.cassette)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_session_holds_at_least_24_steps_of_every_kind(played: Played) -> None:
    """Ours (issue 2): the scenario of server-everything is not cut short."""
    if played.name != "everything":
        return
    kinds = [entry[1] for entry in played.replayed if entry[0] == "event"]
    assert len(_steps(played.replayed)) >= 24
    assert {kind: kinds.count(kind) for kind in ("sampling", "elicitation", "roots", "progress")} == {
        "sampling": 2,
        "elicitation": 2,
        "roots": 2,
        "progress": 3,
    }


@pytest.mark.parametrize("played", ["everything"], indirect=True)
def test_a_miss_is_an_error_for_the_client_and_exit_code_3(played: Played, drive: Drive, tmp_path: Path) -> None:
    """Ours (DESIGN 2.5): the client gets a JSON-RPC error, the exit code says so too, the session goes on."""
    told = tmp_path / "exit-code"
    log = drive("miss", _telling_exit_code(told, [*MCPMOCK, "replay", played.cassette]), ENVIRONMENT)
    steps = dict(_steps(log))
    assert "never recorded" in steps["call echo {'message': 'never recorded'}"]["error"]["message"]
    assert steps["call get-sum {'a': 2, 'b': 3}"]["result"]["content"][0]["text"] == "The sum of 2 and 3 is 5."
    assert int(told.read_text()) == 3


@pytest.mark.parametrize("played", ["memory"], indirect=True)
def test_reads_without_the_writes_give_what_was_there_before_them(played: Played, drive: Drive) -> None:
    """Ours (DESIGN 4, `stateful`): the graph stays empty as long as the live session writes nothing."""
    log = drive("memory_reads", [*MCPMOCK, "replay", played.cassette], ENVIRONMENT)
    recorded = [outcome for name, outcome in _steps(played.recorded) if name == "call read_graph {}"]
    replayed = [outcome for name, outcome in _steps(log) if name == "call read_graph {}"]
    assert replayed == [recorded[0]] * 3
    assert recorded[0] != recorded[1]
