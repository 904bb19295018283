"""Batches that hold what is no message, in play."""

from __future__ import annotations

import json

import pytest

from mcpmock.session.playing.actions import Send
from tests.session.dialogue import continue_dialogue, playback
from tests.session.playing.test_batches_in_play import BATCH, CALLS, begin, session


@pytest.mark.parametrize("number", [1, 3])
def test_each_member_that_is_no_message_gets_an_error_of_its_own(number: int) -> None:
    """JSON-RPC 2.0 section 6 and its examples (case RP-06): within the array, beside the answers to the others."""
    machine = playback(session(BATCH, CALLS))
    continue_dialogue(machine, begin(BATCH))
    line = [*[1] * number, {"jsonrpc": "2.0", "id": 7, "method": "ping"}, {"jsonrpc": "2.0", "id": 8}]
    [sent] = machine.receive(json.dumps(line).encode())
    assert isinstance(sent, Send)
    answers = json.loads(sent.text)
    assert [answer["id"] for answer in answers] == [*[None] * number, 7, 8]
    assert [answer.get("error", {}).get("code") for answer in answers] == [*[-32600] * number, None, -32600]


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-11-25"])
def test_a_batch_with_what_is_no_message_is_refused_whole_elsewhere(revision: str) -> None:
    """Case RP-06: as every batch is."""
    machine = playback(session(revision, CALLS))
    continue_dialogue(machine, begin(revision))
    [sent] = machine.receive(b"[1]")
    assert isinstance(sent, Send)
    assert json.loads(sent.text)["error"]["code"] == -32600
