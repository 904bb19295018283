"""A small client over HTTP: messages in, responses and events out; in process, or through a port."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

import mcpmock
from mcpmock.wire.sse import Event, EventParser
from tests.program import SECONDS
from tests.session.dialogue import HANDSHAKE, recorded

BOTH: Final = {"accept": "application/json, text/event-stream"}
QUIET: Final = pytest.mark.filterwarnings("ignore:Async generator 'httpx:ResourceWarning")
"""httpx leaves generators to the garbage collector, of which trio complains."""

NO_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Nobody needs it here; but to make one, certificates and all, takes a client longer than all else."""

ANYWHERE: Final = "http://mock.example/mcp"

TALK: Final = """
> {id: 1, method: tools/call, params: {name: add, arguments: {a: 1}}}
< {id: 1, result: {sum: 1}}
> {id: 2, method: tools/call, params: {name: long, _meta: {progressToken: 1}}}
< {method: notifications/progress, params: {progressToken: 1, progress: 1}}
< {id: 5, method: roots/list}
> {id: 5, result: {roots: []}}
< {id: 2, result: {text: done}}
"""
"""A short call; and a long one, in the course of which the server tells and asks something."""


def mock_of(folder: Path, cassette: str, **settings: Any) -> mcpmock.MockServer:
    """A mock of a cassette that is written as text."""
    path = folder / "http.yaml"
    path.write_text(cassette, encoding="utf-8")
    return mcpmock.replay(path, **{"allow_unplayed": True, **settings})


def session(entries: str, head: str = "") -> str:
    """A cassette with one session over HTTP; `head` is its norm."""
    norm = f"\n  http: {head}" if head else ""
    text = recorded(HANDSHAKE + entries)
    return text.replace("-\n  entries:", f"- transport: streamable_http{norm}\n  entries:", 1)


def call(name: str, live_id: object = 1, token: object = None, **arguments: Any) -> dict[str, Any]:
    """A `tools/call`."""
    params: dict[str, Any] = {"name": name, "arguments": arguments}
    if token is not None:
        params["_meta"] = {"progressToken": token}
    return {"id": live_id, "method": "tools/call", "params": params}


LONG: Final = call("long", 2, token=7)
"""The long call of such a talk, as a client may say it."""


def message_text(message: object) -> bytes:
    """A message, or a batch, as it goes over the wire; bytes go as they are."""
    if isinstance(message, bytes):
        return message
    if isinstance(message, list):
        return json.dumps([{"jsonrpc": "2.0", **one} for one in message]).encode()
    assert isinstance(message, dict)
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


class Stream:
    """The events of a response, as they come."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._chunks = response.aiter_raw()
        self._parser = EventParser()
        self._events: list[Event] = []
        self.raw = b""

    async def event(self) -> Event | None:
        """The next event; None at the end."""
        while not self._events:
            try:
                chunk = await anext(self._chunks)
            except StopAsyncIteration:
                return None
            self.raw += chunk
            self._events += self._parser.feed(chunk)
        return self._events.pop(0)

    async def message(self) -> Any:
        """The next message, without `jsonrpc`; None at the end."""
        event = await self.event()
        return None if event is None else without_version(json.loads(event.data))

    async def rest(self) -> list[Any]:
        """All messages that still come."""
        found = []
        while (message := await self.message()) is not None:
            found.append(message)
        return found


def without_version(value: Any) -> Any:
    """A message, or a batch, as cassettes write it."""
    if isinstance(value, list):
        return [without_version(one) for one in value]
    assert value.pop("jsonrpc") == "2.0"
    return value


class Web:
    """A client of one session. `session` is its id, once it has been given one; `head` goes with every request."""

    def __init__(self, http: httpx.AsyncClient, url: str) -> None:
        self.http = http
        self.url = url
        self.head: dict[str, str] = dict(BOTH)

    @property
    def session(self) -> str:
        """The id that it was given."""
        return self.head.get("mcp-session-id", "")

    async def post(self, message: object, **headers: str) -> httpx.Response:
        """Sends a message, and reads the whole response."""
        return await self.http.post(self.url, content=message_text(message), headers=self._with(headers))

    async def ask(self, message: dict[str, Any], **headers: str) -> list[Any]:
        """Sends a request; the messages that come on its response."""
        response = await self.post(message, **headers)
        assert response.status_code == 200, response.text
        if response.headers["content-type"] == "application/json":
            return [without_version(response.json())]
        events = EventParser().feed(response.content)
        return [without_version(json.loads(event.data)) for event in events if event.data]

    async def answer(self, message: dict[str, Any], **headers: str) -> Any:
        """Sends a request; its answer, which is the last message on its response."""
        return (await self.ask(message, **headers))[-1]

    async def shake(self, version: str = "2025-06-18", **capabilities: Any) -> Any:
        """The handshake; returns the answer to `initialize`."""
        params = {"protocolVersion": version, "capabilities": capabilities}
        response = await self.post({"id": "h", "method": "initialize", "params": params})
        if "mcp-session-id" in response.headers:
            self.head["mcp-session-id"] = response.headers["mcp-session-id"]
        self.head["mcp-protocol-version"] = version
        assert (await self.post({"method": "notifications/initialized"})).status_code == 202
        return response

    @asynccontextmanager
    async def stream(self, message: object, **headers: str) -> AsyncIterator[Stream]:
        """Sends a message, and reads the response as it comes."""
        content, head = message_text(message), self._with(headers)
        async with self.http.stream("POST", self.url, content=content, headers=head) as response:
            yield Stream(response)

    @asynccontextmanager
    async def listen(self, **headers: str) -> AsyncIterator[Stream]:
        """Opens the stream of a GET."""
        head = {"accept": "text/event-stream", **self._with(headers)}
        async with self.http.stream("GET", self.url, headers=head) as response:
            yield Stream(response)

    async def leave(self) -> httpx.Response:
        """Ends the session."""
        return await self.http.delete(self.url, headers=self.head)

    def _with(self, headers: dict[str, str]) -> dict[str, str]:
        return {**self.head, **{name.replace("_", "-"): value for name, value in headers.items()}}


@asynccontextmanager
async def web(mock: mcpmock.MockServer, over: str = "in process", **options: Any) -> AsyncIterator[Web]:
    """A client that has not shaken hands yet."""
    inside = over == "in process"
    transport = mock.httpx_transport() if inside else None
    async with httpx.AsyncClient(transport=transport, timeout=SECONDS, verify=NO_TLS, **options) as http:
        yield Web(http, ANYWHERE if inside else mock.url)
