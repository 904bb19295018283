"""A recorded server as other people's libraries want it: an ASGI application, a transport, a route."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from mcpmock.errors import UsageError
from mcpmock.mock.in_process import answering, transport_for
from mcpmock.transports.asgi import ASGIApp, asgi_application
from mcpmock.transports.http_guard import Guard, Guarded
from mcpmock.transports.http_service import HttpService

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
    """A route of a respx router for everything below a URL."""
    import httpx

    return router.route(url__startswith=url).mock(side_effect=answering(httpx, Guarded(service, Guard())))
