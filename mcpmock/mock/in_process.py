"""A recorded server behind an HTTP client of this process: no socket, no thread, no task of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from types import ModuleType
from typing import Any

from mcpmock.errors import UsageError
from mcpmock.transports.http.exchange import Pending
from mcpmock.transports.http.guard import Service
from mcpmock.transports.http.messages import Body, ConnectionBroken, Request, Response
from mcpmock.wire.http import joined

__all__ = ["answering", "synchronous", "transport_for"]


def transport_for(library: ModuleType, service: Service) -> Any:
    """A transport for the asynchronous clients of `library`, which is httpx or has its names (httpx2).

    A client of the other one is answered, too, in what is its own: it takes responses of no other.
    """
    known = {library.__name__: answering(library, service)}

    async def answer(request: Any) -> Any:
        name = type(request).__module__.partition(".")[0]
        if name not in known:
            known[name] = answering(sys.modules[name], service)
        return await known[name](request)

    class InProcess(library.AsyncBaseTransport):  # type: ignore[name-defined, misc]  # which library, is known when it runs
        """Answers every request from the recording, whatever its URL."""

        async def handle_async_request(self, request: Any) -> Any:
            """See httpx."""
            return await answer(request)

        def __enter__(self) -> Any:
            raise synchronous(library.__name__)

        def handle_request(self, request: Any) -> Any:
            """What a synchronous client calls."""
            raise synchronous(library.__name__)

    return InProcess()


def synchronous(library: str) -> UsageError:
    """What a synchronous client is told: with nothing to run it meanwhile, no response could stream."""
    return UsageError(f"this serves {library}.AsyncClient only; a synchronous client reaches the mock by its url")


def answering(library: ModuleType, service: Service) -> Callable[[Any], Coroutine[Any, Any, Any]]:
    """What answers a request of `library` by a response of it, whose body streams."""

    class Pieces(library.AsyncByteStream):  # type: ignore[name-defined, misc]  # as above
        """The body of a response, as it comes."""

        def __init__(self, body: Body) -> None:
            self._body = body

        def __aiter__(self) -> Pieces:
            return self  # no generator: clients leave those to the garbage collector, of which trio complains

        async def __anext__(self) -> bytes:
            try:
                return await anext(self._body)
            except ConnectionBroken:
                raise library.RemoteProtocolError(_BROKEN) from None

        async def aclose(self) -> None:
            """See httpx."""
            await self._body.aclose()

    async def answer(request: Any) -> Any:
        asked = _request(request, await request.aread())
        try:
            found = service.answer(asked)
            response = await found.wait() if isinstance(found, Pending) else found
        except ConnectionBroken:
            raise library.RemoteProtocolError(_BROKEN, request=request) from None
        return _response(library, response, Pieces)

    return answer


_BROKEN = "the recorded server broke the connection here"


def _request(request: Any, body: bytes) -> Request:
    url = request.url
    path, _, query = url.raw_path.decode("latin-1").partition("?")
    return Request(request.method, path, query, joined(request.headers.raw), body, scheme=url.scheme)


def _response(library: ModuleType, response: Response, pieces: Callable[[Body], Any]) -> Any:
    headers = list(response.headers)
    if isinstance(response.body, bytes):
        return library.Response(response.status, headers=headers, content=response.body)
    return library.Response(response.status, headers=headers, stream=pieces(response.body))
