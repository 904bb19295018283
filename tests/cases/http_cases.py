"""What the cases over HTTP have in common."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.transports.http_upstream import STREAM, Asked

TOOL: Final = {"id": 1, "method": "tools/call", "params": {"name": "t"}}
INITIALIZED: Final = {"method": "notifications/initialized"}


def result(asked: Asked) -> None:
    """Answers every request with an empty result, and accepts the rest."""
    if asked.method == "POST" and "id" in asked.message:
        asked.result()
    else:
        asked.answer(202)


def after_handshake(then: Callable[[Asked], None]) -> Callable[[Asked], None]:
    """A server that answers `initialize` with an empty result, and anything else so."""

    def serve(asked: Asked) -> None:
        if asked.method == "POST" and asked.message.get("method") == "initialize":
            asked.result()
        else:
            then(asked)

    return serve


def until_left(left: threading.Event, *events: Mapping[str, Any]) -> Callable[[Asked], None]:
    """A server whose stream for request 1 has these events and no end; it tells when the reader has gone."""

    def serve(asked: Asked) -> None:
        if asked.message["id"] != 1:
            asked.result()
            return
        asked.head(200, STREAM)
        for event in events:
            asked.event(event)
        if asked.is_left():
            left.set()

    return serve
