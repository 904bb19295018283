"""Talks over HTTP as a proxy sees them, for a recording to make entries of.

    talk = Talk()
    with_session(talk)                                  # initialize, its answer, initialized
    call = talk.post({"id": 1, "method": "tools/list"})
    talk.answer(call, {"id": 1, "result": {}})          # a JSON body
    assert talk.entries() == expected('''
    - client: {id: 1, method: tools/list}
    - server: {id: 1, result: {}}
    ''')

Messages are written without `jsonrpc`, as in cassettes, and entries are compared as they stand in one.
"""

from __future__ import annotations

import json
from textwrap import dedent, indent
from typing import Any

from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.cassette.variables import Masking
from mcpmock.cassette.writer import dump, dump_entry
from mcpmock.session.grouping import group
from mcpmock.session.recording.http.recording import HttpRecording
from mcpmock.session.recording.http.session import HttpSession
from mcpmock.wire.http import Headers
from mcpmock.wire.sse import encode_event

TAKES_BOTH = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
STREAM = {"Content-Type": "text/event-stream"}


class Talk:
    """One proxy with its recording. `step` is how many milliseconds pass with everything that moves."""

    def __init__(self, *, redactor: Masking | None = None, step: int = 1, max_message: int = 10_000) -> None:
        self.recording = HttpRecording("/mcp", redactor=redactor, max_message=max_message)
        self.now = 0
        self.odd: dict[str, str] = {}
        """What is sent in headers instead of what mirrors the body; empty: nothing."""
        self._step = step
        self._number = 0

    # -- the client

    def begin(self, method: str, target: str = "/mcp", headers: dict[str, str] | None = None, *, on: int = 0) -> int:
        """The head of a request; `on` tells connections apart. Returns the number of the exchange."""
        self._number += 1
        self.recording.began(self._number, method, target, fields(headers or {}), self._at(), connection=on)
        return self._number

    def post(self, body: Any, *, session: str = "s", target: str = "/mcp", on: int = 0, version: str = "") -> int:
        """A whole POST: of a message, a batch, or bytes; with headers that mirror it, but for those in `self.odd`."""
        sent = {**TAKES_BOTH, "Mcp-Session-Id": session, **mirrors(body), **self.odd}
        if version:
            sent["Mcp-Protocol-Version"] = version
        number = self.begin("POST", target, {name: value for name, value in sent.items() if value}, on=on)
        self.recording.request_body(number, encoded(body), self._at())
        self.recording.request_complete(number, self._at())
        return number

    def get(self, target: str = "/mcp", *, session: str = "s", after: str = "", on: int = 0) -> int:
        """A GET; `after` is its Last-Event-ID."""
        sent = {"Mcp-Session-Id": session, "Last-Event-ID": after, "Accept": "text/event-stream"}
        number = self.begin("GET", target, {name: value for name, value in sent.items() if value}, on=on)
        self.recording.request_complete(number, self._at())
        return number

    def delete(self, *, session: str = "s") -> int:
        """A DELETE."""
        number = self.begin("DELETE", "/mcp", {"Mcp-Session-Id": session})
        self.recording.request_complete(number, self._at())
        return number

    # -- the server

    def head(self, number: int, status: int = 200, headers: dict[str, str] | None = None) -> None:
        """The head of a response."""
        self.recording.response_head(number, status, fields(headers or {}), self._at())

    def body(self, number: int, data: bytes) -> None:
        """Some of its body."""
        self.recording.response_body(number, data, self._at())

    def end(self, number: int) -> None:
        """Its end, in order."""
        self.recording.response_complete(number, self._at())

    def answer(self, number: int, body: Any = b"", status: int = 200, **headers: str) -> None:
        """A whole response; JSON unless a media type is given."""
        sent = {"Content-Type": "application/json"} if body != b"" else {}
        self.head(number, status, {**sent, **{name.replace("_", "-"): value for name, value in headers.items()}})
        self.body(number, encoded(body))
        self.end(number)

    def open(self, number: int, **headers: str) -> None:
        """The head of an event stream."""
        self.head(number, 200, {**STREAM, **{name.replace("_", "-"): value for name, value in headers.items()}})

    def event(self, number: int, message: Any, **parts: Any) -> None:
        """An event on it."""
        text = message if isinstance(message, str) else encoded(message).decode()
        self.body(number, encode_event(text, **parts))

    def abort(self, number: int, side: Any) -> None:
        """The client has left, or the connection to the server broke."""
        self.recording.aborted(number, side, self._at())

    def passes(self, milliseconds: int) -> None:
        """Time passes, and nothing moves."""
        self.now += milliseconds
        self.recording.advance(self.now)

    # -- what was recorded

    def session(self, number: int = 0) -> HttpSession:
        """One of the sessions, in the order of their beginning."""
        return self.recording.sessions[number]

    def entries(self, number: int = 0) -> str:
        """What can be taken of a session now, as it stands in a cassette."""
        taken = self.session(number).take_entries()
        check_owners(taken)
        return "\n" + dedent("".join(map(dump_entry, taken)))

    def close(self) -> None:
        """The proxy ends."""
        self.recording.closed(self._at())

    def _at(self) -> int:
        self.now += self._step
        return self.now


def mirrors(body: Any) -> dict[str, str]:
    """The headers that mirror a request of the stateless revision (2026-07-28)."""
    params = body.get("params") if isinstance(body, dict) else None
    version = params.get("_meta", {}).get("io.modelcontextprotocol/protocolVersion") if params else None
    if version is None:
        return {}
    named = params.get("name", params.get("uri"))
    sent = {"Content-Type": "application/json", "Mcp-Protocol-Version": version, "Mcp-Method": body["method"]}
    return {**sent, "Mcp-Name": named} if named else sent


def fields(headers: dict[str, str]) -> Headers:
    """Header fields as they are sent."""
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def encoded(body: Any) -> bytes:
    """The bytes of a body: JSON-RPC members get their `jsonrpc`."""
    if isinstance(body, bytes):
        return body
    if isinstance(body, list):
        return b"[" + b",".join(map(encoded, body)) + b"]"
    is_message = isinstance(body, dict) and body.keys() & {"method", "result", "error"}
    return json.dumps({"jsonrpc": "2.0", **body} if is_message else body).encode()


def check_owners(entries: list[Entry]) -> None:
    """Whatever is recorded can be written, read and grouped."""
    group(load(dump(Cassette((Session(tuple(entries)),))).encode()).sessions[0])


def expected(entries: str) -> str:
    """Entries as a test writes them, spelt as they are in a cassette."""
    text = indent(dedent(entries), "  ")
    read = load(f"version: 1\nsessions:\n- entries:\n{text}\n".encode()).sessions[0].entries
    return "\n" + dedent("".join(map(dump_entry, read)))


def introduced(*, stream: bool = False, **options: Any) -> Talk:
    """A talk in a session `s`, behind the handshake, which has been taken."""
    talk = Talk(**options)
    first = talk.post({"id": 0, "method": "initialize", "params": {}}, session="")
    if stream:
        talk.open(first, Mcp_Session_Id="s")
        talk.event(first, {"id": 0, "result": {}})
        talk.end(first)
    else:
        talk.answer(first, {"id": 0, "result": {}}, Mcp_Session_Id="s")
    talk.answer(talk.post({"method": "notifications/initialized"}), status=202)
    assert talk.entries().count("\n") == 4
    return talk


def redacted_talk() -> Talk:
    """A talk whose recording keeps no secrets."""
    return introduced(redactor=Redactor())
