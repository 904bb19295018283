"""Many mocks, one cassette in memory (issue 3, 9)."""

from __future__ import annotations

from pathlib import Path

import mcpmock
from mcpmock.mock.shelf import SHELF, Shelf, Want
from tests.mock.said import ADD, ask, call, written


def test_many_mocks_of_one_cassette_load_it_once(add: Path) -> None:
    """Ours (issue 3, 9)."""
    before = SHELF.loads
    for _ in range(50):
        mcpmock.replay(add, allow_unplayed=True).close()
    assert SHELF.loads == before + 1


def test_a_cassette_that_has_changed_is_loaded_again(add: Path) -> None:
    """Ours: an edit between two tests counts."""
    with mcpmock.replay(add, allow_unplayed=True):
        pass
    written(add, ADD.replace("a: 1", "a: 111"))
    with mcpmock.replay(add) as server:
        assert "result" in ask(server.command, call(a=111, b=2))[0]


def test_the_shelf_keeps_what_was_used_last(tmp_path: Path) -> None:
    """Ours: a suite of many cassettes does not fill the memory."""
    shelf = Shelf(room=2)
    for name in ("a", "b", "a", "c", "a", "b"):
        path = tmp_path / name
        if not path.exists():
            written(path, ADD)
        shelf.library(str(path), Want())
    assert shelf.loads == 4


def test_two_mocks_of_one_cassette_share_nothing_that_was_played(add: Path) -> None:
    """Ours (DESIGN 4, "Sessions"): taken and played are known within one mock."""
    for _ in range(2):
        with mcpmock.replay(add) as server:
            assert "result" in ask(server.command, call(a=1, b=2))[0]
