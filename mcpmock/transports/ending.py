"""What ends a server of ours that runs in an event loop: a signal, in good order; another one at once."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Collection
from functools import partial
from types import FrameType
from typing import Final

__all__ = ["end_on_signals", "end_undisturbed"]

_ENDING: Final = ("SIGTERM", "SIGINT", "SIGHUP")
_ONE_WISH: Final = 0.5
"""Seconds: `timeout` and others signal a process and then its group, so it gets one signal twice."""


def end_on_signals(end: Callable[[], None]) -> None:
    """Call `end` at the first signal, in the running loop; whoever sends another one does not want to wait.

    What is ignored, as under nohup, stays ignored.
    """
    loop = asyncio.get_running_loop()
    known = (getattr(signal, name) for name in _ENDING if hasattr(signal, name))
    numbers = [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]

    def first() -> None:
        _heed_another(loop, numbers)
        end()

    for number in numbers:
        try:
            loop.add_signal_handler(number, first)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(end))


def end_undisturbed() -> None:
    """All is done: from here on signals are ignored. The interpreter lets them kill us again while it ends, which takes
    a tenth of a second, and the exit code would be lost."""
    for name in _ENDING:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def _heed_another(loop: asyncio.AbstractEventLoop, numbers: Collection[int]) -> None:
    """From now on they are no longer the loop's, which lets them kill us as soon as it is closed."""
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    for number in numbers:
        loop.remove_signal_handler(number)
        signal.signal(number, partial(_at_once, time.monotonic()))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)


def _at_once(ending_since: float, number: int, _frame: FrameType | None) -> None:
    if time.monotonic() - ending_since > _ONE_WISH:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
