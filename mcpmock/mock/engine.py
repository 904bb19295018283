"""What stands behind a mock: its servers, the listener for relays, and the end of all that."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from mcpmock.errors import McpmockError, UsageError
from mcpmock.matching.ways import Ways
from mcpmock.mock.part import Clock, Part
from mcpmock.mock.settings import Settings
from mcpmock.mock.shelf import mistyped, shown_path
from mcpmock.transports.relay import RelayHost, RelayWire

if TYPE_CHECKING:
    from mcpmock.mock.http import HttpConfig, HttpSide
    from mcpmock.mock.takes import Take
    from mcpmock.transports.memory import Streams

__all__ = ["Config", "Engine", "StdioParameters"]


class StdioParameters(TypedDict):
    """How a client starts a server, in the words of the SDK's `StdioServerParameters`."""

    command: str
    args: list[str]


class Config(TypedDict):
    """What hosts read as their configuration of servers."""

    mcpServers: dict[str, StdioParameters]


class Engine:
    """The servers behind one mock, for the clients of this process. May be used by several threads.

    `path` is the cassette's, absolute; `ways` are the words in which it fails; `take` is what is being recorded, if
    anything, and `recording` the path of what was.
    """

    def __init__(self, path: str, settings: Settings, ways: Ways, parts: Mapping[str, Part], clock: Clock) -> None:
        self.path = path
        self.settings = settings
        self.ways = ways
        self.parts = parts
        self.clock = clock
        self.faults: list[Exception] = []
        self.is_closed = False
        self.take: Take | None = None
        self.recording = ""
        self._lock = threading.Lock()
        self._host: RelayHost | None = None
        self._http: HttpSide | None = None
        self._commands: dict[str, tuple[str, ...]] = {}
        self._folder = ""

    @property
    def shown_path(self) -> str:
        """The path of the cassette as people read it."""
        return shown_path(self.path)

    def command(self, name: str) -> tuple[str, ...]:
        """What a client starts to be connected with a server; each process is a live session."""
        with self._lock:
            self._refuse_if_closed()
            if not self.parts[name].has_command:
                raise UsageError(f"the server {name!r} is a real one behind a URL: give clients the mock's url")
            if self._host is None:
                self._host = RelayHost(self._serve)
            if name not in self._commands:
                tells = self.parts[name].tells_environment
                self._commands[name] = self._host.command(name, tells_environment=tells)
            return self._commands[name]

    @asynccontextmanager
    async def streams(self, name: str) -> AsyncGenerator[Streams]:
        """A client of the official SDK connects in this process."""
        self._refuse_if_closed()
        async with self.parts[name].streams() as streams:
            yield streams

    def config(self, names: Sequence[str]) -> Config:
        """The configuration of these servers; a server without a name has that of the cassette's file."""
        servers: dict[str, StdioParameters] = {}
        for name in names:
            command, *args = self.command(name)
            servers[self._shown(name)] = {"command": command, "args": args}
        return {"mcpServers": servers}

    def _shown(self, name: str) -> str:
        return name or Path(self.path).stem

    def http(self) -> HttpSide:
        """The servers over HTTP."""
        from mcpmock.mock.http import HttpSide

        with self._lock:
            self._refuse_if_closed()
            if self._http is None:
                self._http = HttpSide(self.parts)
            return self._http

    def http_config(self, names: Sequence[str]) -> HttpConfig:
        """The configuration of these servers over HTTP."""
        http = self.http()
        return {"mcpServers": {self._shown(name): {"type": "http", "url": http.url(name)} for name in names}}

    def config_file(self, names: Sequence[str]) -> Path:
        """The configuration as a file, which is gone when the mock is closed."""
        config = self.config(names)
        with self._lock:
            self._folder = self._folder or tempfile.mkdtemp(prefix="mcpmock-")
            path = Path(self._folder) / f"servers-{'-'.join(str(list(self.parts).index(name)) for name in names)}.json"
            path.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
            return path

    def close(self, *, failed: bool = False) -> None:
        """Ends all sessions in good order, and keeps what was recorded. May be called again."""
        with self._lock:
            self.is_closed = True
            take, self.take = self.take, None
            host, self._host = self._host, None
            http, self._http = self._http, None
            folder, self._folder = self._folder, ""
        if http is not None:
            http.close()
        if host is not None:
            host.close(max(part.patience for part in self.parts.values()))
        for part in self.parts.values():
            try:
                part.close()
            except McpmockError as fault:
                self.faults.append(fault)
            for session in part.sessions:
                session.is_open = False
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        if take is not None:
            self.recording = take.keep(passed=not failed and not self.faults)
            if not self.recording and not failed:
                is_used = any(part.sessions for part in self.parts.values())
                why = "no answer was seen (its stderr may say more)" if is_used else "no client has connected"
                why += mistyped(self.path, self.settings.get("mode", ""))
                self.faults.append(McpmockError(f"{self.shown_path}: nothing was recorded, because {why}"))

    def _refuse_if_closed(self) -> None:
        if self.is_closed:
            raise UsageError(f"the mock of {self.shown_path} is closed: no client can connect to it any more")

    def _serve(self, name: str, wire: RelayWire) -> int:
        """One process of a client, in a thread of its own. Returns the exit status of the relay."""
        try:
            return self.parts[name].serve(wire)
        except Exception as fault:  # the edge of a thread: `check` raises it again
            self.faults.append(fault)
            wire.write_stderr(f"mcpmock: {fault}\n".encode("utf-8", "replace"))
            return 1


def absolute(path: str | os.PathLike[str]) -> str:
    """The path by which a cassette is known."""
    return os.path.abspath(os.fspath(path))
