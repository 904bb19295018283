"""`mcpmock show`: what happened, for people and for programs."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from mcpmock.cassette.load import load_file
from mcpmock.cli.show import choose, command, page
from mcpmock.matching.shown import columns
from mcpmock.session.showing.transcript import ASCII, UNICODE, Marks
from tests.golden import check_golden
from tests.program import ENVIRONMENT, MCPMOCK, SECONDS, run

SHOWN = Path(__file__).parent / "shown"


def shown(name: str, width: int = 100, marks: Marks = UNICODE) -> str:
    """The page of one of the cassettes here."""
    cassette = load_file(str(SHOWN / name))
    lines = page(choose(cassette, None, None), width, marks)
    return "".join(f"{line.text}\n" for line in lines)


def told(path: Path, *options: str) -> str:
    """What the command prints, run in this process."""
    done = CliRunner().invoke(command, [str(path), *options], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


@pytest.mark.parametrize("name", ["conversation", "every_kind", "http"])
def test_a_cassette_reads_as_a_conversation(name: str) -> None:
    """Ours (issue 2): both directions, nesting, times, totals; each method by what matters in it."""
    check_golden(shown(f"{name}.yaml"), SHOWN / f"{name}.txt")


def test_a_narrow_page_without_arrows_is_cut_to_its_width() -> None:
    """Ours: width-aware; nothing that the output cannot hold."""
    text = shown("conversation.yaml", 50, ASCII)
    check_golden(text, SHOWN / "narrow.txt")
    assert text.isascii()
    _, *rest = text.split("\n\n")
    assert max(map(len, "\n".join(rest).splitlines())) <= 50


def test_lines_fit_whatever_the_letters_are_as_wide_as(tmp_path: Path) -> None:
    """Ours: columns of a terminal, not characters."""
    file = tmp_path / "wide.yaml"
    wide = "漢字" * 20
    file.write_text(
        f"version: 1\nsessions:\n- entries:\n  - client: {{method: tools/call, params: {{name: {wide}}}}}\n"
        f"    server: {{result: {{content: [{{type: text, text: {wide}}}]}}}}\n",
        encoding="utf-8",
    )
    cassette = load_file(str(file))
    lines = page(choose(cassette, None, None), 40, UNICODE)
    assert max(columns(line.text) for line in lines[:4]) <= 40


def test_the_command_prints_the_page() -> None:
    """Ours (issue 2): to a file, without colours, 120 columns wide."""
    done = run("show", SHOWN / "conversation.yaml", env={"COLUMNS": "", "PYTHONIOENCODING": "utf-8"})
    assert done.returncode == 0
    assert done.stdout.decode() == shown("conversation.yaml", 120)
    assert not done.stderr


def test_what_is_shown_cannot_speak_to_the_terminal() -> None:
    """Ours (issue 4, hostile cassettes): escapes and control characters are spelt out."""
    for options in ((), ("--json",)):
        text = told(SHOWN / "every_kind.yaml", *options)
        assert re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text) is None


THREE = """\
version: 1
sessions:
- {server: files, entries: [{client: {method: tools/call, params: {name: one}}, server: {result: {}}}]}
- {server: clock, entries: [{client: {method: tools/call, params: {name: two}}, server: {result: {}}}]}
- {server: clock, entries: [{client: {method: tools/call, params: {name: three}}, server: {result: {}}}]}
"""


@pytest.mark.parametrize(
    ("options", "heads"),
    [
        ((), ["server files, session 1 of 1", "server clock, session 1 of 2", "server clock, session 2 of 2"]),
        (("--server", "clock"), ["server clock, session 1 of 2", "server clock, session 2 of 2"]),
        (("--server", "clock", "--session", "2"), ["server clock, session 2 of 2"]),
        (("--session", "1"), ["server files, session 1 of 1", "server clock, session 1 of 2"]),
    ],
)
def test_sessions_are_counted_as_they_are_chosen(tmp_path: Path, options: tuple[str, ...], heads: list[str]) -> None:
    """Ours (issue 2): --session, from 1 among those of a server; replay and the headings count in the same way."""
    file = tmp_path / "three.yaml"
    file.write_text(THREE)
    assert re.findall(r"^(server .*): stdio$", told(file, *options), re.MULTILINE) == heads
    done = run("replay", file, "--server", "clock", "--session", "3")
    assert done.returncode == 2
    assert b"three.yaml: there is no session 3: the server has 2 recorded" in done.stderr


def test_nobody_may_be_there_to_read(tmp_path: Path) -> None:
    """Ours: a closed stdout is no fault of the cassette."""
    (tmp_path / "a.yaml").write_text("version: 1\nsessions: []\n")
    for name in ("show", "check"):
        words = [*MCPMOCK, name, "a.yaml"]
        environment = {**os.environ, **ENVIRONMENT}
        shell = ["sh", "-c", 'exec "$@" >&-', "sh", *words]
        done = subprocess.run(shell, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, timeout=SECONDS)
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--server", "nobody"), "no server 'nobody' here; it holds files"),
        (("--session", "3"), "every_kind.yaml: there is no session 3; the last one is 1"),
        (("--session", "0"), "0"),
    ],
)
def test_what_is_not_there_is_a_usage_error(options: tuple[str, ...], words: str) -> None:
    """Ours (DESIGN 4, exit codes)."""
    done = run("show", SHOWN / "every_kind.yaml", *options)
    assert done.returncode == 2
    assert words in done.stderr.decode()
    assert not done.stdout


def test_a_broken_cassette_is_told_with_its_line(tmp_path: Path) -> None:
    """Ours (DESIGN 4, exit codes): 4."""
    broken = tmp_path / "broken.yaml"
    broken.write_text("version: 1\nsessions:\n- entries:\n  - clint: {method: x}\n")
    done = run("show", broken)
    assert done.returncode == 4
    assert b"broken.yaml:4:" in done.stderr
    assert run("show", tmp_path / "none.yaml").returncode == 4


def test_an_unfinished_recording_beside_it_is_told(tmp_path: Path) -> None:
    """Ours (DESIGN 3): so that nobody overlooks it."""
    cassette = tmp_path / "c.yaml"
    cassette.write_text("version: 1\nsessions: []\n")
    (tmp_path / "c.yaml.part-1-1").write_text("version: 1\nsessions:\n")
    assert "c.yaml.part-1-1" in told(cassette)


def test_json_holds_the_same_for_programs() -> None:
    """Ours (issue 2): --json."""
    document = json.loads(told(SHOWN / "conversation.yaml", "--json"))
    assert document["recorded_with"] == "mcpmock 0.1.0"
    (session,) = document["sessions"]
    assert (session["server"], session["transport"], session["command"][0]) == ("everything", "stdio", "npx")
    call = session["items"][2]
    assert (call["kind"], call["method"], call["id"], call["at"]) == ("request", "tools/call", 1, 415)
    assert call["message"]["params"]["arguments"] == {"prompt": "hello"}
    progress, question, answer = call["items"]
    assert progress["method"] == "notifications/progress"
    assert question["items"][0]["gist"] == 'm: "hi"'
    assert (answer["kind"], answer["took"]) == ("answer", 146)
    assert document["totals"]["requests"] == {"tools/call": 2, "initialize": 1, "tools/list": 1}
    assert document["totals"]["events"] == {"errors": 1, "stderr": 1, "exit": 1, "unanswered": 1}


def test_who_speaks_and_what_is_derived_where_no_handshake_tells_it() -> None:
    """Issue 6.1: era, revision, the server's name and capabilities: as a discovery told them, else as they are seen."""
    check_golden(shown("stateless.yaml"), SHOWN / "stateless.txt")
    pinned, probed = json.loads(told(SHOWN / "stateless.yaml", "--json"))["sessions"]
    for session in (pinned, probed):
        assert (session["era"], session["revision"]) == ("modern", "2026-07-28")
        assert session["serverInfo"] == {"name": "sums", "version": "1.2.0"}
    assert (pinned["capabilities"], probed["capabilities"]) == (
        {"tools": {}},
        {"tools": {"listChanged": True}, "prompts": {}},
    )
    (session,) = json.loads(told(SHOWN / "conversation.yaml", "--json"))["sessions"]
    assert (session["era"], session["revision"]) == ("legacy", "2025-11-25")
    assert session["serverInfo"]["name"] == "everything"


def test_a_message_beyond_yaml_is_told_by_its_text(tmp_path: Path) -> None:
    """Ours: duplicate keys, and nesting beyond what a page can hold."""
    file = tmp_path / "odd.yaml"
    exact = '{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":-0}}'
    deep = '{"jsonrpc":"2.0","method":"x","params":{"a":' + "[" * 400 + "]" * 400 + "}}"
    file.write_text(f"version: 1\nsessions:\n- entries:\n  - client: '{deep}'\n  - server: '{exact}'\n")
    (item,) = json.loads(told(file, "--json"))["sessions"][0]["items"]
    assert json.loads(item["message"]) == {key: value for key, value in json.loads(deep).items() if key != "jsonrpc"}
    assert item["items"][0]["message"] == exact
    assert "error" not in told(file)
