"""`mcpmock replay`: its table of options, and the click command that is made from it, agree (DESIGN 5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.cli.replay import OPTIONS, Option, click_command, read_options
from tests.program import run

NAMES = [f"--{option.name}" for option in OPTIONS]
VALUES = [
    "",
    "a",
    "0",
    "1",
    "12",
    "1.5",
    "-1",
    "nan",
    "inf",
    "1e400",
    "any",
    "strict",
    "Any",
    "/a",
    "--noise",
    "-",
    "é b",
]
WORDS = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from(VALUES),
    st.builds("{}={}".format, st.sampled_from(NAMES), st.sampled_from(VALUES)),
    st.sampled_from(["x.yaml", "--", "--help", "-h", "--ordr", "-x", "---", "--=", "=1"]),
)


def by_click(arguments: list[str]) -> dict[str, Any] | None:
    """The values that click finds, but for those that nobody gave; None where it complains or helps."""
    try:
        context = click_command().make_context("replay", list(arguments), help_option_names=["-h", "--help"])
    except (click.UsageError, click.exceptions.Exit):
        return None
    return {name: value for name, value in context.params.items() if value not in (None, ()) and value is not False}


@given(st.lists(WORDS, max_size=6))
def test_the_table_and_click_read_the_same(arguments: list[str]) -> None:
    """Ours (DESIGN 5): what the table takes, click takes too, with equal values; what it leaves, click explains."""
    values = read_options(arguments)
    if values is not None:
        assert by_click(arguments) == values


@given(st.lists(WORDS.filter(lambda word: word not in ("--", "-", "-h", "--help")), max_size=6))
def test_what_click_reads_the_table_reads_without_it(arguments: list[str]) -> None:
    """Ours (DESIGN 5): no ordinary command line pays for click."""
    assert (read_options(arguments) is None) == (by_click(arguments) is None)


EXAMPLES = {
    "session": "2",
    "order": "any",
    "ignore": "/a",
    "delays": "0.5",
    "answer-timeout": "2",
    "var": "work=/w",
    "port": "8808",
}


@pytest.mark.parametrize("option", OPTIONS, ids=[option.name for option in OPTIONS])
def test_every_option_is_read_in_either_spelling_on_either_side_of_the_cassette(option: Option) -> None:
    """Ours (DESIGN 5): from the table, not from a list of its own."""
    text = EXAMPLES.get(option.name, "word")
    spelt = [[f"--{option.name}"]] if option.kind is bool else [[f"--{option.name}", text], [f"--{option.name}={text}"]]
    name = option.name.replace("-", "_")
    for words in spelt:
        for arguments in ([*words, "x.yaml"], ["x.yaml", *words]):
            values = read_options(arguments)
            assert values is not None
            assert values.pop("cassette") == "x.yaml"
            assert list(values) == [name]
            assert by_click(arguments) == {**values, "cassette": "x.yaml"}


def test_help_shows_every_option_and_an_example() -> None:
    """Issue 2: `--help` everywhere, with an example."""
    for arguments in (["--help"], ["-h"], ["x.yaml", "--order", "any", "--help"]):
        done = run("replay", *arguments)
        told = done.stdout.decode()
        assert done.returncode == 0
        words = " ".join(told.split())
        for option in OPTIONS:
            assert f"--{option.name}" in words
            assert option.help in words
        assert "CASSETTE" in told
        assert '"args": ["replay", "weather.yaml"]' in told
        assert "Exit codes" in told


WRONG = [
    (["--order", "none", "x.yaml"], ["--order", "stateful", "any"]),
    (["--session", "0", "x.yaml"], ["--session", "'0' is not a whole number from 1"]),
    (["--session", "two", "x.yaml"], ["--session", "'two'"]),
    (["--delays", "-1", "x.yaml"], ["--delays", "'-1' is not a number from 0"]),
    (["--delays", "nan", "x.yaml"], ["--delays", "'nan'"]),
    (["--delays", "inf", "x.yaml"], ["--delays", "'inf'"]),
    (["--delays", "fast", "x.yaml"], ["--delays", "'fast'"]),
    (["--port", "65536", "x.yaml"], ["--port", "'65536' is no port"]),
    (["--port", "-1", "x.yaml"], ["--port", "'-1'"]),
    (["--noise=1", "x.yaml"], ["--noise"]),
    (["x.yaml", "--report"], ["--report"]),
    (["x.yaml", "--ordr", "any"], ["--ordr", "--order"]),
    (["x.yaml", "y.yaml"], ["y.yaml"]),
    ([], ["CASSETTE"]),
]


@pytest.mark.parametrize(("arguments", "told"), WRONG, ids=[" ".join(words) or "nothing" for words, _ in WRONG])
def test_a_bad_value_ends_with_2_and_says_what_is_wanted(arguments: list[str], told: list[str]) -> None:
    """FIELD (exit codes): 2 usage; nothing on stdout."""
    done = run("replay", *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    for words in told:
        assert words in done.stderr.decode()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--ignore", "arguments/at"], "'arguments/at'"),
        (["--ignore", "/a~b"], "'/a~b'"),
        (["--session", "9"], "session 9"),
        (["--server", "other"], "'other'"),
        (["--report", "no/such/folder/report.json"], "no/such/folder"),
    ],
)
def test_a_value_that_does_not_fit_the_cassette_is_told_before_the_client_has_spoken(
    tmp_path: Path, options: list[str], told: str
) -> None:
    """FIELD (exit codes): 2 usage, in one paragraph, which names the value."""
    cassette = tmp_path / "x.yaml"
    cassette.write_text("version: 1\nsessions:\n- server: only\n  entries: []\n", encoding="utf-8")
    done = run("replay", str(cassette), *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert told in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


@pytest.mark.parametrize("text", [None, "", "version: 99\nsessions:\n", "version: 1\nsessions: {", "- a"])
def test_a_cassette_that_cannot_be_used_ends_with_4(tmp_path: Path, text: str | None) -> None:
    """FIELD (exit codes): 4 broken cassette; case CA-06: with its file, and what to do."""
    cassette = tmp_path / "x.yaml"
    if text is not None:
        cassette.write_text(text, encoding="utf-8")
    done = run("replay", str(cassette))
    assert (done.returncode, done.stdout) == (4, b"")
    assert str(cassette) in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
