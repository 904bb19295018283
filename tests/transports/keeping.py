"""A recorder without a server, for tests of what is kept and where."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mcpmock.cassette.load import load_file
from mcpmock.cassette.model import Entry, Session
from mcpmock.cassette.part_file import PartFile
from mcpmock.transports.destination import Destination
from mcpmock.transports.keeper import CassetteKeeper
from mcpmock.wire.message import Json, Message, message_from


class Recorder:
    """A recorder without a server: what it is told to have seen it keeps."""

    def __init__(self, path: Path, run: str = "r", *, adds: bool = False, server: str = "s") -> None:
        self.said: Final[list[str]] = []
        self._keeper = CassetteKeeper(Destination(str(path), run, adds), Session(server=server), self.said.append)
        self._times: list[int] = []

    def sees(self, *entries: Entry) -> Recorder:
        """These entries are finished."""
        self._times += [0] * len(entries)
        self._keeper.keep(entries, None)
        return self

    def asks(self, name: str, number: int = 1) -> Recorder:
        """A call and its answer."""
        return self.sees(request(name, number), answer(number))

    def finishes(self, *, is_last: bool = False, answers: int = 1) -> Recorder:
        """The client has gone, or the server has ended too."""
        self._keeper.finish(self._times, answers=answers, is_last=is_last)
        return self

    def ends(self) -> Recorder:
        """The server has ended, in good order."""
        return self.sees(Entry("exit", status=0)).finishes(is_last=True)

    @property
    def part(self) -> PartFile | None:
        """Its part file."""
        return self._keeper.part

    def is_killed(self) -> None:
        """The process is gone; its part file stays, unlocked."""
        assert self.part is not None
        self.part.close()


def message(body: dict[str, Json]) -> Message:
    """A message of the given body."""
    found = message_from(body)
    assert isinstance(found, Message)
    return found


def request(name: str, number: int = 1) -> Entry:
    """A client's call of a tool."""
    return Entry("client", messages=(message({"id": number, "method": "tools/call", "params": {"name": name}}),))


def answer(number: int = 1) -> Entry:
    """The server's answer to it."""
    return Entry("server", messages=(message({"id": number, "result": {}}),))


def asked(path: Path) -> list[list[Json]]:
    """The tools that were called, session by session."""
    return [
        [m.body["params"]["name"] for e in session.entries for m in e.messages if m.kind == "request"]  # type: ignore[call-overload,index]
        for session in load_file(str(path)).sessions
    ]


def files_beside(path: Path) -> list[str]:
    """What else is in the folder."""
    return sorted(other.name for other in path.parent.iterdir() if other != path)
