"""A small server on the official Python SDK 1.x."""

from __future__ import annotations

import sys

from python_tools import server


@server._mcp_server.set_logging_level()
async def level(level: str) -> None:
    """Accepts any level."""


if sys.argv[1:]:  # a transport and a port
    server.settings.port = int(sys.argv[2])
    server.run(sys.argv[1])
else:
    server.run()
