"""What to type next, in the words of who reads it."""

from __future__ import annotations

from mcpmock.matching.miss import error_object, find_miss, hints
from mcpmock.matching.nearest import Candidate
from mcpmock.matching.pages import page, unplayed_page
from mcpmock.matching.ways import COMMAND_LINE, ways_in_python
from tests.matching.values import call

PYTHON = ways_in_python("replay(…, {})")
RECORDED = [Candidate(call("f", {"at": 1, "{q}": 1}), "x.yaml", 3)]


def test_a_test_is_told_the_settings_of_its_call() -> None:
    """STYLE, habit 9: the way out is printed, and a test has no command line."""
    miss = find_miss(call("f", {"at": 2, "{q}": 2}), RECORDED)
    assert hints(miss, PYTHON)[0].text == 'replay(…, ignore=["/arguments/at", "/arguments/{q}"])'
    assert hints(miss)[0].text == "--ignore /arguments/at --ignore '/arguments/{q}'"
    assert 'ignore=["/arguments/at"' in page(miss, PYTHON)
    assert 'ignore=["/arguments/at"' in str(error_object(miss, PYTHON)["data"])


def test_every_way_has_its_setting() -> None:
    """STYLE, habit 9."""
    exhausted = find_miss(RECORDED[0].request, RECORDED, "exhausted")
    assert [hint.text for hint in hints(exhausted, PYTHON)] == [
        "replay(…, allow_playback_repeats=True)",
        "mcpmock record -o x.yaml -- COMMAND...",
    ]
    misplaced = find_miss(RECORDED[0].request, RECORDED, "out of order")
    assert hints(misplaced, PYTHON)[0].text == 'replay(…, order="any")'
    assert "replay(…, allow_unplayed=True)" in unplayed_page(RECORDED, 1, PYTHON)
    assert COMMAND_LINE.unplayed in unplayed_page(RECORDED, 1)
