"""The ledger in a folder: what separate replay processes know of each other (`--state DIR`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcpmock.errors import McpmockError
from mcpmock.transports.state_dir import FolderLedger
from tests.program import ENVIRONMENT

CLAIMS = """
import sys
from mcpmock.transports.state_dir import FolderLedger
ledger = FolderLedger(sys.argv[1], "c.yaml", "")
sys.stdin.readline()
taken = [ledger.take(number) for number in range(40)]
claimed = [ledger.claim(number, 2) for number in range(40) for _ in "abc"]
print(sum(taken), sum(claimed))
"""


def ledger(folder: Path, cassette: str = "c.yaml", server: str = "") -> FolderLedger:
    """A ledger as one process has it."""
    return FolderLedger(str(folder), cassette, server)


def test_a_session_is_taken_once_whoever_asks(tmp_path: Path) -> None:
    """Ours (DESIGN 4, "Sessions")."""
    assert ledger(tmp_path).take(0)
    other = ledger(tmp_path)
    assert (other.take(0), other.take(1), other.take(1)) == (False, True, False)


def test_an_interaction_is_claimed_as_often_as_it_may_be_played(tmp_path: Path) -> None:
    """Ours (DESIGN 3, `times`); 1 is not 11."""
    one, other = ledger(tmp_path), ledger(tmp_path)
    assert [one.claim(1, 2), other.claim(1, 2), one.claim(1, 2), other.claim(11, 1)] == [True, True, False, True]
    assert (other.counts().get(1, 0), one.counts().get(11, 0), one.counts().get(2, 0)) == (2, 1, 0)


def test_the_position_is_the_latest_that_any_has_reached(tmp_path: Path) -> None:
    """Ours (DESIGN 4): an earlier change that is answered later does not set it back."""
    one, other = ledger(tmp_path), ledger(tmp_path)
    assert one.position() == 0
    one.reach(12)
    other.reach(3)
    one.reach(12)
    assert (one.position(), other.position()) == (12, 12)


def test_a_restart_begins_a_round_for_all_and_keeps_what_is_taken(tmp_path: Path) -> None:
    """Ours (DESIGN 4, "Sessions"): used up, the timeline starts anew."""
    one, other = ledger(tmp_path), ledger(tmp_path)
    one.take(0)
    one.claim(1, 1)
    one.reach(1)
    other.restart()
    assert (one.counts().get(1, 0), one.position(), one.claim(1, 1), one.take(0)) == (0, 0, True, False)


def test_two_that_find_the_same_round_used_up_begin_one_new_round(tmp_path: Path) -> None:
    """Ours: what the first has claimed in the new round is not lost by the second's restart."""
    one, other = ledger(tmp_path), ledger(tmp_path)
    one.claim(1, 1)
    assert (one.counts().get(1, 0), other.counts().get(1, 0)) == (1, 1)
    one.restart()
    assert one.claim(1, 1)
    other.restart()
    assert (one.counts().get(1, 0), other.counts().get(1, 0)) == (1, 1)


def test_cassettes_and_servers_do_not_share(tmp_path: Path) -> None:
    """Case MA-05: the same folder serves them all; a cassette is what its path leads to."""
    assert ledger(tmp_path, "a/c.yaml").take(0)
    assert ledger(tmp_path, "b/c.yaml").take(0)
    assert ledger(tmp_path, "a/c.yaml", "other").take(0)
    assert not ledger(tmp_path, os.path.abspath("a/c.yaml")).take(0)
    assert ledger(tmp_path, "odd name\n:*?.yaml").take(0)


def test_nothing_that_is_there_is_ever_changed(tmp_path: Path) -> None:
    """Ours (DESIGN 4, "Sessions"): append-only files, created exclusively."""
    one = ledger(tmp_path)
    one.take(0)
    one.claim(1, 2)
    one.reach(1)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    one.take(0)
    one.claim(1, 2)
    one.reach(1)
    one.restart()
    assert before.items() <= {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}.items()


def test_processes_at_the_same_time_get_different_things(tmp_path: Path) -> None:
    """Ours (DESIGN 4, "Sessions"): each claim succeeds for one of them only."""
    environment = {**os.environ, **ENVIRONMENT}
    command = [sys.executable, "-c", CLAIMS, str(tmp_path)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    won = [list(map(int, process.communicate(timeout=60)[0].split())) for process in processes]
    assert [sum(column) for column in zip(*won, strict=True)] == [40, 80]


def test_what_else_lies_in_the_folder_does_no_harm(tmp_path: Path) -> None:
    """Ours: a file manager's own files."""
    one = ledger(tmp_path)
    for folder in [tmp_path, *tmp_path.rglob("*")]:
        (folder / ".DS_Store").write_text("")
    assert (one.take(0), one.claim(1, 1), one.counts(), one.position()) == (True, True, {1: 1}, 0)


def test_a_folder_that_cannot_be_made_is_an_error_that_names_the_option(tmp_path: Path) -> None:
    """Ours (STYLE): whose fault, and where."""
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(McpmockError, match=r"--state .*file: Not a directory"):
        ledger(file)
