"""A small MCP client with a fixed script: what it says and hears is a value that can be compared."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import IO, Any, Final, NamedTuple

PATIENCE: Final = 30.0
"""Seconds after which a server that hangs is ended."""

Request = tuple[str, dict[str, Any]]

HANDSHAKE: Final[Request] = (
    "initialize",
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {"sampling": {}},
        "clientInfo": {"name": "mcpmock-demo-client", "version": "1.0.0"},
    },
)
MODEL_ANSWER: Final = {
    "role": "assistant",
    "content": {"type": "text", "text": "What was said once can be said again."},
    "model": "a-very-small-model",
    "stopReason": "endTurn",
}


def call(tool: str, *, progress: str = "", **arguments: Any) -> Request:
    """A `tools/call`; with `progress`, progress is asked for under that token."""
    meta = {"_meta": {"progressToken": progress}} if progress else {}
    return "tools/call", {"name": tool, "arguments": arguments, **meta}


SCRIPT: Final[tuple[Request, ...]] = (
    ("tools/list", {}),
    call("add", a=2, b=3),
    call("brew", cups=3, progress="tea"),
    call("compose", topic="tape recorders"),
    call("list_notes"),
    call("add_note", text="buy milk"),
    call("list_notes"),
    call("add_note", text="feed the cat"),
    call("list_notes"),
    ("resources/list", {}),
    ("resources/read", {"uri": "notes://all"}),
    call("no_such_tool"),
)
"""Lists, a plain call, progress, a question from the server, reads and writes of a state, a resource, an error."""


class Conversation(NamedTuple):
    """A session as the client saw it: what was sent (`>`) and received (`<`), in order, and how the server ended."""

    said: tuple[tuple[str, Any], ...]
    exit_code: int
    stderr: str
    seconds: float

    def count(self, direction: str, method: str = "") -> int:
        """How many messages of that direction and method there were; no method: how many responses."""
        return sum(way == direction and message.get("method", "") == method for way, message in self.said)

    def errors(self) -> list[dict[str, Any]]:
        """The errors that the client was answered with."""
        return [message["error"] for way, message in self.said if way == "<" and "error" in message]


def converse(command: Sequence[str], script: Sequence[Request] = SCRIPT) -> Conversation:
    """Start the command, shake hands, go through the script, close the server's input and wait for its end.

    Raises OSError where the command cannot be started. A server that ends early or hangs makes the conversation
    shorter, no more: its exit code tells.
    """
    start = time.monotonic()
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors) as process:
            watchdog = threading.Timer(PATIENCE, process.kill)
            watchdog.start()
            try:
                said = _Talk(process).run(script)
            finally:
                watchdog.cancel()
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    return Conversation(tuple(said), process.returncode, text, time.monotonic() - start)


class _Talk:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._to_server: IO[bytes] = process.stdin
        self._from_server: IO[bytes] = process.stdout
        self._said: list[tuple[str, Any]] = []

    def run(self, script: Sequence[Request]) -> list[tuple[str, Any]]:
        try:
            self._request(0, HANDSHAKE)
            self._send({"method": "notifications/initialized"})
            for number, request in enumerate(script, 1):
                self._request(number, request)
            self._to_server.close()
        except (BrokenPipeError, EOFError):
            pass
        self._said += [("<", json.loads(line)) for line in self._from_server]
        self._process.wait()
        return self._said

    def _request(self, number: int, request: Request) -> None:
        """Ask, answer what the server asks meanwhile, and return when the answer is there."""
        method, params = request
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" not in message and message.get("id") == number:
                return
            if message.get("method") == "sampling/createMessage":
                self._send({"id": message["id"], "result": MODEL_ANSWER})

    def _send(self, message: dict[str, Any]) -> None:
        self._said.append((">", message))
        self._to_server.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._to_server.flush()

    def _receive(self) -> dict[str, Any]:
        line = self._from_server.readline()
        if not line:
            raise EOFError
        message: dict[str, Any] = json.loads(line)
        self._said.append(("<", message))
        return message
