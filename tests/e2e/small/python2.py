"""A small server on the official Python SDK 2.x: what stdio can carry, one tool for each thing."""

from __future__ import annotations

import asyncio
import json
import sys
import warnings
from typing import Any

import mcp.types as t
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

server = MCPServer("small-python2", instructions="a small server")
note = {"text": "nothing"}


class Form(BaseModel):
    """What the user is asked for."""

    name: str
    check: bool = False


@server.tool()
def add(a: int, b: int) -> int:
    """The sum of two numbers."""
    return a + b


@server.tool()
def fail() -> str:
    """Fails."""
    raise RuntimeError("this was to be expected")


@server.tool()
async def count(steps: int, context: Context) -> str:
    """Counts, with progress."""
    for number in range(1, steps + 1):
        await context.report_progress(number, steps, f"step {number}")
        await asyncio.sleep(0.05)
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


@server.tool()
def write(text: str) -> str:
    """Writes the note."""
    note["text"] = text
    return "written"


@server.tool(annotations=t.ToolAnnotations(read_only_hint=True))
def look() -> str:
    """Reads the note."""
    return note["text"]


@server.tool()
async def grow(context: Context) -> str:
    """Adds a tool."""
    server.add_tool(lambda: "grown", name="grown", description="Is new.")
    await context.session.send_tool_list_changed()
    return "one more"


@server.resource("note://now", mime_type="text/plain")
def now() -> str:
    """The note."""
    return note["text"]


@server.resource("note://old/{number}", mime_type="text/plain")
def old(number: str) -> str:
    """A note of old."""
    return f"note {number}"


@server.prompt()
def greet(name: str) -> str:
    """Greets somebody."""
    return f"Say hello to {name}."


@server.completion()
async def complete(reference: Any, argument: t.CompletionArgument, context: Any) -> t.Completion:
    """Completes the name of somebody."""
    return t.Completion(values=[name for name in ("Ann", "Anton", "Bob") if name.startswith(argument.value)])


async def level(context: Any, params: t.SetLevelRequestParams) -> t.EmptyResult:
    """Accepts any level."""
    return t.EmptyResult()


server._lowlevel_server.add_request_handler("logging/setLevel", t.SetLevelRequestParams, level)
warnings.simplefilter("ignore")  # what is deprecated is still what the legacy era speaks


def run() -> None:
    """Over stdio, or over the transport and at the port that the command line names."""
    if sys.argv[1:]:
        server.run(sys.argv[1], host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run("stdio")


if __name__ == "__main__":
    run()
