"""Which answer belongs to which request: by id with its JSON type, per direction (PROTOCOL 5, traps 1 to 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcpmock.wire.message import MISSING, Json, Message, Missing

if TYPE_CHECKING:
    from mcpmock.session.interaction import Interaction

__all__ = ["IdMap", "id_key", "loose_id_key", "pair_answers"]


def id_key(value: Json | Missing) -> tuple[str, object]:
    """A dictionary key under which `1`, `"1"` and `true` are three ids."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return ("number", value)
    return (type(value).__name__, value if isinstance(value, str) else repr(value))


def loose_id_key(value: Json | Missing) -> str:
    """A key under which `1` and `"1"` are the same, as both official SDKs have it for answers."""
    return str(value)


class IdMap:
    """The interactions by the id of their request: the latest of each id."""

    def __init__(self) -> None:
        self._latest: dict[tuple[str, object], Interaction] = {}

    def add(self, value: Json | Missing, interaction: Interaction) -> None:
        """Remembers the request with this id."""
        if value is not MISSING:
            self._latest[id_key(value)] = interaction

    def find(self, value: Json | Missing) -> Interaction | None:
        """The latest request with this id."""
        return self._latest.get(id_key(value)) if value is not MISSING else None


class _OpenRequests:
    """The open requests of one side by their ids, as event numbers, oldest first."""

    def __init__(self) -> None:
        self._by_id: dict[str, list[tuple[tuple[str, object], int]]] = {}

    def add(self, value: Json | Missing, at: int) -> None:
        self._by_id.setdefault(loose_id_key(value), []).append((id_key(value), at))

    def take(self, value: Json | Missing) -> int | None:
        """The oldest open request with this id, or else with one that differs from it in type only."""
        waiting = self._by_id.get(loose_id_key(value))
        if not waiting:
            return None
        key = id_key(value)
        chosen = next((place for place, (exact, _) in enumerate(waiting) if exact == key), 0)
        return waiting.pop(chosen)[1]


def pair_answers(events: Sequence[tuple[str, Message | None, Message | None]]) -> dict[int, int]:
    """The event number of the request for the event number of each answer, and the reverse.

    `events` are (side, message, short-form answer beside it). Several open requests with one id: the oldest is
    answered first. A second answer to a request, or one with an unknown id, has no pair.
    """
    pairs: dict[int, int] = {}
    open_requests = {"client": _OpenRequests(), "server": _OpenRequests()}
    for at, (side, message, answer) in enumerate(events):
        if message is None:
            continue
        if side == "client" and answer is not None:
            pairs[at], pairs[at + 1] = at + 1, at  # short form: the next event is the answer
        elif message.kind == "request":
            open_requests[side].add(message.id, at)
        elif message.kind == "response" and at not in pairs and message.body.get("id") is not None:
            asked = open_requests["server" if side == "client" else "client"].take(message.id)
            if asked is not None:
                pairs[at], pairs[asked] = asked, at
    return pairs
