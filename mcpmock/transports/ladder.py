"""The ladder by which a server is ended that does not end by itself, once its client has gone."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

Step: TypeAlias = Literal["wait", "terminate", "kill"]


class Patience(NamedTuple):
    """Seconds to wait.

    after_client    from the client's end, or the last answer after it, to TERM
    for_answers     from what the server said last to TERM, while a client that still reads waits for answers
    for_nobody      to TERM, and from there to KILL, once nobody can read what the server says: the client has died
    after_term      from TERM to KILL
    for_first_word  until a server that says nothing is remarked upon
    """

    after_client: float = 5.0
    for_answers: float = 60.0
    after_term: float = 2.0
    for_nobody: float = 1.0
    for_first_word: float = 5.0


PATIENCE: Final = Patience()


class Ladder:
    """Tells the next step. Times are seconds of one clock."""

    def __init__(self, patience: Patience) -> None:
        self._patience: Final = patience
        self._since: float | None = None
        self._alone_since: float | None = None
        self._terminated_at: float | None = None

    @property
    def has_begun(self) -> bool:
        """Whether the client has gone."""
        return self._since is not None

    def client_gone(self, now: float) -> None:
        """The client has closed the server's input, or reads no more."""
        if self._since is None:
            self._since = now

    def nobody_reads(self, now: float) -> None:
        """Nobody can read any more what the server says."""
        if self._alone_since is None:
            self._alone_since = now

    def step(self, now: float, *, last_sign: float, expects_answers: bool) -> tuple[Step, float | None]:
        """What to do now, and after how many seconds to ask again (None: when something happens).

        `expects_answers`: a client that can still read waits for answers. `last_sign` is then when the server said
        something last, otherwise when it answered last.
        """
        if self._since is None:
            return "wait", None
        if self._terminated_at is not None:
            left = self._end_of_patience(self._terminated_at, self._patience.after_term) - now
            return ("wait", left) if left > 0 else ("kill", None)
        patience = self._patience.for_answers if expects_answers else self._patience.after_client
        left = self._end_of_patience(max(self._since, last_sign), patience) - now
        if left > 0:
            return "wait", left
        self._terminated_at = now
        return "terminate", self._end_of_patience(now, self._patience.after_term) - now

    def _end_of_patience(self, since: float, seconds: float) -> float:
        if self._alone_since is None:
            return since + seconds
        since_alone = max(self._alone_since, self._terminated_at or 0.0)
        return min(since + seconds, since_alone + self._patience.for_nobody)
