"""Pumps: threads that move bytes from one descriptor to another and note them on the tape.

The ticket comes first: read, note, then write; or an answer could be noted before its request.
"""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Callable
from typing import Final

from mcpmock.transports import posix
from mcpmock.transports.tape import Tape

STDIN: Final = 0
STDOUT: Final = 1
STDERR: Final = 2

_MOST_UNREAD: Final = 4 * 1024 * 1024
_LAST_CHANCE: Final = 0.5


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


def pump_server(tape: Tape, from_server: int, *, on_end: Callable[[], None], on_broken: Callable[[], None]) -> None:
    """Move what the server sends to the client until the server ends it, then end it for the client too.

    `on_broken`: the client no longer reads; what the server still sends is noted, not moved.
    """
    note, read, write = tape.server.put, posix.read, posix.write
    while data := read(from_server):
        note(data)
        if not write(STDOUT, data):
            posix.close_for_good(STDOUT)
            on_broken()
            break
    while data:
        data = read(from_server)
        if data:
            note(data)
    tape.put_end("server")
    posix.close_for_good(STDOUT)
    on_end()


def pump_stderr(tape: Tape, from_server: int) -> None:
    """Pass on the server's stderr as it comes. The server never waits because nobody reads ours."""
    unread = bytearray()
    sink = STDERR
    is_open = True
    while is_open:
        is_readable, is_writable = _ready(from_server, sink if unread else None)
        if is_readable:
            data = posix.read(from_server)
            is_open = bool(data)
            if data:
                tape.stderr.put(data)
            if len(unread) < _MOST_UNREAD:
                unread += data
        if (is_readable or is_writable) and not _flush(unread, sink):
            break
    while is_open and (data := posix.read(from_server)):
        tape.stderr.put(data)
    end = time.monotonic() + _LAST_CHANCE
    while unread and (left := end - time.monotonic()) > 0:
        _wait_until_writable(sink, left)
        if not _flush(unread, sink):
            return


def _ready(source: int, sink: int | None) -> tuple[bool, bool]:
    poller = select.poll()
    poller.register(source, select.POLLIN)
    if sink is not None:
        poller.register(sink, select.POLLOUT)
    ready = dict(poller.poll())
    return source in ready, sink in ready


def _wait_until_writable(sink: int, seconds: float) -> None:
    poller = select.poll()
    poller.register(sink, select.POLLOUT)
    poller.poll(seconds * 1000)


def _flush(unread: bytearray, sink: int) -> bool:
    """Write what can be written without waiting; False if nobody can ever read it."""
    while unread:
        written = posix.write_some(sink, bytes(unread[: select.PIPE_BUF]))
        if written < 0:
            return False
        if written == 0:
            return True
        del unread[:written]
    return True


def start(name: str, run: Callable[[], None]) -> threading.Thread:
    """Run it in a thread that does not keep the process alive."""
    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread
