"""A small client of a stdio server, byte by byte, which waits for nothing longer than `SECONDS`."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tests.program import ENVIRONMENT, MCPMOCK, SECONDS

INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def line(message: dict[str, Any]) -> bytes:
    """A message as it goes over the wire."""
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def call(name: str, id_: object = 1, token: object = None, **arguments: Any) -> dict[str, Any]:
    """A `tools/call`."""
    params: dict[str, Any] = {"name": name, "arguments": arguments}
    if token is not None:
        params["_meta"] = {"progressToken": token}
    return {"id": id_, "method": "tools/call", "params": params}


class Client:
    """One server process: what is written to it, and what is read from it in the chunks in which it came."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: int, stdout: int, stderr: IO[bytes] | None) -> None:
        self.process = process
        self.stdin = stdin
        self.stdout = stdout
        self._stderr = stderr
        self._rest = b""

    def write(self, data: bytes) -> None:
        """Writes all of it."""
        rest = memoryview(data)
        while rest:
            self._wait([], [self.stdin])
            rest = rest[os.write(self.stdin, rest) :]

    def send(self, *messages: dict[str, Any]) -> None:
        """Writes messages, in one chunk."""
        self.write(b"".join(map(line, messages)))

    def read_chunk(self, size: int = 1 << 20) -> bytes:
        """What one read brings; empty at the end."""
        self._wait([self.stdout], [])
        try:
            return os.read(self.stdout, size)
        except ConnectionResetError:
            return b""

    def read_line(self) -> bytes:
        """The next line, without its end; empty at the end."""
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            chunk = self.read_chunk()
            if not chunk:
                break
            parts.append(chunk)
        head, _, self._rest = b"".join(parts).partition(b"\n")
        return head

    def read(self) -> dict[str, Any]:
        """The next message."""
        found = self.read_line()
        assert found, f"the server has closed its stdout: {self.stderr()}"
        message: dict[str, Any] = json.loads(found)
        assert message.pop("jsonrpc") == "2.0"
        return message

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Sends a request and reads one message."""
        self.send(message)
        return self.read()

    def close_stdin(self) -> None:
        """Says that nothing more will come."""
        if self.stdin >= 0:
            os.close(self.stdin)
        self.stdin = -1

    def finish(self) -> tuple[int, bytes]:
        """Closes stdin; the exit code (negative: by which signal), and all that still came on stdout."""
        self.close_stdin()
        rest = [self._rest]
        while chunk := self.read_chunk():
            rest.append(chunk)
        return self.process.wait(SECONDS), b"".join(rest)

    def stderr(self) -> str:
        """What the server has said on stderr so far, where that goes to a file."""
        if self._stderr is None:
            return ""
        self._stderr.seek(0)
        return self._stderr.read().decode()

    @staticmethod
    def _wait(readable: list[int], writable: list[int]) -> None:
        ready = select.select(readable, writable, [], SECONDS)
        assert any(ready), f"nothing happened for {SECONDS} s"


def until(condition: Any, what: str) -> None:
    """Waits for a condition, looking again and again."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, f"not within {SECONDS} s: {what}"
        select.select([], [], [], 0.005)


@contextmanager
def replay(
    cassette: Path, *options: str, stdout: str = "pipe", stderr: str = "file", blocking: bool = True
) -> Iterator[Client]:
    """`mcpmock replay CASSETTE OPTIONS`; `stdout` is a pipe or a socket, `stderr` a file or an unread pipe."""
    its_stdin, our_stdin = os.pipe()
    os.set_blocking(our_stdin, False)
    if stdout == "pipe":
        our_stdout, its_stdout = os.pipe()
        ends: tuple[socket.socket, ...] = ()
    else:
        ends = socket.socketpair()
        our_stdout, its_stdout = os.dup(ends[0].fileno()), os.dup(ends[1].fileno())
    for end in ends:
        end.close()
    if not blocking:
        os.set_blocking(its_stdin, False)
        os.set_blocking(its_stdout, False)
    with tempfile.TemporaryFile() as file:
        process = subprocess.Popen(
            [*MCPMOCK, "replay", str(cassette), *options],
            stdin=its_stdin,
            stdout=its_stdout,
            stderr=file if stderr == "file" else subprocess.PIPE,
            env={**os.environ, **ENVIRONMENT},
        )
        os.close(its_stdin)
        os.close(its_stdout)
        client = Client(process, our_stdin, our_stdout, file if stderr == "file" else None)
        try:
            yield client
        finally:
            client.close_stdin()
            if process.poll() is None:
                process.kill()
            process.wait(SECONDS)
            os.close(our_stdout)
            if process.stderr:
                process.stderr.close()
