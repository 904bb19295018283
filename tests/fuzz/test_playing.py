"""Whatever a peer sends, and whatever cassette is played to it, the pure machines go on."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from mcpmock.cassette.model import Cassette, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.cassette.writer import dump
from mcpmock.errors import CassetteError, UsageError
from mcpmock.matching.pages import page
from mcpmock.session.playing.actions import Action, Send
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.order import ORDERS
from mcpmock.session.playing.playback import Playback
from mcpmock.session.recording.stdio import Recording
from mcpmock.session.story import Story, server_names
from mcpmock.wire.message import Batch, Message, encode, parse, parse_exact
from tests.cassette.values import spelt
from tests.fuzz.hostile import EXAMPLES, frames, spoilt_cassettes

bounded = settings(max_examples=80, deadline=None)
loaded = st.sampled_from([load(data) for data in EXAMPLES.values()])


@bounded
@given(frames)
def test_both_ways_of_reading_a_line_find_the_same(frame: bytes) -> None:
    """Issue 4, item 5: a message, several or none, whatever the bytes."""
    quick, exact = parse(frame), parse_exact(frame)
    assert type(quick) is type(exact)
    if isinstance(quick, Message) and isinstance(exact, Message) and exact.text is None:
        assert repr(quick.body) == repr(exact.body)
    if isinstance(quick, Batch) and isinstance(exact, Batch):
        assert [one.kind for one in quick.messages] == [one.kind for one in exact.messages]


heard = st.lists(st.tuples(st.sampled_from(["client", "server", "stderr"]), frames), max_size=8)


@bounded
@given(heard, st.booleans())
def test_whatever_is_recorded_can_be_read_again(lines: list[tuple[str, bytes]], is_redacted: bool) -> None:
    """Issue 4, item 5: every message and every line that is none."""
    recording = Recording(max_message=10_000, redactor=Redactor() if is_redacted else None)
    for at, (side, line) in enumerate(lines):
        if side == "stderr":
            recording.received_stderr(line + b"\n", at)
        else:
            recording.received("client" if side == "client" else "server", line + b"\n", at)
    recording.ended("client", 99)
    recording.exited(0, 100)
    entries = recording.take_entries()
    read = load(dump(Cassette((Session(tuple(entries)),))).encode()).sessions[0].entries
    assert [(one.kind, one.text, one.size) for one in read] == [(one.kind, one.text, one.size) for one in entries]
    for ours, theirs in zip(read, entries, strict=True):
        assert [repr(one.body) for one in ours.messages] == [repr(one.body) for one in theirs.messages]


options = st.builds(
    Options, st.sampled_from(ORDERS), repeats=st.booleans(), delays=st.sampled_from([0.0, 1.0]), noise=st.booleans()
)


@bounded
@given(loaded, options, st.lists(frames, max_size=8), st.lists(st.integers(0, 50), max_size=8))
def test_any_client_may_meet_an_example(
    cassette: Cassette, chosen: Options, lines: list[bytes], recorded: list[int]
) -> None:
    """Issue 4, item 5: what is sent is JSON, and what is told is text on lines of bounded length."""
    play(cassette, chosen, [*lines, *said(cassette, recorded)])


@bounded
@given(spoilt_cassettes, options, st.lists(st.integers(0, 50), max_size=8))
def test_any_cassette_that_can_be_loaded_can_be_played(data: bytes, chosen: Options, recorded: list[int]) -> None:
    """Issue 4, item 5: or is refused, with a reason, before the session begins."""
    try:
        cassette = load(data)
        play(cassette, chosen, said(cassette, recorded))
    except (CassetteError, UsageError) as error:
        assert str(error).replace("\n", "").isprintable()  # noqa: PT017  # that it is raised is no must


def said(cassette: Cassette, places: list[int]) -> list[bytes]:
    """What the recorded client said in these places, counted on through all of it."""
    entries = [entry for session in cassette.sessions for entry in session.entries if entry.kind == "client"]
    bodies = [{"id": 7, **message.body} for entry in entries for message in entry.messages if message.text is None]
    return [encode(bodies[place % len(bodies)]) for place in places if bodies]


def play(cassette: Cassette, chosen: Options, lines: list[bytes]) -> None:
    """Plays each server of a cassette to who sends these lines."""
    for server in server_names(cassette):
        machine = Playback(Library(Story(cassette, server=server)), chosen)
        now, actions = 0.0, list[Action]()
        for line in lines:
            actions += machine.receive(line, now)
            if machine.next_wake is not None:
                now = machine.next_wake
                actions += machine.wake(now)
        actions += machine.end_of_input(now)
        for action in actions:
            assert not isinstance(action, Send) or json.loads(action.text) is not None
        told = [*map(page, machine.report.misses), *machine.report.notes, machine.unplayed_page(machine.unplayed())]
        assert "".join(told).replace("\n", "").isprintable()
        assert all(len(text) < 20_000 for text in told)
        assert spelt(machine.report.to_json())
