"""The order in which the requests of a session are passed on: that in which they have come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Queued:
    """One request among those of its session that are not passed on yet."""

    __slots__ = ("go", "is_ready", "session", "timer")

    def __init__(self, session: bytes, go: Callable[[], None]) -> None:
        self.session = session
        self.go = go
        self.is_ready = False
        self.timer: asyncio.TimerHandle | None = None


class Queues:
    """Who has to wait for whom: a client that asks for a stream, and then for something else on a connection that
    has been used before, means the server to hear of the stream first.

    Nobody waits for more than the connecting of an earlier request, and for none of them longer than `patience`
    seconds from when it came.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._queues: dict[bytes, list[Queued]] = {}

    def is_free(self, session: bytes) -> bool:
        """Whether no earlier request of the session waits."""
        return session not in self._queues

    def enter(self, session: bytes, go: Callable[[], None]) -> Queued:
        """A request has come; `go` is called once, when it is `ready` and its turn, or when others wait no longer."""
        queued = Queued(session, go)
        queued.timer = asyncio.get_running_loop().call_later(self._patience, self._pass_over, queued)
        self._queues.setdefault(session, []).append(queued)
        return queued

    def ready(self, queued: Queued) -> None:
        """It is connected."""
        queued.is_ready = True
        self._advance(queued.session)

    def leave(self, queued: Queued) -> None:
        """It is not passed on at all."""
        self._remove(queued)
        self._advance(queued.session)

    def _pass_over(self, queued: Queued) -> None:
        self._remove(queued)
        queued.go()
        self._advance(queued.session)

    def _advance(self, session: bytes) -> None:
        while (queue := self._queues.get(session)) and queue[0].is_ready:
            queued = queue[0]
            self._remove(queued)
            queued.go()

    def _remove(self, queued: Queued) -> None:
        if queued.timer is not None:
            queued.timer.cancel()
        queue = self._queues.get(queued.session, [])
        if queued in queue:
            queue.remove(queued)
            if not queue:
                del self._queues[queued.session]
