"""The official Python SDK 1.x as client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp.types as t
from answers import Answers, reference_from
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from steps import KINDS, Client, Progressed, main, plain


class Callbacks(Answers):
    """What the SDK calls when the server speaks by itself."""

    async def message(self, message: Any) -> None:
        """Every notification but progress, which has a callback of its own."""
        if isinstance(message, t.ServerNotification):
            if not isinstance(message.root, t.ProgressNotification):
                self._client.happened("notification", plain(message.root))
        elif isinstance(message, Exception):
            self._client.happened("exception", str(message))


class Actions:
    """What the session can do, by the names of the steps."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self.ping = session.send_ping
        self.read = session.read_resource
        self.subscribe = session.subscribe_resource
        self.unsubscribe = session.unsubscribe_resource
        self.level = session.set_logging_level
        self.prompt = session.get_prompt
        self.roots_changed = session.send_roots_list_changed

    async def list(self, kind: str) -> Any:
        """All pages of a list."""
        method, key = KINDS[kind]
        items: list[Any] = []
        params = None
        while True:
            page = plain(await getattr(self._session, method)(params=params))
            items.append(page[key])
            if "nextCursor" not in page:
                return items
            params = t.PaginatedRequestParams(cursor=page["nextCursor"])

    async def call(self, name: str, arguments: dict[str, Any], progressed: Progressed) -> Any:
        """Call a tool."""
        return await self._session.call_tool(name, arguments, progress_callback=progressed)

    async def complete(self, reference: dict[str, str], name: str, value: str) -> Any:
        """Ask for completions of an argument."""
        return await self._session.complete(reference_from(reference), {"name": name, "value": value})

    async def give_up(self, name: str, arguments: dict[str, Any], started: anyio.Event, progressed: Progressed) -> Any:
        """Call a tool, and cancel the call once `started` is set; this SDK leaves it to its user to tell the server."""
        number = self._session._request_id  # there is no public way to learn the id of a request
        answered = anyio.Event()

        async def run() -> None:
            await self.call(name, arguments, progressed)
            answered.set()

        async with anyio.create_task_group() as group:
            group.start_soon(run)
            await started.wait()
            params = t.CancelledNotificationParams(requestId=number, reason="enough")
            cancel = t.CancelledNotification(method="notifications/cancelled", params=params)
            await self._session.send_notification(t.ClientNotification(cancel))
            group.cancel_scope.cancel()
        return {"answered": answered.is_set()}


def connected(command: list[str], environment: dict[str, str]) -> Any:
    """The streams of a server, which a command starts, or the only word of which is the URL where it runs."""
    if not command[0].startswith("http"):
        return stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=environment))
    return sse_client(command[0]) if command[0].endswith("/sse") else streamablehttp_client(command[0])


@asynccontextmanager
async def opened(
    client: Client, command: list[str], environment: dict[str, str]
) -> AsyncIterator[tuple[t.InitializeResult, Actions]]:
    """A server, and a session with it."""
    callbacks = Callbacks(client)
    async with (
        connected(command, environment) as (read, write, *_),
        ClientSession(
            read,
            write,
            sampling_callback=callbacks.sampling,
            elicitation_callback=callbacks.elicitation,
            list_roots_callback=callbacks.roots,
            message_handler=callbacks.message,
        ) as session,
    ):
        yield await session.initialize(), Actions(session)


if __name__ == "__main__":
    main(opened, McpError)
