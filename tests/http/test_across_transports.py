"""Every example cassette holds the same conversation over every transport (issue 5, 6).

Each recorded client says once more what it said, and after each of its messages all that comes is taken down: from the
bare machine, over Streamable HTTP with all its streams, and over HTTP+SSE.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import anyio
import pytest

from mcpmock.cassette.load import load_file
from mcpmock.cassette.model import Session
from mcpmock.mock.hosting import PlayedHost
from mcpmock.mock.part import Clock
from mcpmock.mock.played import PlayedPart
from mcpmock.session.playing.actions import Action, End, Respond, Send
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.playback import Playback
from mcpmock.session.story import Story
from mcpmock.transports.http.exchange import Pending, started
from mcpmock.transports.http.messages import ConnectionBroken, Request, Response
from mcpmock.transports.http.service import HttpService
from mcpmock.transports.http.session import HttpSession
from mcpmock.wire.message import encode
from mcpmock.wire.sse import EventParser
from tests.conftest import ROOT

EXAMPLES = sorted((ROOT / "cassettes").glob("*.yaml"))
END = ["the server has left"]
"""What is heard last of a recorded end."""


class Talk(Protocol):
    """One live session, message by message."""

    def say(self, frame: bytes) -> list[str]:
        """What is heard after a message of the client, as sorted JSON texts."""
        ...


def library(path: Path, server: str, number: int) -> Library:
    """One recorded session, ready to be played."""
    return Library(Story(load_file(str(path)), server=server, session=number))


class Direct:
    """The bare machine."""

    def __init__(self, stage: Library, *, http: bool) -> None:
        self._machine = Playback(stage, Options(http=http, patience=0))

    def say(self, frame: bytes) -> list[str]:
        """See `Talk`."""
        actions = self._machine.receive(frame, time.monotonic(), ticket="t")
        while (wake := self._machine.next_wake) is not None:
            actions += self._machine.wake(_moment(wake))
        return sorted(filter(None, map(_told, actions)))


def _told(action: Action) -> str:
    if isinstance(action, Send):
        return action.text
    if isinstance(action, End):
        return END[0]
    return str(action.fact.status) if isinstance(action, Respond) else ""


def _moment(wake: float) -> float:
    while time.monotonic() < wake:
        pass
    return wake


class OverHttp:
    """Streamable HTTP without an event loop: what is ready on any of its streams is taken."""

    path = "/mcp/s/one"
    http = True

    def __init__(self, stage: Library) -> None:
        self.service = HttpService(PlayedHost(PlayedPart("", stage, Options(patience=0), Clock())))
        self._bodies: list[tuple[Any, EventParser]] = []
        self._waiting: list[Pending] = []
        self._is_listening = False

    def say(self, frame: bytes) -> list[str]:
        """See `Talk`."""
        try:
            found = self.service.answer(self._request("POST", frame))
            if not self._is_listening:
                self._listen()
            heard = [*self._heard(found), *self._rest()]
        except ConnectionBroken:
            return END
        return sorted(heard)

    def _request(self, method: str, frame: bytes = b"") -> Request:
        head = {b"accept": b"application/json, text/event-stream"}
        return Request(method, self.path, headers=head, body=frame)

    def _listen(self) -> None:
        self._is_listening = True
        found = self.service.answer(self._request("GET"))
        assert isinstance(found, Response)
        if not isinstance(found.body, bytes):
            self._bodies.append((found.body, EventParser()))

    def _heard(self, found: Response | Pending) -> Iterator[str]:
        if isinstance(found, Pending):
            self._waiting.append(found)
        elif not isinstance(found.body, bytes):
            self._bodies.append((found.body, EventParser()))
        elif found.status not in (200, 202) and not found.body.startswith(b"{"):
            yield str(found.status)
        elif found.body.startswith((b"{", b"[")):
            yield found.body.decode()

    def _rest(self) -> Iterator[str]:
        session = self.service.sessions.named("one")
        while (wake := session.next_wake) is not None:
            _moment(wake)
            session.wake()
        for pending in list(self._waiting):
            if pending.exchange.response is not None:
                self._waiting.remove(pending)
                yield from self._heard(started(pending.exchange))
        yield from self._ready(session)

    def _ready(self, session: HttpSession | None) -> Iterator[str]:
        """What is ready on the streams, in the order in which it was said."""
        while found := [one for one in self._bodies if not one[0].outlet.is_empty and not one[0].outlet.is_cut]:
            body, parser = min(found, key=lambda one: one[0].outlet.turn.number if one[0].outlet.turn else 0)
            if session is not None and body.outlet.turn is not None:
                anyio.run(session.turns.wait, body.outlet.turn, None)
            body.outlet.join()
            yield from (event.data.decode() for event in parser.feed(body.take()) if event.data)
        for body, _ in self._bodies:
            body.outlet.join()
            body.take()  # where the server has broken the connection, that is told here


class OverSse(OverHttp):
    """HTTP+SSE: everything on one stream."""

    path = "/sse"
    http = False  # what refused a POST of Streamable HTTP is told by an error, as over stdio

    def __init__(self, stage: Library) -> None:
        super().__init__(stage)
        self._listen()
        (endpoint,) = self._rest()
        self._key = endpoint.partition("=")[2]

    def _rest(self) -> Iterator[str]:
        session = next(iter(self.service.sessions), None)
        while session is not None and (wake := session.next_wake) is not None:
            _moment(wake)
            session.wake()
        yield from self._ready(session)

    def _request(self, method: str, frame: bytes = b"") -> Request:
        if method == "GET":
            return super()._request(method)
        return Request(method, "/messages", f"session_id={self._key}", body=frame)


def said_by(session: Session) -> Iterator[bytes]:
    """What the recorded client sent; requests of the short form get ids."""
    number = 1000
    for entry in session.entries:
        if entry.kind != "client":
            continue
        if entry.is_batch:
            yield b"[%s]" % b",".join(encode(message.body) for message in entry.messages)
            continue
        (message,) = entry.messages
        number += 1
        body = {"id": number, **message.body} if entry.answer is not None else message.body
        yield message.text.encode() if message.text else encode(body)


def sessions_of(path: Path) -> Iterator[tuple[str, int, Session]]:
    """The sessions of a cassette: their server, their number among those of it, and what was said."""
    counts: dict[str, int] = {}
    for session in load_file(str(path)).sessions:
        counts[session.server] = counts.get(session.server, 0) + 1
        yield session.server, counts[session.server], session


def held(talk: Talk, session: Session) -> list[list[str]]:
    """The whole conversation, until the server leaves."""
    heard: list[list[str]] = []
    for frame in said_by(session):
        heard.append([_canonical(text) for text in talk.say(frame)])
        if END[0] in heard[-1]:
            break
    return heard


def _canonical(text: str) -> str:
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text


@pytest.mark.parametrize("transport", [OverHttp, OverSse])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_conversation_is_the_same(path: Path, transport: type[OverHttp]) -> None:
    """Issue 5, 6: with progress, questions, list changes and ends, whatever it was recorded over."""
    for server, number, session in sessions_of(path):
        speaks_http = transport.http or session.transport == "sse"
        wanted = held(Direct(library(path, server, number), http=speaks_http), session)
        assert held(transport(library(path, server, number)), session) == wanted
