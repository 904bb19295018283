"""Real servers that a URL names, through a mock: passed through, or recorded (issue 5, 5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import mcpmock
from mcpmock.errors import McpmockError, UsageError
from tests.cases.http_cases import INITIALIZED
from tests.transports.http_upstream import Asked, Upstream
from tests.transports.proxying import Client, open_session

TOKEN = "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"


def adding(asked: Asked) -> None:
    """A server that adds, for those who have the token."""
    if asked.all("authorization") != [f"Bearer {TOKEN}"]:
        asked.answer(401)
    elif asked.method == "DELETE":
        asked.answer(200)
    elif asked.method == "GET":
        asked.answer(405)
    elif "id" not in asked.message:
        asked.answer(202)
    elif asked.message["method"] == "initialize":
        result = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "a", "version": "1"},
        }
        asked.answer(200, {"id": asked.message["id"], "result": result}, "Mcp-Session-Id: S")
    else:
        given = asked.message["params"]["arguments"]
        asked.result({"content": [{"type": "text", "text": str(given["a"] + given["b"])}]})


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    """That server."""
    with Upstream(adding) as server:
        yield server


def add(url: str, a: int, b: int) -> str:
    """What a client gets who adds two numbers, in a session of its own."""
    with Client(url) as client:
        open_session(client)
        client.call(INITIALIZED, "Mcp-Session-Id: S")
        params = {"name": "add", "arguments": {"a": a, "b": b}}
        answer = client.call({"id": 1, "method": "tools/call", "params": params}, "Mcp-Session-Id: S")
        text = answer.message["result"]["content"][0]["text"]
        assert isinstance(text, str)
        return text


def test_a_real_server_is_recorded_and_then_played_without_it(
    tmp_path: Path, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 5, 5: the mode `once`; what is sent with every request is never stored, and calls are seen at once."""
    monkeypatch.setenv("MCPMOCK_TEST_TOKEN", TOKEN)
    path = tmp_path / "new.yaml"
    headers = {"Authorization": "Bearer ${MCPMOCK_TEST_TOKEN}"}
    url = f"{upstream.url}/mcp"
    with mcpmock.use_cassette(path, mode="once", url=url, headers=headers, server="adder") as server:
        assert add(server.url, 1, 2) == "3"
        [call] = server.calls("tools/call")
        assert (call.outcome, call.arguments, call.answer["content"][0]["text"]) == ("live", {"a": 1, "b": 2}, "3")
        assert [session.transport for session in server.sessions] == ["streamable_http"]
        assert not path.exists(), "it is kept apart until the end"
    assert server.recording == str(path)
    assert TOKEN not in path.read_text()
    seen = upstream.asked.qsize()
    with mcpmock.use_cassette(path, mode="once", url=url) as server, Client(server.url) as client:
        assert server.servers == ("adder",)
        status, session = 0, ""
        client.post({"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}})
        found = client.answer()
        status, [session] = found.status, found.all("mcp-session-id")
        assert status == 200
        params = {"name": "add", "arguments": {"a": 1, "b": 2}}
        played = client.call({"id": 1, "method": "tools/call", "params": params}, f"Mcp-Session-Id: {session}")
        assert played.message["result"]["content"][0]["text"] == "3"
        assert [one.outcome for one in server.calls("tools/call")] == ["played"]
    assert upstream.asked.qsize() == seen


def test_a_real_server_is_passed_through(tmp_path: Path, upstream: Upstream) -> None:
    """Issue 5, 5: nothing is recorded, `calls` works all the same."""
    settings = {"url": f"{upstream.url}/mcp", "headers": [f"Authorization: Bearer {TOKEN}"]}
    with mcpmock.use_cassette(tmp_path / "none.yaml", mode="passthrough", **settings) as server:  # type: ignore[arg-type]
        assert add(server.url, 2, 2) == "4"
        assert add(server.url, 2, 3) == "5"
        assert [one.arguments["b"] for one in server.calls("tools/call")] == [2, 3]
    assert not list(tmp_path.iterdir())


def test_a_recording_that_fails_is_kept_beside_the_cassette(tmp_path: Path, upstream: Upstream) -> None:
    """Issue 3, 3: over HTTP too."""
    path = tmp_path / "old.yaml"
    path.write_text("version: 1\nsessions: []\n")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with pytest.raises(ZeroDivisionError), mcpmock.record(path, f"{upstream.url}/mcp", headers=headers) as server:
        add(server.url, 1, 1)
        raise ZeroDivisionError
    assert path.read_text() == "version: 1\nsessions: []\n"
    assert server.recording == str(tmp_path / "old.failed.yaml")


def test_a_function_decides_what_is_kept(tmp_path: Path, upstream: Upstream) -> None:
    """Issue 4: `before_record`, over HTTP too."""
    path = tmp_path / "new.yaml"

    def forget(message: dict[str, object]) -> dict[str, object] | None:
        return None if message.get("method") == "tools/call" else message

    headers = {"Authorization": f"Bearer {TOKEN}"}
    with mcpmock.record(path, f"{upstream.url}/mcp", headers=headers, before_record=forget) as server:
        add(server.url, 1, 1)
    assert "initialize" in path.read_text()
    assert "tools/call" not in path.read_text()


def test_a_server_that_is_not_there_leaves_nothing_and_says_so(tmp_path: Path) -> None:
    """CA-07."""
    with pytest.raises(McpmockError, match="nothing was recorded"):  # noqa: SIM117
        with mcpmock.record(tmp_path / "new.yaml", "http://127.0.0.1:9/mcp") as server, Client(server.url) as client:
            assert client.call({"id": 1, "method": "ping"}).status == 502
    assert not (tmp_path / "new.yaml").exists()


def test_a_url_is_no_command(tmp_path: Path, upstream: Upstream) -> None:
    """Ours: what cannot be had is said in words."""
    url = f"{upstream.url}/mcp"
    with mcpmock.use_cassette(tmp_path / "n.yaml", mode="passthrough", url=url) as server:
        with pytest.raises(UsageError, match="give clients the mock's url"):
            _ = server.command
        with pytest.raises(UsageError, match="reach it by the mock's url alone"):
            server.httpx_transport()
    with pytest.raises(UsageError, match="leave one of them out"):
        mcpmock.use_cassette(tmp_path / "n.yaml", mode="all", url=url, command=["x"])
    with pytest.raises(UsageError, match="is no URL of a server"):
        mcpmock.use_cassette(tmp_path / "n.yaml", mode="all", url="x")


def test_a_command_line_in_one_text_is_told_how_to_be_written(tmp_path: Path) -> None:
    """Ours: of a text with blanks it is not said that it is no URL."""
    with pytest.raises(UsageError, match="command='npx -y some-server', but it takes a list of words"):
        mcpmock.record(tmp_path / "c.yaml", "npx -y some-server")
