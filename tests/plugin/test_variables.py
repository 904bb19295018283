"""Variables in a test: the marker's `vars=`, the fixture `mcpmock_config`, the factory (issue 4, item 2)."""

from __future__ import annotations

from tests.plugin.conftest import Project

READ = """\
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: read, arguments: {path: ~var.work~/a.txt}}}
    server: {result: {content: [{type: text, text: "in ~var.work~"}]}}
"""

ASKS = """
def read(command, path):
    request = {"id": 1, "method": "tools/call", "params": {"name": "read", "arguments": {"path": path}}}
    return ask(command, request)[0]["result"]["content"][0]["text"]
"""


def test_the_marker_says_what_a_variable_stands_for(project: Project) -> None:
    """Ours (issue 4): marker `vars=`; another value is a miss that names the way out."""
    project.cassette("read.yaml", READ)
    project.tests(
        ASKS
        + """
@pytest.mark.mcpmock("read.yaml", vars={"work": "/there"})
def test_fits(mcp_mock):
    assert read(mcp_mock.command, "/there/a.txt") == "in /there"

@pytest.mark.mcpmock("read.yaml", vars={"work": "/there"}, allow_unplayed=True)
def test_differs(mcp_mock):
    with pytest.raises(KeyError):
        read(mcp_mock.command, "/here/a.txt")
"""
    )
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ['*the variable work is "/there", here it would be "/here"*', '*vars={"work": "/here"}*']
    )


def test_the_fixture_of_settings_may_know_the_folder_of_the_test(project: Project) -> None:
    """Ours (issue 4): what only a fixture knows cannot stand in a marker."""
    project.cassette("read.yaml", READ)
    project.tests(
        ASKS
        + """
@pytest.fixture
def mcpmock_config(tmp_path):
    return {"vars": {"work": tmp_path}}

@pytest.mark.mcpmock("read.yaml")
def test_fits(mcp_mock, tmp_path):
    assert read(mcp_mock.command, f"{tmp_path}/a.txt") == f"in {tmp_path}"

def test_by_factory(mcpmock_factory, tmp_path):
    mock = mcpmock_factory("read.yaml", vars={"work": "/w"})
    assert read(mock.command, "/w/a.txt") == "in /w"
"""
    )
    project.run().assert_outcomes(passed=2)
