"""The process that thinks for a recorder: what it is told survives the recorder, and the recorder survives it."""

from __future__ import annotations

import os
import select
import signal
import sys
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.transports.tape_pipe import SOURCES, Sent, State, read_chunks, read_states, write_chunks, write_state
from tests.transports.recorder_client import SERVER, Client, Studio, shape, wait_until

SLOW: Final = """
import select, sys
from mcpmock.transports.stdio_recorder import Launch, record, say

def prepare():
    select.select([], [], [], 0.7)
    from mcpmock.cassette.model import Session
    from mcpmock.session.recording.stdio import Recording
    from mcpmock.transports.destination import Destination
    from mcpmock.transports.keeper import CassetteKeeper
    from mcpmock.transports.thinker import Thinking

    return Thinking(Recording(), CassetteKeeper(Destination(sys.argv[1], "r"), Session(), say))

record(Launch(sys.argv[2:]), prepare)
"""


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    """A folder to record in."""
    return Studio(tmp_path)


def thinker_of(client: Client) -> int:
    """The process that thinks for a recorder: its child that does the same."""
    recorder = client.process.pid
    words = Path(f"/proc/{recorder}/cmdline").read_bytes()
    children = Path(f"/proc/{recorder}/task/{recorder}/children").read_text().split()
    (thinker,) = (int(child) for child in children if Path(f"/proc/{child}/cmdline").read_bytes() == words)
    return thinker


def test_pr_07_a_kill_in_the_first_moments_loses_nothing_that_was_handed_over(studio: Studio) -> None:
    """PR-07 (DESIGN 3): a recorder is not ready to think before a quick server has answered; it is killed by then."""
    with studio.start([sys.executable, "-c", SLOW, str(studio.path), sys.executable, SERVER, "echo"]) as client:
        for number in range(5):
            client.ask(number)
        select.select([], [], [], 0.3)  # ten times what may be lost
        assert not studio.parts()
        client.kill()
        assert client.wait() == -signal.SIGKILL
    wait_until(lambda: any(b"- server: {id: 4," in part.read_bytes() for part in studio.parts()), "the last answer")


def test_pr_07_a_recorder_whose_thinker_is_killed_goes_on(studio: Studio) -> None:
    """PR-07 (DESIGN 2.4): the session goes on, a person is told once, and what was kept can be salvaged."""
    with studio.record("echo") as client:
        client.ask(1)
        wait_until(lambda: any(b"- server: {id: 1," in part.read_bytes() for part in studio.parts()), "the answer")
        os.kill(thinker_of(client), signal.SIGKILL)
        for number in range(2, 50):
            assert client.ask(number)["id"] == number
        client.wait_for_stderr("not recorded from here on")
        assert client.finish() == 0
        assert client.stderr().count("mcpmock:") == 1
        assert "mcpmock salvage" in client.stderr()
    assert len(studio.parts()) == 1


def test_signals_that_are_meant_for_the_recorder_do_not_end_the_thinking(studio: Studio) -> None:
    """Ours: hosts that signal all processes which they find below them."""
    with studio.record("echo") as client:
        client.ask(1)
        thinker = thinker_of(client)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            os.kill(thinker, number)
        client.ask(2)
        assert client.finish() == 0
    assert shape(studio.entries())[-2:] == ["server 2", "exit 0"]


CHUNKS: Final = st.lists(st.tuples(st.sampled_from(SOURCES), st.floats(0, 1e9), st.binary(max_size=300)), max_size=20)


@given(CHUNKS, st.integers(0, 50))
def test_chunks_arrive_as_they_were_sent(chunks: list[Sent], torn: int) -> None:
    """Ours: and what a killed recorder had not sent whole is none."""
    reader, writer = os.pipe()
    write_chunks(writer, chunks)
    whole = b""
    while select.select([reader], [], [], 0)[0]:
        whole += os.read(reader, 7)
    os.close(reader)
    os.close(writer)
    sent = whole[: len(whole) - torn]
    reader, writer = os.pipe()
    os.write(writer, sent)
    os.close(writer)
    found = list(read_chunks(reader))
    os.close(reader)
    assert found == chunks[: len(found)]
    assert torn or found == chunks


def test_of_several_states_the_last_counts() -> None:
    """Ours: how far the thinking is, not how it got there."""
    reader, writer = os.pipe()
    for number in range(3):
        write_state(writer, State(number, expects_answers=number == 2, answered_at=number / 2))
    os.close(writer)
    assert list(read_states(reader)) == [State(2, expects_answers=True, answered_at=1.0)]
    os.close(reader)
    with pytest.raises(OSError, match="Bad file"):
        write_state(writer, State())
