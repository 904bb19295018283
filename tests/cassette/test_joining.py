"""Cassettes are taken apart and put together as text, whoever wrote them."""

from __future__ import annotations

import pytest

from mcpmock.cassette import joining
from mcpmock.cassette.layout import Layout, find_layout
from mcpmock.cassette.model import Cassette, Entry, MatchRule, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.writer import dump, dump_entry
from mcpmock.errors import CassetteError

HEAD = b"# mine\nversion: 1\nmatch:\n- {ignore: [/a]}\nsessions:  # all of them\n"
BODY = b"- entries:\n  - stderr: x\n"


def test_the_head_ends_with_the_line_of_the_sessions() -> None:
    """Ours: comments and `match:` before it belong to the head."""
    assert find_layout(HEAD + BODY) == Layout(len(HEAD), len(HEAD + BODY), 0)


def test_a_cassette_without_sessions_has_a_layout() -> None:
    """Ours (format): `sessions:` without items means none."""
    assert find_layout(HEAD) == Layout(len(HEAD), len(HEAD), 0)


def test_keys_behind_the_sessions_are_the_tail_with_the_comments_above_them() -> None:
    """Ours: whoever writes `match:` at the end keeps it there."""
    text = b"version: 1\nsessions:\n" + BODY + b"\n# rules\n\nmatch: []\n"
    layout = find_layout(text)
    assert layout is not None
    assert text[layout.tail :] == b"\n# rules\n\nmatch: []\n"


def test_how_far_sessions_are_indented_is_seen() -> None:
    """Ours: both ways of writing a list are in use."""
    text = b"version: 1\nsessions:\n\n  # first\n  - entries:\n    - stderr: x\n"
    layout = find_layout(text)
    assert layout is not None
    assert layout.indent == 2
    block = joining.indented(b"- entries:\n  - stderr: |\n      a\n\n      b\n", 2)
    assert [entry.text for entry in load(text + block).sessions[1].entries] == ["a\n\nb\n"]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"version: 1\nsessions: []\n",
        b"version: 1\nsessions:\n- entries: []",
        b"{version: 1, sessions: []}\n",
        b"version: 1\r\nsessions:\r\n- entries: []\r\n",
        b"print('no cassette')\n",
    ],
)
def test_other_layouts_are_left_to_the_parser(text: bytes) -> None:
    """Ours: what cannot be told without parsing is not guessed."""
    assert find_layout(text) is None


def test_the_head_names_who_records_now_if_it_names_anybody() -> None:
    """Ours: everything else in it stays, byte for byte."""
    assert joining.renewed_head(HEAD) == HEAD
    old = HEAD.replace(b"match", b"recorded_with: mcpmock 0.0.1\nmatch")
    assert joining.renewed_head(old) == old.replace(b"mcpmock 0.0.1", joining.RECORDED_WITH.encode())


def test_another_layout_is_written_anew_with_all_that_it_says() -> None:
    """Ours: comments are lost then, rules and sessions are not."""
    flow = b"{version: 1, match: [{ignore: [/a]}], sessions: [{entries: [{stderr: x}]}]}\n"
    again = load(joining.rewritten(flow))
    assert again.match == (MatchRule(ignore=("/a",)),)
    assert [entry.text for entry in again.sessions[0].entries] == ["x"]
    assert load(joining.head_of(flow)).match == again.match
    assert load(joining.head_of(flow)).sessions == ()


def test_pr_07_what_a_killed_recorder_had_not_finished_is_cut_off() -> None:
    """PR-07: however much of it is there, and however well it could be read."""
    whole = dump(Cassette((Session((Entry("stderr", text="x\n"),)),))).encode()
    more = dump_entry(Entry("stderr", text="one\ntwo\n")).encode()
    for size in range(1, len(more)):
        assert joining.mend(whole + b"\0" + more[1:size]) == whole


@pytest.mark.parametrize("cut", range(1, 60))
def test_pr_07_a_part_file_that_was_torn_otherwise_can_be_read_again(cut: int) -> None:
    """PR-07: a copy that was cut short gives whole entries of one line, and no error."""
    entries = [Entry("raw", text=f"a line, the number {number}") for number in range(3)]
    whole = dump(Cassette((Session(tuple(entries), server="s"),))).encode()
    kept = load(joining.mend(whole[:-cut])).sessions[0].entries
    assert [entry.text for entry in kept[:-1]] == [entry.text for entry in entries[: max(0, len(kept) - 1)]]
    assert len(kept) >= 2 - cut // 33


def test_pr_07_garbage_behind_the_last_entry_is_cut_off() -> None:
    """PR-07: a machine that went down leaves zeros."""
    whole = dump(Cassette((Session((Entry("stderr", text="x\n"),)),))).encode()
    assert joining.mend(whole + dump_entry(Entry("stderr", text="y")).encode()[:-4] + b'"\0\0\0') == whole


def test_what_is_no_part_file_is_not_mended() -> None:
    """PR-07: never serves half of something silently."""
    with pytest.raises(CassetteError):
        joining.mend(b"print('no cassette')\n")


def test_the_session_of_a_part_file_is_its_text_behind_the_head() -> None:
    """Ours: nothing if it has no entry."""
    assert joining.session_text(HEAD + BODY) == BODY
    assert joining.session_text(HEAD + b"- entries:\n") == b""
    assert joining.count_entries(BODY) == 1


def test_pr_07_the_words_of_a_long_command_are_no_entries() -> None:
    """PR-07: a command that takes several lines stands where entries stand."""
    session = Session(command=tuple(f"/a/long/path/{number:060}" for number in range(3)), server="s")
    head = dump(Cassette((session,))).encode()
    assert joining.session_text(head) == b""
    kept = dump(Cassette((session._replace(entries=(Entry("stderr", text="x"),)),))).encode()
    assert joining.count_entries(joining.session_text(kept)) == 1
    assert load(joining.mend(kept[:-2])).sessions[0].command == session.command
