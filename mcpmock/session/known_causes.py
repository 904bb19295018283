"""Which call a notification of a change came of, where several were open at once and their places do not tell.

On a subscription (2026-07-28) a `list_changed` comes beside the answer, and often after it. What a tool brings is seen
where nothing else was going on, earlier or later in the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from mcpmock.session.correlation import id_key
from mcpmock.session.events import Event
from mcpmock.wire.envelope import SUBSCRIPTION_KEY
from mcpmock.wire.message import Message
from mcpmock.wire.methods import LIST_CHANGED, STAYS_OPEN

__all__ = ["causes_known"]

_OF_CHANGES: Final = LIST_CHANGED | {"notifications/resources/updated"}
_MOST_TOOLS: Final = 64
"""That are remembered for one notification: a server of which more change the same thing tells nothing by it."""


class _Seen(NamedTuple):
    """A notification of a change: its event, the event of the request that was alone before it (-1 where none was),
    and the latest call of each tool among those that were open together."""

    at: int
    message: Message
    sole: int
    together: Mapping[str, int]


def causes_known(events: Sequence[Event], pairs: Mapping[int, int]) -> dict[int, int]:
    """The event of the call for that of each notification whose cause is known, though others were open beside it."""
    tools: dict[tuple[str, str], dict[str, None]] = {}
    for seen in _seen(events, pairs):
        known = tools.setdefault(_what(seen.message), {})
        if seen.sole >= 0 and len(known) < _MOST_TOOLS:
            known.update((name, None) for name, at in seen.together.items() if at == seen.sole)
    causes: dict[int, int] = {}
    told: set[tuple[object, ...]] = set()
    for at, message, sole, together in _seen(events, pairs):
        said = *_what(message), _subscription(message)
        calls = [together[name] for name in tools[_what(message)] if name in together]
        waiting = [call for call in calls if pairs.get(call, at) >= at or (call, *said) not in told]
        if waiting:
            told.add((max(waiting), *said))
            if sole < 0:
                causes[at] = max(waiting)
    return causes


def _seen(events: Sequence[Event], pairs: Mapping[int, int]) -> Iterator[_Seen]:
    sole = until = settled = -1  # `settled`: what comes earlier may be because the client is initialized
    together: dict[str, int] = {}
    for at, (entry, side, message) in enumerate(events):
        if message is None or (side == "client" and (message.kind == "response" or message.method == "ping")):
            continue
        if side == "server":
            if message.method in _OF_CHANGES:
                yield _Seen(at, message, sole if at > settled else -1, together)
        elif message.method in STAYS_OPEN or (message.kind != "request" and entry.answer is None):
            sole = -1
            if message.method == "notifications/initialized":
                settled = len(events)
        else:
            if at > until:
                together = {}
            sole = at if at > until else -1
            until, settled = max(until, pairs.get(at, at)), min(settled, pairs.get(at, settled))
            if message.method == "tools/call":
                together[_tool(message)] = at


def _what(message: Message) -> tuple[str, str]:
    params = message.params if isinstance(message.params, dict) else {}
    return message.method, str(params.get("uri", ""))


def _subscription(message: Message) -> object:
    meta = message.params.get("_meta") if isinstance(message.params, dict) else None
    return id_key(meta[SUBSCRIPTION_KEY]) if isinstance(meta, dict) and SUBSCRIPTION_KEY in meta else None


def _tool(call: Message) -> str:
    return str(call.params.get("name")) if isinstance(call.params, dict) else ""
