"""The fixture `mcp_mock`: which cassette, in which form, and what it leaves behind (issue 3, 1)."""

from __future__ import annotations

import json

import pytest

from tests.mock.said import ADD, TWO
from tests.plugin.conftest import Project


def test_a_test_that_stays_on_the_recording_passes(project: Project) -> None:
    """Ours (issue 3): a cassette by marker, a server for a stdio client."""
    project.tests("""
@pytest.mark.mcpmock("add.yaml")
def test_adds(mcp_mock):
    assert ask(mcp_mock.command, add(1, 2))[0]["result"]["content"][0]["text"] == "3"
    mcp_mock.assert_called("add", a=1)
""")
    project.run("-W", "error").assert_outcomes(passed=1)


def test_without_a_name_the_cassette_is_named_after_the_test(project: Project) -> None:
    """Ours (FIELD): `cassettes/{module}/{Class.}test[params].yaml`."""
    for name in ("test_plain", "TestGroup.test_in_class", "test_many[one]", "TestGroup.TestInner.test_deep[1-x]"):
        project.cassette(f"test_it/{name}.yaml")
    project.tests("""
def use(mcp_mock):
    assert ask(mcp_mock.command, add(1, 2))[-1] == 0

def test_plain(mcp_mock): use(mcp_mock)

@pytest.mark.parametrize("which", ["one"])
def test_many(mcp_mock, which): use(mcp_mock)

class TestGroup:
    def test_in_class(self, mcp_mock): use(mcp_mock)

    class TestInner:
        @pytest.mark.parametrize("a", ["x"])
        @pytest.mark.parametrize("b", [1])
        def test_deep(self, mcp_mock, a, b): use(mcp_mock)
""")
    project.run().assert_outcomes(passed=4)


def test_the_nearest_marker_wins_argument_by_argument(project: Project) -> None:
    """Ours (FIELD, "marker"): function before class before module before `mcpmock_config`."""
    project.tests("""
pytestmark = pytest.mark.mcpmock("missing.yaml", allow_unplayed=False)

@pytest.fixture(scope="module")
def mcpmock_config():
    return {"allow_unplayed": False, "allow_playback_repeats": True}

@pytest.mark.mcpmock("add.yaml", ignore="/arguments/a")
class TestGroup:
    @pytest.mark.mcpmock(allow_unplayed=True)
    def test_nothing(self, mcp_mock): pass

    def test_all(self, mcp_mock):
        assert ask(mcp_mock.command, add(5, 2), add(6, 2))[-1] == 0
""")
    project.run().assert_outcomes(passed=2)


def test_the_configuration_of_a_host(project: Project) -> None:
    """Ours (issue 3): `config`, `config_file`, and several servers in one cassette."""
    project.cassette("two.yaml", TWO)
    project.tests("""
import json
@pytest.mark.mcpmock("two.yaml")
def test_both(mcp_mock):
    assert json.loads(mcp_mock.config_file.read_text()) == mcp_mock.config
    for name, tool in (("github", "issues"), ("weather", "forecast")):
        server = mcp_mock.config["mcpServers"][name]
        request = {"method": "tools/call", "params": {"name": tool}}
        assert ask([server["command"], *server["args"]], request)[0]["result"] == {"from": name}
    assert mcp_mock["github"].calls()[0].server == "github"

@pytest.mark.mcpmock("two.yaml", server="github")
def test_one(mcp_mock):
    assert ask(mcp_mock.command, {"method": "tools/call", "params": {"name": "issues"}})[-1] == 0
""")
    project.run().assert_outcomes(passed=2)


def test_of_several_servers_one_must_be_chosen(project: Project) -> None:
    """Ours (STYLE, habit 9): the way out is in the words of the test, at its line, without ours."""
    project.cassette("two.yaml", TWO)
    project.tests("""
@pytest.mark.mcpmock("two.yaml", allow_unplayed=True)
@pytest.mark.parametrize("form", ["command", "stdio"])
def test_it(mcp_mock, form): getattr(mcp_mock, form)
""")
    result = project.run()
    result.assert_outcomes(failed=2)
    assert "holds several servers (github, weather); choose one: mcp_mock['github']\n" in result.stdout.str()
    result.stdout.no_fnmatch_line("*server.py*")


@pytest.mark.parametrize(
    "how",
    [
        pytest.param("option", id="--mcpmock-cassette-dir"),
        pytest.param("environment", id="MCPMOCK_CASSETTE_DIR"),
        pytest.param("ini", id="mcpmock_cassette_dir"),
        pytest.param("marker", id="cassette_dir="),
        pytest.param("fixture", id="mcpmock_cassette_dir fixture"),
    ],
)
def test_the_folder_of_the_cassettes_can_be_chosen(project: Project, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours (issue 3, 1): option, environment, ini key, marker, fixture."""
    project.write("elsewhere/mine.yaml", ADD)
    options = ["--mcpmock-cassette-dir=elsewhere"] if how == "option" else []
    if how == "environment":
        monkeypatch.setenv("MCPMOCK_CASSETTE_DIR", "elsewhere")
    if how == "ini":
        project.write("pytest.ini", "[pytest]\npythonpath = .\nmcpmock_cassette_dir = elsewhere\n")
    marker = ', cassette_dir="elsewhere"' if how == "marker" else ""
    fixture = """
@pytest.fixture(scope="module")
def mcpmock_cassette_dir(): return "elsewhere"
"""
    project.tests(f"""{fixture if how == "fixture" else ""}
@pytest.mark.mcpmock("mine.yaml"{marker})
def test_adds(mcp_mock):
    assert ask(mcp_mock.command, add(1, 2))[-1] == 0
""")
    project.run(*options).assert_outcomes(passed=1)


def test_a_common_folder_keeps_modules_of_the_same_name_apart(project: Project) -> None:
    """Case TE-02: the file part is in the name."""
    for folder in ("unit", "end"):
        project.write(f"all/tests/{folder}/test_same/test_adds.yaml", ADD)
        project.tests("def test_adds(mcp_mock): ask(mcp_mock.command, add(1, 2))", f"tests/{folder}/test_same.py")
    project.run("--mcpmock-cassette-dir=all", "--import-mode=importlib").assert_outcomes(passed=2)


def test_settings_that_make_no_sense_are_errors_that_say_what_would(project: Project) -> None:
    """Ours (issue 3, 3): in the marker, in the fixture, among the modes."""
    project.tests("""
@pytest.mark.mcpmock("add.yaml", odrer="any")
def test_typo(mcp_mock): pass

@pytest.mark.mcpmock("add.yaml", "other.yaml")
def test_two(mcp_mock): pass

@pytest.mark.mcpmock("add.yaml", mode="onec")
def test_mode(mcp_mock): pass
""")
    result = project.run()
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines(
        [
            "@pytest.mark.mcpmock: there is no setting 'odrer'; did you mean 'order'?",
            "@pytest.mark.mcpmock takes one cassette, not 2: ('add.yaml', 'other.yaml')",
            "mode: there is no mode 'onec'; the modes are none, once, all, passthrough, rewrite (new_*",
        ]
    )


def test_the_report_tells_what_every_test_did(project: Project) -> None:
    """Ours (issue 3, 1): --mcpmock-report, the ini key, and an argument of the marker for one test alone."""
    project.tests("""
@pytest.mark.mcpmock("add.yaml")
def test_plays(mcp_mock): ask(mcp_mock.command, add(1, 2))

@pytest.mark.mcpmock("add.yaml", report="one.json")
def test_misses(mcp_mock): ask(mcp_mock.command, add(1, 3))
""")
    project.write("pytest.ini", "[pytest]\npythonpath = .\nmcpmock_report = all.json\n")
    project.run().assert_outcomes(passed=1, failed=1)
    told = json.loads((project.path / "all.json").read_text())
    assert told["version"] == 1
    misses, plays = told["tests"]
    assert (plays["test"], plays["cassette"], plays["sessions"]) == (
        "test_it.py::test_plays",
        "cassettes/add.yaml",
        1,
    )
    assert [(one["method"], one["outcome"], one["line"]) for one in plays["calls"]] == [("tools/call", "played", 4)]
    assert [one["kind"] for one in misses["misses"]] == ["near miss"]
    assert [one["line"] for one in misses["unplayed"]] == [4]
    assert json.loads((project.path / "one.json").read_text()) == misses


def test_a_suite_on_one_cassette_loads_it_once(project: Project) -> None:
    """Ours (issue 3, 9): once for each process, whatever the number of tests."""
    project.tests("""
from mcpmock.mock.shelf import SHELF

@pytest.mark.parametrize("number", range(200))
@pytest.mark.mcpmock("add.yaml", allow_unplayed=True)
def test_nothing(mcp_mock, number): assert SHELF.loads == 1
""")
    project.run_apart("-q").assert_outcomes(passed=200)
