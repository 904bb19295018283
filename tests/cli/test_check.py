"""`mcpmock check`: well-formed? would it replay itself? is there a secret in it?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mcpmock.cli.check import BROKEN, GOOD, OTHERWISE, SECRET, check
from tests.program import run

TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7H8"

GOOD_ONE = """\
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: add, arguments: {a: 1, b: 2}}}
    server: {result: {content: [{type: text, text: "3"}]}}
  - client: {method: tools/list}
    server: {result: {tools: []}}
"""

# Live, the change is answered at once, so that a read sent beside it sees the state behind it.
WOULD_DIFFER = """\
version: 1
sessions:
- entries:
  - client: {id: 1, method: tools/call, params: {name: add}}
  - client: {id: 2, method: resources/read, params: {uri: "x:y"}}
  - server: {id: 2, result: {x: 2}}
  - server: {id: 1, result: {}}
  - client: {id: 3, method: resources/read, params: {uri: "x:y"}}
  - server: {id: 3, result: {x: 1}}
"""

WITH_SECRET = f"""\
version: 1
sessions:
- entries:
  - client: {{method: tools/call, params: {{name: login, arguments: {{token: {TOKEN}}}}}}}
    server: {{result: {{ok: true}}}}
"""

BROKEN_ONE = "version: 1\nsessions:\n- entries:\n  - clint: {method: x}\n"


def written(folder: Path, **texts: str) -> Path:
    """The folder, with these texts as NAME.yaml."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


def checked(tmp_path: Path, text: str) -> tuple[int, list[str]]:
    """The verdict on a cassette, its path written as X."""
    path = str(written(tmp_path, x=text) / "x.yaml")
    verdict = check(path)
    return verdict.code, [line.replace(path, "X") for line in verdict.lines]


def test_a_good_cassette_is_told_in_one_line(tmp_path: Path) -> None:
    """Ours (issue 2)."""
    assert checked(tmp_path, GOOD_ONE) == (GOOD, ["X: good, 1 session, 2 requests"])
    assert checked(tmp_path, "version: 1\nsessions: []\n") == (GOOD, ["X: good, 0 sessions, 0 requests"])


def test_what_would_not_replay_itself_is_told_with_file_and_line(tmp_path: Path) -> None:
    """Ours (issue 2)."""
    line = 'X:6: resources/read "x:y" would be answered otherwise: /result/x was 2, is 1'
    assert checked(tmp_path, WOULD_DIFFER) == (OTHERWISE, [line])


def test_a_warning_changes_no_exit_code(tmp_path: Path) -> None:
    """RP-07: recordings of real servers may hold answers to nothing."""
    text = GOOD_ONE + "  - server: {id: 2, result: {}}\n"
    warning = "X:8: warning: answer 2 belongs to no open request"
    assert checked(tmp_path, text) == (GOOD, ["X: good, 1 session, 2 requests", warning])


def test_a_secret_is_told_by_its_place_and_never_shown(tmp_path: Path) -> None:
    """DESIGN 3, No secrets."""
    code, lines = checked(tmp_path, WITH_SECRET)
    assert code == SECRET
    assert lines[0] == "X:4: a secret (github_token) at /client/params/arguments/token"
    assert TOKEN not in "".join(lines)
    assert "mcpmock redact" in lines[-1]


def test_a_token_where_nothing_is_masked_is_a_warning(tmp_path: Path) -> None:
    """Ours: the recorder warned of it, and `check` then called the cassette good without a word."""
    code, lines = checked(tmp_path, GOOD_ONE.replace("name: add", f"name: {TOKEN}"))
    assert code == GOOD
    assert "X: warning: what looks like a secret remains: github_token in line" in lines[-1]
    assert TOKEN not in "".join(lines)


def test_a_secret_is_graver_than_another_answer(tmp_path: Path) -> None:
    """Ours: both are told."""
    code, lines = checked(tmp_path, WOULD_DIFFER.replace("x: 2", f"token: {TOKEN}"))
    assert code == SECRET
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (BROKEN_ONE, ["X:4: unknown key `clint:` in an entry", "  did you mean `client:`?"]),
        ("", None),
        ("version: 99\nsessions: []\n", None),
        ("version: 1\nsessions:\n- entries:\n  - server: {method: x}\n    in: 7\n", None),
        ("version: 1\nmatch: [{ignore: [a]}]\nsessions: []\n", None),
    ],
)
def test_what_is_broken_is_told_with_the_way_out(tmp_path: Path, text: str, told: list[str] | None) -> None:
    """Ours (issue 2): every error has file and line."""
    code, lines = checked(tmp_path, text)
    assert code == BROKEN
    assert lines == (told or lines)
    assert lines[0].startswith("X")


def test_many_problems_are_cut_short(tmp_path: Path) -> None:
    """Ours."""
    text = WITH_SECRET + "".join(WITH_SECRET.splitlines(keepends=True)[3:] * 40)
    _, lines = checked(tmp_path, text)
    assert "  and 21 more" in lines
    assert len(lines) < 30


def test_a_cassette_that_is_not_there_is_broken(tmp_path: Path) -> None:
    """Ours (FIELD): exit code 4."""
    done = run("check", tmp_path / "nothing.yaml")
    assert done.returncode == BROKEN
    assert "no such cassette" in done.stdout.decode()


@pytest.mark.parametrize(
    ("texts", "code", "summary"),
    [
        ({"a": GOOD_ONE}, GOOD, None),
        ({"a": GOOD_ONE, "b": GOOD_ONE}, GOOD, "2 cassettes: 2 good"),
        ({"a": GOOD_ONE, "b": WOULD_DIFFER}, OTHERWISE, "2 cassettes: 1 good, 1 would not replay itself"),
        (
            {"a": WOULD_DIFFER, "b": WITH_SECRET},
            SECRET,
            "2 cassettes: 1 would not replay itself, 1 with a secret",
        ),
        (
            {"a": WITH_SECRET, "b": BROKEN_ONE, "c": GOOD_ONE},
            BROKEN,
            "3 cassettes: 1 good, 1 with a secret, 1 broken",
        ),
    ],
)
def test_the_exit_code_is_that_of_the_gravest(
    tmp_path: Path, texts: dict[str, str], code: int, summary: str | None
) -> None:
    """FIELD: 3 miss, 4 broken cassette, 5 secret found."""
    done = run("check", written(tmp_path / "cassettes", **texts))
    assert done.returncode == code, done.stderr
    assert done.stderr == b""
    last = done.stdout.decode().splitlines()[-1]
    assert last == summary or (summary is None and last.endswith("good, 1 session, 2 requests"))


def test_a_folder_is_searched_for_what_looks_like_a_cassette(tmp_path: Path) -> None:
    """Ours (issue 2): folders, recursively."""
    written(tmp_path, a=GOOD_ONE, compose="services: {}\n")
    written(tmp_path / "deeper", b=GOOD_ONE)
    written(tmp_path / ".hidden", c=BROKEN_ONE)
    written(tmp_path / "node_modules", d=BROKEN_ONE)
    (tmp_path / "deeper" / "e.yml").write_text("{version: 1, sessions: []}\n")
    (tmp_path / "notes.txt").write_text(BROKEN_ONE)
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.yaml")
    done = run("check", tmp_path, tmp_path / "a.yaml")
    told = [line.partition(":")[0] for line in done.stdout.decode().splitlines() if line.startswith(str(tmp_path))]
    assert [str(Path(path).relative_to(tmp_path)) for path in told] == [
        "a.yaml",
        "gone.yaml",
        "deeper/b.yaml",
        "deeper/e.yml",
    ]
    assert done.returncode == BROKEN


def test_a_folder_without_cassettes_is_probably_the_wrong_one(tmp_path: Path) -> None:
    """Ours (FIELD): usage errors end with 2."""
    done = run("check", tmp_path)
    assert done.returncode == 2
    assert "there is no cassette in this folder" in done.stderr.decode()


def test_unfinished_recordings_are_mentioned_and_are_no_fault(tmp_path: Path) -> None:
    """DESIGN 3, Crash-safe: `check` mentions part files."""
    written(tmp_path, a=GOOD_ONE)
    for part in ("a.yaml.part-12-1", "b.yaml.part-13-1"):
        (tmp_path / part).write_text(GOOD_ONE)
    done = run("check", tmp_path)
    assert done.returncode == GOOD
    assert done.stdout.decode().splitlines() == [
        f"{tmp_path}/a.yaml: good, 1 session, 2 requests",
        f"{tmp_path}/a.yaml.part-12-1: an unfinished recording; if nothing records there now: "
        f"mcpmock salvage {tmp_path}/a.yaml",
        f"{tmp_path}/b.yaml.part-13-1: an unfinished recording; if nothing records there now: "
        f"mcpmock salvage {tmp_path}/b.yaml",
    ]
