"""Cases from public bug reports: order, notifications, progress, pings, questions; the recorder's side over stdio."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.transports.recorder_client import Client, Studio, shape


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    """A folder to record in."""
    return Studio(tmp_path)


def ask(client: Client, number: object, *say: dict[str, Any], method: str = "tools/call") -> None:
    """A request on which the server says exactly this."""
    client.send({"id": number, "method": method, "params": {"say": list(say)}})


def test_or_01_a_client_that_does_not_wait_is_passed_on_in_its_own_order(studio: Studio) -> None:
    """OR-01: notification and requests at once; a question within a call, for which nothing waits, is no deadlock."""
    with studio.record("says") as client:
        ask(client, 0, {"id": 0, "result": {}}, method="initialize")
        client.send({"method": "notifications/initialized"})
        ask(client, 1, {"id": 9, "method": "roots/list"}, {"id": 1, "result": {}}, method="tools/list")
        ask(client, 2, {"id": 2, "result": {}}, method="resources/list")
        client.send({"id": 9, "result": {"roots": []}})
        assert [client.receive().get("id") for _ in range(4)] == [0, 9, 1, 2]
        assert client.finish() == 0
    sent = [told.removeprefix("client ") for told in shape(studio.entries()) if told.startswith("client ")]
    assert sent == ["initialize", "notifications/initialized", "tools/list", "resources/list", "9"]


def test_or_02_the_order_in_the_file_is_that_on_the_wire(studio: Studio) -> None:
    """OR-02: before and after the result."""
    said = [
        *({"method": "notifications/progress", "params": {"progressToken": 0, "progress": n}} for n in range(6)),
        {"method": "notifications/message", "params": {"level": "info", "data": "x"}},
        {"method": "notifications/tools/list_changed"},
        {"id": 1, "result": {}},
        {"method": "notifications/progress", "params": {"progressToken": 0, "progress": 6}},
        {"method": "notifications/resources/updated", "params": {"uri": "a:b"}},
    ]
    with studio.record("says") as client:
        ask(client, 1, *said)
        got = [client.receive() for _ in said]
        assert client.finish() == 0
    assert [{k: v for k, v in message.items() if k != "jsonrpc"} for message in got] == said
    assert [entry.messages[0].body for entry in studio.entries() if entry.kind == "server"] == said


@pytest.mark.parametrize("token", [3, 0, "b7-…"])
def test_or_03_the_token_is_stored_as_seen(studio: Studio, token: object) -> None:
    """OR-03: with its type."""
    progress = {"method": "notifications/progress", "params": {"progressToken": token, "progress": 1}}
    with studio.record("says") as client:
        params = {"_meta": {"progressToken": token}, "say": [progress, {"id": 1, "result": {}}]}
        client.send({"id": 1, "method": "tools/call", "params": params})
        assert client.receive()["params"]["progressToken"] == token
        client.receive()
        assert client.finish() == 0
    call, told = studio.entries()[:2]
    assert repr(call.messages[0].params["_meta"]) == repr({"progressToken": token})  # type: ignore[call-overload,index]
    assert repr(told.messages[0].body["params"]["progressToken"]) == repr(token)  # type: ignore[call-overload,index]


def test_or_05_pings_pass_both_ways(studio: Studio) -> None:
    """OR-05: every one of them, and what is answered."""
    with studio.record("says") as client:
        ask(client, 1, {"id": 1, "result": {}}, {"id": "s1", "method": "ping"}, method="ping")
        assert [client.receive().get("id") for _ in range(2)] == [1, "s1"]
        client.send({"id": "s1", "result": {}})
        ask(client, 2, {"id": "s2", "method": "ping"}, {"id": 2, "result": {}})
        assert [client.receive().get("id") for _ in range(2)] == ["s2", 2]
        client.send({"id": "s2", "result": {}})
        assert client.finish() == 0
    assert shape(studio.entries()).count("client s1") == shape(studio.entries()).count("client s2") == 1


@pytest.mark.parametrize("answer", [None, {"error": {"code": -32601, "message": "no"}}, {"result": {"roots": []}}])
def test_sr_02_whatever_the_client_answers_is_recorded(studio: Studio, answer: dict[str, Any] | None) -> None:
    """SR-02: it ignores the question, refuses it, or answers after the result."""
    with studio.record("says") as client:
        ask(client, 1, {"id": 5, "method": "roots/list"}, {"id": 1, "result": {}})
        assert [client.receive()["id"] for _ in range(2)] == [5, 1]
        if answer is not None:
            client.send({"id": 5, **answer})
        ask(client, 2, {"id": 2, "result": {}})
        assert client.receive()["id"] == 2
        assert client.finish() == 0
    answers = [entry.messages[0].body for entry in studio.entries() if entry.kind == "client"][1:-1]
    assert answers == ([] if answer is None else [{"id": 5, **answer}])
