"""A raw client over pipes: JSON lines, one request at a time, no SDK that would cost more than what is measured."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Final, Self

PATIENCE: Final = 20.0
"""Seconds for a server to end once its input is closed."""

INITIALIZE: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class RawClient:
    """A server process and a client for it; as a context manager it shakes hands and ends the process.

    `seconds_to_first_answer` counts from before the process was started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        start = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._rest = b""
        self.request("initialize", INITIALIZE, 0)
        self.seconds_to_first_answer = time.perf_counter() - start
        self._to.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def request(self, method: str, params: dict[str, Any], number: int) -> dict[str, Any]:
        """Ask, and wait for the answer; raises AssertionError where it is an error."""
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self._to.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        while b"\n" not in self._rest:
            chunk = os.read(self._from.fileno(), 1 << 16)
            assert chunk, f"the server ended: {self._process.args!r}"
            self._rest += chunk
        line, self._rest = self._rest.split(b"\n", 1)
        answer: dict[str, Any] = json.loads(line)
        assert answer["id"] == number, answer
        assert "result" in answer, answer
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._to.close()
        try:
            self._process.wait(PATIENCE)
        finally:
            self._process.kill()
            self._from.close()
            self._process.wait()


def seconds_of_calls(command: Sequence[str], calls: int) -> list[float]:
    """So many different calls, one after another: the seconds that each took."""
    seconds: list[float] = []
    with RawClient(command) as client:
        for number in range(calls):
            start = time.perf_counter()
            client.request("tools/call", call(number), number + 1)
            seconds.append(time.perf_counter() - start)
    return seconds


def seconds_of_nothing(python: str) -> float:
    """How long an interpreter takes that does nothing."""
    start = time.perf_counter()
    subprocess.run([python, "-c", "pass"], check=True, stdin=subprocess.DEVNULL)
    return time.perf_counter() - start


def seconds_to_first_answer(command: Sequence[str]) -> float:
    """From before the process is started."""
    with RawClient(command) as client:
        return client.seconds_to_first_answer


def call(number: int) -> dict[str, Any]:
    """The params of the N-th of many different tool calls."""
    return {"name": "echo", "arguments": {"message": f"message {number}"}}
