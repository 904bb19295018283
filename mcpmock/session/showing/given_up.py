"""Which request of a recorded client a cancel is about, or the end of a stream (`mcpmock check`)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from mcpmock.session.correlation import id_key
from mcpmock.session.events import Event
from mcpmock.wire.message import Json, Missing

__all__ = ["Requests"]


class Requests:
    """Those of the client, by their ids and by the labels of their entries; `pairs` tells which were answered when."""

    def __init__(self, events: Sequence[Event], pairs: Mapping[int, int]) -> None:
        self._pairs = pairs
        self._by_id: dict[tuple[str, object], deque[int]] = {}
        self._by_label: dict[str, int] = {}
        self._given_up: set[int] = set()
        for at, (entry, side, message) in enumerate(events):
            if side == "client" and message is not None and message.kind == "request":
                self._by_id.setdefault(id_key(message.id), deque()).append(at)
                self._by_label[entry.label] = at

    def give_up(self, at: int, named: Json | Missing) -> int | None:
        """The event number of the request that is given up at event `at`: the one with this label, or else the oldest
        open one with this id; None where there is none."""
        place = self._by_label.get(named) if isinstance(named, str) and named else None
        if place is None:
            waiting = self._by_id.get(id_key(named), deque())
            while waiting and waiting[0] < at and place is None:
                first = waiting.popleft()  # it is given up now, if it is not answered or given up already
                is_open = self._pairs.get(first, at) >= at and first not in self._given_up
                place = first if is_open else None
        if place is not None:
            self._given_up.add(place)
        return place
