"""What there is to be compared with: uvicorn, set up as the replay server is, around an application that knows one
answer. Prints its URL once it can be reached."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn

from mcpmock.transports.http.serving import listen

BODY = (
    b'{"jsonrpc":"2.0","id":1000,"result":{"content":[{"type":"text","text":"Echo: message 1000"}],"capabilities":{}}}'
)


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Reads the request, and answers it."""
    while (await receive()).get("more_body"):
        pass
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(BODY))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": BODY})


async def serve() -> None:
    """Until it is killed."""
    listener = listen()
    config = uvicorn.Config(
        application, http="h11", lifespan="off", log_config=None, access_log=False, server_header=False
    )
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    asyncio.run(serve())
