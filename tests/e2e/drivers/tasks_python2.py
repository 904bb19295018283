"""Drives tasks (2026-07-28) with the Python SDK 2.x, and prints the states that it saw, without repeats, as JSON:
`python tasks_python2.py PACE COMMAND...`, or a URL; PACE is the time between two polls in seconds."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any, Literal

import mcp.types as t
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.extension import ClientExtension, NotificationBinding, ResultClaim
from mcp.client.stdio import StdioServerParameters, stdio_client
from pydantic import BaseModel, ConfigDict, Field

PACE, TARGET = float(sys.argv[1]), sys.argv[2:]
GOES_ON = ("working", "input_required")
SECONDS = 20
heard: dict[str, list[list[Any]]] = {}


class Created(t.Result):
    """The answer that makes a task."""

    result_type: Literal["task"] = Field(alias="resultType")
    task_id: str = Field(alias="taskId")


class Anything(t.Result):
    """An answer of the extension."""

    model_config = ConfigDict(extra="allow")


class Params(t.RequestParams):
    """Params of the extension."""

    model_config = ConfigDict(extra="allow")


class State(BaseModel):
    """What is heard on a subscription."""

    model_config = ConfigDict(extra="allow")


class Request(t.Request[Params, str]):
    """A request about a task, which HTTP mirrors."""

    name_param = "taskId"


class Listen(t.Request[Params, str]):
    """A subscription."""


class Tasks(ClientExtension):
    """Makes the SDK take tasks for answers, and states for notifications."""

    identifier = "io.modelcontextprotocol/tasks"

    def claims(self) -> list[ResultClaim[Any]]:
        """The answer that makes a task."""
        return [ResultClaim(result_type="task", model=Created, resolve=lambda *_: NotImplemented)]

    def notifications(self) -> list[NotificationBinding[Any]]:
        """The states."""

        async def hear(state: State) -> None:
            told = state.model_dump()
            heard.setdefault(told["taskId"], []).append([told["status"], told.get("statusMessage")])

        return [NotificationBinding(method="notifications/tasks", params_type=State, handler=hear)]


async def ask(session: Any, what: str, task: str, **params: Any) -> Any:
    """What the server says to a request about a task; of an error its code."""
    request = Request(method=f"tasks/{what}", params=Params(taskId=task, **params))
    try:
        told = (await session.send_request(request, Anything)).model_dump(by_alias=True, exclude={"meta"})
    except MCPError as error:
        return {"code": error.error.code}
    return {key: value for key, value in told.items() if key not in ("_meta", "taskId", "statusMessage")}


async def drive(session: Any, task: str, *, cancel: bool = False) -> list[Any]:
    """Polls it to its end, answers what it asks, or cancels it once it works."""
    seen: list[Any] = []
    async with asyncio.timeout(SECONDS):
        while not seen or seen[-1].get("status") in GOES_ON:
            told = await ask(session, "get", task)
            if not seen or seen[-1] != told:
                seen.append(told)
                if told.get("status") == "input_required":
                    answers = {"who": {"action": "accept", "content": {"name": "Ann"}}}
                    seen.append(await ask(session, "update", task, inputResponses=answers) | {"status": "working"})
            if cancel:
                cancel = False
                seen.append(await ask(session, "cancel", task) | {"status": "working"})
            await asyncio.sleep(PACE)
    return seen


async def call(session: Any, name: str) -> str:
    """The id of the task that a call makes."""
    return str((await session.call_tool(name, {}, allow_claimed=True)).task_id)


async def attend(session: Any, name: str) -> list[Any]:
    """Listens to a task, and polls it only when it asks."""
    task = await call(session, name)
    request = Listen(method="subscriptions/listen", params=Params(notifications={"taskIds": [task]}))
    ear = asyncio.ensure_future(session.send_request(request, Anything))
    async with asyncio.timeout(SECONDS):
        while not heard.get(task) or heard[task][-1][0] == "working":
            await asyncio.sleep(0.01)  # a bounded wait: the SDK has no other way to hear of a notification
    seen = await drive(session, task)
    async with asyncio.timeout(SECONDS):
        while heard[task][-1][0] in GOES_ON:
            await asyncio.sleep(0.01)  # as above
    ear.cancel()
    return [heard[task], seen]


async def main() -> None:
    """One after another, all at once, and by listening."""
    at_once = ("work", "ask", "fail", "bad")
    server: Any = TARGET[0]
    if not TARGET[0].startswith("http"):
        server = stdio_client(StdioServerParameters(command=TARGET[0], args=TARGET[1:], env=dict(os.environ)))
    async with Client(server, mode="2026-07-28", extensions=[Tasks()]) as client:
        session = client.session
        made = [await call(session, name) for name in at_once]
        log: list[Any] = list(await asyncio.gather(*(drive(session, task) for task in made)))
        long = await call(session, "long")
        log += [await drive(session, long, cancel=True), await drive(session, long), await ask(session, "cancel", long)]
        log += [await drive(session, await call(session, "same")) for _ in range(2)]
        log += [await ask(session, "get", "nobody"), await attend(session, "work"), await attend(session, "ask")]
    print(json.dumps(log))


asyncio.run(main())
