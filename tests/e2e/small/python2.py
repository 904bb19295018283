"""A small server on the official Python SDK 2.x."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import mcp.types as t
from python_tools import server


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
