"""A recorded server in every form that a client wants (issue 3, 7)."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import mcpmock
from tests.mock.said import ask, call, written
from tests.program import SECONDS


def test_a_client_is_given_a_command_that_answers(add: Path) -> None:
    """Ours (issue 3, 7): `with mcpmock.replay(...)`, for any stdio client."""
    with mcpmock.replay(add) as server:
        answer, code = ask(server.command, call(a=1, b=2))
        assert answer["result"] == {"content": [{"type": "text", "text": "3"}]}
        assert code == 0
        command, *args = server.command
        assert server.stdio == {"command": command, "args": args}


def test_the_configuration_of_a_host_names_every_server(two: Path, add: Path) -> None:
    """Ours (issue 3): `config` and `config_file`; a server without a name has that of the cassette."""
    with mcpmock.replay(two, allow_unplayed=True) as servers:
        assert servers.config == {"mcpServers": {name: servers[name].stdio for name in ("github", "weather")}}
        path = servers.config_file
        assert json.loads(path.read_text()) == servers.config
        assert servers["github"].config_file != path
        assert list(json.loads(servers["github"].config_file.read_text())["mcpServers"]) == ["github"]
    assert not path.exists()
    with mcpmock.replay(add, allow_unplayed=True) as server:
        assert server.config == {"mcpServers": {"add": server.stdio}}


def test_each_of_several_servers_is_its_own(two: Path) -> None:
    """Ours (issue 3, 1): `mock["github"]`, and everything of it is about that server only."""
    with mcpmock.replay(two) as servers:
        assert servers.servers == ("github", "weather")
        assert ask(servers["github"].command, call("issues"))[0]["result"] == {"from": "github"}
        assert [one.params["name"] for one in servers["weather"].unplayed] == ["forecast"]
        assert servers["github"].unplayed == []
        assert ask(servers["weather"].command, call("forecast"))[0]["result"] == {"from": "weather"}
        assert [one.server for one in servers.calls()] == ["github", "weather"]
        assert [one.server for one in servers["weather"].calls()] == ["weather"]
        assert [one.server for one in servers.sessions] == ["github", "weather"]
        with pytest.raises(mcpmock.UsageError, match="no server 'gitlab' here; it holds github, weather"):
            servers["gitlab"]
        with pytest.raises(mcpmock.UsageError, match=r"several servers .* choose one: mock\['github'\]"):
            _ = servers.stdio


def test_a_client_that_starts_its_server_for_every_call_goes_through_the_recording(tmp_path: Path) -> None:
    """Ours (DESIGN 4, "Sessions"): all processes share what was played."""
    entries = "".join(
        f"- entries:\n  - client: {{method: tools/call, params: {{name: next}}}}\n    server: {{result: {{n: {n}}}}}\n"
        for n in range(3)
    )
    path = written(tmp_path / "calls.yaml", "version: 1\nsessions:\n" + entries)
    with mcpmock.replay(path) as server:
        assert [ask(server.command, call("next"))[0]["result"]["n"] for _ in range(3)] == [0, 1, 2]
        assert [one.number for one in server.sessions] == [1, 2, 3]


def test_many_clients_at_once_are_served(add: Path) -> None:
    """Ours (issue 3, 2): one machine for all processes, in threads."""
    results: list[Any] = []
    with mcpmock.replay(add, allow_playback_repeats=True) as server:
        threads = [
            threading.Thread(target=lambda: results.append(ask(server.command, *[call(a=1, b=2)] * 20)))
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)
        assert [len(one) for one in results] == [21] * 6
        assert sorted(one.order for one in server.calls()) == list(range(120))


def test_it_is_an_async_context_manager_too(add: Path) -> None:
    """Ours (issue 3, 7): the same object with and without `async`."""

    async def use() -> list[Any]:
        async with mcpmock.replay(add) as server:
            return await asyncio.to_thread(ask, server.command, call(a=1, b=2))

    assert asyncio.run(use())[-1] == 0
