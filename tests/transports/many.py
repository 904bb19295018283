"""A proxy without sockets that records many sessions; a program, too, that is killed while it does.

python -m tests.transports.many CASSETTE over|joining|joined|open
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, Final

from mcpmock.cassette.model import HttpNorm, Session, Transport
from mcpmock.session.recording.http.recording import HttpRecording
from mcpmock.transports.destination import Destination
from mcpmock.transports.joiner import NO_LIMIT, Joiner
from mcpmock.transports.keeper import CassetteKeeper, KeptSession
from mcpmock.transports.proxy.recording_mind import RecordingMind
from mcpmock.transports.proxy.tape import Began, Happening, Head, Moved
from mcpmock.wire.http import Headers

MANY: Final = 150  # more than are taken in at a time


class Many:
    """A mind, and what moves past it; its clock stands still unless time `passes`."""

    def __init__(self, path: Path, run: str = "r", *, most_open: int = NO_LIMIT) -> None:
        self.said: Final[list[str]] = []
        self.now = 0
        self.joiner = Joiner(Destination(str(path), run), "s", self.said.append, most_open=most_open)
        self.mind = RecordingMind(HttpRecording(), self._begin, self.joiner, self.said.append)
        self._exchanges = 0

    def _begin(self, transport: Transport, norm: HttpNorm) -> KeptSession:
        session = Session(server="s", transport=transport, http=norm)
        return KeptSession(CassetteKeeper(self.joiner, session, self.said.append), list)

    def live(self, numbers: range, *, ends: bool = False, text: str = "") -> None:
        """Sessions of these numbers: one call in each, and maybe the end."""
        for number in numbers:
            self.asks(number, f"tool-{number}", 1, text=text)
            if ends:
                self.ends(number)

    def asks(self, number: int, name: str, id: int, *, text: str = "") -> None:
        """A call in a session, and its answer."""
        asked = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name}}
        self._moves(number, "POST", asked, {"jsonrpc": "2.0", "id": id, "result": {"text": text}})
        self.mind.rest(self.now)

    def passes(self, milliseconds: int) -> None:
        """Nothing moves for so long, and a little longer."""
        for _ in range(milliseconds // 500 + 2):
            self.now += 500
            self.mind.rest(self.now)

    def ends(self, number: int) -> None:
        """A session is ended by its client."""
        self._moves(number, "DELETE")

    def is_refused(self, number: int, status: int) -> None:
        """A notification in a session, which the server does not accept."""
        self._moves(number, "POST", {"jsonrpc": "2.0", "method": "notifications/cancelled"}, status=status)
        self.mind.rest(self.now)

    def waits_in_vain(self, status: int = 0) -> None:
        """A client wants to shake hands, and leaves; or HTTP refuses it."""
        self._exchanges += 1
        asked = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"name": "(in vain)"}}
        began = Began(1000 + self._exchanges, "POST", "/mcp", ((b"content-type", b"application/json"),))
        refusal: list[tuple[Happening, Any]] = [("head", Head(status, ())), ("responded", None)]
        end = refusal if status else [("aborted", "client")]
        self._tell(("began", began), ("request", json.dumps(asked).encode()), ("requested", None), *end)
        self.mind.rest(self.now)

    def is_refused_without_a_handshake(self, status: int = 400) -> None:
        """A client asks in 2026-07-28, and the server wants a handshake."""
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "(refused)", "_meta": meta}}
        error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "Server not initialized"}}
        self._exchanges += 1
        fields = ((b"content-type", b"application/json"),)
        self._tell(
            ("began", Began(1000 + self._exchanges, "POST", "/mcp", fields)),
            ("request", json.dumps(asked).encode()),
            ("requested", None),
            ("head", Head(status, fields)),
            ("response", json.dumps(error).encode()),
            ("responded", None),
        )
        self.mind.rest(self.now)

    def streams(self, number: int, name: str, id: int) -> int:
        """A call in a session, and the beginning of its stream; returns the number of the exchange."""
        self._exchanges += 1
        asked = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name}}
        self._tell(
            ("began", Began(number, "POST", "/mcp", _session(number))),
            ("request", json.dumps(asked).encode()),
            ("requested", None),
            ("head", Head(200, ((b"content-type", b"text/event-stream"),))),
        )
        return self._exchanges

    def goes_on(self, exchange: int, message: Any) -> None:
        """An event on a stream."""
        data = b"data: " + json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n\n"
        self._tell(("response", data), exchange=exchange)
        self.mind.rest(self.now)

    def _moves(self, number: int, method: str, asked: Any = None, answered: Any = None, status: int = 200) -> None:
        self._exchanges += 1
        fields = ((b"content-type", b"application/json"),)
        moved: list[tuple[Happening, Any]] = [("began", Began(number, method, "/mcp", (*fields, *_session(number))))]
        if asked is not None:
            moved.append(("request", json.dumps(asked).encode()))
        moved += [("requested", None), ("head", Head(status, fields))]
        if answered is not None:
            moved.append(("response", json.dumps(answered).encode()))
        self._tell(*moved, ("responded", None))

    def _tell(self, *moved: tuple[Happening, Any], exchange: int = 0) -> None:
        tape: list[Moved] = [(happening, 0.0, exchange or self._exchanges, what) for happening, what in moved]
        self.mind.consider(tape, lambda _: self.now)


def _session(number: int) -> Headers:
    return ((b"mcp-session-id", b"S%d" % number),)


def main(path: Path, step: str) -> None:
    """Record, and be killed: while sessions wait for the cassette, before and after they are in it, while all are
    open.
    """
    many = Many(path)
    many.live(range(1), ends=True)
    many.live(range(1, MANY), ends=step != "open")
    many.mind.rest(many.now)
    if step == "joining":
        os.unlink = is_killed  # of what is remembered: the new notes are there, and the cassette is the old one
    elif step == "joined":
        setattr(many.joiner, "remove", is_killed)  # noqa: B010
    if step.startswith("join"):
        many.mind.conclude(many.now)
    is_killed()


def is_killed(*_: object, **__: object) -> None:
    """This process is gone."""
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
