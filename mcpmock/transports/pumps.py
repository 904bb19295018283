"""Pumps: threads that move bytes from one descriptor to another and note them on the tape.

The ticket comes first: read, note, then write; or an answer could be noted before its request.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, NamedTuple

from mcpmock.errors import CommandError
from mcpmock.transports import posix
from mcpmock.transports.stderr_pump import StderrPump
from mcpmock.transports.tape import Tape

STDIN: Final = 0
STDOUT: Final = 1


class Outlet:
    """The writing end of a pipe that several threads may close, once and for good."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor: Final = descriptor
        self._lock = threading.Lock()
        self._is_open = True

    def close(self) -> None:
        """Let the other end see the end of the stream."""
        with self._lock:
            if self._is_open:
                self._is_open = False
                posix.close_for_good(self.descriptor)


def pump_client(tape: Tape, to_server: Outlet, *, on_end: Callable[[], None], on_deaf: Callable[[], None]) -> None:
    """Move what the client sends to the server until one of them ends it.

    `on_end`: the client has closed its end. `on_deaf`: the server no longer reads; the client is told as a pipe
    tells it, and what it sent last was not delivered.
    """
    note, read, write, sink = tape.client.put, posix.read, posix.write, to_server.descriptor
    while data := read(STDIN):
        note(data)
        if not write(sink, data):
            posix.close_for_good(STDIN)
            to_server.close()
            on_deaf()
            return
    tape.put_end("client")
    to_server.close()
    on_end()


class Source(NamedTuple):
    """What the server sends: our end of its stdout, and its stderr, which may have been written before."""

    descriptor: int
    stderr: StderrPump


def pump_server(tape: Tape, source: Source, *, on_end: Callable[[], None], on_broken: Callable[[], None]) -> None:
    """Move what the server sends to the client until the server ends it, then end it for the client too.

    `on_broken`: the client no longer reads; what the server still sends is noted, not moved.
    """
    note, read, write, catch_up, from_server = (
        tape.server.put,
        posix.read,
        posix.write,
        source.stderr.catch_up,
        source.descriptor,
    )
    while data := read(from_server):
        catch_up()
        note(data)
        if not write(STDOUT, data):
            posix.close_for_good(STDOUT)
            on_broken()
            break
    while data:
        data = read(from_server)
        if data:
            note(data)
    source.stderr.catch_up()
    tape.put_end("server")
    posix.close_for_good(STDOUT)
    on_end()


def start(name: str, run: Callable[[], None]) -> threading.Thread:
    """Run it in a thread that does not keep the process alive. Raises CommandError where the system has none left."""
    thread = threading.Thread(target=run, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError as error:
        raise CommandError(f"recording needs more threads than may be ({error}); see ulimit -u and -v") from error
    return thread
