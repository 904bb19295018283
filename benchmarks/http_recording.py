"""`mcpmock record URL`: what it adds to a POST and an event; mitmproxy beside it, where `mitmdump` is on the path."""

from __future__ import annotations

import contextlib
import math
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from benchmarks.measure import Row

GOAL: Final = 0.4
MOST_FOR_AN_EVENT: Final = 0.002  # seconds
POSTS: Final = 300
EVENTS: Final = 150
SECONDS: Final = 30
SERVER: Final = (sys.executable, str(Path(__file__).parent / "http_server.py"))
BODY: Final = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}'
POST: Final = (
    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n"
    b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
)
GET: Final = b"GET /events?%d HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n" % EVENTS


def run(rounds: int) -> list[Row]:
    """The server directly, behind the recorder, and behind mitmproxy where it is there, in turns."""
    with ExitStack() as stack:
        ports = {"direct": stack.enter_context(_server())}
        ports["record"] = stack.enter_context(_recorder(ports["direct"]))
        if mitmdump := shutil.which("mitmdump"):
            ports["mitmproxy"] = stack.enter_context(_mitmproxy(mitmdump, ports["direct"]))
        posts, events = _in_turns(ports, seconds_of_a_post, rounds), _in_turns(ports, seconds_of_an_event, rounds)
    rows = [
        Row("record over HTTP: added to an event, median", "2 ms", _added(events, "record") / MOST_FOR_AN_EVENT, 1.0),
        Row("record over HTTP: added to a POST, median", "the POST itself", _added(posts, "record") / posts["direct"]),
    ]
    if "mitmproxy" in ports:
        ratio = _added(posts, "record") / _added(posts, "mitmproxy")
        rows.append(Row("record over HTTP: added to a POST, median", "what mitmproxy adds", ratio, GOAL))
    return rows


def seconds_of_a_post(port: int) -> float:
    """The median of some on one connection."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return statistics.median(_post(client) for _ in range(POSTS))


def seconds_of_an_event(port: int) -> float:
    """The median from when an event was sent to when it is here; both clocks are that of this machine."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as client:
        client.sendall(GET)
        taken: list[float] = []
        data = b""
        while b"\r\n0\r\n" not in data[-64:]:
            more = client.recv(65536)
            now = time.monotonic()
            taken += [now - float(part.partition(b"}")[0]) for part in more.split(b'"data":')[1:]]
            data += more
        return statistics.median(taken)


def _post(client: socket.socket) -> float:
    start = time.perf_counter()
    client.sendall(POST)
    data = b""
    while b'"text":"3"' not in data:
        data += client.recv(65536)
    return time.perf_counter() - start


def _in_turns(ports: Mapping[str, int], measured: Callable[[int], float], rounds: int) -> dict[str, float]:
    """The medians of all rounds; one round warms up."""
    taken: dict[str, list[float]] = {name: [] for name in ports}
    for number in range(rounds + 1):
        for name, port in ports.items():
            found = measured(port)
            if number:
                taken[name].append(found)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def _added(medians: Mapping[str, float], name: str) -> float:
    added = medians[name] - medians["direct"]
    return added if added > 0 else math.nan  # the machine is too busy


@contextmanager
def _running(command: list[str], stdout: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdout=stdout, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def _server() -> Iterator[int]:
    with _running([*SERVER], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())


@contextmanager
def _recorder(port: int) -> Iterator[int]:
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder) / "posts.yaml")
        command = [sys.executable, "-m", "mcpmock", "record", "-o", output, f"http://127.0.0.1:{port}/mcp"]
        with _running(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            yield int(process.stdout.readline().split(b":")[2].split(b"/")[0])


@contextmanager
def _mitmproxy(mitmdump: str, port: int) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        own = free.getsockname()[1]
    command = [
        mitmdump,
        "-q",
        "--mode",
        f"reverse:http://127.0.0.1:{port}",
        "--listen-host",
        "127.0.0.1",
        "-p",
        str(own),
    ]
    # Without this mitmproxy holds an event stream back until its end.
    command += ["--set", "stream_large_bodies=1"]
    with _running(command, stdout=subprocess.DEVNULL):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", own), 1):
                break
        yield own
