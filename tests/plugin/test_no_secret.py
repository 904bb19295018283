"""No secret in what a failing test shows, nor in the report."""

from __future__ import annotations

from tests.cassette.secrets_planted import GITHUB
from tests.plugin.conftest import Project

CASSETTE = """\
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: add, arguments: {pin: "~secret.pin.1~", b: 1}}}
    server: {result: {content: [{type: text, text: "your pin is ~secret.pin.1~"}]}}
"""


def test_a_failing_test_and_the_report_show_no_secret(project: Project) -> None:
    """Issue 4: tokens by their shape, and what a client has sent where a placeholder was recorded."""
    project.cassette("add.yaml", CASSETTE)
    project.write("secret.json", f'{{"token": "{GITHUB}", "pin": "sesame-77"}}')
    project.tests("""
import json
SECRET = json.load(open("secret.json"))

def call(**arguments):
    return {"method": "tools/call", "params": {"name": "add", "arguments": arguments}}

@pytest.mark.mcpmock("add.yaml")
def test_it(mcp_mock):
    told = ask(mcp_mock.command, call(pin=SECRET["pin"], b=1), call(pin=SECRET["pin"], b=2), call(q=SECRET["token"]))
    assert SECRET["pin"] in told[0]["result"]["content"][0]["text"]

@pytest.mark.mcpmock("add.yaml")
def test_called(mcp_mock):
    ask(mcp_mock.command, call(q=SECRET["token"]))
    mcp_mock.assert_called("add", q=1)

@pytest.mark.mcpmock("add.yaml")
def test_missed(mcp_mock):
    ask(mcp_mock.command, call(pin=SECRET["pin"], b=3))  # it is bound to nothing, and told nowhere
""")
    result = project.run("--mcpmock-report=report.json", "--tb=short")
    told = "\n".join([*result.outlines, *result.errlines]) + (project.path / "report.json").read_text()
    assert GITHUB not in told
    assert "sesame-77" not in told
    assert "~secret.github_token.1~" in told
