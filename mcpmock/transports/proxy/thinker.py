"""The thread that thinks about what a proxy has moved, when the line is quiet."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from mcpmock.transports.proxy.minds import Mind
from mcpmock.transports.proxy.tape import ProxyTape
from mcpmock.transports.thinker import LONGEST, LOOK_AGAIN, LOOK_EVERY, MUCH, QUIET, way_out

_SWITCH_INTERVAL: Final = 0.0005  # seconds that the thinker may keep the interpreter when the proxy wants it
_REST: Final = 0.5
"""Seconds after which a mind is told the time, though nothing has moved."""


class HttpThinker:
    """Hands what is on the tape to a mind, on a thread of its own; whatever goes wrong there, the proxy goes on.

    `prepare` makes the mind, on that thread.
    """

    def __init__(self, tape: ProxyTape, prepare: Callable[[], Mind], say: Callable[[str], None]) -> None:
        self.has_failed = False
        """Whether something was not recorded that should have been."""
        self._tape = tape
        self._prepare = prepare
        self._say = say
        self._mind: Mind | None = None
        self._start = time.monotonic()
        self._told_time_at = 0.0
        self._thought_at = self._start
        self._wake: queue.SimpleQueue[threading.Event | None] = queue.SimpleQueue()
        self._has_told_overrun = False
        self._thread = threading.Thread(target=self._run, name="thinker", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        sys.setswitchinterval(_SWITCH_INTERVAL)
        self._thread.start()

    def catch_up(self) -> None:
        """Returns when everything has been thought about that has moved by now."""
        done = threading.Event()
        self._wake.put(done)
        while not done.wait(LOOK_EVERY) and self._thread.is_alive():
            pass

    def end(self) -> None:
        """Nothing moves any more. Returns when everything is kept."""
        self._wake.put(None)
        self._thread.join()

    def _run(self) -> None:
        self._attempt(self._begin)
        pause = LOOK_EVERY
        while True:
            try:
                asked = self._wake.get(timeout=pause)
            except queue.Empty:
                pause = self._look()
                continue
            self._think()
            if asked is None:
                break
            asked.set()
        self._attempt(self._conclude)

    def _begin(self) -> None:
        self._mind = self._prepare()

    def _attempt(self, action: Callable[[], None]) -> None:
        """Do something for the recording. Whatever goes wrong with it is told once; the proxy goes on."""
        try:
            action()
        except Exception as error:
            place = self._mind.kept_in() if self._mind is not None else ""
            self._mind = None
            self.has_failed = True
            self._say(f"not recorded from here on: {error}{way_out(place, error)}")

    def _look(self) -> float:
        """Think, if it is time to; returns the seconds until the next look."""
        has_thought = False
        while self._tape and not self._is_busy():
            self._think_about()
            self._thought_at = time.monotonic()
            has_thought = True
        if has_thought or time.monotonic() - self._told_time_at > _REST:
            self._attempt(self._rest)
        if self._tape:
            return LOOK_AGAIN
        self._thought_at = time.monotonic()
        return LOOK_EVERY

    def _is_busy(self) -> bool:
        """Whether it is better to wait: something has moved just now, and what waits is neither much nor old."""
        now = time.monotonic()
        return now - self._tape.heard_at < QUIET and self._tape.waiting < MUCH and now - self._thought_at < LONGEST

    def _think(self) -> None:
        while self._tape:
            self._think_about()
        self._attempt(self._rest)

    def _think_about(self) -> None:
        moved = self._tape.take()
        mind = self._mind
        if mind is not None:
            self._attempt(partial(mind.consider, moved, self._milliseconds))
        self._tape.done(moved)
        if self._tape.has_overrun and not self._has_told_overrun:
            self._has_told_overrun = True
            self._say("recording cannot keep up: the traffic is slowed down so that nothing is lost")

    def _rest(self) -> None:
        self._told_time_at = now = time.monotonic()
        if self._mind is not None:
            self._mind.rest(self._milliseconds(now))

    def _conclude(self) -> None:
        if self._mind is not None:
            self._mind.conclude(self._milliseconds(time.monotonic()))

    def _milliseconds(self, at: float) -> int:
        return max(0, round((at - self._start) * 1000))
