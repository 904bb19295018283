"""Names of cassettes, from ids out of hell (case TE-02)."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from pytest_mcpmock.names import LONGEST, safe_name

from tests.mock.said import ADD
from tests.plugin.conftest import Project

IDS = [
    "a/b:c*d?",
    "CON",
    "é漢" * 60,
    "x" * 300,
    "A",
    "a",
    "..",
    ".",
    "trailing.",
    "trailing ",
    "trailing",
    "",
    "a\nb",
    "\x00",
    "a\\b",
    '<>:"|',
    "a/b:c*d",
    "x" * 301,
    "%s",
    "~",
    "'",
]
RESERVED = {"con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(10))}
ASCII = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,=+@[]-")


def is_safe(name: str) -> bool:
    """Whether every file system takes the name, with its suffix and those of part files."""
    return (
        set(name) <= ASCII
        and 0 < len(name) <= LONGEST
        and name.split(".")[0].lower() not in RESERVED
        and not name.startswith(".")
        and not name.endswith(".")
    )


def test_te_02_every_id_has_a_safe_and_unique_name() -> None:
    """Case TE-02: also where the file system ignores case."""
    names = [safe_name(f"test_it[{id_}]") for id_ in IDS]
    assert all(map(is_safe, names)), names
    assert len({name.lower() for name in names}) == len(IDS)


def test_te_02_names_are_the_same_tomorrow() -> None:
    """Case TE-02: a name that people have in their repositories must not change."""
    assert safe_name("test_it[one-2.5-x_y]") == "test_it[one-2.5-x_y]"
    assert safe_name("TestGroup.test_it") == "TestGroup.test_it"
    assert safe_name("test_it[a/b:c*d?]") == "test_it[a_b_c_d_]-1928ec7068"
    assert safe_name("test_it[A]") == "test_it[A]-1c04bc42ed"
    assert safe_name("con") == "con-1143da2bc5"


@given(st.lists(st.text(max_size=200), min_size=2, max_size=6, unique=True))
def test_te_02_no_two_ids_share_a_file(ids: list[str]) -> None:
    """Case TE-02: whatever pytest, or a plugin, makes of parameters."""
    names = [safe_name(f"test[{id_}]") for id_ in ids]
    assert all(map(is_safe, names))
    for one, other in itertools.combinations(names, 2):
        assert one.lower() != other.lower()


def test_te_02_each_parametrised_test_is_recorded_and_replayed_from_its_own_file(project: Project) -> None:
    """Case TE-02: with a real server, from the first run to the second."""
    ids = [id_ for id_ in IDS if id_ != "\x00"]
    project.tests(f"""
@pytest.mark.mcpmock(command=SERVER)
@pytest.mark.parametrize("number", range({len(ids)}), ids={ids!r})
def test_it(mcp_mock, number):
    assert ask(mcp_mock.command, {{"method": "number", "params": {{"n": number}}}})[0]["result"]["asked"] == "number"
""")
    project.run_apart("--mcpmock-mode=once", "-q", "-n2").assert_outcomes(passed=len(ids))
    made = list((project.path / "cassettes" / "test_it").iterdir())
    assert len(made) == len(ids)
    assert all(is_safe(path.stem) for path in made)
    project.run("-q").assert_outcomes(passed=len(ids))


def test_te_02_the_same_name_in_two_modules_and_classes_is_two_files(project: Project) -> None:
    """Case TE-02: class and file part are included."""
    for name in ("test_one/test_it", "test_one/TestA.test_it", "test_one/TestB.test_it", "test_two/test_it"):
        project.cassette(f"{name}.yaml", ADD)
    body = """
class TestA:
    def test_it(self, mcp_mock): ask(mcp_mock.command, add(1, 2))
class TestB:
    def test_it(self, mcp_mock): ask(mcp_mock.command, add(1, 2))
def test_it(mcp_mock): ask(mcp_mock.command, add(1, 2))
"""
    project.tests(body, "test_one.py")
    project.tests("def test_it(mcp_mock): ask(mcp_mock.command, add(1, 2))", "test_two.py")
    project.run().assert_outcomes(passed=4)
