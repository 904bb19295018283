"""Signals that ask a session to end: heeded where it waits for its client, and nowhere else.

An exception out of a signal handler is lost where it is raised within a callback of the import system or a finaliser;
then nothing ends, though somebody has asked for it. And between its waits a session takes moments only.
"""

from __future__ import annotations

from types import FrameType, TracebackType
from typing import Final

__all__ = ["ENDING", "Interrupts", "Stopped"]

ENDING: Final = ("SIGTERM", "SIGINT", "SIGHUP")
"""The signals by which a process is asked to end."""


class Stopped(BaseException):
    """A signal has asked this process to end; `name` says which."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Interrupts:
    """Remembers the first signal, and raises `Stopped` within its block: `with interrupts: wait()`."""

    def __init__(self) -> None:
        self._name = ""
        self._is_waiting = False

    def watch(self) -> None:
        """From now on the signals count. What is ignored (`nohup`) stays ignored."""
        import signal  # not before it is needed: a replay starts once per session

        for number in (getattr(signal, name) for name in ENDING if hasattr(signal, name)):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._heed)

    def _heed(self, number: int, _frame: FrameType | None) -> None:
        from signal import Signals

        self._name = self._name or Signals(number).name
        if self._is_waiting:
            raise Stopped(self._name)

    def __enter__(self) -> None:
        self._is_waiting = True
        if self._name:  # it came before
            self._is_waiting = False
            raise Stopped(self._name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_waiting = False
