"""What stands behind a mock: its servers, the listener for relays, and the end of all that."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypedDict

from mcpmock.errors import UsageError
from mcpmock.matching.ways import Ways, ways_in_python
from mcpmock.mock.part import Clock, Part, PlayedSession
from mcpmock.mock.settings import Playing, options_from, pointers_in
from mcpmock.mock.shelf import SHELF, Want, shown_path
from mcpmock.transports.relay import RelayHost, RelayWire
from mcpmock.transports.shell import Shell

__all__ = ["Config", "Engine", "StdioParameters"]

MISSED: Final = 3
"""The exit status of a relay whose session missed, as that of `mcpmock replay`."""

WAYS: Final = ways_in_python("replay(…, {})")
"""What to type next, for who calls functions."""


class StdioParameters(TypedDict):
    """How a client starts a server, in the words of the SDK's `StdioServerParameters`."""

    command: str
    args: list[str]


class Config(TypedDict):
    """What hosts read as their configuration of servers."""

    mcpServers: dict[str, StdioParameters]


class Engine:
    """The servers of one cassette, played in this process. May be used by several threads.

    Raises CassetteNotFoundError, CassetteError and UsageError where there is nothing to play.
    """

    def __init__(self, path: str, settings: Playing, ways: Ways = WAYS) -> None:
        self.path = os.path.abspath(path)
        self.settings = settings
        self.ways = ways
        self.clock = Clock()
        self.faults: list[Exception] = []
        self.is_closed = False
        self._lock = threading.Lock()
        self._host: RelayHost | None = None
        self._commands: dict[str, tuple[str, ...]] = {}
        self._folder = ""
        self.parts = {name: self._part(name) for name in self._choose_servers()}

    @property
    def shown_path(self) -> str:
        """The path of the cassette as people read it."""
        return shown_path(self.path)

    def command(self, name: str) -> tuple[str, ...]:
        """What a client starts to be connected with a server; each process is a live session."""
        with self._lock:
            self._refuse_if_closed()
            if self._host is None:
                self._host = RelayHost(self._serve)
            if name not in self._commands:
                self._commands[name] = self._host.command(name)
            return self._commands[name]

    def open(self, name: str, transport: str) -> PlayedSession:
        """A client connects in this process."""
        self._refuse_if_closed()
        return self.parts[name].open(transport)

    def config(self, names: Sequence[str]) -> Config:
        """The configuration of these servers; a server without a name has that of the cassette's file."""
        servers: dict[str, StdioParameters] = {}
        for name in names:
            command, *args = self.command(name)
            servers[name or Path(self.path).stem] = {"command": command, "args": args}
        return {"mcpServers": servers}

    def config_file(self, names: Sequence[str]) -> Path:
        """The configuration as a file, which is gone when the mock is closed."""
        config = self.config(names)
        with self._lock:
            self._folder = self._folder or tempfile.mkdtemp(prefix="mcpmock-")
            path = Path(self._folder) / f"servers-{'-'.join(str(list(self.parts).index(name)) for name in names)}.json"
            path.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
            return path

    def close(self) -> None:
        """Ends all sessions in good order. What was seen can still be looked at. May be called again."""
        with self._lock:
            self.is_closed = True
            host, self._host = self._host, None
            folder, self._folder = self._folder, ""
        if host is not None:
            host.close()
        for part in self.parts.values():
            for session in part.sessions:
                session.is_open = False
        if folder:
            shutil.rmtree(folder, ignore_errors=True)

    def _choose_servers(self) -> list[str]:
        names = SHELF.servers(self.path)
        wanted = self.settings.get("server")
        if wanted is None:
            return names or [""]
        if wanted not in names:
            listed = ", ".join(name or "(unnamed)" for name in names) or "none"
            raise UsageError(f"{self.shown_path}: no server {wanted!r} here; it holds {listed}")
        return [wanted]

    def _part(self, name: str) -> Part:
        want = Want(name, self.settings.get("session", 0), pointers_in(self.settings))
        options = options_from(self.settings)._replace(ways=self.ways)
        return Part(name, SHELF.library(self.path, want), options, self.clock)

    def _refuse_if_closed(self) -> None:
        if self.is_closed:
            raise UsageError(f"the mock of {self.shown_path} is closed: no client can connect to it any more")

    def _serve(self, name: str, wire: RelayWire) -> int:
        """One process of a client, in a thread of its own. Returns the exit status of the relay."""
        session = self.parts[name].open("stdio")
        try:
            end = Shell(session, wire).serve()
        except OSError:
            end = None  # the client has gone, as it may
        except Exception as fault:  # the edge of a thread: `check` raises it again
            self.faults.append(fault)
            return 1
        finally:
            session.is_open = False
        if end is None:
            return MISSED if session.missed else 0
        return -_signal_number(end) if isinstance(end, str) else end


def _signal_number(name: str) -> int:
    found = getattr(signal, name, None)
    return int(found) if isinstance(found, signal.Signals) else -1
