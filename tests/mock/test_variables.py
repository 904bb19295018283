"""Variables in a test: `vars=` for what is played and for what is recorded (issue 4, item 2)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import mcpmock
from mcpmock.errors import UsageError
from tests.mock.said import ask, call, written

READ = """\
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: read, arguments: {path: ~var.work~/a.txt}}}
    server: {result: {content: [{type: text, text: "~var.work~ ~var.home~ ~var.project~"}]}}
"""

SERVER = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"content": [{"type": "text", "text": f"{os.getcwd()} {asked['params']['arguments']['path']}"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""


def text_of(answers: list[object]) -> object:
    """The text of the only answer."""
    return answers[0]["result"]["content"][0]["text"]  # type: ignore[index]


def test_what_is_given_matches_and_is_filled_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours (issue 4): a text or a path; the rest is this machine's."""
    monkeypatch.setenv("HOME", "/home/bob")
    cassette = written(tmp_path / "read.yaml", READ)
    with mcpmock.replay(cassette, vars={"work": tmp_path / "w", "project": "/p/"}) as server:
        assert text_of(ask(server.command, call("read", path=f"{tmp_path}/w/a.txt"))) == f"{tmp_path}/w /home/bob /p"


def test_the_first_live_value_holds_for_one_session(tmp_path: Path) -> None:
    """Ours (DESIGN 3): another client may work elsewhere."""
    with mcpmock.replay(written(tmp_path / "read.yaml", READ)) as server:
        for folder in ("/x", "/y"):
            assert str(text_of(ask(server.command, call("read", path=f"{folder}/a.txt")))).startswith(f"{folder} ")


def test_a_miss_says_which_variable_and_how_to_set_it(tmp_path: Path) -> None:
    """Ours (issue 4): in the words of who writes Python."""
    server = mcpmock.replay(written(tmp_path / "read.yaml", READ), vars={"work": "/there"}, allow_unplayed=True)
    ask(server.command, call("read", path="/here/a.txt"))
    server.close()
    assert 'the variable work is "/there", here it would be "/here"' in server.misses[0].page
    with pytest.raises(mcpmock.MockFailure, match=r'replay\(…, vars=\{"work": "/here"\}\)'):
        server.check()


@pytest.mark.parametrize(
    "value", ["work", ["work"], {"work": 1}, {1: "/x"}, {"a-b": "/x"}, {"tilde": "x"}, {"work": ""}]
)
def test_what_are_no_variables_is_refused(tmp_path: Path, value: object) -> None:
    """Ours: with the setting's name."""
    with pytest.raises(UsageError, match="vars"):
        mcpmock.replay(written(tmp_path / "read.yaml", READ), vars=value)  # type: ignore[arg-type]


def test_a_recording_has_the_variables_and_plays_elsewhere(tmp_path: Path) -> None:
    """Ours (issue 4): the recording modes of a test write them, too."""
    server_file = written(tmp_path / "server.py", SERVER)
    cassette, project = tmp_path / "c.yaml", tmp_path / "p"
    command = [sys.executable, str(server_file)]
    with mcpmock.use_cassette(cassette, mode="once", command=command, vars={"project": project}) as server:
        ask(server.command, call("read", path=f"{project}/a.txt"))
    text = cassette.read_text()
    assert "path: ~var.project~/a.txt" in text
    assert "text: ~var.work~ ~var.project~/a.txt" in text
    with mcpmock.use_cassette(cassette, mode="once", vars={"project": "/q"}) as server:
        assert text_of(ask(server.command, call("read", path="/q/a.txt"))) == f"{os.getcwd()} /q/a.txt"


def test_recorded_anew_elsewhere_nothing_changes_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours (DESIGN 3, "Stable"): a review shows what the server has changed, not who recorded it."""
    cassette = tmp_path / "c.yaml"
    texts = []
    for name in ("ann", "bob"):
        work = tmp_path / name
        work.mkdir()
        monkeypatch.chdir(work)
        command = [sys.executable, str(written(work / "server.py", SERVER))]
        with mcpmock.use_cassette(cassette, mode="all", command=command, server="files") as server:
            ask(server.command, call("read", path=f"{work}/a.txt"))
        texts.append(cassette.read_text())
    assert texts[0] == texts[1]
