"""Signals that ask a replay to end: never lost, whenever they come."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from mcpmock.transports.stdio_replay import ENDING, Interrupts, Stopped


@pytest.fixture
def interrupts() -> Iterator[Interrupts]:
    """One that watches; afterwards signals do what they did before."""
    numbers = [signal.Signals[name] for name in ENDING]
    before = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    watching = Interrupts()
    watching.watch()
    yield watching
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("name", ENDING)
def test_a_signal_ends_the_waiting(interrupts: Interrupts, name: str) -> None:
    """Ours (DESIGN 4): hosts end their servers by signals."""
    with pytest.raises(Stopped) as stopped, interrupts:
        signal.raise_signal(signal.Signals[name])
    assert stopped.value.name == name


def test_one_that_comes_between_the_waits_ends_the_next(interrupts: Interrupts) -> None:
    """Ours: nothing is raised in the middle of an import, where the exception would be lost."""
    with interrupts:
        pass
    signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGINT)
    with pytest.raises(Stopped) as stopped, interrupts:
        pytest.fail("it waits")
    assert stopped.value.name == "SIGTERM"
    signal.raise_signal(signal.SIGTERM)  # the end is not torn by another


def test_what_is_ignored_stays_ignored() -> None:
    """Ours: `nohup`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    others = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        interrupts = Interrupts()
        interrupts.watch()
        with interrupts:
            signal.raise_signal(signal.SIGHUP)
    finally:
        for number, handler in {signal.SIGHUP: before, **others}.items():
            signal.signal(number, handler)
