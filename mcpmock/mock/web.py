"""A recorded server as other people's libraries want it: an ASGI application, a transport, a route."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import anyio

from mcpmock.errors import UsageError
from mcpmock.mock.in_process import answering, synchronous, transport_for
from mcpmock.transports.http.asgi import ASGIApp, asgi_application
from mcpmock.transports.http.guard import Guard, Guarded
from mcpmock.transports.http.service import HttpService

if TYPE_CHECKING:
    import respx

__all__ = ["application", "mount", "transport"]


def application(service: HttpService) -> ASGIApp:
    """The ASGI application: whatever the name of the host, but for no foreign web page."""
    return asgi_application(Guarded(service, Guard()))


def transport(library: str, service: HttpService) -> Any:
    """A transport for the asynchronous clients of httpx or httpx2. Raises UsageError where that is not installed."""
    try:
        found = importlib.import_module(library)
    except ImportError as error:
        raise UsageError(f"{library}_transport() needs {library}, which is not installed ({error})") from error
    return transport_for(found, Guarded(service, Guard()))


def mount(router: respx.Router, url: str, service: HttpService) -> respx.Route:
    """A route of a respx router for everything below a URL, for asynchronous clients."""
    import httpx

    answer = answering(httpx, Guarded(service, Guard()))

    def answer_asynchronously(request: httpx.Request) -> Any:
        try:
            anyio.get_current_task()
        except RuntimeError:  # no event loop: respx could not wait for a coroutine
            raise synchronous("httpx") from None
        return answer(request)

    return router.route(url__startswith=url).mock(side_effect=answer_asynchronously)
