"""Cases from public bug reports: order, notifications, progress, pings, questions; the replayer's side over stdio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.session.dialogue import HANDSHAKE, recorded
from tests.transports.client import call, replay

INITIALIZE = {
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}},
}


def written(tmp_path: Path, text: str) -> Path:
    """A cassette with this text."""
    path = tmp_path / "case.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_or_01_requests_before_initialized_are_answered(tmp_path: Path) -> None:
    """OR-01: a client, or a bridge, whose notification is overtaken by its requests."""
    lists = "> {id: 1, method: tools/list}\n< {id: 1, result: {tools: []}}\n> {id: 2, method: resources/list}\n"
    path = written(tmp_path, recorded(f"{HANDSHAKE}\n{lists}< {{id: 2, result: {{resources: []}}}}\n"))
    with replay(path) as client:
        assert client.ask(INITIALIZE)["id"] == 0
        assert client.ask({"id": 1, "method": "tools/list"}) == {"id": 1, "result": {"tools": []}}
        client.send({"id": 2, "method": "resources/list"}, {"method": "notifications/initialized"})
        assert client.read() == {"id": 2, "result": {"resources": []}}
        assert client.finish() == (0, b"")


LATE = recorded(
    "> {id: 1, method: tools/call, params: {name: crunch, _meta: {progressToken: 3}}}\n"
    + "".join(f"< {{method: notifications/progress, params: {{progressToken: 3, progress: {n}}}}}\n" for n in range(6))
    + """
    < {method: notifications/message, params: {level: info, data: done soon}}
    < {method: notifications/tools/list_changed}
    < {id: 1, result: {content: []}}
    < {method: notifications/progress, params: {progressToken: 3, progress: 6}}
    < {method: notifications/resources/updated, params: {uri: "a:b"}}
    """
)


@pytest.mark.parametrize("token", ["b7-…", 0, None])
def test_or_02_notifications_keep_their_place_before_and_after_the_result(tmp_path: Path, token: object) -> None:
    """OR-02, OR-03: the recorded order; progress carries the live token with its type, and is left out without one."""
    with replay(written(tmp_path, LATE)) as client:
        client.send(call("crunch", 7, token))
        progress = 0 if token is None else 7
        got = [client.read() for _ in range(4 + progress)]
        assert client.finish() == (0, b"")
    kinds = [message.get("method", "result").removeprefix("notifications/") for message in got]
    before, after = (["progress"] * 6, ["progress"]) if progress else ([], [])
    assert kinds == [*before, "message", "tools/list_changed", "result", *after, "resources/updated"]
    tokens = [message["params"]["progressToken"] for message in got if "progress" in message.get("method", "")]
    assert json.dumps(tokens) == json.dumps([token] * progress)


def test_or_03_the_token_does_not_count(tmp_path: Path) -> None:
    """OR-03: recorded with one, asked with another, asked without."""
    for token in (3, "x", None):
        with replay(written(tmp_path, LATE)) as client:
            client.send(call("crunch", 7, token))
            while "result" not in client.read():
                pass
            assert client.finish()[0] == 0


def test_or_05_pings_are_answered_at_any_time(tmp_path: Path) -> None:
    """OR-05: before `initialize` too, recorded or not; the pings that the server sent are not sent again."""
    pings = "< {id: s1, method: ping}\n> {id: s1, result: {}}\n"
    text = recorded(f"{HANDSHAKE}{pings}> {{id: 1, method: tools/list}}\n< {{id: 1, result: {{tools: []}}}}\n{pings}")
    with replay(written(tmp_path, text)) as client:
        for number in range(3):
            assert client.ask({"id": f"p{number}", "method": "ping"}) == {"id": f"p{number}", "result": {}}
        assert client.ask(INITIALIZE)["id"] == 0
        assert client.ask({"id": "p", "method": "ping"}) == {"id": "p", "result": {}}
        assert client.ask({"id": 1, "method": "tools/list"}) == {"id": 1, "result": {"tools": []}}
        assert client.finish() == (0, b"")


ROOTS = recorded(
    HANDSHAKE
    + """
    > {id: 1, method: tools/call, params: {name: where}}
    < {id: 5, method: roots/list}
    > {id: 5, result: {roots: []}}
    < {id: 1, result: nowhere}
    > {id: 2, method: tools/call, params: {name: other}}
    < {id: 2, result: other}
    """
)
NOWHERE = {"id": 1, "result": "nowhere"}


def asked(client: Any) -> None:
    """Come to the point where the server asks."""
    client.ask(INITIALIZE)
    client.send({"method": "notifications/initialized"}, call("where"))
    assert client.read() == {"id": 5, "method": "roots/list"}


def test_sr_02_a_client_that_never_answers_is_waited_for_so_long_and_no_longer(tmp_path: Path) -> None:
    """SR-02 (a): other calls are not blocked meanwhile, and a person is told which question it was."""
    with replay(written(tmp_path, ROOTS), "--answer-timeout", "0.2") as client:
        asked(client)
        client.send(call("other", 2))
        assert sorted((client.read() for _ in range(2)), key=str) == [NOWHERE, {"id": 2, "result": "other"}]
        client.send({"id": 5, "result": {"roots": []}})  # (c): too late, and harmless
        assert client.ask({"id": 6, "method": "ping"})["id"] == 6
        assert client.finish() == (0, b"")
        told = client.stderr()
    assert "has not answered roots/list (line 11) for 0.2 s" in told
    assert "answer timeout" in told


def test_sr_02_a_client_that_answers_with_an_error_gets_its_result(tmp_path: Path) -> None:
    """SR-02 (b): what the client answered is reported, and not fatal."""
    with replay(written(tmp_path, ROOTS), "--answer-timeout", "0") as client:
        asked(client)
        assert client.ask({"id": 5, "error": {"code": -32601, "message": "Method not found"}}) == NOWHERE
        assert client.ask(call("other", 2)) == {"id": 2, "result": "other"}
        assert client.finish() == (0, b"")
