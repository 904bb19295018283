"""Requests that were open when a recorder was killed: nobody knows what their answer would have been (DESIGN 2.5)."""

from __future__ import annotations

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.playback import Playback
from mcpmock.session.showing.selfcheck import selfcheck
from tests.session.dialogue import HANDSHAKE, dialogue, recorded

RECORDED = "recorded_with: mcpmock 0.1.0"
BEGIN = """
> {id: 0, method: initialize, params: {capabilities: {sampling: {}, roots: {}}}}
< {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
> {method: notifications/initialized}
"""
SLOW = "> {id: 1, method: tools/call, params: {name: slow, _meta: {progressToken: p}}}\n"
OTHER = "> {id: 2, method: tools/call, params: {name: other}}\n"
PROGRESS = "< {method: notifications/progress, params: {progressToken: p, progress: 1}}\n"
ANSWER = "< {id: 2, result: {}}\n"
ASKED = "> {id: 9, method: tools/call, params: {name: slow, _meta: {progressToken: 7}}}\n"
PROGRESSED = "< {method: notifications/progress, params: {progressToken: 7, progress: 1}}\n"
MISSED = "< miss unanswered 9\n"


def played(rest: str, talk: str, *, head: str = RECORDED, http: bool = False) -> Playback:
    """A talk about a recording that goes on so behind its handshake."""
    return dialogue(recorded(HANDSHAKE + rest, head=head), BEGIN + talk, options=Options(http=http))


@pytest.mark.parametrize("http", [False, True])
def test_a_client_is_told_that_the_recording_ended_before_the_answer(*, http: bool) -> None:
    """Ours: it waited for ever; what was seen of the request is played before."""
    machine = played(SLOW + PROGRESS, ASKED + PROGRESSED + MISSED, http=http)
    assert [miss.kind for miss in machine.report.misses] == ["unanswered"]
    assert not machine.report.left_waiting
    played(SLOW + OTHER + PROGRESS, ASKED + PROGRESSED + MISSED)
    played(OTHER + ANSWER + SLOW, ASKED + MISSED)


def test_a_question_without_an_answer_is_asked_and_told_once() -> None:
    """Ours: the client's answer to it, which comes late, changes nothing."""
    question = "< {id: 5, method: roots/list}\n"
    played(SLOW + question, ASKED + question + MISSED + "> {id: 5, result: {roots: []}}")


@pytest.mark.parametrize("rest", [OTHER + ANSWER, "- exit: 0", "- eof: client", "- http: {delete: 200}"])
def test_what_the_server_never_answered_is_not_answered(rest: str) -> None:
    """Ours (DESIGN 4): where the recording went on, or saw the session end, silence is what was recorded."""
    assert not played(SLOW + PROGRESS + rest, ASKED + PROGRESSED).report.misses


def test_who_writes_by_hand_means_what_is_not_there() -> None:
    """Ours: a call without an answer tries out what a client does when it waits for too long."""
    assert not played(SLOW + PROGRESS, ASKED + PROGRESSED, head="").report.misses


def test_a_request_that_is_cancelled_was_given_up() -> None:
    """Spec (cancellation): who has cancelled waits for nothing, live or recorded."""
    cancel = "> {method: notifications/cancelled, params: {requestId: %d}}\n"
    assert not played(SLOW + PROGRESS + cancel % 1, ASKED + PROGRESSED).report.misses


def test_a_subscription_stays_open() -> None:
    """Spec (2026-07-28): it is meant to, and the end of the recording is no end of it."""
    meta = '_meta: {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}'
    listen = f"{{id: 1, method: subscriptions/listen, params: {{notifications: {{}}, {meta}}}}}"
    text = recorded(f"> {listen}", head=RECORDED)
    told = '{"io.modelcontextprotocol/subscriptionId": 1}'
    acknowledged = (
        f"{{method: notifications/subscriptions/acknowledged, params: {{_meta: {told}, notifications: {{}}}}}}"
    )
    machine = dialogue(text, f"> {listen}\n< {acknowledged}")
    assert not machine.report.misses


def test_a_recording_that_was_cut_short_is_sound() -> None:
    """Ours: check warns of the request as before, and finds no fault."""
    assert not selfcheck(load(recorded(HANDSHAKE + SLOW + PROGRESS, head=RECORDED).encode()))
