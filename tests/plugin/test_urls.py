"""Real servers that a URL names, through the fixture (issue 5, 5)."""

from __future__ import annotations

from tests.plugin.conftest import Project
from tests.transports.http_upstream import Asked, Upstream

TEST = """
import json, urllib.request

@pytest.mark.mcpmock("real.yaml", url={url!r}, headers={{"X-Key": "k3y-for-this-server"}})
def test_it(mcp_mock):
    body = {{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{"name": "add", "arguments": {{}}}}}}
    session = {{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {{"protocolVersion": "2025-11-25"}}}}
    headers = {{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}}
    for message in (session, body):
        request = urllib.request.Request(mcp_mock.url, json.dumps(message).encode(), headers)
        with urllib.request.urlopen(request) as response:
            headers["Mcp-Session-Id"] = response.headers.get("Mcp-Session-Id", "")
            answer = json.load(response)
    assert answer["result"]["content"][0]["text"] == "42"
    assert [call.name for call in mcp_mock.calls("tools/call")] == ["add"]
"""


def serve(asked: Asked) -> None:
    """A server of one tool, for those who have the key."""
    if asked.all("x-key") != ["k3y-for-this-server"]:
        asked.answer(401)
    elif asked.message["method"] == "initialize":
        answer = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
        asked.answer(200, {"id": 0, "result": answer}, "Mcp-Session-Id: S")
    else:
        asked.result({"content": [{"type": "text", "text": "42"}]})


def test_once_records_through_the_mocks_url_and_then_plays_at_it(project: Project) -> None:
    """Issue 5, 5: the same test, with the server and without it."""
    with Upstream(serve) as upstream:
        project.tests(TEST.format(url=f"{upstream.url}/mcp"))
        project.run("--mcpmock-mode=once").assert_outcomes(passed=1)
        asked = upstream.asked.qsize()
        cassette = project.path / "cassettes" / "real.yaml"
        text = cassette.read_text()
        assert "k3y-for-this-server" not in text
        project.run("--mcpmock-mode=once").assert_outcomes(passed=1)
        assert upstream.asked.qsize() == asked
    project.run().assert_outcomes(passed=1)
    assert cassette.read_text() == text


def test_a_cassette_that_is_not_there_is_recorded_by_the_url_too(project: Project) -> None:
    """Ours (issue 3): the hint says what to type."""
    project.tests(TEST.format(url="http://127.0.0.1:9/mcp"))
    result = project.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*record it: pytest --mcpmock-mode=once *"])
