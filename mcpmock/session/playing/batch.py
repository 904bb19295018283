"""A batch asked for as one array is answered as one array (JSON-RPC 2.0 section 6; MCP 2025-03-26)."""

from __future__ import annotations

from mcpmock.session.playing.actions import Action, Close, Send

__all__ = ["BatchAnswers"]


class BatchAnswers:
    """Gathers the answers to a live batch with so many `requests`, until all that will come are there."""

    def __init__(self, requests: int, ticket: object = None) -> None:
        self._ticket = ticket
        self._texts: list[str] = []
        self._missing = requests
        self._is_sent = False
        self._is_after_progress = False

    def add(self, text: str, *, is_after_progress: bool = False) -> list[Action]:
        """An answer (see `Send`); the array, once it is complete."""
        self._texts.append(text)
        self._is_after_progress |= is_after_progress
        self._missing -= 1
        return self.take()

    def drop(self) -> list[Action]:
        """One of the requests will not be answered after all."""
        self._missing -= 1
        return self.take()

    def take(self, *, anyway: bool = False) -> list[Action]:
        """The array, if nothing is missing, or `anyway`; an array is sent once and never empty."""
        if self._is_sent or (self._missing > 0 and not anyway):
            return []
        if not self._texts:
            return [] if self._ticket is None else [Close(self._ticket)]
        self._is_sent = True
        text = f"[{','.join(self._texts)}]"
        return [Send(text, self._is_after_progress, self._ticket, is_answer=True)]
