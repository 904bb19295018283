"""Record modes through the fixture (issue 3, 3)."""

from __future__ import annotations

import pytest

from tests.mock.said import ADD, SERVER
from tests.plugin.conftest import Project

ONE = """
@pytest.mark.mcpmock("real.yaml", command=SERVER)
def test_it(mcp_mock):
    assert ask(mcp_mock.command, {"method": "one"})[0]["result"]["asked"] == "one"
"""


def test_none_is_the_default_and_records_nothing(project: Project) -> None:
    """Ours (FIELD): a command in the marker alone starts nothing."""
    project.tests(ONE)
    project.run().assert_outcomes(errors=1)
    assert not (project.path / "cassettes" / "real.yaml").exists()


def test_once_records_what_is_not_there_and_replays_it_ever_after(project: Project) -> None:
    """Ours (issue 3): the example of the issue."""
    project.tests(ONE)
    project.run("--mcpmock-mode=once").assert_outcomes(passed=1)
    cassette = project.path / "cassettes" / "real.yaml"
    text = cassette.read_text()
    assert "method: one" in text
    (project.path / "server.py").unlink()
    for options in (["--mcpmock-mode=once"], []):
        project.run(*options).assert_outcomes(passed=1)
        assert cassette.read_text() == text


@pytest.mark.parametrize("mode", ["all", "rewrite"])
def test_all_records_anew(project: Project, mode: str) -> None:
    """Ours (FIELD): it replaces, never appends; `rewrite` is another name for it."""
    cassette = project.cassette("real.yaml", ADD)
    project.tests(ONE)
    for _ in range(2):
        project.run(f"--mcpmock-mode={mode}").assert_outcomes(passed=1)
        assert "method: one" in cassette.read_text()
        assert cassette.read_text().count("- server:") == 2, "a session and an answer"
        assert "name: add" not in cassette.read_text()


def test_recording_anew_what_has_not_changed_changes_nothing(project: Project) -> None:
    """Ours (issue 3, 3): comments stay where they are, and a review shows only what the server has changed."""
    project.tests(ONE)
    project.run("--mcpmock-mode=all").assert_outcomes(passed=1)
    cassette = project.path / "cassettes" / "real.yaml"
    text = cassette.read_text().replace("  - client:", "  # the only question\n  - client:", 1)
    cassette.write_text(text)
    project.run("--mcpmock-mode=all").assert_outcomes(passed=1)
    assert cassette.read_text() == text
    project.write("server.py", SERVER.replace('"asked"', '"news": 1, "asked"'))
    project.run("--mcpmock-mode=all").assert_outcomes(passed=1)
    assert "  # the only question\n  - client:" in cassette.read_text()
    assert "news: 1" in cassette.read_text()


def test_passthrough_asks_the_real_server_and_keeps_nothing(project: Project) -> None:
    """Ours (FIELD): `calls` works all the same."""
    cassette = project.cassette("real.yaml", ADD)
    project.tests(ONE + '    assert mcp_mock.calls()[0].answer["asked"] == "one"\n')
    project.run("--mcpmock-mode=passthrough").assert_outcomes(passed=1)
    assert cassette.read_text() == ADD


def test_the_recording_of_a_failing_test_is_kept_aside_and_named(project: Project) -> None:
    """Ours (issue 3, 3): not swapped in."""
    cassette = project.cassette("real.yaml", ADD)
    project.tests(ONE + "    assert False\n")
    result = project.run("--mcpmock-mode=all")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["mcpmock: what this test records is kept in cassettes/real.failed.yaml; *"])
    assert cassette.read_text() == ADD
    assert "method: one" in (project.path / "cassettes" / "real.failed.yaml").read_text()


def test_no_recording_is_named_where_the_server_could_not_be_started(project: Project) -> None:
    """Ours: a path that leads nowhere helps nobody."""
    project.tests(ONE.replace("command=SERVER", "command=[SERVER[0], '-c', 'raise SystemExit(3)']"))
    result = project.run("--mcpmock-mode=all")
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*what this test records*")
    assert not list(project.path.rglob("*.failed.yaml"))


def test_all_tests_of_a_run_that_record_one_cassette_add_to_it(project: Project) -> None:
    """Ours (DESIGN 3, "One cassette, several processes"): and the next run replaces it."""
    project.tests("""
@pytest.mark.parametrize("method", ["one", "two", "three"])
@pytest.mark.mcpmock("shared.yaml", command=SERVER, allow_unplayed=True)
def test_it(mcp_mock, method):
    assert ask(mcp_mock.command, {"method": method})[0]["result"]["asked"] == method
""")
    for _ in range(2):
        project.run("--mcpmock-mode=all").assert_outcomes(passed=3)
        text = (project.path / "cassettes" / "shared.yaml").read_text()
        assert [text.count(f"method: {method}") for method in ("one", "two", "three")] == [1, 1, 1]
    project.run().assert_outcomes(passed=3)


@pytest.mark.parametrize("mode", ["once", "all"])
def test_two_workers_that_record_one_cassette_do_not_tear_it(project: Project, mode: str) -> None:
    """Ours (issue 3, 3): nothing is lost, and every test can be replayed."""
    project.tests("""
@pytest.mark.parametrize("number", range(12))
@pytest.mark.mcpmock("shared.yaml", command=SERVER, allow_unplayed=True)
def test_it(mcp_mock, number):
    assert ask(mcp_mock.command, {"method": "m", "params": {"number": number}})[0]["result"]["asked"] == "m"
""")
    project.run_apart(f"--mcpmock-mode={mode}", "-n4")
    text = (project.path / "cassettes" / "shared.yaml").read_text()
    told = [text.count(f"number: {number}}}") for number in range(12)]
    assert told == [1] * 12 if mode == "all" else any(told), text
    project.run().assert_outcomes(passed=12 if mode == "all" else sum(told), failed=told.count(0))


@pytest.mark.parametrize(
    ("options", "environment", "ini", "marker", "records"),
    [
        pytest.param([], {}, "", "", False, id="nothing said"),
        pytest.param(["--mcpmock-mode=once"], {}, "", "", True, id="option"),
        pytest.param([], {"MCPMOCK_MODE": "once"}, "", "", True, id="environment"),
        pytest.param([], {}, "once", "", True, id="ini"),
        pytest.param([], {}, "", "once", True, id="marker"),
        pytest.param([], {"MCPMOCK_MODE": "none"}, "once", "", False, id="environment before ini"),
        pytest.param(["--mcpmock-mode=none"], {"MCPMOCK_MODE": "once"}, "", "", False, id="option before environment"),
        pytest.param(["--mcpmock-mode=once"], {}, "", "none", False, id="marker before option"),
        pytest.param([], {"CI": "true"}, "once", "", False, id="CI before ini"),
        pytest.param([], {"CI": "true"}, "", "once", False, id="CI before marker"),
        pytest.param(["--mcpmock-mode=once"], {"CI": "true"}, "", "", True, id="option in CI"),
        pytest.param([], {"CI": "true", "MCPMOCK_MODE": "once"}, "", "", True, id="environment in CI"),
        pytest.param(["--mcpmock-mode=once"], {"CI": "true"}, "", "none", False, id="marker none in CI"),
    ],
)
def test_which_mode_wins(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    environment: dict[str, str],
    ini: str,
    marker: str,
    records: bool,
) -> None:
    """Ours (FIELD): none unless something is said; in CI, unless it is said for this run."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    if ini:
        project.write("pytest.ini", f"[pytest]\npythonpath = .\nmcpmock_mode = {ini}\n")
    project.tests(ONE.replace("command=SERVER", f"command=SERVER, mode={marker!r}" if marker else "command=SERVER"))
    project.run(*options).assert_outcomes(**({"passed": 1} if records else {"errors": 1}))


def test_a_mode_that_is_not_there_is_an_error_that_lists_them(project: Project) -> None:
    """Ours (issue 3, 3): wherever it is given."""
    project.tests(ONE)
    result = project.run("--mcpmock-mode=recrod")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["--mcpmock-mode: there is no mode 'recrod'; the modes are none, once, *"])


def test_a_mode_that_needs_a_command_says_so(project: Project) -> None:
    """Ours (issue 3, 3)."""
    project.tests('@pytest.mark.mcpmock("new.yaml")\ndef test_it(mcp_mock): pass')
    result = project.run("--mcpmock-mode=once")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["cassettes/new.yaml: mode 'once' needs the server's command*"])


SWALLOWS = """
@pytest.mark.mcpmock("new.yaml", command=["/no/such/program"])
def test_it(mcp_mock):
    assert "result" not in ask(mcp_mock.command, {"method": "one"})
"""


@pytest.mark.parametrize(
    ("mode", "problem"),
    [("passthrough", "/no/such/program: cannot be started: *"), ("once", "cassettes/new.yaml: nothing was recorded*")],
)
def test_a_server_that_cannot_be_started_fails_a_test_whose_client_swallows_that(
    project: Project, mode: str, problem: str
) -> None:
    """Case MA-04: in every mode, as a failure, told once and without a traceback of ours."""
    project.tests(SWALLOWS)
    result = project.run(f"--mcpmock-mode={mode}")
    assert result.parseoutcomes().get("failed") == 1
    result.stdout.fnmatch_lines(["*FAILURES*", f"mcpmock: {problem}"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("ERROR*")


@pytest.mark.parametrize(("end", "outcome"), [("assert False", "failed"), ("pytest.skip()", "skipped")])
def test_of_a_test_that_has_ended_by_itself_nobody_asks_for_its_recording(
    project: Project, end: str, outcome: str
) -> None:
    """Ours (issue 3, 4): its own failure comes first and alone, and a skip stays one."""
    project.tests(SWALLOWS + f"    {end}\n")
    project.run("--mcpmock-mode=once").assert_outcomes(**{outcome: 1})
