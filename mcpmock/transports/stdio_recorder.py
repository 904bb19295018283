"""The stdio recorder: stands between a client and a server's process, moves bytes first, thinks later.

Two threads move the bytes of the two pipes, a third those of stderr, a fourth hands them over to a process that thinks
about them. The main thread waits for what happens to client and server.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, Literal, NamedTuple, NoReturn, TypeAlias

from mcpmock.errors import printable
from mcpmock.transports import posix, pumps
from mcpmock.transports.ladder import PATIENCE, Ladder, Patience
from mcpmock.transports.processes import name_status
from mcpmock.transports.pumps import Outlet, Source
from mcpmock.transports.stderr import open_standard_descriptors
from mcpmock.transports.stderr_pump import STDERR, StderrPump
from mcpmock.transports.tape import Tape
from mcpmock.transports.thinker import Thinking
from mcpmock.transports.thinking_process import MOST_WAITING, ThinkingProcess

Event: TypeAlias = Literal[
    "client ended", "client broken", "server deaf", "server closed", "server exited", "told to end"
]

_LAST_WORDS: Final = 0.5  # seconds for what is still in the pipes when the server has ended
_IN_THE_PIPE: Final = 0.1  # seconds in which what a server said before it ended is read
_LOOK_AGAIN: Final = 0.5  # seconds, once the client has gone
_HEED_SIGNALS: Final = 0.5  # seconds; a signal that comes just before the main thread waits is not seen until it looks
_SWITCH_INTERVAL: Final = 0.0005  # seconds that a thread may keep the interpreter when a pump wants it


class Launch(NamedTuple):
    """How a server is started: its command, its whole environment (None: ours), its working folder (None: ours)."""

    command: Sequence[str]
    env: Mapping[str, str] | None = None
    cwd: str | None = None


def say(text: str) -> None:
    """Tell a person something on stderr; if nobody reads it, nobody is told."""
    posix.write_some(STDERR, f"mcpmock: {printable(text)}\n".encode(errors="backslashreplace"))


def record(launch: Launch, prepare: Callable[[], Thinking], *, patience: Patience = PATIENCE) -> NoReturn:
    """Run a server on our standard streams and record the session. Ends this process as the server ended.

    `prepare` is called, in another process, when the server has been started.
    Raises CommandError, before anything is moved, if the server cannot be started.
    """
    open_standard_descriptors()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    posix.end_as(_Recorder(launch, prepare, patience).run())


class _Recorder:
    def __init__(self, launch: Launch, prepare: Callable[[], Thinking], patience: Patience) -> None:
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._tape = Tape(MOST_WAITING)
        self._client = os.getppid()
        self._early: list[int] | None = []  # signals that came before there was a child
        posix.on_signals(self._pass_on)
        self._child = posix.Child(launch.command, env=launch.env, cwd=launch.cwd)
        early, self._early = self._early, None
        for number in early:
            self._pass_on(number)
        self._to_server = Outlet(self._child.stdin)
        self._thinker = ThinkingProcess(self._tape, prepare, say)
        self._ladder = Ladder(patience)
        self._hint_at: float | None = time.monotonic() + patience.for_first_word
        self._patience = patience
        self._exited_at = 0.0
        self._is_closed = False
        self._is_broken = False
        self._has_killed = False
        self._is_told_to_end = False

    def run(self) -> int:
        """Move bytes until the server has ended; returns its status, see `Child.end_group`."""
        stderr = self._start_threads()
        while not self._is_over():
            pause = self._climb()
            with contextlib.suppress(queue.Empty):
                self._heed(self._events.get(timeout=_HEED_SIGNALS if pause is None else min(pause, _HEED_SIGNALS)))
        status = self._child.end_group()
        stderr.join(_LAST_WORDS)
        self._thinker.end(name_status(status))
        return status

    def _start_threads(self) -> threading.Thread:
        tell = self._events.put
        stderr = StderrPump(self._tape.stderr, self._child.stderr)
        client = partial(
            pumps.pump_client,
            self._tape,
            self._to_server,
            on_end=partial(tell, "client ended"),
            on_deaf=partial(tell, "server deaf"),
        )
        server = partial(
            pumps.pump_server,
            self._tape,
            Source(self._child.stdout, stderr),
            on_end=partial(tell, "server closed"),
            on_broken=partial(tell, "client broken"),
        )
        pumps.start("client", client)
        pumps.start("server", server)
        thread = pumps.start("stderr", stderr.run)
        pumps.start("exit", self._await_exit)
        self._child.start_guardian()
        self._thinker.start()
        return thread

    def _await_exit(self) -> None:
        self._child.wait()
        self._events.put("server exited")

    def _pass_on(self, number: int) -> None:
        """A signal has come: pass it on. Runs in the main thread, between any two of its steps."""
        if self._early is not None:
            self._early.append(number)
            return
        if number in posix.ENDING:
            self._tape.put_end("signal")  # the ticket comes first: the server may be gone in a moment
        self._child.signal_group(number)
        if number in posix.ENDING:
            self._events.put("told to end")

    def _heed(self, event: Event) -> None:
        now = time.monotonic()
        if event == "server closed":
            self._is_closed = True
        elif event == "server exited":
            self._exited_at = now
        elif event == "server deaf":
            say("the server no longer reads its input: what the client sent last was not delivered")
        elif event == "told to end":
            self._is_told_to_end = True
            self._thinker.finish_soon()
        else:
            if event == "client broken":
                self._is_broken = True
                self._tape.put_end("client")
                self._to_server.close()
            self._ladder.client_gone(now)
            self._thinker.finish_soon()

    def _is_over(self) -> bool:
        """Whether the server has ended, and all that it said has been moved."""
        if not self._exited_at or self._is_closed:
            return bool(self._exited_at)
        if self._may_be_gone_on_with():
            return False
        return time.monotonic() - max(self._exited_at, self._tape.server.heard_at) > _LAST_WORDS

    def _may_be_gone_on_with(self) -> bool:
        """Whether children of the server, which has ended, may still serve: as long as the client is there, or waits.

        Not if it was told to end, and they are in sessions of their own: without a recorder it would have ended, too.
        """
        if self._is_told_to_end and not self._child.has_left_a_group():
            return False
        return not self._ladder.has_begun or (self._expects_answers() and not self._has_killed)

    def _expects_answers(self) -> bool:
        """Whether somebody who can still read waits for an answer that can still come, as far as is known by now."""
        if self._is_broken or self._is_closed:  # then no pipe is left to ask
            return False
        if self._exited_at and self._tape.server.heard_at < self._exited_at + _IN_THE_PIPE:
            return False  # what it has left behind only holds the pipe; a launcher's child would have spoken
        return self._thinker.expects_answers and posix.has_reader(pumps.STDOUT)

    def _climb(self) -> float | None:
        """End a server that does not end by itself; returns the seconds after which to look again."""
        if not self._ladder.has_begun:
            pause = self._remark_on_silence(time.monotonic())
            return min(pause or _LOOK_AGAIN, _LOOK_AGAIN) if self._is_told_to_end else pause
        if self._is_broken or not posix.has_reader(pumps.STDOUT) or self._is_orphan():
            self._ladder.nobody_reads(time.monotonic())
        expects_answers = self._expects_answers()
        last_sign = self._tape.server.heard_at if expects_answers else self._thinker.answered_at
        step, pause = self._ladder.step(time.monotonic(), last_sign=last_sign, expects_answers=expects_answers)
        if step == "terminate":
            self._child.signal_group(signal.SIGTERM)
        elif step == "kill":
            self._has_killed = True
            self._child.signal_group(signal.SIGKILL)
        return min(pause or _LOOK_AGAIN, _LOOK_AGAIN)

    def _is_orphan(self) -> bool:
        """Whether the client has died, which no pipe tells where the server had closed its output."""
        return self._is_closed and os.getppid() != self._client

    def _remark_on_silence(self, now: float) -> float | None:
        """Give a hint if the server has said nothing; returns the seconds after which to look again."""
        if self._hint_at is None:
            return None
        if now < self._hint_at:
            return self._hint_at - now
        self._hint_at = None
        if self._tape.server.heard_at:
            return None
        if not self._tape.client.heard_at:
            self._hint_at = now + self._patience.for_first_word
            return self._patience.for_first_word
        say(
            f"the server has said nothing for {self._patience.for_first_word:.0f} s; "
            "does it read its standard input, or is it still being installed?"
        )
        return None
