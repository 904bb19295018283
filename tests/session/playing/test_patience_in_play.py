"""A question that the client never answers: how long it is waited for (`--answer-timeout`)."""

from __future__ import annotations

from mcpmock.session.playing.live import Options
from tests.session.dialogue import HANDSHAKE, dialogue, recorded

ASKING = recorded(
    HANDSHAKE
    + """
    > {id: 1, method: tools/call, params: {name: ask}}
    < {id: 7, method: sampling/createMessage, params: {}}
    > {id: 7, result: {}}
    < {id: 1, result: done}
    """
)
ASKED = (
    HANDSHAKE
    + """
    > {id: 1, method: tools/call, params: {name: ask}}
    < {id: 7, method: sampling/createMessage, params: {}}
    """
)


def test_the_script_goes_on_without_the_answer_and_says_so() -> None:
    """Ours (DESIGN 4, "Answering"): after the time that was given, once; a late answer is noted."""
    talk = (
        ASKED
        + """
        .. 4.9
        .. 0.2
        < stderr: mcpmock: the client has not answered sampling/createMessage (line 11) for 5 s: \
what was recorded goes on without the answer (answer timeout)
        < {id: 1, result: done}
        > {id: 7, result: {}}
        """
    )
    machine = dialogue(ASKING, talk, options=Options(patience=5))
    assert machine.next_wake is None
    assert [note.partition(" id 7")[0] for note in machine.report.notes[1:]] == ["the client answered"]


def test_without_a_time_it_is_waited_for_as_long_as_it_takes() -> None:
    """Ours: 0, for ever."""
    machine = dialogue(ASKING, ASKED + ".. 100000", options=Options(patience=0))
    assert machine.next_wake is None
