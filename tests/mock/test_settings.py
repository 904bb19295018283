"""Settings, and cassettes that are not there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mcpmock
from tests.mock.said import ask, call


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"odrer": "any"}, "replay(): there is no setting 'odrer'; did you mean 'order'?"),
        ({"order": "random"}, "replay(): order='random', but it takes one of stateful, sequence, strict, any"),
        ({"session": 0}, "replay(): session=0, but it takes a number from 1"),
        ({"session": True}, "replay(): session=True, but it takes a number from 1"),
        ({"ignore": [1]}, "replay(): ignore=[1], but it takes a JSON pointer or a list of them"),
        ({"ignore": "arguments"}, "the JSON pointer 'arguments' does not begin with '/'"),
        ({"delays": -1}, "replay(): delays=-1, but it takes a factor, as 1.0"),
        ({"allow_unplayed": 1}, "replay(): allow_unplayed=1, but it takes True or False"),
        ({"server": "nobody"}, "no server 'nobody' here; it holds one without a name, which is played where none"),
        ({"session": 4}, "there is no session 4"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(add: Path, settings: Any, complaint: str) -> None:
    """Ours (FIELD, "Words and defaults"): with what would have been right."""
    with pytest.raises(mcpmock.UsageError) as refused:
        mcpmock.replay(add, **settings)
    assert complaint in str(refused.value)


def test_settings_reach_the_playback(add: Path) -> None:
    """Ours (issue 3, 1): `ignore`, `order`, repeats."""
    with mcpmock.replay(add, ignore="/arguments/b", allow_playback_repeats=True) as server:
        assert [one.get("error") for one in ask(server.command, call(a=1, b=7), call(a=1))[:-1]] == [None, None]


def test_a_cassette_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Case TE-02: and it is a FileNotFoundError too."""
    with pytest.raises(FileNotFoundError, match=r"nowhere\.yaml: no such cassette"):
        mcpmock.replay(tmp_path / "nowhere.yaml")


def test_a_closed_mock_serves_nobody(add: Path) -> None:
    """Ours: closing may be repeated; who comes too late is told."""
    server = mcpmock.replay(add)
    command = server.command
    server.close()
    server.close()
    with pytest.raises(mcpmock.UsageError, match="is closed"):
        _ = server.command
    assert ask(command, {"method": "ping"}) == [1]
