"""A server of tasks (`io.modelcontextprotocol/tasks`, for 2026-07-28) on the extensions of the Python SDK 2.x:
`python tasks_python2.py [streamable-http PORT]`."""

from __future__ import annotations

import asyncio
import sys
import uuid
from typing import Any

import mcp.types as t
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from pydantic import Field

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
DONE = {"resultType": "complete"}
FORM = {"mode": "form", "message": "who?", "requestedSchema": {"type": "object", "properties": {}}}
known: dict[str, Task] = {}
listeners: list[tuple[list[str], Any]] = []


class Params(t.RequestParams):
    """Which task it is about."""

    task_id: str = Field(alias="taskId")


class Update(Params):
    """What its client answers."""

    input_responses: dict[str, Any] = Field(alias="inputResponses")


class Task:
    """Works for a while; asks, fails or is cancelled."""

    def __init__(self, task_id: str, tool: str) -> None:
        known[task_id] = self
        self.task_id = task_id
        self.answers: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.state: dict[str, Any] = {"status": "working"}
        self.work = asyncio.create_task(self._work(tool))

    def shown(self) -> dict[str, Any]:
        """As it goes on the wire."""
        then = "2026-07-28T00:00:00Z"
        times = {"createdAt": then, "lastUpdatedAt": then, "ttlMs": None, "pollIntervalMs": 50}
        return {"taskId": self.task_id, **times, **self.state}

    async def become(self, status: str, **more: Any) -> None:
        """It changes, and tells who listens."""
        self.state = {"status": status, **more}
        for ids, tell in list(listeners):
            if self.task_id in ids:
                await tell(self.shown())

    async def _work(self, tool: str) -> None:
        await asyncio.sleep(0.15)  # part of what is recorded: states are there to be polled
        await self.become("working", statusMessage="half")
        await asyncio.sleep(0.15)  # as above
        text = tool
        if tool == "ask":
            question = {"method": "elicitation/create", "params": FORM}
            await self.become("input_required", inputRequests={"who": question})
            text = str((await self.answers)["who"])
            await self.become("working", statusMessage="answered")
            await asyncio.sleep(0.15)  # as above
        if tool == "long":
            await asyncio.sleep(60)  # until it is cancelled
        if tool == "fail":
            await self.become("failed", error={"code": -32603, "message": "broken"})
        else:
            content = [{"type": "text", "text": text}]
            await self.become("completed", result={"content": content, "isError": tool == "bad", **DONE})


def task_of(params: Params) -> Task:
    """The task that a request is about."""
    if params.task_id not in known:
        raise MCPError(-32602, "no such task")
    return known[params.task_id]


class Tasks(Extension):
    """All calls are tasks, for clients that know them."""

    identifier = "io.modelcontextprotocol/tasks"

    def methods(self) -> list[MethodBinding]:
        """The three of the extension."""
        bound = [("get", Params, self.get), ("update", Update, self.update), ("cancel", Params, self.cancel)]
        return [MethodBinding(f"tasks/{name}", kind, handler) for name, kind, handler in bound]

    async def get(self, context: Any, params: Params) -> Any:
        """A poll."""
        return {**DONE, **task_of(params).shown()}

    async def update(self, context: Any, params: Update) -> Any:
        """Answers."""
        task_of(params).answers.set_result(params.input_responses)
        return DONE

    async def cancel(self, context: Any, params: Params) -> Any:
        """Cancelled, but not at once."""
        task = task_of(params)
        if not task.work.cancel():
            raise MCPError(-32602, "it has ended")
        asyncio.get_running_loop().call_later(0.15, lambda: asyncio.ensure_future(task.become("cancelled")))
        return DONE

    async def intercept_tool_call(self, params: Any, ctx: Any, call_next: Any) -> Any:
        """Makes a task of it; `same` is always the same."""
        task_id = "always-this" if params.name == "same" else str(uuid.uuid4())
        return {"resultType": "task", **Task(task_id, params.name).shown()}


async def listen(context: Any, params: t.SubscriptionsListenRequestParams) -> Any:
    """A subscription to states of tasks."""
    ids, meta = list((params.notifications.model_extra or {})["taskIds"]), {SUBSCRIPTION: context.request_id}

    async def send(notification: Any) -> None:
        await context.session.send_notification(notification, related_request_id=context.request_id)

    async def tell(state: dict[str, Any]) -> None:
        await send(t.Notification[Any, Any](method="notifications/tasks", params={"_meta": meta, **state}))

    honoured = t.SubscriptionFilter.model_validate({"taskIds": ids})
    told = t.SubscriptionsAcknowledgedNotificationParams(notifications=honoured, _meta=meta)
    await send(t.SubscriptionsAcknowledgedNotification(params=told))
    listeners.append((ids, tell))
    await asyncio.Event().wait()


server = MCPServer("tasks", extensions=[Tasks()], subscriptions=False)
server._lowlevel_server.add_request_handler("subscriptions/listen", t.SubscriptionsListenRequestParams, listen)
for name in ("work", "ask", "fail", "bad", "long", "same"):
    server.add_tool(lambda: "", name=name)
if __name__ == "__main__":
    if sys.argv[1:]:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run("stdio")
