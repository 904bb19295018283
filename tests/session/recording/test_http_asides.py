"""Streamable HTTP as entries of a cassette: what answers a POST of what begins nothing, and how that is grouped."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.grouping import group
from tests.session.http_talk import Talk, introduced

CALL = {"id": 1, "method": "tools/call", "params": {"name": "a"}}


@pytest.mark.parametrize(
    "aside",
    [
        {"id": 7, "result": {}},
        {"method": "notifications/progress", "params": {"progressToken": 7, "progress": 1}},
        {"method": "notifications/cancelled", "params": {"requestId": 2}},
        [{"id": 7, "result": {}}, {"method": "notifications/cancelled", "params": {"requestId": 2}}],
    ],
)
@pytest.mark.parametrize("is_latest", [True, False])
def test_ht_02_what_answers_what_begins_nothing_answers_no_call(aside: Any, is_latest: bool) -> None:
    """HT-02: a server that took an answer with 204 gave the call that had asked two answers when it was played."""
    talk = introduced()
    call = talk.post(CALL)
    talk.post({**CALL, "id": 2})
    talk.open(call)
    talk.event(call, {"id": 7, "method": "sampling/createMessage", "params": {"_meta": {"progressToken": 7}}})
    number = talk.post(aside)
    if not is_latest:
        talk.post({"method": "notifications/roots/list_changed"})
    talk.answer(number, status=204)
    talk.event(call, {"id": 1, "result": {}})
    talk.close()
    text = talk.entries()
    assert "{post: 204}" in text
    timeline = group(load(f"version: 1\nsessions:\n- entries:\n{indent(text, '  ')}\n".encode()).sessions[0])
    assert [step for one in timeline.interactions for step in one.steps if step.kind == "http"] == []


@pytest.mark.parametrize("place", [0, 1])
def test_ht_02_a_batch_that_asks_is_answered_by_what_is_no_message(place: int) -> None:
    """HT-02: whatever else is in it."""
    talk = introduced()
    batch: list[Any] = [{"id": 7, "result": {}}]
    batch.insert(place, CALL)
    talk.answer(talk.post(batch), status=204)
    talk.close()
    timeline = group(load(f"version: 1\nsessions:\n- entries:\n{indent(talk.entries(), '  ')}\n".encode()).sessions[0])
    assert [step.kind for one in timeline.interactions for step in one.steps] == ["http"]


def test_the_headers_of_a_notification_that_was_refused_are_kept_though_it_has_no_envelope() -> None:
    """PROTOCOL 2.4: a notification needs no `_meta`; one official server looks at its headers all the same."""
    talk = Talk()
    first = talk.post({"id": 1, "method": "tools/list"}, session="", version="2026-07-28")
    talk.answer(first, {"id": 1, "result": {}})
    talk.odd = {"Mcp-Method": "notifications/y", "Content-Type": "application/json"}
    number = talk.post({"method": "notifications/x"}, session="", version="2026-07-28")
    talk.answer(number, {"error": {"code": -32020, "message": "no"}, "id": None}, 400)
    assert "sent: {mcp-method: notifications/y}" in talk.entries()
