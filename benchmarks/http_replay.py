"""`mcpmock replay --port`: requests a second with JSON answers, against uvicorn with a constant ASGI application."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from benchmarks.cassettes import with_calls
from benchmarks.client import call
from benchmarks.measure import Row, medians

GOAL: Final = 0.6
CALLS: Final = 2000
CONNECTIONS: Final = 8
"""Kept alive, so that the server never waits for the client."""

CONSTANT: Final = str(Path(__file__).with_name("constant_server.py"))
INITIALIZE: Final = {"protocolVersion": "2025-11-25", "capabilities": {}}


def run(rounds: int) -> list[Row]:
    """Some thousand different calls to each in turn, each time to a fresh server."""
    with tempfile.TemporaryDirectory() as folder:
        cassette = Path(folder) / "calls.yaml"
        text = with_calls(CALLS).replace("stdio\n  command: [bench]", "streamable_http\n  http: {answers: json}")
        cassette.write_text(text)
        replay = [sys.executable, "-m", "mcpmock", "replay", str(cassette), "--port", "0"]
        constant = [sys.executable, CONSTANT]
        seconds = medians(
            {"replay": lambda: seconds_of_calls(replay), "constant": lambda: seconds_of_calls(constant)}, rounds
        )
    ratio = seconds["constant"] / seconds["replay"]
    return [Row("HTTP replay: requests a second", "uvicorn, constant", ratio, GOAL, at_least=True)]


def seconds_of_calls(command: list[str]) -> float:
    """All calls, over some connections in lockstep, to a server that tells its URL first."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = urlsplit(server.stdout.readline().strip())
        assert url.hostname is not None
        links = [socket.create_connection((url.hostname, url.port or 80)) for _ in range(CONNECTIONS)]
        head = f"POST {url.path} HTTP/1.1\r\nhost: {url.netloc}\r\naccept: application/json, text/event-stream\r\n"
        head += _session(links[0], head)
        requests = [_request(head, "tools/call", call(number), number) for number in range(CALLS)]
        begin = time.perf_counter()
        for at in range(0, CALLS, CONNECTIONS):
            for link, request in zip(links, requests[at:], strict=False):
                link.sendall(request)
            for link in links:
                assert b'"result"' in _response(link)
        seconds = time.perf_counter() - begin
        for link in links:
            link.close()
        server.terminate()
    return seconds


def _session(link: socket.socket, head: str) -> str:
    """Shakes hands; the header that names the session."""
    link.sendall(_request(head, "initialize", INITIALIZE, 0))
    told = _response(link).partition(b"\r\n\r\n")[0].decode()
    found = [line for line in told.split("\r\n") if line.startswith("mcp-session-id")]
    return f"{found[0]}\r\nmcp-protocol-version: 2025-11-25\r\n" if found else ""


def _request(head: str, method: str, params: object, number: int) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    return f"{head}content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode()


def _response(link: socket.socket) -> bytes:
    """One response that tells its length."""
    data = link.recv(1 << 16)
    while b"\r\n\r\n" not in data or len(data) < _size(data):
        more = link.recv(1 << 16)
        assert more, "the server has gone"
        data += more
    return data


def _size(data: bytes) -> int:
    head, _, _ = data.partition(b"\r\n\r\n")
    length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
    return len(head) + 4 + int(length)
