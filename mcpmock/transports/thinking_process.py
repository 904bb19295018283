"""Thinking apart: a process of its own turns what the pumps have moved into entries and keeps them.

Within the recorder, however long a message takes to be thought about, the pumps would wait for the interpreter; and
whatever ended the recorder would end the thinking too. A recorder that is killed loses only what it had not handed
over: what waits for less than a look.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from mcpmock.transports import posix, pumps
from mcpmock.transports.tape import Source, Tape
from mcpmock.transports.tape_pipe import Sent, State, read_chunks, read_states, write_chunks, write_state
from mcpmock.transports.thinker import BUSY, LONGEST, LOOK_AGAIN, LOOK_EVERY, QUIET, Thinker, Thinking

MUCH: Final = 256 * 1024
MOST_WAITING: Final[dict[Source, int]] = {"client": 4 << 20, "server": 4 << 20, "stderr": 1 << 20}
"""So many bytes may wait on our side; the rest waits, and then is thought about, on the other."""

_KILLED: Final = (
    "not recorded from here on: the process that writes it down was killed; "
    "what came before is kept, in a file beside the cassette (mcpmock salvage)"
)
_ROOMY: Final = 1 << 20  # bytes, for a pipe


class ThinkingProcess:
    """The recorder's half: hands over what is on the tape when the line is quiet, or when much is waiting."""

    def __init__(self, tape: Tape, prepare: Callable[[], Thinking], say: Callable[[str], None]) -> None:
        """Begin to think. There must be no other thread yet."""
        self._tape = tape
        self._say = say
        self._state = State()
        self._handed_over = 0
        self._marks: queue.SimpleQueue[Sent] = queue.SimpleQueue()
        self._is_gone = False
        self._seen = 0
        self._waits_since = 0.0
        self._process, self._chunks, self._states = _fork(prepare, say)
        self._threads: list[threading.Thread] = []

    @property
    def expects_answers(self) -> bool:
        """Whether the server still owes an answer, as far as is known: what is not thought about may be a question."""
        if self._is_gone:
            return False
        return bool(self._tape) or self._handed_over > self._state.thought or self._state.expects_answers

    @property
    def answered_at(self) -> float:
        """When an answer was seen last, in seconds of `time.monotonic`."""
        return self._state.answered_at

    def start(self) -> None:
        """Begin to hand over."""
        self._threads = [pumps.start("hand over", self._run), pumps.start("states", self._listen)]

    def finish_soon(self) -> None:
        """Make a cassette of what has been seen: whoever waits for our end may not wait long."""
        self._marks.put(("finish", 0.0, b""))

    def end(self, status: int | str) -> None:
        """The server has ended with that status. Returns when everything is kept."""
        self._marks.put(("exit", 0.0, str(status).encode()))
        for thread in self._threads:
            thread.join()
        os.waitpid(self._process, 0)

    def _listen(self) -> None:
        for state in read_states(self._states):
            self._state = state

    def _run(self) -> None:
        pause, has_ended = 0.0, False
        while not has_ended:
            try:
                mark = self._marks.get(timeout=pause)
            except queue.Empty:
                pause = self._look()
            else:
                self._hand_over()
                self._send([mark])
                has_ended = mark[0] == "exit"
        os.close(self._chunks)

    def _look(self) -> float:
        """Hand over, if it is time to; returns the seconds until the next look."""
        now = time.monotonic()
        is_busy = self._tape and now - self._tape.heard_at < QUIET and self._tape.waiting < MUCH
        if is_busy and now - self._waits_since < LONGEST:
            grown, self._seen = len(self._tape) - self._seen, len(self._tape)
            return LOOK_EVERY if grown > BUSY else LOOK_AGAIN
        self._hand_over()
        self._seen = 0
        self._waits_since = now
        return LOOK_EVERY

    def _hand_over(self) -> None:
        """Everything that waits."""
        while chunks := self._tape.take():
            self._handed_over += len(chunks)
            self._send(chunks)
            self._tape.done(chunks)

    def _send(self, chunks: Sequence[Sent]) -> None:
        if self._is_gone:
            return
        try:
            write_chunks(self._chunks, chunks)
        except OSError:
            self._is_gone = True
            self._say(_KILLED)


def _fork(prepare: Callable[[], Thinking], say: Callable[[str], None]) -> tuple[int, int, int]:
    """Start to think: the process, where to write chunks, where to read states."""
    chunks, to_chunks = os.pipe()
    states, to_states = os.pipe()
    posix.make_roomy(to_chunks, _ROOMY)
    signal.pthread_sigmask(signal.SIG_BLOCK, posix.FORWARDED)
    process = os.fork()
    if not process:
        posix.ignore_signals()
        posix.close_all_but(posix.STDERR, chunks, to_states)
        _think(chunks, to_states, prepare, say)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, posix.FORWARDED)
    os.close(chunks)
    os.close(to_states)
    return process, to_chunks, states


def _think(chunks: int, to_states: int, prepare: Callable[[], Thinking], say: Callable[[str], None]) -> NoReturn:
    """The other half: ends when the recorder has told the server's end, or has ended without."""
    tape = Tape()

    def tell() -> None:
        with contextlib.suppress(OSError):
            write_state(to_states, State(thinker.thought, thinker.expects_answers, thinker.answered_at))

    thinker = Thinker(tape, prepare, say, tell)
    thinker.start()
    for source, moment, data in read_chunks(chunks):
        if source == "finish":
            thinker.finish_soon()
        elif source == "exit":
            thinker.end(_status_from(data))
            os._exit(0)
        elif (track := tape.track(source)) is not None and data:
            track.put(data, moment)
        else:
            tape.put_end(source, at=moment)
    posix.close_for_good(posix.STDERR)  # who waits for the end of the recorder's stderr does not wait for us
    thinker.abandon()
    os._exit(0)


def _status_from(data: bytes) -> int | str:
    text = data.decode()
    return int(text) if text.lstrip("-").isdecimal() else text
