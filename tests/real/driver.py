"""A fixed session of the official Python SDK 1.x, run by the SDK's own interpreter; prints what happened as JSON.

    python driver.py SCENARIO [--env NAME=VALUE]... -- COMMAND...

The output is one list, in the order in which things happened to the client: `["step", name, outcome]` for each thing
that it did, `["event", kind, content]` for each thing that came from the server by itself (callbacks, notifications).
What a server sends while calls overlap is kept with the call that it belongs to.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp.types as t
from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from scenarios import SCENARIOS

PATIENCE = 20.0
"""Seconds that anything may take."""

SAMPLED = {
    "role": "assistant",
    "model": "fake",
    "stopReason": "endTurn",
    "content": {"type": "text", "text": "sampled"},
}


def plain(value: Any) -> Any:
    """What the SDK returns, as it was on the wire."""
    return value.model_dump(mode="json", by_alias=True, exclude_none=True) if hasattr(value, "model_dump") else value


class Client:
    """The callbacks that the SDK wants, the log of what happened, and the steps of a script."""

    def __init__(self) -> None:
        self.log: list[list[Any]] = []
        self.session: ClientSession
        self._news = anyio.Event()
        self._roots = 1
        self._refusing = False

    def _happened(self, *what: Any) -> None:
        self.log.append(["event", *what])
        self._news.set()
        self._news = anyio.Event()

    async def sampling(self, context: Any, params: t.CreateMessageRequestParams) -> t.CreateMessageResult | t.ErrorData:
        """The client's model: answers, or refuses with an error."""
        self._happened("sampling", plain(params))
        if self._refusing:
            return t.ErrorData(code=-1, message="User rejected sampling request")
        return t.CreateMessageResult.model_validate(SAMPLED)

    async def elicitation(self, context: Any, params: t.ElicitRequestParams) -> t.ElicitResult:
        """The client's user: fills in what is required, or declines."""
        self._happened("elicitation", plain(params))
        if self._refusing:
            return t.ElicitResult(action="decline")
        return t.ElicitResult(action="accept", content={"name": "Ann", "check": True})

    async def roots(self, context: Any) -> t.ListRootsResult:
        """The client's folders, one more each time that they have changed."""
        self._happened("roots")
        return t.ListRootsResult.model_validate({"roots": [{"uri": f"file:///r/{i}"} for i in range(self._roots)]})

    async def message(self, message: Any) -> None:
        """Every notification but progress, which has a callback of its own."""
        if isinstance(message, t.ServerNotification):
            if not isinstance(message.root, t.ProgressNotification):
                self._happened("notification", plain(message.root))
        elif isinstance(message, Exception):
            self._happened("exception", str(message))

    async def seen(self, method: str, wanted: int) -> None:
        """Wait until that many such notifications have come, from the start on."""
        with anyio.fail_after(PATIENCE):
            while self._count(method) < wanted:
                await self._news.wait()

    def _count(self, method: str) -> int:
        return sum(entry[1] == "notification" and entry[2]["method"] == method for entry in self.log)

    async def step(self, name: str, action: Callable[[], Awaitable[Any]]) -> None:
        """Do one thing and log how it ended."""
        self.log.append(["step", name, await self.outcome(action)])

    async def outcome(self, action: Callable[[], Awaitable[Any]]) -> Any:
        """The result of an action, or the error that it was answered with."""
        try:
            with anyio.fail_after(PATIENCE):
                return {"result": plain(await action())}
        except McpError as error:
            return {"error": plain(error.error)}
        except TimeoutError:
            return {"hangs": True}

    async def call(self, tool: str, **arguments: Any) -> None:
        """One tool call, with its progress as events."""
        await self.step(f"call {tool} {arguments}", lambda: self._call(tool, arguments, self._progressed))

    async def _call(self, tool: str, arguments: dict[str, Any], progressed: Any) -> t.CallToolResult:
        return await self.session.call_tool(tool, arguments, progress_callback=progressed)

    async def _progressed(self, progress: float, total: float | None, text: str | None) -> None:
        self._happened("progress", progress, total, text)

    async def overlapping(self, *calls: tuple[str, dict[str, Any]]) -> None:
        """Several calls at once, each with its own progress."""
        outcomes: list[Any] = [None] * len(calls)

        async def one(number: int, tool: str, arguments: dict[str, Any]) -> None:
            seen: list[Any] = []

            async def progressed(progress: float, total: float | None, text: str | None) -> None:
                seen.append([progress, total, text])

            outcome = await self.outcome(lambda: self._call(tool, arguments, progressed))
            outcomes[number] = {"progress": seen, **outcome}

        async with anyio.create_task_group() as group:
            for number, (tool, arguments) in enumerate(calls):
                group.start_soon(one, number, tool, arguments)
        self.log.append(["step", "overlapping", outcomes])

    async def cancelled(self, tool: str, steps: int, **arguments: Any) -> None:
        """A call that is cancelled at its first progress: the server goes on with progress, but must not answer."""
        number = self.session._request_id  # the SDK has no public way to learn the id of a request
        seen: list[float] = []
        started, ended, answered = anyio.Event(), anyio.Event(), anyio.Event()

        async def progressed(progress: float, total: float | None, text: str | None) -> None:
            seen.append(progress)
            (ended if progress == steps else started).set()

        async def run() -> None:
            await self._call(tool, {**arguments, "steps": steps}, progressed)
            answered.set()

        async with anyio.create_task_group() as group:
            group.start_soon(run)
            with anyio.fail_after(PATIENCE):
                await started.wait()
                params = t.CancelledNotificationParams(requestId=number, reason="enough")
                cancel = t.CancelledNotification(method="notifications/cancelled", params=params)
                await self.session.send_notification(t.ClientNotification(cancel))
                await ended.wait()
                await self.session.send_ping()  # an answer to the call would have been read before the pong
            self.log.append(["step", f"cancel {tool}", {"progress": seen, "answered": answered.is_set()}])
            group.cancel_scope.cancel()

    async def change_roots(self) -> None:
        """Add a root and say so; the server asks for them again."""
        self._roots += 1
        await self.step("roots/list_changed", self.session.send_roots_list_changed)

    def refuse(self) -> None:
        """From here on the model and the user say no."""
        self._refusing = True


async def main(scenario: str, command: list[str], environment: dict[str, str]) -> None:
    """Run a scenario against a server's command; print the log."""
    client = Client()
    server = StdioServerParameters(command=command[0], args=command[1:], env=environment)
    async with (
        stdio_client(server) as (read, write),
        ClientSession(
            read,
            write,
            sampling_callback=client.sampling,
            elicitation_callback=client.elicitation,
            list_roots_callback=client.roots,
            message_handler=client.message,
        ) as client.session,
    ):
        await client.step("initialize", client.session.initialize)
        await SCENARIOS[scenario](client)
    json.dump(client.log, sys.stdout, indent=1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    anyio.run(main, options.scenario, options.command, dict(pair.split("=", 1) for pair in options.env))
