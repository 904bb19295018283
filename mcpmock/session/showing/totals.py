"""How much was said in a recorded session: by method, by side, and what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mcpmock.matching.keys import canonical_json
from mcpmock.session.events import Event
from mcpmock.session.interaction import Interaction
from mcpmock.session.showing.gist import is_tool_failure
from mcpmock.wire.message import Message, Object, encode
from mcpmock.wire.methods import STAYS_OPEN

__all__ = ["Totals", "add_up", "count"]


class Totals(NamedTuple):
    """Messages and bytes by side; what was asked and told, by method; troubles and events, by name; milliseconds."""

    messages: Counter[str]
    bytes: Counter[str]
    requests: Counter[str]
    questions: Counter[str]
    client_notifications: Counter[str]
    server_notifications: Counter[str]
    events: Counter[str]
    duration: int

    def to_json(self) -> Object:
        """All of it; counters as objects, the most frequent first."""
        return {
            key: dict(value.most_common()) if isinstance(value, Counter) else value
            for key, value in self._asdict().items()
        }


def count(events: Sequence[Event], interactions: Iterable[Interaction]) -> Totals:
    """The totals of one session."""
    totals = _nothing()
    for event in events:
        if event.message is None:
            totals.events[event.entry.kind] += 1
        else:
            _add(totals, event, event.message)
    for interaction in interactions:
        if any(step.kind == "cancel" for step in interaction.steps):
            totals.events["cancelled"] += 1
        elif interaction.is_unanswered and interaction.method not in STAYS_OPEN:
            totals.events["unanswered"] += 1
    times = [event.entry.at for event in events if event.entry.at is not None]
    return totals._replace(duration=max(times, default=0))


def add_up(parts: Iterable[Totals]) -> Totals:
    """The totals of several sessions."""
    total = _nothing()
    for part in parts:
        for sums, counts in zip(total, part, strict=True):
            if isinstance(sums, Counter) and isinstance(counts, Counter):
                sums.update(counts)
        total = total._replace(duration=total.duration + part.duration)
    return total


def _nothing() -> Totals:
    return Totals(Counter(), Counter(), Counter(), Counter(), Counter(), Counter(), Counter(), 0)


def _add(totals: Totals, event: Event, message: Message) -> None:
    is_client = event.side == "client"
    totals.messages[event.side] += 1
    totals.bytes[event.side] += _size(message)
    if message.kind == "request" or (is_client and event.entry.answer is not None):
        (totals.requests if is_client else totals.questions)[message.method] += 1
    elif message.kind == "notification":
        (totals.client_notifications if is_client else totals.server_notifications)[message.method] += 1
    elif message.is_error:
        totals.events["errors"] += 1
    elif is_tool_failure(message):
        totals.events["tool failures"] += 1


def _size(message: Message) -> int:
    """Bytes on the wire, but for the line's end and the blanks that somebody may have sent between tokens."""
    if message.text is not None:
        return len(message.text.encode("utf-8", "surrogatepass"))
    try:
        return len(encode(message.body))
    except RecursionError:
        return len(canonical_json(message.body))
