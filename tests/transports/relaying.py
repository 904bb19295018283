"""Processes that a client starts, and hosts that serve them: what tests of relays have in common."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mcpmock.transports.relay import RelayHost, RelayWire
from tests.program import SECONDS
from tests.transports.client import Client


@contextmanager
def started(command: Sequence[str], env: dict[str, str] | None = None, cwd: Path | None = None) -> Iterator[Client]:
    """A client's process of a server; it has ended at the end of the block."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=cwd, bufsize=0
    )
    assert process.stdin is not None
    assert process.stdout is not None
    stdin = os.dup(process.stdin.fileno())
    process.stdin.close()
    os.set_blocking(stdin, False)
    client = Client(process, stdin, process.stdout.fileno(), process.stderr)
    try:
        yield client
    finally:
        client.close_stdin()
        process.kill()
        process.wait(SECONDS)
        process.stdout.close()
        if process.stderr is not None:
            process.stderr.close()


@contextmanager
def hosting(serve: Callable[[str, RelayWire], int]) -> Iterator[RelayHost]:
    """A host that is closed at the end of the block."""
    host = RelayHost(serve)
    try:
        yield host
    finally:
        host.close()


def echo(key: str, wire: RelayWire) -> int:
    """Sends back what comes, until the client leaves; then says good-bye."""
    while chunk := wire.read(None):
        wire.write(chunk)
    wire.write(b"bye\n")
    return 0
