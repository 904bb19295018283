"""A batch asked for as one array is answered as one array (JSON-RPC 2.0 section 6; MCP 2025-03-26)."""

from __future__ import annotations

from mcpmock.session.actions import Send

__all__ = ["BatchAnswers"]


class BatchAnswers:
    """Gathers the answers to a live batch with so many `requests`, until all that will come are there."""

    def __init__(self, requests: int) -> None:
        self._texts: list[str] = []
        self._missing = requests
        self._is_sent = False
        self._is_after_progress = False

    def add(self, text: str, *, is_after_progress: bool = False) -> list[Send]:
        """An answer (see `Send`); the array, once it is complete."""
        self._texts.append(text)
        self._is_after_progress |= is_after_progress
        self._missing -= 1
        return self.take()

    def drop(self) -> list[Send]:
        """One of the requests will not be answered after all."""
        self._missing -= 1
        return self.take()

    def take(self, *, anyway: bool = False) -> list[Send]:
        """The array, if nothing is missing, or `anyway`; an array is sent once and never empty."""
        if self._is_sent or not self._texts or (self._missing > 0 and not anyway):
            return []
        self._is_sent = True
        return [Send(f"[{','.join(self._texts)}]", self._is_after_progress)]
