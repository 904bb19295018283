"""What the cases over HTTP have in common."""

from __future__ import annotations

from typing import Final

from tests.transports.http_upstream import Asked

TOOL: Final = {"id": 1, "method": "tools/call", "params": {"name": "t"}}
INITIALIZED: Final = {"method": "notifications/initialized"}


def result(asked: Asked) -> None:
    """Answers every request with an empty result, and accepts the rest."""
    if asked.method == "POST" and "id" in asked.message:
        asked.result()
    else:
        asked.answer(202)
