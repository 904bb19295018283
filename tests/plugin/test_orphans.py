"""Cassettes that no test used: all of them, and never a wrong one (issue 3, 1)."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Project

TITLE = "*mcpmock: cassettes that no test used*"


@pytest.fixture
def suite(project: Project) -> Project:
    """Two modules; two cassettes of nobody, one of them in a module's own folder."""
    for name in ("old.yaml", "test_it/test_named.yaml", "test_it/test_gone.yaml", "test_it/test_named.failed.yaml"):
        project.cassette(name)
    project.cassette("by_other.yaml")
    project.tests("""
@pytest.mark.mcpmock("add.yaml")
def test_marked(mcp_mock): assert ask(mcp_mock.command, add(1, 2))[-1] == 0

def test_named(mcp_mock): assert ask(mcp_mock.command, add(1, 2))[-1] == 0
""")
    project.tests(
        """
@pytest.mark.mcpmock("by_other.yaml")
def test_other(mcp_mock): assert ask(mcp_mock.command, add(1, 2))[-1] == 0
""",
        "test_other.py",
    )
    return project


def orphans(result: pytest.RunResult) -> list[str]:
    """What is told after the title."""
    lines = result.stdout.lines
    at = [number for number, line in enumerate(lines) if "cassettes that no test used" in line]
    return [line for line in lines[at[0] + 1 :] if line.startswith("cassettes/")] if at else []


ALL = ["cassettes/old.yaml", "cassettes/test_it/test_gone.yaml"]
OWN = ["cassettes/test_it/test_gone.yaml"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param([], ALL, id="all"),
        pytest.param(["."], ALL, id="all, by a path"),
        pytest.param(["-k", "named"], ALL, id="deselected tests are known"),
        pytest.param(["test_it.py"], OWN, id="one module knows its own folder"),
        pytest.param(["test_it.py", "-k", "marked"], OWN, id="one module, deselected"),
        pytest.param(["test_it.py::test_named"], [], id="one test knows nothing"),
        pytest.param(["test_other.py"], [], id="another module"),
        pytest.param(["--ignore=test_other.py"], OWN, id="ignored files"),
        pytest.param(["-x", "--deselect=test_it.py::test_named"], ALL, id="deselected by name"),
    ],
)
def test_the_cassettes_of_nobody_are_named_and_no_others(
    suite: Project, options: list[str], expected: list[str]
) -> None:
    """Ours (issue 3, 1): right in a partial run, which knows less."""
    result = suite.run("--mcpmock-orphans=tell", *options)
    assert orphans(result) == expected
    assert result.ret == 0


def test_it_is_right_under_xdist(suite: Project) -> None:
    """Ours (issue 3, 1): each worker knows a part of it."""
    result = suite.run_apart("-n2", "--mcpmock-orphans", "--dist=loadfile")
    assert orphans(result) == ALL
    assert result.ret == 1


def test_orphans_fail_the_run_if_they_shall(suite: Project) -> None:
    """Ours: without a value, or by the ini key."""
    result = suite.run("--mcpmock-orphans")
    result.assert_outcomes(passed=3)
    assert result.ret == 1
    suite.write("pytest.ini", "[pytest]\npythonpath = .\nmcpmock_orphans = fail\n")
    assert suite.run().ret == 1
    for path in ALL:
        (suite.path / path).unlink()
    assert suite.run().ret == 0


@pytest.mark.parametrize(
    ("option", "code"), [("", 1), ("=fail", 1), ("=tell", 0), ("=no", 0), ("=what", pytest.ExitCode.USAGE_ERROR)]
)
def test_the_option_does_not_take_the_path_behind_it(suite: Project, option: str, code: int) -> None:
    """Ours: `pytest --mcpmock-orphans test_it.py` is what people type."""
    result = suite.run(f"--mcpmock-orphans{option}", "test_it.py")
    assert result.ret == code
    assert orphans(result) == (OWN if option not in ("=no", "=what") else [])


def test_without_the_option_nothing_is_told(suite: Project) -> None:
    """Ours."""
    suite.run().stdout.no_fnmatch_line(TITLE)


def test_a_folder_can_be_left_out(suite: Project) -> None:
    """Ours (issue 3, 1): an argument of the marker for each option."""
    path = suite.path / "test_it.py"
    path.write_text(path.read_text() + '\npytestmark = pytest.mark.mcpmock(orphans="no")\n')
    assert orphans(suite.run("--mcpmock-orphans")) == ["cassettes/old.yaml"]


def test_what_a_test_asks_for_as_it_runs_is_used(suite: Project) -> None:
    """Ours: the factory; and if such a test did not run, nobody knows what it would have asked for."""
    suite.tests(
        """
def test_first(): assert True
def test_asks(mcpmock_factory):
    assert ask(mcpmock_factory("old.yaml").command, add(1, 2))[-1] == 0
""",
        "test_asks.py",
    )
    assert orphans(suite.run("--mcpmock-orphans")) == OWN
    assert orphans(suite.run("--mcpmock-orphans", "-k", "not asks")) == OWN


def test_an_interrupted_run_accuses_nobody(suite: Project) -> None:
    """Ours: also where the tests of a broken module could not be found."""
    suite.write("test_broken.py", "import nothing_of_that_name\n")
    assert orphans(suite.run("--mcpmock-orphans")) == []
