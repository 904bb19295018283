"""Log messages of the stateless revision come where a request asks for their level (2026-07-28; PROTOCOL 3.5)."""

from __future__ import annotations

import json

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.playing.actions import Send
from mcpmock.session.showing.doubts import doubts
from mcpmock.session.showing.selfcheck import Problem, selfcheck
from mcpmock.wire.message import encode
from tests.session.dialogue import playback, recorded

VERSION = "io.modelcontextprotocol/protocolVersion"
CALL = f"> {{id: 1, method: tools/call, params: {{name: t, _meta: {{{VERSION}: '2026-07-28'}}}}}}\n"
DONE = "< {id: 1, result: {resultType: complete}}\n"


@pytest.mark.parametrize(
    ("level", "heard"), [(None, []), ("debug", ["info", "error"]), ("info", ["info", "error"]), ("warning", ["error"])]
)
def test_log_messages_come_where_the_live_request_asks_for_their_level(level: str | None, heard: list[str]) -> None:
    """PROTOCOL 3.5: per request, filtered by the live level."""
    log = "< {{method: notifications/message, params: {{level: {}, data: x}}}}\n"
    logs = log.format("info") + log.format("error")
    machine = playback(recorded(CALL + logs + DONE))
    meta = {VERSION: "2026-07-28"} | ({"io.modelcontextprotocol/logLevel": level} if level else {})
    body = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "t", "_meta": meta}}
    sent = [json.loads(action.text) for action in machine.receive(encode(body)) if isinstance(action, Send)]
    assert [one["params"]["level"] for one in sent if "params" in one] == heard
    assert len(machine.report.gates) == 2 - len(heard)


def test_a_recording_whose_server_logs_to_those_that_did_not_ask_is_good_and_doubtful() -> None:
    """Ours: `mcpmock check` found a fresh recording of such a server at fault."""
    log = "< {method: notifications/message, params: {level: info, data: x}}\n"
    cassette = load(recorded(CALL + log + log + DONE).encode())
    assert selfcheck(cassette) == []
    told = 'a log message for tools/call "t", which asked for none by a logLevel in its _meta'
    assert doubts(cassette) == [Problem(7, f"{told}: a replay sends it to those that ask")]
