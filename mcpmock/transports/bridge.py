"""A real server between the two ends of a relay: for tests that record it, or that want it as it is.

Bytes are passed on as they come; who listens is told of them before they go on, so that no answer is heard before its
request.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from mcpmock.errors import CommandError
from mcpmock.transports.relay import CHUNK, RelayWire

__all__ = ["Launch", "Listener", "bridge", "end_process"]

LADDER: Final[tuple[tuple[float, signal.Signals], ...]] = ((10.0, signal.SIGTERM), (5.0, signal.SIGKILL))
"""Seconds for a server to end by itself after its client has gone, and the signals after that; a recorder has a ladder
of its own, which is shorter."""


class Launch(NamedTuple):
    """How the server is started: its command, its whole environment, its working folder (None: ours)."""

    command: Sequence[str]
    env: Mapping[str, str]
    cwd: str | None = None


class Listener(Protocol):
    """Hears what goes by."""

    def from_client(self, data: bytes) -> None:
        """The client sent this; empty at its end."""
        ...

    def from_server(self, data: bytes) -> None:
        """The server sent this; empty at its end."""
        ...

    def from_errors(self, data: bytes) -> None:
        """The server wrote this to stderr."""
        ...


def bridge(wire: RelayWire, launch: Launch, listener: Listener) -> int:
    """Starts the server and connects it with a client until both have ended. Returns the server's exit status.

    Raises CommandError where it cannot be started.
    """
    process = _start(launch)
    wire.reads_on = False  # one thread reads, others write
    with process:
        pumps = [
            threading.Thread(target=_pump_output, args=(process, wire, listener), name="mcpmock-server", daemon=True),
            threading.Thread(
                target=_pump_errors, args=(process, wire, listener), name="mcpmock-server-stderr", daemon=True
            ),
        ]
        for pump in pumps:
            pump.start()
        _pump_input(process, wire, listener)
        status = end_process(process)
        for pump in pumps:
            pump.join()
    return status


def end_process(process: subprocess.Popen[bytes]) -> int:
    """Waits for a server whose input is closed, and ends it where it does not end. Returns its exit status."""
    for seconds, number in LADDER:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
    return process.wait()


def _start(launch: Launch) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(launch.command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(launch.env),
            cwd=launch.cwd,
            bufsize=0,
            start_new_session=True,  # Ctrl-C is for the tests; they end the server in good order
        )
    except OSError as error:
        raise CommandError(f"{launch.command[0]}: cannot be started: {error.strerror}") from error


def _pump_input(process: subprocess.Popen[bytes], wire: RelayWire, listener: Listener) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):  # the server has ended: its output tells the client
        while chunk := wire.read(None):
            listener.from_client(chunk)
            rest = memoryview(chunk)
            while rest:
                rest = rest[process.stdin.write(rest) :]
    listener.from_client(b"")
    with contextlib.suppress(OSError):
        process.stdin.close()


def _pump_output(process: subprocess.Popen[bytes], wire: RelayWire, listener: Listener) -> None:
    assert process.stdout is not None
    while chunk := os.read(process.stdout.fileno(), CHUNK):
        listener.from_server(chunk)
        with contextlib.suppress(OSError):  # the client has gone; what the server says is still heard
            wire.write(chunk)
    listener.from_server(b"")
    wire.stop_reading()


def _pump_errors(process: subprocess.Popen[bytes], wire: RelayWire, listener: Listener) -> None:
    assert process.stderr is not None
    while chunk := os.read(process.stderr.fileno(), CHUNK):
        listener.from_errors(chunk)
        with contextlib.suppress(OSError):
            wire.write_stderr(chunk)
