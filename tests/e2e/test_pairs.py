"""Real servers and real clients: each server with one client, each client with one server.

`python -m tests.e2e` plays all pairs.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.pair import Log, Played, play, replay
from tests.e2e.software import CLIENTS, SERVERS
from tests.real.conftest import require

pytestmark = [pytest.mark.real]

PAIRS: Final = [
    ("filesystem", "typescript1"),
    ("memory", "python1-each"),
    ("time", "python2"),
    ("git", "typescript2"),
    ("small-python1", "typescript2-probing"),
    ("small-python2", "python1"),
    ("small-typescript1", "python2"),
    ("small-typescript2", "typescript1"),
]

CASSETTE: Final = """\
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: get-sum, arguments: {a: 2, b: 3}}}
    server: {result: {content: [{type: text, text: "5"}]}}
"""


def played(server: str, client: str, folder: Path) -> Played:
    """Play a pair, or skip or fail where something that it needs is not there."""
    require(SERVERS[server].part)
    require(CLIENTS[client].part)
    if server == "git" and shutil.which("git") is None:
        pytest.skip("there is no git")
    return play(server, client, folder)


def outcomes(log: Log, step: Sequence[object]) -> list[Any]:
    """What came of each such step."""
    return [entry[2] for entry in log if entry[0] == "step" and entry[1] == list(step)]


@pytest.mark.parametrize(("server", "client"), PAIRS)
def test_a_client_can_tell_neither_the_recorder_nor_the_replay_from_the_server(
    server: str, client: str, tmp_path: Path
) -> None:
    """Ours (DESIGN 1, 2.4; issue 4, 6): results, callbacks and their order; exit code 0; `check` finds nothing."""
    assert played(server, client, tmp_path).faults == []


def test_it_cannot_either_in_a_session_of_everything(tmp_path: Path) -> None:
    """Ours (issue 2): at least 24 steps of every kind, with the server's questions answered and refused."""
    pair = played("everything", "python1", tmp_path)
    assert pair.faults == []
    assert pair.counted("step") >= 24
    kinds = Counter(entry[1] for entry in pair.replayed if entry[0] == "event")
    assert (kinds["sampling"], kinds["elicitation"], kinds["roots"]) == (2, 2, 2)
    assert kinds["progress"] == 6


def test_reads_without_the_writes_give_what_was_there_before_them(tmp_path: Path) -> None:
    """Ours (DESIGN 4, `stateful`): server-memory's graph stays empty as long as the live session writes nothing."""
    pair = played("memory", "python1", tmp_path)
    assert pair.faults == []
    read: list[Any] = ["call", "read_graph", {}]
    recorded = outcomes(pair.recorded, read)
    log, codes = replay("python1", [read] * 3, tmp_path / "session.yaml", tmp_path)
    assert outcomes(log, read) == [recorded[0]] * 3
    assert recorded[0] != recorded[1]
    assert codes == [0]


def test_a_miss_is_an_error_for_the_client_and_exit_code_3(tmp_path: Path) -> None:
    """Ours (DESIGN 2.5): the client gets a JSON-RPC error, the exit code says so too, the session goes on."""
    require("client")
    cassette = tmp_path / "sum.yaml"
    cassette.write_text(CASSETTE)
    unknown: list[Any] = ["call", "get-sum", {"a": 7, "b": 7}]
    known: list[Any] = ["call", "get-sum", {"a": 2, "b": 3}]
    log, codes = replay("python1", [unknown, known], cassette, tmp_path)
    assert "get-sum" in str(outcomes(log, unknown)[0]["error"]["message"])
    assert "'text': '5'" in str(outcomes(log, known))
    assert codes == [3]


def test_each_server_and_each_client_is_among_the_pairs() -> None:
    """Ours (issue 4, 6)."""
    chosen = [*PAIRS, ("everything", "python1")]
    assert {server for server, _ in chosen} == set(SERVERS)
    assert {client for _, client in chosen} == set(CLIENTS)
