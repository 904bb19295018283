"""A small server on fastmcp 4, which speaks both eras."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from fastmcp import Context, FastMCP
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult, ToolAnnotations
from notes import add, fail, greet, look, now, old, write

server = FastMCP("small-fastmcp4", version="1.0.0", instructions="a small server")

for tool in (add, fail):
    server.tool()(tool)


@server.tool
async def count(steps: int, context: Context) -> str:
    """Counts, with progress."""
    for number in range(1, steps + 1):
        await context.report_progress(number, steps, f"step {number}")
        await asyncio.sleep(0.05)  # part of what is recorded: progress comes while the call still runs
    return f"counted to {steps}"


@server.tool
async def chat(lines: int, context: Context) -> str:
    """Logs."""
    for number in range(lines):
        await context.info(f"line {number}")
    return "chatted"


@server.tool
async def confirm(what: str, context: Context) -> Any:
    """Asks the user once."""
    given = context.input_responses or {}
    if "sure" in given:
        return f"the user says {given['sure'].action}"
    schema: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    asked = ElicitRequest(params=ElicitRequestFormParams(message=what, requested_schema=schema))
    return InputRequiredResult(input_requests={"sure": asked})


server.tool()(write)
server.tool(annotations=ToolAnnotations(read_only_hint=True))(look)
server.resource("note://now", mime_type="text/plain")(now)
server.resource("note://old/{number}", mime_type="text/plain")(old)
server.prompt()(greet)

if sys.argv[1:]:
    server.run(transport="http", host="127.0.0.1", port=int(sys.argv[2]), show_banner=False)
else:
    server.run(transport="stdio", show_banner=False)
