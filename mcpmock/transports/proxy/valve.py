"""Whether a connection is read from: several may want it to wait, each for a reason of its own."""

from __future__ import annotations

import asyncio
from typing import Literal, TypeAlias

Reason: TypeAlias = Literal["peer is slow", "not connected", "pipelined", "tape is full"]


class Valve:
    """Stops and resumes the reading from one transport."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._reasons: set[Reason] = set()

    def shut(self, reason: Reason) -> None:
        """Read no more, until nobody has a reason to wait."""
        if not self._reasons and not self._transport.is_closing():
            self._transport.pause_reading()
        self._reasons.add(reason)

    def open(self, reason: Reason) -> None:
        """This reason is gone."""
        if reason in self._reasons:
            self._reasons.discard(reason)
            if not self._reasons and not self._transport.is_closing():
                self._transport.resume_reading()
