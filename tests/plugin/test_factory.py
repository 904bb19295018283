"""Mocks on demand: `mcpmock_factory`, for fixtures of any scope and several servers in one test (issue 3, 1)."""

from __future__ import annotations

import pytest

from tests.mock.said import ADD
from tests.plugin.conftest import Project


def test_several_servers_in_one_test(project: Project) -> None:
    """Ours (issue 3, 1): the same object, each judged with the test."""
    project.cassette("other.yaml", ADD)
    project.tests("""
def test_two(mcpmock_factory):
    first, second = mcpmock_factory("add.yaml"), mcpmock_factory("other.yaml", ignore="/arguments/a")
    assert ask(first.command, add(1, 2))[-1] == ask(second.command, add(7, 2))[-1] == 0

def test_one_strays(mcpmock_factory):
    first, second = mcpmock_factory("add.yaml"), mcpmock_factory("other.yaml")
    ask(first.command, add(1, 2)), ask(second.command, add(7, 2))
""")
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["mcpmock: near miss:*", "    mcpmock_factory(…, ignore=* if it does not count"])


@pytest.mark.parametrize("scope", ["class", "module", "package", "session"])
def test_a_mock_is_closed_with_the_scope_that_asked(project: Project, scope: str) -> None:
    """Ours (issue 3, 1): and serves all tests of it until then."""
    project.tests(f"""
seen = []

@pytest.fixture(scope="{scope}")
def server(mcpmock_factory):
    seen.append(mcpmock_factory("add.yaml", allow_playback_repeats=True))
    return seen[0]

class TestOne:
    def test_first(self, server): assert ask(server.command, add(1, 2))[-1] == 0
    def test_second(self, server):
        assert ask(server.command, add(1, 2))[-1] == 0
        assert len(server.sessions) == 2
        assert not server._engine.is_closed

class TestTwo:
    def test_after(self):
        assert seen[0]._engine.is_closed is ("{scope}" == "class")
""")
    project.tests(
        """
from test_it import seen
def test_later(): assert seen[0]._engine.is_closed is (SCOPE != "session" and SCOPE != "package")
""".replace("SCOPE", repr(scope)),
        "test_later.py",
    )
    project.run("-p", "no:randomly").assert_outcomes(passed=4)


def test_a_miss_fails_the_test_in_which_it_happened(project: Project) -> None:
    """Ours (issue 3, 4): though the mock serves several tests."""
    project.tests("""
@pytest.fixture(scope="session")
def server(mcpmock_factory): return mcpmock_factory("add.yaml", allow_playback_repeats=True)

def test_good(server): ask(server.command, add(1, 2))
def test_bad(server): ask(server.command, add(1, 3))
def test_good_again(server): ask(server.command, add(1, 2))
""")
    result = project.run("-rA")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["FAILED *test_bad*"])


def test_a_mock_for_several_tests_fails_for_what_was_unplayed_only_if_asked(project: Project) -> None:
    """Ours: who runs a part of the tests plays a part of the recording."""
    project.tests("""
@pytest.fixture(scope="module")
def server(mcpmock_factory): return mcpmock_factory("add.yaml")

@pytest.fixture(scope="module")
def strict(mcpmock_factory): return mcpmock_factory("add.yaml", allow_unplayed=False)

def test_one(server): pass
def test_two(strict): pass
""")
    result = project.run()
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["FAILED *test_two*"])
    result.stdout.no_fnmatch_line("ERROR*")


def test_a_fixture_may_ask_for_the_factory_late(project: Project) -> None:
    """Ours: `request.getfixturevalue` is a way to ask, too."""
    project.tests("""
@pytest.fixture(scope="module")
def server(request): return request.getfixturevalue("mcpmock_factory")("add.yaml")

def test_one(server): assert ask(server.command, add(1, 2))[-1] == 0
""")
    project.run().assert_outcomes(passed=1)


def test_a_session_fixture_finds_cassettes_beside_the_file_that_it_stands_in(project: Project) -> None:
    """Ours (issue 3, 1): and `mcpmock_config` holds for the factory as well."""
    project.write("tests/cassettes/deep.yaml", ADD)
    project.write(
        "tests/conftest.py",
        """
import pytest

@pytest.fixture(scope="session")
def mcpmock_config(): return {"allow_playback_repeats": True}

@pytest.fixture(scope="session")
def server(mcpmock_factory): return mcpmock_factory("deep.yaml")
""",
    )
    project.tests(
        "def test_it(server): assert ask(server.command, add(1, 2), add(1, 2))[-1] == 0", "tests/unit/test_it.py"
    )
    project.run().assert_outcomes(passed=1)


def test_a_cassette_that_is_not_there_is_an_error_of_who_asked(project: Project) -> None:
    """Case TE-02: named, with the way to record it."""
    project.tests("""
def test_it(mcpmock_factory): mcpmock_factory("nothing.yaml", command=["npx", "server"])
""")
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*CassetteNotFoundError: cassettes/nothing.yaml: no such cassette",
            "*pytest --mcpmock-mode=once test_it.py::*",
        ]
    )


def test_a_recording_of_several_tests_is_kept_aside_if_one_fails(project: Project) -> None:
    """Ours (issue 3, 3)."""
    project.tests("""
@pytest.fixture(scope="module")
def server(mcpmock_factory): return mcpmock_factory("new.yaml", command=SERVER, mode="all")

def test_one(server): ask(server.command, {"method": "one"})
def test_two(server):
    ask(server.command, {"method": "two"})
    assert False
""")
    project.run().assert_outcomes(passed=1, failed=1)
    assert not (project.path / "cassettes" / "new.yaml").exists()
    assert "method: two" in (project.path / "cassettes" / "new.failed.yaml").read_text()
