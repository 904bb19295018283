"""The official Python SDK 2.x as client: with a handshake, without one, or as it finds out (the SDK's `mode`)."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
from answers import Answers, reference_from
from mcp import Client as SdkClient
from mcp import MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.subscriptions import Subscription, SubscriptionLost
from steps import KINDS, Client, Progressed, main, plain

warnings.simplefilter("ignore")  # what is deprecated is still what the legacy era speaks


class Callbacks(Answers):
    """What the SDK calls when the server speaks by itself."""

    async def message(self, message: Any) -> None:
        """Every notification but progress, which has a callback of its own."""
        if isinstance(message, Exception):
            self._client.happened("exception", str(message))
        elif message.method != "notifications/progress":
            self._client.happened("notification", plain(message))


class Actions:
    """What the client can do, by the names of the steps."""

    def __init__(self, client: SdkClient) -> None:
        self._client = client
        self._listening: dict[str, tuple[AsyncExitStack, Subscription]] = {}
        # The stateless revision has no ping; to see that the server still answers, anything else will do.
        self.ping = client.list_tools if str(client.protocol_version) >= "2026" else client.send_ping
        self.read = client.read_resource
        self.subscribe = client.subscribe_resource
        self.unsubscribe = client.unsubscribe_resource
        self.level = client.set_logging_level
        self.prompt = client.get_prompt
        self.roots_changed = client.send_roots_list_changed

    async def list(self, kind: str) -> Any:
        """All pages of a list."""
        method, key = KINDS[kind]
        items: list[Any] = []
        cursor = None
        while True:
            page = plain(await getattr(self._client, method)(cursor=cursor))
            items.append(page[key])
            cursor = page.get("nextCursor")
            if cursor is None:
                return items

    async def call(self, name: str, arguments: dict[str, Any], progressed: Progressed) -> Any:
        """Call a tool."""
        return await self._client.call_tool(name, arguments, progress_callback=progressed)

    async def leave(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool, and never answer what it asks: its questions."""
        return await self._client.session.call_tool(name, arguments, allow_input_required=True)

    async def listen(self, name: str, wanted: dict[str, Any]) -> Any:
        """Subscribe to changes (2026-07-28): what the server agrees to tell."""
        stack = AsyncExitStack()
        told = self._client.listen(
            resource_subscriptions=wanted.get("resourceSubscriptions", ()),
            tools_list_changed=wanted.get("toolsListChanged", False),
        )
        subscription = await stack.enter_async_context(told)
        self._listening[name] = stack, subscription
        return plain(subscription.honored)

    async def hang_up(self, name: str) -> None:
        """End what `listen` began."""
        await self._listening[name][0].aclose()

    async def ended(self, name: str) -> str:
        """Wait until the server ends what `listen` began: how it did."""
        try:
            async for _ in self._listening[name][1]:
                pass  # the log has it already
        except SubscriptionLost:
            return "remote"
        return "graceful"

    async def complete(self, reference: dict[str, str], name: str, value: str) -> Any:
        """Ask for completions of an argument."""
        return await self._client.complete(reference_from(reference), {"name": name, "value": value})

    async def give_up(self, name: str, arguments: dict[str, Any], started: anyio.Event, progressed: Progressed) -> Any:
        """Call a tool, and cancel the call once `started` is set; this SDK then tells the server by itself."""
        answered = anyio.Event()

        async def run() -> None:
            await self.call(name, arguments, progressed)
            answered.set()

        async with anyio.create_task_group() as group:
            group.start_soon(run)
            await started.wait()
            group.cancel_scope.cancel()
        return {"answered": answered.is_set()}


def target(command: list[str], environment: dict[str, str]) -> Any:
    """What the SDK takes for a server, which a command starts, or the only word of which is the URL where it runs."""
    if not command[0].startswith("http"):
        return StdioServerParameters(command=command[0], args=command[1:], env=environment)
    return sse_client(command[0]) if command[0].endswith("/sse") else command[0]


@asynccontextmanager
async def opened(
    client: Client, command: list[str], environment: dict[str, str]
) -> AsyncIterator[tuple[dict[str, Any], Actions]]:
    """A server, and a session with it."""
    async with connected(client, target(command, environment)) as both:
        yield both


@asynccontextmanager
async def connected(client: Client, server: Any) -> AsyncIterator[tuple[dict[str, Any], Actions]]:
    """A session with a server, which is whatever the SDK takes for one."""
    callbacks = Callbacks(client)
    async with SdkClient(
        server,
        mode=client.mode,
        log_level=None if client.mode == "legacy" else "info",
        sampling_callback=callbacks.sampling,
        elicitation_callback=callbacks.elicitation,
        list_roots_callback=callbacks.roots,
        message_handler=callbacks.message,
        cache=None,
    ) as sdk:
        greeting = {
            "protocolVersion": sdk.protocol_version,
            "capabilities": plain(sdk.server_capabilities),
            "serverInfo": plain(sdk.server_info),
            "instructions": sdk.instructions,
        }
        yield greeting, Actions(sdk)


if __name__ == "__main__":
    main(opened, MCPError)
