"""The order in which the requests of a session are passed on: that in which they have come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Turn:
    """The place of one request among those of its session that are not passed on yet."""

    __slots__ = ("go", "is_ready", "session", "timer")

    def __init__(self, session: bytes, go: Callable[[], None]) -> None:
        self.session = session
        self.go = go
        self.is_ready = False
        self.timer: asyncio.TimerHandle | None = None


class Turns:
    """Who has to wait for whom: a client that asks for a stream, and then for something else on a connection that
    has been used before, means the server to hear of the stream first.

    Nobody waits for more than the connecting of an earlier request, and for none of them longer than `patience`
    seconds from when it came.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._queues: dict[bytes, list[Turn]] = {}

    def is_free(self, session: bytes) -> bool:
        """Whether no earlier request of the session waits."""
        return session not in self._queues

    def enter(self, session: bytes, go: Callable[[], None]) -> Turn:
        """A request has come; `go` is called once, when it is `ready` and its turn, or when others wait no longer."""
        turn = Turn(session, go)
        turn.timer = asyncio.get_running_loop().call_later(self._patience, self._pass_over, turn)
        self._queues.setdefault(session, []).append(turn)
        return turn

    def ready(self, turn: Turn) -> None:
        """It is connected."""
        turn.is_ready = True
        self._advance(turn.session)

    def leave(self, turn: Turn) -> None:
        """It is not passed on at all."""
        self._remove(turn)
        self._advance(turn.session)

    def _pass_over(self, turn: Turn) -> None:
        self._remove(turn)
        turn.go()
        self._advance(turn.session)

    def _advance(self, session: bytes) -> None:
        while (queue := self._queues.get(session)) and queue[0].is_ready:
            turn = queue[0]
            self._remove(turn)
            turn.go()

    def _remove(self, turn: Turn) -> None:
        if turn.timer is not None:
            turn.timer.cancel()
        queue = self._queues.get(turn.session, [])
        if turn in queue:
            queue.remove(turn)
            if not queue:
                del self._queues[turn.session]
