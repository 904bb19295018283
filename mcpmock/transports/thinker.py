"""The thread that thinks about what the pumps have moved, when the line is quiet.

A thread that wakes for every chunk would compete with the pumps for the interpreter and add 50 to 400 µs to a round
trip; this one looks every 20 ms, and thinks when nothing has moved for 4 ms or when much is waiting.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from mcpmock.transports import posix
from mcpmock.transports.tape import Chunk, Tape

if TYPE_CHECKING:  # the server is started before what needs these is imported
    from mcpmock.cassette.model import Entry
    from mcpmock.session.recording.stdio import Recording

LOOK_EVERY: Final = 0.02
LOOK_AGAIN: Final = 0.005
BUSY: Final = 8  # chunks since the last look
QUIET: Final = 0.004
LONGEST: Final = 0.08
"""Seconds after which the line need not be quiet: a recorder that is killed loses no more."""
MUCH: Final = 4 * 1024 * 1024


class Keeper(Protocol):
    """Where entries are kept."""

    @property
    def kept_in(self) -> str:
        """The file that holds what was kept by now; empty if there is none."""

    def keep(self, finished: Sequence[Entry], growing: Entry | None) -> None:
        """Keep entries that are finished, and one that may grow until it is given again."""

    def finish(self, times: Sequence[int], *, answers: int, is_last: bool) -> None:
        """The client has gone, or (`is_last`) the server has ended: make a cassette of what was kept."""


class Thinking(NamedTuple):
    """What it takes to think: what turns bytes into entries, and what keeps them."""

    recording: Recording
    keeper: Keeper


class Thinker:
    """Turns what is on the tape into entries and hands them to the keeper, on a thread of its own.

    `prepare` is called on that thread: importing what it takes must not keep the server waiting. `tell` is called
    when everything that waited has been thought about.
    """

    def __init__(
        self,
        tape: Tape,
        prepare: Callable[[], Thinking],
        say: Callable[[str], None],
        tell: Callable[[], None] = lambda: None,
    ) -> None:
        self.answered_at = 0.0
        """When an answer was seen last, in seconds of `time.monotonic`."""
        self.expects_answers = False
        """Whether a server that has shown that it answers still owes an answer."""
        self.thought = 0
        """How many chunks were thought about."""
        self._tape = tape
        self._tell = tell
        self._is_abandoned = False
        self._prepare = prepare
        self._thinking: Thinking | None = None
        self._say = say
        self._start = time.monotonic()
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._wants_finish = False
        self._seen = 0
        self._had_much = False
        self._status: int | str | None = None
        self._has_told_overrun = False
        self._thread = threading.Thread(target=self._run, name="thinker", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def finish_soon(self) -> None:
        """Make a cassette of what has been seen: whoever waits for our end may not wait long."""
        self._wants_finish = True
        self._wake.put(None)

    def end(self, status: int | str) -> None:
        """The server has ended with that status. Returns when everything is kept."""
        self._status = status
        self._wake.put(None)
        self._thread.join()

    def abandon(self) -> None:
        """Nobody will tell how the session ends. Returns when everything that was seen is kept."""
        self._is_abandoned = True
        self._wake.put(None)
        self._thread.join()

    def _run(self) -> None:
        self._attempt(self._begin)
        pause = 0.0  # what it took is longer than a look
        while self._status is None and not self._is_abandoned:
            with contextlib.suppress(queue.Empty):
                self._wake.get(timeout=pause)
            pause = self._look()
        self._think()
        if self._status is not None:
            self._attempt(partial(self._conclude, self._status))

    def _begin(self) -> None:
        self._thinking = self._prepare()

    def _attempt(self, action: Callable[[], None]) -> None:
        """Do something for the recording. Whatever goes wrong with it is told once; the session goes on."""
        try:
            action()
        except Exception as error:
            place = self._thinking.keeper.kept_in if self._thinking else ""
            self._thinking = None
            self.expects_answers = False
            self._say(f"not recorded from here on: {error}{way_out(place, error)}")

    def _look(self) -> float:
        """Think, if it is time to; returns the seconds until the next look."""
        if self._wants_finish:
            self._wants_finish = False
            self._think()
            self._attempt(partial(self._finish, is_last=False))
        else:
            while self._tape:
                if time.monotonic() - self._tape.heard_at < QUIET and self._tape.waiting < MUCH:
                    grown, self._seen = len(self._tape) - self._seen, len(self._tape)
                    return LOOK_EVERY if grown > BUSY else LOOK_AGAIN
                self._had_much = self._had_much or self._tape.waiting > MUCH
                self._think_about(self._tape.take())
            if self._had_much:
                self._had_much = False
                posix.give_back_memory()
        self._seen = 0
        return LOOK_EVERY

    def _think(self) -> None:
        """Think about everything that waits."""
        while chunks := self._tape.take():
            self._think_about(chunks)

    def _think_about(self, chunks: list[Chunk]) -> None:
        self._attempt(partial(self._consider, chunks))
        self._tape.done(chunks)
        self.thought += len(chunks)
        if not self._tape:
            self._tell()
        if self._tape.has_overrun and not self._has_told_overrun:
            self._has_told_overrun = True
            self._say("recording cannot keep up: the session is slowed down so that nothing is lost")

    def _consider(self, chunks: list[Chunk]) -> None:
        if self._thinking is None:
            return
        recording = self._thinking.recording
        answers = recording.answers
        for source, moment, data in chunks:
            at = self._milliseconds(moment)
            if source == "stderr":
                recording.received_stderr(data, at)
            elif source == "signal":
                recording.told_to_end(at)
            elif data:
                recording.received(source, data, at)
            else:
                recording.ended(source, at)
        if recording.answers > answers:
            self.answered_at = chunks[-1][1]
        self.expects_answers = recording.open_requests > 0 and recording.answers > 0
        self._keep(self._thinking)

    def _keep(self, thinking: Thinking) -> None:
        for warning in thinking.recording.take_warnings():
            self._say(warning)
        thinking.keeper.keep(thinking.recording.take_entries(), thinking.recording.open_entry)

    def _conclude(self, status: int | str) -> None:
        if self._thinking is not None:
            self._thinking.recording.exited(status, self._milliseconds(time.monotonic()))
            self._keep(self._thinking)
            self._finish(is_last=True)

    def _finish(self, *, is_last: bool) -> None:
        if self._thinking is not None:
            recording, keeper = self._thinking
            keeper.finish(recording.all_times(), answers=recording.answers, is_last=is_last)

    def _milliseconds(self, at: float) -> int:
        return max(0, round((at - self._start) * 1000))


def way_out(part: str, error: Exception) -> str:
    """What to type when recording goes on no more, if anything helps; `part` is a file that holds what was kept, or the
    cassette that such files are beside."""
    if not part:
        return "; record to another place: mcpmock record -o OTHER.yaml ..." if isinstance(error, OSError) else ""
    import shlex  # only if something goes wrong

    return f"; what came before is kept beside the cassette: mcpmock salvage {shlex.quote(part)} -o OTHER.yaml"
