"""Tests fail by themselves where their client strays: as failures, after their own, explained (issue 3, 4)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.golden import check_golden
from tests.plugin.conftest import Project

GOLDEN: Final = Path(__file__).parent / "golden"


def told(result: pytest.RunResult) -> str:
    """What pytest printed about failures and errors."""
    text = result.stdout.str()
    found = re.search(r"^=+ (?:FAILURES|ERRORS) =+$.*(?=^=+ short test summary)", text, re.MULTILINE | re.DOTALL)
    assert found, text
    return found[0]


def test_ma_04_a_miss_fails_a_test_whose_client_swallows_every_error(project: Project) -> None:
    """Case MA-04, DESIGN 2.5: with the page; the golden text is what people see."""
    project.tests("""
@pytest.mark.mcpmock("add.yaml")
def test_swallows(mcp_mock):
    for b in (2, 40, 40):
        ask(mcp_mock.command, add(1, b))
    ask(mcp_mock.command, {"method": "tools/call", "params": {"name": "ad"}})
    ask(mcp_mock.command, add(1, 2))
""")
    result = project.run()
    result.assert_outcomes(failed=1)
    check_golden(told(result), GOLDEN / "misses.txt")


def test_what_was_not_played_fails_the_test(project: Project) -> None:
    """Ours (issue 3, 4): unless `allow_unplayed` says otherwise; what is optional does not count."""
    project.tests("""
@pytest.mark.mcpmock("add.yaml")
def test_idle(mcp_mock): pass

@pytest.mark.mcpmock("add.yaml", allow_unplayed=True)
def test_allowed(mcp_mock): pass
""")
    result = project.run()
    result.assert_outcomes(failed=1, passed=1)
    check_golden(told(result), GOLDEN / "unplayed.txt")


def test_the_own_failure_of_a_test_comes_first_and_alone(project: Project) -> None:
    """Ours (issue 3, 4): what was missed is told beside it, what was not played is no news."""
    project.tests("""
@pytest.mark.mcpmock("add.yaml")
def test_own(mcp_mock):
    answer = ask(mcp_mock.command, add(1, 3))[0]
    assert "result" in answer, "no result"
""")
    result = project.run("--tb=short")
    result.assert_outcomes(failed=1)
    text = told(result)
    assert "never played" not in text
    assert text.index("AssertionError: no result") < text.index("Captured mcpmock call") < text.index("near miss:")


def test_a_failure_that_comes_with_the_teardown_is_a_failure_too(project: Project) -> None:
    """Ours (issue 3, 4): a client that lives in a fixture may stray when it is closed; that is no error of the test."""
    project.tests("""
import subprocess

@pytest.fixture
def client(mcp_mock):
    with subprocess.Popen(mcp_mock.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n')
        process.stdin.flush()
        process.stdout.readline()
        yield process
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"late"}}\\n')
        process.stdin.flush()
        process.stdout.readline()

@pytest.mark.mcpmock("add.yaml")
def test_late(client): pass
""")
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*FAILURES*", "*unknown: nothing was recorded for tools/call*", "FAILED*test_late*"])
    result.stdout.fnmatch_lines(["*1 of 3 recorded requests was never played*"])
    result.stdout.no_fnmatch_line("ERROR*")


def test_a_client_that_plays_in_its_teardown_has_left_nothing_unplayed(project: Project) -> None:
    """Ours: as long as a client is connected nobody knows what it will still do."""
    project.tests("""
import subprocess

@pytest.fixture
def client(mcp_mock):
    with subprocess.Popen(mcp_mock.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n')
        process.stdin.flush()
        process.stdout.readline()
        yield process
        process.stdin.write(
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}\\n')
        process.stdin.flush()
        process.stdout.readline()

@pytest.mark.mcpmock("add.yaml")
def test_late(client): pass
""")
    project.run().assert_outcomes(passed=1)


def test_a_miss_while_a_fixture_is_set_up_is_told_beside_its_error(project: Project) -> None:
    """Ours (issue 3, 4): the handshake of a client often happens in a fixture."""
    project.tests("""
@pytest.fixture
def client(mcp_mock):
    assert "result" in ask(mcp_mock.command, add(9, 9))[0]

@pytest.mark.mcpmock("add.yaml")
def test_never_begins(client): pass
""")
    result = project.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ERROR at setup*", "*Captured mcpmock setup*", "mcpmock: near miss:*"])


def test_a_client_that_starts_its_server_often_or_kills_it_is_judged_the_same(project: Project) -> None:
    """Ours (issue 3, 4): all processes are one run."""
    project.tests("""
import json, subprocess

@pytest.mark.mcpmock("add.yaml")
def test_kills(mcp_mock):
    for b in (2, 3):
        with subprocess.Popen(mcp_mock.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, **add(1, b)}).encode() + b"\\n")
            process.stdin.flush()
            process.stdout.readline()
            process.kill()
    assert len(mcp_mock.sessions) == 2
""")
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*/arguments/b  2         3"])
    result.stdout.no_fnmatch_line("*never played*")


def test_te_02_a_cassette_that_is_not_there_names_the_path_and_how_to_record_it(project: Project) -> None:
    """Case TE-02: an error at the start, not an empty recording."""
    project.tests("""
@pytest.mark.mcpmock("ad.yaml")
def test_named(mcp_mock): pass

@pytest.mark.parametrize("city", ["new york"])
def test_unnamed(mcp_mock, city): pass

@pytest.mark.mcpmock(command=["npx", "some-server"])
def test_with_command(mcp_mock): pass
""")
    result = project.run()
    result.assert_outcomes(errors=3)
    check_golden(told(result), GOLDEN / "missing.txt")


def test_no_other_cassette_is_meant_by_the_name_of_a_test(project: Project) -> None:
    """Ours (STYLE 9): nobody wrote that name; and what a failing test has left is never meant."""
    for name in ("test_it/test_add.yaml", "test_it/test_adds.failed.yaml", "harbour.failed.yaml"):
        project.cassette(name)
    project.tests("""
def test_adds(mcp_mock): pass

@pytest.mark.mcpmock("harbour.yaml")
def test_named(mcp_mock): pass
""")
    result = project.run()
    result.assert_outcomes(errors=2)
    result.stdout.no_fnmatch_line("*did you mean*")


def test_a_broken_cassette_names_the_line(project: Project) -> None:
    """Ours (DESIGN 3): what cannot be read is never an empty recording."""
    project.cassette("broken.yaml", "version: 1\nsessions:\n- entires: []\n")
    project.tests("""
@pytest.mark.mcpmock("broken.yaml")
def test_it(mcp_mock): pass
""")
    result = project.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["cassettes/broken.yaml:3:*"])


@pytest.mark.parametrize(
    ("mark", "outcomes"),
    [
        ("pytest.mark.xfail", {"xfailed": 1}),
        ("pytest.mark.xfail(raises=AssertionError)", {"failed": 1}),
        ("pytest.mark.skip", {"skipped": 1}),
    ],
)
def test_pytests_own_marks_mean_what_they_mean(project: Project, mark: str, outcomes: dict[str, int]) -> None:
    """Ours: a failure of ours is a failure of the test."""
    project.tests(f"""
@{mark}
@pytest.mark.mcpmock("add.yaml")
def test_it(mcp_mock): pass
""")
    project.run("-o", "xfail_strict=true").assert_outcomes(**outcomes)


def test_a_test_that_skips_itself_is_skipped(project: Project) -> None:
    """Ours: nobody asks what it has not played."""
    project.tests("""
@pytest.mark.mcpmock("add.yaml")
def test_it(mcp_mock): pytest.skip("not today")
""")
    project.run().assert_outcomes(skipped=1)


def test_a_run_stops_at_the_first_failure_of_ours(project: Project) -> None:
    """Ours: -x counts it."""
    project.tests("""
@pytest.mark.mcpmock("add.yaml")
@pytest.mark.parametrize("number", range(5))
def test_it(mcp_mock, number): pass
""")
    project.run("-x").assert_outcomes(failed=1)
