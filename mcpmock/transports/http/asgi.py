"""A replay server as an ASGI application, for any server of such, and to be mounted in others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, Final, TypeAlias

import anyio

from mcpmock.errors import MockFailure
from mcpmock.transports.http.exchange import Pending
from mcpmock.transports.http.guard import Service
from mcpmock.transports.http.messages import Body, ConnectionBroken, Request, Response
from mcpmock.transports.http.tcp_queue import Link
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE
from mcpmock.wire.http import joined

__all__ = ["ASGIApp", "asgi_application"]

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


_WITHOUT_BODY: Final = (204, 304)


def asgi_application(service: Service) -> ASGIApp:
    """The ASGI application of a service."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                await _serve(service, scope, receive, send)
            except (ConnectionBroken, MockFailure):
                await _break_off(receive, send)
        elif scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})

    return application


async def _serve(service: Service, scope: Scope, receive: Receive, send: Send) -> None:
    message = await receive()
    body = bytearray(message.get("body", b""))  # grows in place: it comes in pieces, thousands of them
    while message.get("more_body") and len(body) <= DEFAULT_MAX_MESSAGE:
        message = await receive()
        body += message.get("body", b"")
    if message["type"] == "http.disconnect":
        return
    response = service.answer(_request(scope, bytes(body)))
    if isinstance(response, Pending):
        pending = response

        async def answer_late() -> None:
            await _send(await pending.wait(), send)

        await _attended(receive, answer_late)
    elif isinstance(response.body, bytes):
        await _send(response, send)
    else:
        await _stream(response, response.body, receive, send)


def _link(client: Sequence[Any] | None, server: Sequence[Any] | None) -> Link | None:
    if client is None or server is None or server[1] is None:
        return None
    return Link((client[0], client[1]), (server[0], server[1]))


async def _stream(response: Response, body: Body, receive: Receive, send: Send) -> None:
    """Sends what is ready; while more is to come, the client may leave."""
    await send({"type": "http.response.start", "status": response.status, "headers": [*response.headers]})
    while (data := body.take()) is not None:
        await send({"type": "http.response.body", "body": data, "more_body": True})
    if body.is_over:
        await body.aclose()
        await send({"type": "http.response.body", "body": b""})
    else:
        await _attended(receive, lambda: _send_pieces(body, send))


async def _send(response: Response, send: Send) -> None:
    body = response.body
    headers = [*response.headers]
    if isinstance(body, bytes) and response.status not in _WITHOUT_BODY:
        headers.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    if isinstance(body, bytes):
        await send({"type": "http.response.body", "body": body})
    else:
        await _send_pieces(body, send)


async def _send_pieces(body: Body, send: Send) -> None:
    try:
        async for data in body:
            await send({"type": "http.response.body", "body": data, "more_body": True})
    finally:
        await body.aclose()
    await send({"type": "http.response.body", "body": b""})


async def _attended(receive: Receive, work: Callable[[], Awaitable[None]]) -> None:
    """Does some work for as long as the client is there. Raises ConnectionBroken."""
    broken: list[ConnectionBroken] = []
    async with anyio.create_task_group() as group:

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        group.start_soon(watch)
        try:
            await work()
        except ConnectionBroken as error:
            broken.append(error)  # a task group would wrap it
        group.cancel_scope.cancel()
    if broken:
        raise broken[0]


async def _break_off(receive: Receive, send: Send) -> None:
    """Breaks the connection. ASGI has no word for that, but uvicorn's `send` knows its transport; any other server does
    so when its application fails."""
    transport = getattr(getattr(send, "__self__", None), "transport", None)
    if transport is None:
        raise ConnectionBroken("the recorded server broke the connection here")
    transport.close()
    while (await receive())["type"] != "http.disconnect":
        pass  # what was asked in the meantime


async def _live(receive: Receive, send: Send) -> None:
    while (message := await receive())["type"] != "lifespan.shutdown":
        if message["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})


def _request(scope: Scope, body: bytes) -> Request:
    return Request(
        scope["method"],
        (scope.get("raw_path") or scope["path"].encode()).decode("latin-1"),
        scope["query_string"].decode("latin-1"),
        joined(scope["headers"]),
        body,
        scope.get("root_path", ""),
        scope.get("scheme", "http"),
        _link(scope.get("client"), scope.get("server")),
    )
