"""What was in a cassette before: what survives a new recording, and what is left alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from mcpmock.cassette.files import replace
from mcpmock.cassette.load import load_file
from mcpmock.cassette.model import MatchRule, Rules
from mcpmock.errors import CassetteError, UsageError
from mcpmock.transports.destination import check_destination
from tests.transports.keeping import Recorder, asked

HEAD: Final = """\
# Our own words.
version: 1
match:
- {method: tools/call, ignore: [/arguments/at]}  # a clock
sessions:
"""


def test_the_head_survives_a_new_recording(path: Path) -> None:
    """Ours (DESIGN 3): file-wide rules and comments."""
    path.write_text(HEAD + "- entries:\n  - client: {id: 1, method: tools/call, params: {name: old}}\n")
    Recorder(path).asks("a").ends()
    assert path.read_text().startswith(HEAD)
    assert asked(path) == [["a"]]


def test_rules_behind_the_sessions_survive_too(path: Path) -> None:
    """Ours: whoever likes them at the end finds them there."""
    tail = "# rules\nmatch:\n- {ignore: [/x]}\n"
    path.write_text("version: 1\nsessions:\n- entries:\n  - stderr: old\n" + tail)
    for _ in range(2):
        Recorder(path).asks("a").ends()
    assert path.read_text().endswith(tail)
    assert load_file(str(path)).match == (MatchRule(ignore=("/x",)),)
    assert asked(path) == [["a"], ["a"]]


@pytest.mark.parametrize(
    "old",
    [
        "version: 1\nsessions:\n- entries:\n  - client: {id: 1, method: tools/call, params: {name: old}}\n",
        "version: 1\nsessions:\n\n    - entries:\n        - client: {id: 1, method: tools/call, params: {name: old}}\n",
        "version: 1\nsessions: [{entries: [{client: {id: 1, method: tools/call, params: {name: old}}}]}]\n",
        "version: 1\r\nsessions:\r\n- entries:\r\n  - client: {id: 1, method: tools/call, params: {name: old}}\r\n",
        "version: 1\nsessions:\n- entries:\n  - client: {id: 1, method: tools/call, params: {name: old}}",
        "sessions:\n- entries:\n  - client: {id: 1, method: tools/call, params: {name: old}}\nversion: 1\n",
        '"sessions":\n- entries:\n  - client: {id: 1, method: tools/call, params: {name: old}}\nversion: 1\n',
        "---\nversion: 1\nsessions:\n- entries:\n  - client: {id: 1, method: tools/call, params: {name: old}}\n...\n",
    ],
)
def test_a_cassette_of_any_layout_can_be_added_to(path: Path, old: str) -> None:
    """Ours (DESIGN 3): by copying where that is sound, else by writing it anew; nothing is lost."""
    path.write_bytes(old.encode())
    Recorder(path, adds=True).asks("a").finishes().ends()
    Recorder(path, adds=True).asks("b").ends()
    assert asked(path) == [["old"], ["a"], ["b"]]


def test_an_empty_file_is_like_none(path: Path) -> None:
    """Ours: `touch` and editors make them."""
    path.touch()
    Recorder(path, adds=True).asks("a").ends()
    assert asked(path) == [["a"]]


def test_rules_of_entries_survive_a_new_recording(path: Path) -> None:
    """Ours (DESIGN 3): `times`, `optional`, `delay`, `match` go to the same request, occurrence by occurrence."""
    path.write_text(
        "version: 1\nsessions:\n- server: s\n  entries:\n"
        "  - client: {id: 1, method: tools/call, params: {name: a}}\n"
        "  - client: {id: 2, method: tools/call, params: {name: a}}\n    times: 3\n    match: {ignore: [/x]}\n"
        "  - client: {id: 3, method: tools/call, params: {name: b}}\n    optional: true\n    delay: 20\n"
        "- server: other\n  entries:\n  - client: {id: 1, method: tools/call, params: {name: a}}\n    times: 9\n"
    )
    Recorder(path, "two").asks("b", 1).asks("a", 2).asks("a", 3).asks("a", 4).ends()
    (session,) = load_file(str(path)).sessions
    rules = [entry.rules for entry in session.entries if entry.kind == "client"]
    assert rules == [Rules(optional=True, delay=20), Rules(), Rules(times=3, ignore=("/x",)), Rules()]


def test_rules_of_entries_are_shared_out_over_the_recorders_of_a_run(path: Path) -> None:
    """Ours: clients that start one process per call."""
    call = "  - client: {id: 1, method: tools/call, params: {name: a}}\n"
    path.write_text(
        f"version: 1\nsessions:\n- server: s\n  entries:\n{call}- server: s\n  entries:\n{call}    times: 2\n"
    )
    for run in ("two", "three"):
        for _ in range(3):
            Recorder(path, run).asks("a").ends()
        rules = [session.entries[0].rules for session in load_file(str(path)).sessions]
        assert rules == [Rules(), Rules(times=2), Rules()]


def test_ca_07_a_file_that_is_no_cassette_is_left_alone(path: Path) -> None:
    """CA-07: a slip of the keyboard costs no file."""
    path.write_text("print('mine')\n")
    with pytest.raises(CassetteError):
        Recorder(path).asks("a").finishes()
    assert path.read_text() == "print('mine')\n"
    with pytest.raises(CassetteError, match=r"cassette.yaml:1"):
        check_destination(str(path))
    with pytest.raises(UsageError, match="is a folder"):
        check_destination(str(path.parent))


def test_a_device_or_a_pipe_is_never_replaced(path: Path) -> None:
    """Ours: root may put a file where /dev/null is; and who opens a pipe waits for its other end."""
    os.mkfifo(path)
    with pytest.raises(UsageError, match="is a device or a pipe"):
        check_destination(str(path))
    with pytest.raises(OSError, match="this is no file"):
        replace(str(path), [b"x"])
    assert path.is_fifo()


def test_what_somebody_else_changes_meanwhile_is_not_overwritten(path: Path) -> None:
    """Ours: between the two ends of a session."""
    recorder = Recorder(path).asks("a").finishes()
    edited = path.read_text().replace("name: a", "name: edited")
    path.write_text(edited)
    with pytest.raises(CassetteError, match="somebody else has changed it"):
        recorder.ends()
    assert path.read_text() == edited


def test_a_change_elsewhere_in_the_file_does_not_hurt(path: Path) -> None:
    """Ours: a run adds to what it finds."""
    Recorder(path).asks("a").ends()
    path.write_text("# a comment of mine\n" + path.read_text())
    Recorder(path).asks("b").ends()
    assert path.read_text().startswith("# a comment of mine\n")
    assert asked(path) == [["a"], ["b"]]


def test_a_cassette_that_was_deleted_is_made_again(path: Path) -> None:
    """Ours: by the same run."""
    Recorder(path).asks("a").ends()
    path.unlink()
    Recorder(path).asks("b").ends()
    assert asked(path) == [["b"]]


def test_a_link_stays_a_link(path: Path) -> None:
    """Ours: its target is what is replaced."""
    target = path.with_name("target.yaml")
    path.symlink_to(target)
    Recorder(path).asks("a").ends()
    assert path.is_symlink()
    assert asked(target) == [["a"]]
