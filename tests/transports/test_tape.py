"""The tape between the pumps and the thinker."""

from __future__ import annotations

import threading

from mcpmock.transports.tape import Tape


def test_what_was_put_is_taken_in_order() -> None:
    """Ours (DESIGN 5): the order of reading is the order of the transcript."""
    tape = Tape()
    tape.client.put(b"1")
    tape.server.put(b"2")
    tape.put_end("client")
    tape.stderr.put(b"3")
    assert [(source, data) for source, _, data in tape.take()] == [
        ("client", b"1"),
        ("server", b"2"),
        ("client", b""),
        ("stderr", b"3"),
    ]
    assert not tape


def test_it_is_taken_in_slices() -> None:
    """Ours: thinking can stop when the line is busy again."""
    tape = Tape()
    for _ in range(1000):
        tape.client.put(b"x" * 1000)
    assert 1 <= len(tape.take()) < 50


def test_a_pump_waits_when_too_much_is_waiting_and_goes_on_when_it_is_done() -> None:
    """Ours (DESIGN 5): memory is bounded, nothing is lost."""
    tape = Tape({"client": 1000, "server": 1000, "stderr": 1000})
    last = threading.Event()

    def pump() -> None:
        for _ in range(3):
            tape.client.put(b"x" * 600)
        last.set()

    thread = threading.Thread(target=pump)
    thread.start()
    while not tape.has_overrun:
        thread.join(0.01)
    assert not last.is_set()
    assert tape.waiting > 1000
    while not last.is_set():
        tape.done(tape.take())
    thread.join()
    tape.done(tape.take())
    assert tape.waiting == 0


def test_the_other_pumps_do_not_wait_for_it() -> None:
    """Ours: each source has its own share."""
    tape = Tape({"client": 1000, "server": 10, "stderr": 1000})
    tape.client.put(b"x" * 500)
    assert tape.heard_at == tape.client.heard_at > 0
    assert tape.server.heard_at == 0
    assert not tape.has_overrun
