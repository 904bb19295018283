"""The client's requests that wait for an answer, kept so that each rule finds its own soon, however many there are."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mcpmock.session.interaction import Interaction
from mcpmock.wire.methods import method_row

if TYPE_CHECKING:
    from mcpmock.session.echoes import Echoes

__all__ = ["OpenRequests"]


class OpenRequests:
    """The open requests of a session; `pairs` gives the event number of the answer for that of its request."""

    def __init__(self, pairs: Mapping[int, int]) -> None:
        self._pairs = pairs
        self._never: Final = len(pairs) * 2 + 2  # later than any answer
        self._open: dict[int, tuple[int, Interaction]] = {}  # by number: event number, interaction
        self._calls: dict[int, Interaction] = {}
        self._by_answer: list[tuple[int, int, int]] = []  # heap: event of the answer, of the request, number
        self._that_can_ask: dict[int, Interaction] = {}
        self._have_asked: set[int] = set()
        self._echoes: Echoes | None = None  # once several could have asked

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, interaction: Interaction) -> bool:
        return interaction.number in self._open

    def add(self, at: int, interaction: Interaction) -> None:
        """A request was sent, as event number `at`."""
        number = interaction.number
        self._open[number] = (at, interaction)
        heapq.heappush(self._by_answer, (self._pairs.get(at, self._never), at, number))
        if interaction.method == "tools/call":
            self._calls[number] = interaction
        if method_row(interaction.method).asks:
            self._that_can_ask[number] = interaction
            if self._echoes is not None:
                self._echoes.add(interaction)

    def close(self, interaction: Interaction) -> None:
        """It was answered or cancelled, or is not open anyway."""
        number = interaction.number
        if self._open.pop(number, None) is not None:
            self._calls.pop(number, None)
            if self._that_can_ask.pop(number, None) is not None and self._echoes is not None:
                self._echoes.remove(interaction)

    def is_answered_later(self, interaction: Interaction) -> bool:
        """Whether it is open, and its answer is still to come."""
        at, _ = self._open.get(interaction.number, (-1, interaction))
        return at in self._pairs

    def asked(self, interaction: Interaction) -> None:
        """The server asked because of it."""
        self._have_asked.add(interaction.number)
        if self._echoes is not None:
            self._echoes.asked(interaction)

    def answered_next(self) -> Interaction | None:
        """The one that is answered next; of those that never are the oldest; None where nothing is open."""
        while self._by_answer and self._by_answer[0][2] not in self._open:
            heapq.heappop(self._by_answer)
        return self._open[self._by_answer[0][2]][1] if self._by_answer else None

    def latest_call(self) -> Interaction | None:
        """The latest `tools/call`; None where none is open."""
        return next(reversed(self._calls.values()), None)

    def asking(self, at: int, question: object) -> Interaction | None:
        """The one that a question (its params), event number `at`, belongs to: of those that can ask and are not
        answered before the question is, the one whose words it takes up; None where none can ask."""
        answered = self._pairs.get(at, at)

        def may_ask(number: int) -> bool:
            return self._pairs.get(self._open[number][0], self._never) > answered

        if len(self._that_can_ask) < 2:
            return next((one for number, one in self._that_can_ask.items() if may_ask(number)), None)
        if self._echoes is None:
            from mcpmock.session.echoes import Echoes  # needed by nobody whose client asks for one thing at a time

            self._echoes = Echoes(self._that_can_ask.values(), self._have_asked)
        chosen = self._echoes.choose(question, may_ask)
        return self._open[chosen][1] if chosen is not None else None
