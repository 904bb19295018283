"""What the Python clients share: a session's log, and how a scenario's steps are done one after another.

A driver is run by its SDK's interpreter as `DRIVER SCENARIO [--each] [--mode MODE] [--env NAME=VALUE]... --
COMMAND...`; what modes there are is the SDK's to say, `legacy` is with a handshake. It prints a list of what happened
to the client, in order: `["step", step, outcome]` and `["event", kind, content]`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

import anyio

PATIENCE = 20.0
"""Seconds that anything may take."""

SAMPLED = {
    "role": "assistant",
    "model": "fake",
    "stopReason": "endTurn",
    "content": {"type": "text", "text": "sampled"},
}
FILLED_IN = {"name": "Ann", "check": True}
KINDS = {
    "tools": ("list_tools", "tools"),
    "resources": ("list_resources", "resources"),
    "templates": ("list_resource_templates", "resourceTemplates"),
    "prompts": ("list_prompts", "prompts"),
}

Progressed = Callable[[float, float | None, str | None], Awaitable[None]]


class Actions(Protocol):
    """What an SDK can do, by the names of the steps."""

    async def ping(self) -> Any: ...
    async def level(self, level: str) -> Any: ...
    async def list(self, kind: str) -> Any: ...
    async def call(self, name: str, arguments: dict[str, Any], progressed: Progressed) -> Any: ...
    async def read(self, uri: str) -> Any: ...
    async def subscribe(self, uri: str) -> Any: ...
    async def unsubscribe(self, uri: str) -> Any: ...
    async def prompt(self, name: str, arguments: dict[str, str]) -> Any: ...
    async def complete(self, reference: dict[str, str], name: str, value: str) -> Any: ...
    async def roots_changed(self) -> Any: ...
    async def give_up(self, name: str, arguments: dict[str, Any], started: anyio.Event, progressed: Progressed) -> Any:
        """Call a tool, and cancel the call once `started` is set; what came of it."""


def plain(value: Any) -> Any:
    """What the SDK returns, as it was on the wire."""
    return value.model_dump(mode="json", by_alias=True, exclude_none=True) if hasattr(value, "model_dump") else value


class Client:
    """What happened to a client, and how its model and its user answer."""

    def __init__(self, mode: str = "legacy") -> None:
        self.mode = mode
        self.log: list[list[Any]] = []
        self.roots = 1
        self.is_refusing = False
        self._news = anyio.Event()

    def happened(self, kind: str, *content: Any) -> None:
        """Something came from the server by itself."""
        self.log.append(["event", kind, *content])
        self._news.set()
        self._news = anyio.Event()

    def roots_now(self) -> dict[str, Any]:
        """The client's folders, one more each time that they have changed."""
        return {"roots": [{"uri": f"file:///r/{number}"} for number in range(self.roots)]}

    async def seen(self, method: str, wanted: int) -> None:
        """Wait until that many such notifications have come, from the start on."""
        with anyio.move_on_after(PATIENCE) as patience:
            while self._count(method) < wanted:
                await self._news.wait()
        if patience.cancelled_caught:
            self.log.append(["step", ["seen", method, wanted], {"missing": wanted - self._count(method)}])

    def _count(self, method: str) -> int:
        return sum(entry[1] == "notification" and entry[2]["method"] == method for entry in self.log)


class Script:
    """Does the steps of a scenario with an SDK."""

    def __init__(self, client: Client, actions: Actions, refusal: type[Exception]) -> None:
        self._client = client
        self._actions = actions
        self._refusal = refusal

    async def do(self, step: list[Any]) -> None:
        """One step; what came of it is added to the log."""
        kind, *rest = step
        if kind == "seen":
            await self._client.seen(*rest)
        elif kind == "refuse":
            self._client.is_refusing = True
        else:
            action = getattr(self, f"_{kind}", None) or getattr(self._actions, kind)
            self._client.log.append(["step", step, await self._outcome(action, *rest)])

    async def _outcome(self, action: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        try:
            with anyio.fail_after(PATIENCE):
                return {"result": plain(await action(*arguments))}
        except self._refusal as error:
            return {"error": plain(getattr(error, "error", None)) or str(error)}
        except TimeoutError:
            return {"hangs": True}

    async def _call(self, name: str, arguments: dict[str, Any]) -> Any:
        async def progressed(*what: Any) -> None:
            self._client.happened("progress", *what)

        return await self._actions.call(name, arguments, progressed)

    async def _overlap(self, *calls: list[Any]) -> Any:
        """Several calls at once, each with its own progress."""
        outcomes: list[Any] = [None] * len(calls)

        async def one(number: int, name: str, arguments: dict[str, Any]) -> None:
            seen: list[Any] = []

            async def progressed(*what: Any) -> None:
                seen.append(what)

            outcome = await self._outcome(self._actions.call, name, arguments, progressed)
            outcomes[number] = {"progress": seen, **outcome}

        async with anyio.create_task_group() as group:
            for number, (name, arguments) in enumerate(calls):
                group.start_soon(one, number, name, arguments)
        return outcomes

    async def _cancel(self, name: str, arguments: dict[str, Any]) -> Any:
        """A call that is given up at its first progress; no answer to it may come before the pong."""
        started = anyio.Event()

        async def progressed(*what: Any) -> None:
            started.set()

        outcome = await self._actions.give_up(name, arguments, started, progressed)
        await self._actions.ping()
        return outcome

    async def _change_roots(self) -> Any:
        self._client.roots += 1
        return await self._actions.roots_changed()


class Opened(Protocol):
    """A started server and a session with it that has shaken hands: the result of `initialize`, and what it can do."""

    def __call__(
        self, client: Client, command: list[str], environment: dict[str, str]
    ) -> AbstractAsyncContextManager[tuple[Any, Actions]]: ...


async def play(client: Client, steps: list[list[Any]], session: tuple[Any, Actions], refusal: type[Exception]) -> None:
    """Do steps in a session that has begun; its greeting is the first thing in the log."""
    greeting, actions = session
    client.log.append(["step", ["initialize"], plain(greeting)])
    for step in steps:
        await Script(client, actions, refusal).do(step)


async def _run(opened: Opened, refusal: type[Exception], options: argparse.Namespace) -> None:
    client = Client(options.mode)
    steps = json.loads(Path(options.scenario).read_text(encoding="utf-8"))
    environment = dict(pair.split("=", 1) for pair in options.env)
    for some in [[step] for step in steps] if options.each else [steps]:
        async with opened(client, options.command, environment) as session:
            await play(client, some, session, refusal)
    json.dump(client.log, sys.stdout, indent=1)


def main(opened: Opened, refusal: type[Exception]) -> None:
    """Run the scenario that the command line names; `--each` starts a server for each of its steps."""
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--mode", default="legacy")
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("command", nargs="+")
    anyio.run(_run, opened, refusal, parser.parse_args())
