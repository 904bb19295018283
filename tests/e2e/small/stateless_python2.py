"""The small server on the official Python SDK 2.x, with what only the stateless revision can carry (2026-07-28)."""

from __future__ import annotations

import json
from typing import Any

import mcp.types as t
from mcp.server.mcpserver import Context
from python2 import run, server

PAGES = {None: ["greet", "second"], "second": ["part"]}


def _form(message: str) -> t.ElicitRequest:
    schema: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    return t.ElicitRequest(params=t.ElicitRequestFormParams(message=message, requested_schema=schema))


def _question(prompt: str) -> t.CreateMessageRequest:
    said = t.SamplingMessage(role="user", content=t.TextContent(type="text", text=prompt))
    return t.CreateMessageRequest(params=t.CreateMessageRequestParams(messages=[said], max_tokens=20))


def _told(answer: Any) -> str:
    return json.dumps(answer.model_dump(mode="json", by_alias=True, exclude_none=True), sort_keys=True)


@server.tool()
async def interview(topic: str, context: Context) -> str | t.InputRequiredResult:
    """Asks the user, then the model and for the roots at once; what was said so far is in the state."""
    state, given = json.loads(context.request_state or "[]"), context.input_responses or {}
    if "who" in given:
        asked: dict[str, Any] = {"model": _question(topic), "folders": t.ListRootsRequest()}
        return t.InputRequiredResult(input_requests=asked, request_state=json.dumps([_told(given["who"])]))
    if "model" in given:
        return "; ".join([*state, _told(given["model"]), _told(given["folders"])])
    return t.InputRequiredResult(input_requests={"who": _form(f"who are you, {topic}?")})


@server.tool()
async def confirm(what: str, context: Context) -> str | t.InputRequiredResult:
    """Asks the user once, and keeps no state."""
    given = context.input_responses or {}
    return _told(given["sure"]) if "sure" in given else t.InputRequiredResult(input_requests={"sure": _form(what)})


@server.tool()
async def touch(context: Context) -> str:
    """Changes a resource, and the list of tools."""
    await context.notify_resource_updated("note://now")
    await context.notify_tools_changed()
    return "touched"


@server.tool()
async def over() -> str:
    """Ends all subscriptions."""
    listening = server._lowlevel_server.get_request_handler("subscriptions/listen")
    assert listening is not None
    listening.handler.close()
    return "over"


async def prompts(context: Any, params: t.PaginatedRequestParams | None) -> t.ListPromptsResult:
    """Prompts, in pages."""
    names = PAGES[params.cursor if params else None]
    following = names[1] if names[1:] else None
    return t.ListPromptsResult(prompts=[t.Prompt(name=names[0])], next_cursor=following)


server._lowlevel_server.add_request_handler("prompts/list", t.PaginatedRequestParams, prompts)
if __name__ == "__main__":
    run()
