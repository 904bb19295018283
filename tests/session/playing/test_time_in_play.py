"""The machine and time: `delay:`, recorded delays times a factor, and when it wants to be woken (DESIGN 3 and 4)."""

from __future__ import annotations

import pytest

from mcpmock.session.playing.live import Options
from tests.session.dialogue import dialogue, playback, recorded

SLOW = recorded("""
> {id: 1, method: tools/call, params: {name: slow, _meta: {progressToken: 1}}}
< {method: notifications/progress, params: {progressToken: 1, progress: 1}}
< {id: 1, result: done}
> {id: 2, method: tools/call, params: {name: slower}}
< {id: 2, result: late}
timing: [1000, 1100, 1300, 5000, 5400]
""")
CALL = "> {id: a, method: tools/call, params: {name: slow, _meta: {progressToken: t}}}\n"
PROGRESS = "< {method: notifications/progress, params: {progressToken: t, progress: 1}}\n"
DONE = "< {id: a, result: done}\n"
REAL = Options(delays=1.0)


@pytest.mark.parametrize(("factor", "first", "second"), [(1.0, 0.1, 0.2), (0.5, 0.05, 0.1), (10.0, 1.0, 2.0)])
def test_recorded_delays_are_kept_times_the_factor(factor: float, first: float, second: float) -> None:
    """Issue 2: `--delays FACTOR`; counted from the live request."""
    talk = f"{CALL}.. {first * 0.9}\n.. {first * 0.1 + 0.001}\n{PROGRESS}.. {second * 0.9}\n.. {second * 0.1}\n{DONE}"
    dialogue(SLOW, talk, options=Options(delays=factor))


def test_without_a_factor_nothing_is_waited_for() -> None:
    """Issue 2: 0, the default, none."""
    machine = dialogue(SLOW, CALL + PROGRESS + DONE)
    assert machine.next_wake is None


def test_a_cassette_without_times_is_played_at_once_whatever_the_factor() -> None:
    """Ours (DESIGN 3): `timing` is advisory."""
    dialogue(SLOW.replace("timing:", "#"), CALL + PROGRESS + DONE, options=REAL)


def test_the_machine_says_when_it_wants_to_be_woken() -> None:
    """Ours (DESIGN 4): "it returns actions and, if it waits for time, the moment of its next wake"."""
    machine = playback(SLOW, REAL)
    assert machine.next_wake is None
    asked = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":1}}}'
    assert machine.receive(asked, 50.0) == []
    assert machine.next_wake == pytest.approx(50.1)
    assert machine.wake(50.05) == []
    assert len(machine.wake(50.1001)) == 1
    assert machine.next_wake == pytest.approx(50.3)
    assert len(machine.wake(99.0)) == 1
    assert machine.next_wake is None


def test_requests_that_wait_for_time_do_not_hold_up_others() -> None:
    """Ours (DESIGN 4): what is due first comes first, whichever was asked first."""
    dialogue(
        SLOW,
        """
    > {id: b, method: tools/call, params: {name: slower}}
    .. 0.05
    > {id: a, method: tools/call, params: {name: slow, _meta: {progressToken: t}}}
    > {id: c, method: ping}
    < {id: c, result: {}}
    .. 0.4
    < {method: notifications/progress, params: {progressToken: t, progress: 1}}
    < {id: a, result: done}
    < {id: b, result: late}
    """,
        options=Options(delays=1.0),
    )


def test_a_delay_and_the_recorded_ones_add_up() -> None:
    """Ours (DESIGN 3): `delay: 200` is before the first message; the recorded gaps follow."""
    written = recorded("""
    - {client: {id: 1, method: tools/call, params: {name: slow, _meta: {progressToken: 1}}}, delay: 200}
    < {method: notifications/progress, params: {progressToken: 1, progress: 1}}
    < {id: 1, result: done}
    timing: [0, 100, 300]
    """)
    dialogue(written, CALL + ".. 0.29\n.. 0.02\n" + PROGRESS + ".. 0.18\n.. 0.02\n" + DONE, options=REAL)
    dialogue(written, CALL + ".. 0.19\n.. 0.02\n" + PROGRESS + DONE)


ASK = recorded("""
> {id: 1, method: tools/call, params: {name: ask, _meta: {progressToken: 1}}}
< {id: 5, method: sampling/createMessage}
< {method: notifications/progress, params: {progressToken: 1, progress: 1}}
> {id: 5, result: {}}
< {id: 1, result: done}
timing: [0, 100, 200, 60000, 60050]
""")
ASKED = """
> {id: a, method: tools/call, params: {name: ask, _meta: {progressToken: t}}}
.. 0.11
< {id: 5, method: sampling/createMessage}
"""


def test_how_long_the_recorded_client_took_is_not_waited_for() -> None:
    """Ours (DESIGN 2.3): from an answer on, delays count from that answer."""
    talk = ASKED + ".. 0.1\n" + PROGRESS + ".. 5\n> {id: 5, result: {}}\n.. 0.04\n.. 0.02\n" + DONE
    dialogue(ASK, talk, options=REAL)


def test_an_answer_that_comes_early_hurries_nothing_that_came_before_it() -> None:
    """Ours (DESIGN 2.3): the progress keeps its moment, and the rest its distance to what it waits for."""
    talk = ASKED + "> {id: 5, result: {}}\n.. 0.07\n.. 0.03\n" + PROGRESS + ".. 0.03\n.. 0.03\n" + DONE
    dialogue(ASK, talk, options=REAL)


def test_a_cancel_ends_the_waiting() -> None:
    """Ours (DESIGN 4): with no recorded cancel it drops the request's own rest."""
    dialogue(
        SLOW,
        CALL
        + """
    .. 0.11
    < {method: notifications/progress, params: {progressToken: t, progress: 1}}
    > {method: notifications/cancelled, params: {requestId: a}}
    .. 10
    > {id: b, method: ping}
    < {id: b, result: {}}
    """,
        options=REAL,
    )


def test_delays_after_a_cancel_count_from_the_live_cancel() -> None:
    """Ours (DESIGN 2.3): whenever it comes."""
    cancelled = recorded("""
    > {id: 1, method: tools/call, params: {name: slow}}
    > {method: notifications/cancelled, params: {requestId: 1}}
    < {id: 1, error: {code: -32800, message: cancelled}}
    timing: [0, 9000, 9100]
    """)
    dialogue(
        cancelled,
        """
    > {id: a, method: tools/call, params: {name: slow}}
    .. 1
    > {method: notifications/cancelled, params: {requestId: a}}
    .. 0.09
    .. 0.02
    < {id: a, error: {code: -32800, message: cancelled}}
    """,
        options=REAL,
    )


def test_what_waits_for_a_moment_comes_at_once_when_the_client_closes() -> None:
    """Ours (DESIGN 4, The end); PROTOCOL 5, trap 32: a server drains before it exits, each thing in its turn."""
    dialogue(
        SLOW,
        """
    > {id: b, method: tools/call, params: {name: slower}}
    > {id: a, method: tools/call, params: {name: slow, _meta: {progressToken: t}}}
    > eof
    < {method: notifications/progress, params: {progressToken: t, progress: 1}}
    < {id: a, result: done}
    < {id: b, result: late}
    """,
        options=REAL,
    )


def test_the_end_of_the_server_has_its_moment_too() -> None:
    """Ours (DESIGN 4)."""
    crashing = recorded("""
    > {id: 1, method: tools/call, params: {name: crash}}
    - eof: server
    - exit: 3
    timing: [0, 500, 700]
    """)
    dialogue(
        crashing,
        "> {id: 1, method: tools/call, params: {name: crash}}\n.. 0.45\n.. 0.1\n< end 3",
        options=REAL,
    )


def test_times_that_go_back_are_no_delay() -> None:
    """Ours (DESIGN 3): `timing` is advisory; a clock may have jumped, or a person edited it."""
    written = recorded("""
    > {id: 1, method: tools/call, params: {name: slow, _meta: {progressToken: 1}}}
    < {method: notifications/progress, params: {progressToken: 1, progress: 1}}
    < {id: 1, result: done}
    timing: [1000, 900, -5]
    """)
    dialogue(written, CALL + PROGRESS + DONE, options=REAL)
