"""A mock fails by itself where a client strays (DESIGN 2.5, case MA-04)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import mcpmock
from tests.golden import check_golden
from tests.mock.said import GOLDEN, ask, call


def test_ma_04_a_miss_fails_at_the_end_of_the_block_with_the_page_that_explains_it(add: Path) -> None:
    """Case MA-04, DESIGN 2.5: nearest request, how often played, its place, what to type next; told once."""
    with pytest.raises(mcpmock.MockFailure) as failure, mcpmock.replay(add) as server:
        ask(server.command, call(a=1, b=2), call(a=1, b=40), call(a=1, b=40), {"method": "tools/lost"})
    assert isinstance(failure.value, AssertionError), "unittest counts it as a failure"
    assert failure.value.misses == 3
    check_golden(str(failure.value), GOLDEN / "misses.txt")


def test_what_was_not_played_fails_at_the_end_of_the_block(two: Path) -> None:
    """Ours (issue 3, 4): unless it is allowed, or the block has failed."""
    with pytest.raises(mcpmock.MockFailure) as failure, mcpmock.replay(two):
        pass
    assert failure.value.misses == 0
    check_golden(str(failure.value), GOLDEN / "unplayed.txt")
    with mcpmock.replay(two, allow_unplayed=True):
        pass


def test_the_own_failure_of_the_block_comes_first(add: Path) -> None:
    """Ours (issue 3, 4): never hidden; what was missed is a note to it."""
    with pytest.raises(ZeroDivisionError) as failure, mcpmock.replay(add) as server:
        ask(server.command, call(a=7))
        raise ZeroDivisionError
    assert "near miss" in failure.value.__notes__[0]


def test_a_client_that_tries_everything_fills_no_screens(add: Path) -> None:
    """Ours: ten different misses are explained, the rest is counted."""
    with pytest.raises(mcpmock.MockFailure) as failure, mcpmock.replay(add) as server:
        ask(server.command, *[{"method": f"try/{number}"} for number in range(30)])
    assert str(failure.value).count("What to type next") == 11
    assert "and 20 more misses" in str(failure.value)


def test_a_client_that_kills_its_server_changes_nothing(add: Path) -> None:
    """Ours (issue 3, 4): what it had asked before counts."""
    with pytest.raises(mcpmock.MockFailure, match="near miss"), mcpmock.replay(add) as server:
        for _ in range(3):
            with subprocess.Popen(server.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, **call(a=8)}).encode() + b"\n")
                process.stdin.flush()
                process.stdout.readline()
                process.kill()
        assert len(server.sessions) == 3


def test_a_miss_ends_the_process_of_the_server_with_3(add: Path) -> None:
    """Ours (DESIGN 4, "The end"): as `mcpmock replay` does."""
    server = mcpmock.replay(add)
    assert ask(server.command, call(a=8))[-1] == 3
    assert ask(server.command, call(a=1, b=2))[-1] == 0
    server.close()


def test_a_fault_of_ours_in_a_session_is_raised_by_the_check(add: Path) -> None:
    """Ours: a thread that dies takes no secret with it."""
    server = mcpmock.replay(add)
    server._engine.parts[""].serve = lambda wire: 1 // 0  # type: ignore[method-assign]
    assert ask(server.command, {"method": "ping"})[-1] == 1
    with pytest.raises(ZeroDivisionError):
        server.check()
    server.close()


def test_a_miss_can_fail_at_once_over_stdio(add: Path) -> None:
    """Ours (issue 3, 4): the server leaves with its first miss, and stays away."""
    with (
        pytest.raises(mcpmock.MockFailure, match="near miss"),
        mcpmock.replay(add, raise_on_miss=True) as server,
    ):
        assert ask(server.command, call(a=8), call(a=1, b=2)) == [3]
        assert ask(server.command, call(a=1, b=2)) == [3]


def test_a_fault_of_ours_does_not_hide_the_failure_of_the_block(tmp_path: Path) -> None:
    """Ours (issue 3, 4): it is a note to it."""
    command = ["/no/such/program"]
    with (
        pytest.raises(ZeroDivisionError) as failure,
        mcpmock.use_cassette(tmp_path / "x.yaml", mode="passthrough", command=command) as server,
    ):
        ask(server.command, {"method": "ping"})
        raise ZeroDivisionError
    assert "cannot be started" in failure.value.__notes__[0]
