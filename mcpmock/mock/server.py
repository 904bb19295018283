"""The object that tests work with: a recorded server in the form that a client wants, and what the client did."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mcpmock.errors import UsageError
from mcpmock.mock import looking
from mcpmock.mock.engine import Config, Engine, StdioParameters
from mcpmock.mock.failing import Missed, explain, failure_of
from mcpmock.mock.log import Call
from mcpmock.mock.looking import SeenSession
from mcpmock.mock.part import Recorded
from mcpmock.session.story import listed_servers

if TYPE_CHECKING:
    import httpx
    import respx

    from mcpmock.mock.http import HttpConfig
    from mcpmock.transports.http.asgi import ASGIApp
    from mcpmock.transports.memory import Streams

__all__ = ["MockServer"]


class MockServer:
    """A recorded server, or all the servers of a cassette, for any number of clients.

    Clients over stdio start `stdio` (or `command`, `config`, `config_file`), those over HTTP are given `url`, `sse_url`
    or `http_config`; in process there are `streams` for the official SDK, transports for httpx, and `asgi`. Each
    connection is a live session of its own. As a context manager, with or without
    `async`, it is closed at the end of the block, and raises MockFailure where a client strayed from the recording.
    """

    def __init__(self, engine: Engine, names: Sequence[str]) -> None:
        self._engine = engine
        self._names = tuple(names)

    def __repr__(self) -> str:
        return f"<MockServer {self._engine.shown_path} {', '.join(self._names)}>"

    # -- for clients

    @property
    def servers(self) -> tuple[str, ...]:
        """The names of the servers in the cassette; the empty string for one without a name."""
        return self._names

    def __getitem__(self, name: str) -> MockServer:
        """One of several servers: the same kind of object, about that one only. Raises UsageError for others."""
        __tracebackhide__ = True
        if name not in self._names:
            raise UsageError(f"{self._engine.shown_path}: no server {name!r} here; it holds {self._listed()}")
        return MockServer(self._engine, (name,))

    @property
    def command(self) -> list[str]:
        """What starts the server, as one list of words."""
        __tracebackhide__ = True  # of a wrong call pytest shows the line in the test
        return list(self._engine.command(self._only()))

    @property
    def stdio(self) -> StdioParameters:
        """What starts the server, for `StdioServerParameters(**mock.stdio)`."""
        __tracebackhide__ = True
        command, *args = self._engine.command(self._only())
        return {"command": command, "args": args}

    @property
    def config(self) -> Config:
        """All servers as hosts want them: `{"mcpServers": {name: {"command": …, "args": […]}}}`."""
        return self._engine.config(self._names)

    @property
    def config_file(self) -> Path:
        """The same as a JSON file, which is gone when the mock is closed."""
        return self._engine.config_file(self._names)

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[Streams]:
        """A session in process: streams to read from and to write to, for a `ClientSession` of the official SDK.

        Works under asyncio and trio. Raises UsageError where the SDK is not installed.
        """
        async with self._engine.streams(self._only()) as streams:
            yield streams

    @property
    def url(self) -> str:
        """The URL of the server over Streamable HTTP, on a port of 127.0.0.1 that is open until the mock is closed."""
        __tracebackhide__ = True
        return self._engine.http().url(self._only())

    @property
    def sse_url(self) -> str:
        """The same over HTTP+SSE, as clients of 2024-11-05 speak it."""
        __tracebackhide__ = True
        return self._engine.http().url(self._only(), "sse")

    @property
    def http_config(self) -> HttpConfig:
        """All servers as hosts want them over HTTP: `{"mcpServers": {name: {"type": "http", "url": …}}}`."""
        __tracebackhide__ = True
        return self._engine.http_config(self._names)

    @property
    def asgi(self) -> ASGIApp:
        """The server over both as an ASGI application, to be mounted in another one or called in process."""
        __tracebackhide__ = True
        from mcpmock.mock.web import application

        return application(self._engine.http().service(self._only()))

    def httpx_transport(self) -> httpx.AsyncBaseTransport:
        """The server in process: `httpx.AsyncClient(transport=mock.httpx_transport())` reaches it by any URL."""
        __tracebackhide__ = True
        from mcpmock.mock.web import transport

        found: httpx.AsyncBaseTransport = transport("httpx", self._engine.http().service(self._only()))
        return found

    def httpx2_transport(self) -> Any:
        """The same for httpx2. Raises UsageError where that is not installed."""
        __tracebackhide__ = True
        from mcpmock.mock.web import transport

        return transport("httpx2", self._engine.http().service(self._only()))

    def mount(self, router: respx.Router, url: str) -> respx.Route:
        """Lets a respx router answer every request whose URL begins with this one. Returns the route.

        For asynchronous clients of httpx.
        """
        __tracebackhide__ = True
        from mcpmock.mock.web import mount

        return mount(router, url, self._engine.http().service(self._only()))

    # -- for tests

    def calls(self, method: str | None = None) -> list[Call]:
        """What the clients have asked and told so far, in order; only the calls of one method, if it is given."""
        return looking.calls(self._engine, self._names, method)

    def assert_called(self, name: str, /, **arguments: object) -> list[Call]:
        """Asserts that the tool, prompt, resource or method of this name was called, with these arguments among its
        own. Returns the calls. Raises AssertionError, which lists what was called instead."""
        return looking.assert_called(self.calls(), name, arguments)

    def assert_not_called(self, name: str, /, **arguments: object) -> None:
        """Asserts that it was never called, or never with these arguments among its own."""
        looking.assert_not_called(self.calls(), name, arguments)

    @property
    def played(self) -> list[Recorded]:
        """The recorded tool calls, prompts and reads that were played, in recorded order, with how often."""
        return [one for name in self._names for one in self._engine.parts[name].recorded() if one.played]

    @property
    def unplayed(self) -> list[Recorded]:
        """What was recorded and has not been played, and counts: what was made `optional` does not."""
        return looking.unplayed(self._engine, self._names)

    @property
    def misses(self) -> list[Missed]:
        """What the clients asked that was never recorded, in order."""
        return looking.misses(self._engine, self._names)

    @property
    def sessions(self) -> list[SeenSession]:
        """The live sessions, in the order in which the clients opened them."""
        return looking.sessions(self._engine, self._names)

    @property
    def cassette(self) -> str:
        """The path of the cassette, as people read it."""
        return self._engine.shown_path

    @property
    def recording_if_failed(self) -> str:
        """Where what is being recorded will be kept if the test fails; empty where nothing is: no answer has come."""
        take = self._engine.take
        if take is None or all(call.answered_at is None for call in self.calls()):
            return ""
        return take.shown_if_failed

    @property
    def recording(self) -> str:
        """The path of what was recorded, once the mock is closed; empty where nothing was."""
        return self._engine.recording

    @property
    def remarks(self) -> dict[str, dict[str, Any]]:
        """What happened that fails no test, by server: `gates` (what the client cannot be asked, or did not ask for),
        `different_answers` (it has answered otherwise than the recorded client), `notes`."""
        return {name: self._engine.parts[name].remarks() for name in self._names}

    def veiled(self, content: Any) -> Any:
        """What is told to others, without secrets: those that redaction knows, and those that its clients have sent
        where placeholders were recorded."""
        return looking.without_secrets(self._engine, self._names, content)

    # -- the end

    def check(self) -> None:
        """Raises MockFailure where a client has strayed from the recording so far: a miss, or something unplayed."""
        failure = failure_of(self._engine, self._names)
        if failure is not None:
            raise failure

    def explain(self, *, since: int = 0, unplayed: bool = True) -> str:
        """What `check` would say, as text, empty where all is well: about all misses but the first `since`, and about
        what was never played."""
        return explain(self._engine, self._names, since=since, unplayed=unplayed)

    def close(self, *, failed: bool = False) -> None:
        """Ends all sessions; relays that still run end at once. What was seen can still be looked at.

        What was recorded takes the place of the cassette, or is kept beside it where the test has `failed`. Raises
        CassetteError and OSError where that cannot be.
        """
        self._engine.close(failed=failed)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(failed=error is not None)
        if error is None:
            self.check()
            return
        faults = self._engine.faults  # the body's own failure comes first
        allowed = self._engine.settings.get("allow_unplayed", False)
        told = str(faults[0]) if faults else self.explain(unplayed=not allowed)
        if told:
            error.add_note(told)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

    def _only(self) -> str:
        __tracebackhide__ = True
        if len(self._names) != 1:
            way = f"{self._engine.ways.mock}[{self._names[0] if self._names else 'NAME'!r}]"
            raise UsageError(f"{self._engine.shown_path} holds several servers ({self._listed()}); choose one: {way}")
        return self._names[0]

    def _listed(self) -> str:
        return listed_servers(self._names)
