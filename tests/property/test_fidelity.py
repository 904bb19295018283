"""Any conversation, recorded from bytes and played through streams in memory, is the same conversation (issue 4, 7)."""

from __future__ import annotations

import os
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from mcpmock.session.showing.selfcheck import selfcheck
from mcpmock.wire.message import Json, Object
from tests.cassette.values import json_values
from tests.property.stateless import Stateless
from tests.property.step_by_step import StepByStep, without_ids
from tests.property.talking import cut, on_the_wire, play, read, record, with_values
from tests.session.conversations import Conversation, mark_of

EXAMPLES: Final = int(os.environ.get("MCPMOCK_PROPERTY_EXAMPLES", "0"))
"""How many examples of each property, where more are wanted than in every run of the tests."""

_SAYS_WHOSE: Final = 12  # the deed that a recording cannot show: an entry that says what it belongs to
deeds = st.sampled_from([number for number in range(16) if number != _SAYS_WHOSE])
overlapping = st.lists(st.tuples(deeds, st.integers(0, 23)), max_size=40)
in_turn = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 23)), max_size=40)
values = st.lists(json_values, min_size=1, max_size=3)


def examples(number: int) -> int:
    """So many, unless the environment wants others."""
    return EXAMPLES or number


@settings(max_examples=examples(40))
@given(overlapping, values, st.data())
def test_a_conversation_in_which_things_overlap_comes_back_whole(
    made: list[tuple[int, int]], more: list[Json], data: Any
) -> None:
    """Ours (issue 4, 7): both directions, cancelled, batched, odd ids: each message once, each request in its order."""
    talk = Conversation.of(made)
    entries = with_values(talk.entries, more)
    lines = on_the_wire(entries)
    text = record(lines)
    assert record(data.draw(cut(lines))) == text
    cassette = read(text)
    played = play(cassette)
    heard = [body for _, body in played.heard if mark_of(body)]
    owed = [m.body for entry in entries if entry.kind == "server" for m in entry.messages if mark_of(m.body)]
    assert sorted(map(_told, heard)) == sorted(map(_told, owed))
    marks = [mark_of(body) for body in heard]
    for asked in talk.requests:
        own = [] if asked.is_batched else asked.own
        assert [mark for mark in marks if mark in own] == own
    assert played.machine.report.misses == []
    assert played.machine.unplayed() == []
    assert selfcheck(cassette) == []


@settings(max_examples=examples(60))
@given(in_turn, values, st.data())
def test_a_client_that_does_one_thing_after_another_hears_the_same_at_the_same_time(
    made: list[tuple[int, int]], more: list[Json], data: Any
) -> None:
    """Ours (issue 4, 7): equal requests, reads between writes, questions, news: to the letter, in order."""
    talk = StepByStep.of(made)
    talk.entries = with_values(talk.entries, more)
    lines = on_the_wire(talk.entries)
    text = record(lines)
    assert record(data.draw(cut(lines))) == text
    played = play(read(text))
    assert [(at, _told(body)) for at, body in played.heard] == [(at, _told(body)) for at, body in talk.owed]
    assert played.machine.report.misses == []
    assert played.machine.unplayed() == []


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 23)), max_size=60))
def test_each_call_and_each_subscription_without_a_handshake_hears_its_own(made: list[tuple[int, int]]) -> None:
    """Ours (issue 6, 2): equal calls in flight, rounds, equal subscriptions: each its own, in order."""
    talk = Stateless.of(made)
    cassette = read(record(on_the_wire(talk.entries)))
    played = play(cassette)
    heard = [body for _, body in played.heard]
    for stream in talk.streams:
        marks = [mark_of(body) for body in heard if stream.is_told_by(body) and mark_of(body)]
        if stream.wants:  # which of two calls in flight tells first of a change is theirs
            assert (sorted(marks), marks[-1:]) == (stream.owed, stream.owed[-1:] if stream.is_ended else marks[-1:])
        else:
            assert marks == stream.owed
    assert played.machine.report.misses == []
    assert played.machine.unplayed() == []
    assert selfcheck(cassette) == []


def _told(body: Object) -> str:
    """A message as text, without what is live in it; `1` is not `1.0`, and the order of keys counts."""
    rest = without_ids(body)
    params = rest.get("params")
    if isinstance(params, dict):  # a question that is withdrawn has a live id there
        rest["params"] = {key: value for key, value in params.items() if key != "requestId"}
    return repr(rest)
