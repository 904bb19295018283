"""What the small servers on both versions of the official Python SDK serve: one tool for each thing."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import mcp.types as t
from notes import add, fail, greet, look, now, old, write
from pydantic import BaseModel

try:
    from mcp.server.mcpserver import Context, MCPServer

    server = MCPServer("small-python2", instructions="a small server")
except ImportError:  # version 1
    from mcp.server.fastmcp import Context, FastMCP

    server = FastMCP("small-python1", instructions="a small server")


class Form(BaseModel):
    """What the user is asked for."""

    name: str
    check: bool = False


for tool in (add, fail):
    server.tool()(tool)


@server.tool()
async def count(steps: int, context: Context) -> str:
    """Counts, with progress."""
    for number in range(1, steps + 1):
        await context.report_progress(number, steps, f"step {number}")
        await asyncio.sleep(0.05)  # part of what is recorded: progress comes while the call still runs
    return f"counted to {steps}"


@server.tool()
async def chat(lines: int, context: Context) -> str:
    """Logs."""
    for number in range(lines):
        await context.info(f"line {number}")
    return "chatted"


@server.tool()
async def ask_model(prompt: str, context: Context) -> str:
    """Asks the client's model."""
    said = t.SamplingMessage(role="user", content=t.TextContent(type="text", text=prompt))
    answer = await context.session.create_message([said], max_tokens=20)
    return f"the model says {json.dumps(answer.model_dump(mode='json', exclude_none=True))}"


@server.tool()
async def ask_user(question: str, context: Context) -> str:
    """Asks the client's user."""
    answer = await context.elicit(question, Form)
    return f"the user says {answer.action}"


@server.tool()
async def folders(context: Context) -> str:
    """Asks for the client's roots."""
    return ", ".join(str(root.uri) for root in (await context.session.list_roots()).roots)


server.tool()(write)
server.tool(annotations=t.ToolAnnotations.model_validate({"readOnlyHint": True}))(look)


@server.tool()
async def grow(context: Context) -> str:
    """Adds a tool."""
    server.add_tool(lambda: "grown", name="grown", description="Is new.")
    await context.session.send_tool_list_changed()
    return "one more"


server.resource("note://now", mime_type="text/plain")(now)
server.resource("note://old/{number}", mime_type="text/plain")(old)
server.prompt()(greet)


@server.completion()
async def complete(reference: Any, argument: t.CompletionArgument, context: Any) -> t.Completion:
    """Completes the name of somebody."""
    return t.Completion(values=[name for name in ("Ann", "Anton", "Bob") if name.startswith(argument.value)])
