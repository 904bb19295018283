"""Relays, seen from the test process: a listener that gives out commands, and serves each process that runs one.

The command is a few lines of Python (`relay_process.py`) that connect to 127.0.0.1, show a token from their arguments,
and copy bytes. Nothing is passed by environment: SDK clients hand their servers only an allow-list of variables.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from mcpmock.transports import relay_process

__all__ = ["RelayHost", "RelayWire"]

CHUNK: Final = 1 << 16
PATIENCE: Final = 5.0
"""Seconds for a process that has connected to show its token, and for a session to end once the host closes."""

MOST_WAITING: Final = 64 << 20
"""So many bytes of a client that does not read are kept for it; then it has to wait, as a real server would let it."""

_WEIGHT: Final = 64  # bytes of memory that a chunk takes beside its own
_AT_ONCE: Final = getattr(socket, "MSG_DONTWAIT", 0)
_SCRIPT: Final = str(Path(relay_process.__file__).absolute())
_LONGEST_HELLO: Final = 200


class Hello(NamedTuple):
    """What a relay says first: whom it belongs to, where it was started if that was asked, and what came behind."""

    token: str
    folder: str = ""
    environment: Mapping[str, str] = {}
    first: bytes = b""


class RelayWire:
    """See `Wire`: the socket to a relay. One thread reads and writes; or any may write, where `reads_on` is off.

    `folder` and `environment` are those in which the client started the relay, where the command tells them.
    `reads_on`: who writes to a client that does not read takes in what that sends, because it may want to send all
    before it reads.
    """

    def __init__(self, link: socket.socket, hello: Hello) -> None:
        self.folder = hello.folder
        self.environment = hello.environment
        self.reads_on = True
        self._link = link
        self._came = deque([hello.first] if hello.first else ())
        self._kept = sum(len(came) + _WEIGHT for came in self._came)
        self._writing = threading.Lock()

    def read(self, until: float | None) -> bytes | None:
        """See `Wire`."""
        if self._came:
            came = self._came.popleft()
            self._kept -= len(came) + _WEIGHT
            return came
        if until is None:
            return self._receive()
        left = until - time.monotonic()
        if left <= 0:
            return None
        self._link.settimeout(left)
        try:
            return self._receive()
        except TimeoutError:
            return None
        finally:
            self._link.settimeout(None)

    def _receive(self) -> bytes:
        try:
            return self._link.recv(CHUNK)
        except ConnectionError:
            return b""  # a client that was killed has gone like any other

    def write(self, data: bytes) -> None:
        """See `Wire`."""
        self._send(relay_process.STDOUT, data)

    def write_stderr(self, data: bytes) -> None:
        """See `Wire`."""
        self._send(relay_process.STDERR, data)

    def wait_until_read(self) -> None:
        """See `Wire`: the relay waits, and everything behind this with it."""
        self._send(relay_process.WAIT, b"")

    def end(self, status: int) -> None:
        """The session is over: the relay ends with this status, or by the signal of this number below zero."""
        with contextlib.suppress(OSError):
            self._send(relay_process.END, b"%d" % status)
            self._link.shutdown(socket.SHUT_WR)
            self._link.settimeout(PATIENCE)
            while self._link.recv(CHUNK):
                pass  # closed with bytes unread, the socket would take the last answers back

    def stop_reading(self) -> None:
        """Whoever reads finds what has come so far, and then the end."""
        with contextlib.suppress(OSError):
            self._link.shutdown(socket.SHUT_RD)

    def _send(self, kind: int, data: bytes) -> None:
        with self._writing:
            for at in range(0, len(data) or 1, CHUNK):
                part = data[at : at + CHUNK]
                self._send_all(bytes((kind,)) + len(part).to_bytes(3, "big") + part)

    def _send_all(self, data: bytes) -> None:
        if not self.reads_on or not _AT_ONCE:
            self._link.sendall(data)
            return
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._link.send(rest, _AT_ONCE) :]
            except BlockingIOError:
                self._read_on()

    def _read_on(self) -> None:
        """Waits until there is room, or something comes in; that is kept for `read`, up to `MOST_WAITING` bytes."""
        is_at_end = bool(self._came) and not self._came[-1]
        is_full = self._kept > MOST_WAITING
        readable, _, _ = select.select([] if is_at_end or is_full else [self._link], [self._link], [])
        if readable:
            self._came.append(self._receive())
            self._kept += len(self._came[-1]) + _WEIGHT


class RelayHost:
    """A listener on 127.0.0.1. Each process that runs one of its commands is served by a call of `serve(key, wire)`
    in a thread of its own, which returns the exit status of that process.

    Without `serve`ing anything it costs a thread and a socket. `close` ends all sessions in good order.
    """

    def __init__(self, serve: Callable[[str, RelayWire], int]) -> None:
        self._serve = serve
        self._tokens: dict[str, str] = {}
        self._links: dict[threading.Thread, socket.socket] = {}
        self._lock = threading.Lock()
        self._is_closing = False
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, name="mcpmock-relays", daemon=True)
        self._thread.start()

    def command(self, key: str, *, tells_environment: bool = False) -> tuple[str, ...]:
        """The command for a client to start; each process that runs it is a session of `key`."""
        token = secrets.token_hex(16)
        self._tokens[token] = key
        wants = ("env",) if tells_environment else ()
        return (sys.executable, "-I", "-S", _SCRIPT, str(self._port), token, *wants)

    def close(self, patience: float = PATIENCE) -> None:
        """Lets what has been sent be answered, ends all sessions, and waits for their threads, so many seconds at
        most, and once more as long after their sockets were closed."""
        with self._lock:
            self._is_closing = True
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self._port), PATIENCE).close()  # wakes who accepts, on any system
        self._thread.join(PATIENCE)
        self._listener.close()
        for how in (socket.SHUT_RD, socket.SHUT_RDWR):
            threads = self._open_links()
            for link in threads.values():
                with contextlib.suppress(OSError):
                    link.shutdown(how)
            deadline = time.monotonic() + patience
            for thread in threads:
                thread.join(max(0.0, deadline - time.monotonic()))

    def _open_links(self) -> dict[threading.Thread, socket.socket]:
        with self._lock:
            return dict(self._links)

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._attend, args=(link,), name="mcpmock-relay", daemon=True)
            with self._lock:
                if self._is_closing:
                    link.close()
                    return
                self._links[thread] = link
            thread.start()

    def _attend(self, link: socket.socket) -> None:
        try:
            with link, contextlib.suppress(OSError):
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                hello = _greet(link)
                if hello is not None and (key := self._tokens.get(hello.token)) is not None:
                    wire = RelayWire(link, hello)
                    wire.end(self._serve(key, wire))
        finally:
            with self._lock:
                self._links.pop(threading.current_thread(), None)


def _greet(link: socket.socket) -> Hello | None:
    """What the other side says first; None for a stranger."""
    link.settimeout(PATIENCE)
    head, _, rest = _receive_until(link, b"", lambda seen: b"\n" in seen or len(seen) > _LONGEST_HELLO).partition(b"\n")
    token, _, size = head.decode("latin-1").partition(" ")
    if not size.isdecimal():
        return None
    content = _receive_until(link, rest, lambda seen: len(seen) >= int(size))
    link.settimeout(None)
    folder, *pairs = map(os.fsdecode, content[: int(size)].split(b"\0"))
    environment = dict(pair.split("=", 1) for pair in pairs)
    return Hello(token, folder, environment, content[int(size) :])


def _receive_until(link: socket.socket, seen: bytes, is_enough: Callable[[bytes], bool]) -> bytes:
    while not is_enough(seen):
        chunk = link.recv(CHUNK)
        if not chunk:
            break
        seen += chunk
    return seen
