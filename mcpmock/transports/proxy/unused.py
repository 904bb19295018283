"""Who looks after a connection to the server while nothing has been asked on it."""

from __future__ import annotations

from collections.abc import Callable

import h11


class Unused:
    """Waits for nothing; see `Asker`. `lost` is called when the server leaves."""

    def __init__(self, lost: Callable[[], None]) -> None:
        self._lost = lost

    def response_informed(self, event: h11.InformationalResponse) -> None:
        """See `Asker`."""

    def response_began(self, event: h11.Response) -> None:
        """See `Asker`."""

    def response_data(self, data: bytes) -> None:
        """See `Asker`."""

    def response_ended(self) -> None:
        """See `Asker`."""

    def response_flushed(self) -> None:
        """See `Asker`."""

    def response_broken(self, reason: str) -> None:
        """See `Asker`."""

    def slow_down(self, *, is_full: bool) -> None:
        """See `Asker`."""

    def connection_idle_lost(self) -> None:
        """See `Asker`."""
        self._lost()
