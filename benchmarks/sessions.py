"""`mcpmock record URL`: what one session costs among many, without sockets: the thinking and the files."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks.measure import Row, medians
from mcpmock.keeping import Keeping
from mcpmock.recording_http import HttpRecordRequest, recording_mind, relaying_for
from mcpmock.transports.proxy.tape import Began, Head

FEW: Final = 100
MANY: Final = 1_000
GOAL: Final = 1.3
BETWEEN: Final = 10  # milliseconds from one session to the next
FIELDS: Final = ((b"content-type", b"application/json"),)


def run(rounds: int) -> list[Row]:
    """Sessions that the client ends, and sessions that are open until the recorder ends."""
    return [_row("that end", rounds, ends=True), _row("that stay open", rounds, ends=False)]


def _row(which: str, rounds: int, *, ends: bool) -> Row:
    contestants = {
        "few": lambda: seconds_of_one(FEW, ends=ends),
        "many": lambda: seconds_of_one(MANY, ends=ends),
    }
    seconds = medians(contestants, rounds)
    what = f"record over HTTP: one of {MANY:,} sessions {which}"
    return Row(what, f"one of {FEW}", seconds["many"] / seconds["few"], GOAL)


def seconds_of_one(count: int, *, ends: bool) -> float:
    """Record so many, to the end of the recorder: the seconds for each of them."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = folder
        try:
            return _record(Path(folder) / "cassette.yaml", count, ends=ends) / count
        finally:
            os.environ.pop("TMPDIR") if before is None else os.environ.update(TMPDIR=before)


def _record(cassette: Path, count: int, *, ends: bool) -> float:
    request = HttpRecordRequest(Keeping(str(cassette), run="benchmark"), "http://127.0.0.1:9/mcp")
    mind = recording_mind(request, relaying_for(request).changes)
    at = 0
    start = time.perf_counter()
    for number in range(count):
        at += BETWEEN
        mind.consider([*_session(number, ends=ends)], partial(_now, at))
        mind.rest(at)
    mind.conclude(at)
    return time.perf_counter() - start


def _now(at: int, _: float) -> int:
    return at


def _session(number: int, *, ends: bool) -> Iterator[Any]:
    handshake = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": number}}}
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": str(number)}]}}
    yield from _exchange(3 * number, number, "POST", handshake, {"jsonrpc": "2.0", "id": 0, "result": {}})
    yield from _exchange(3 * number + 1, number, "POST", call, answer)
    if ends:
        yield from _exchange(3 * number + 2, number, "DELETE", None, None)


def _exchange(exchange: int, number: int, method: str, asked: Any, answered: Any) -> Iterator[Any]:
    yield "began", 0.0, exchange, Began(number, method, "/mcp", (*FIELDS, (b"mcp-session-id", b"S%d" % number)))
    if asked is not None:
        yield "request", 0.0, exchange, json.dumps(asked).encode()
    yield "requested", 0.0, exchange, None
    yield "head", 0.0, exchange, Head(200, FIELDS)
    if answered is not None:
        yield "response", 0.0, exchange, json.dumps(answered).encode()
    yield "responded", 0.0, exchange, None
