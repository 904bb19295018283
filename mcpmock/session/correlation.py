"""Ids and progress tokens as keys: with their JSON type, per direction (PROTOCOL 5, traps 1 to 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpmock.wire.envelope import meta_of
from mcpmock.wire.message import MISSING, Json, Message, Missing

if TYPE_CHECKING:
    from mcpmock.session.interaction import Interaction

__all__ = ["IdMap", "cancelled_id", "id_key", "loose_id_key", "progress_token", "reported_token"]


def id_key(value: Json | Missing) -> tuple[str, object]:
    """A dictionary key under which `1`, `"1"` and `true` are three ids."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return ("number", value)
    return (type(value).__name__, value if isinstance(value, str) else repr(value))


def loose_id_key(value: Json | Missing) -> str:
    """A key under which `1` and `"1"` are the same, as both official SDKs have it for answers."""
    return str(value)


def cancelled_id(message: Message) -> Json | Missing:
    """The id of the request that a `notifications/cancelled` names; MISSING where it names none."""
    return message.params.get("requestId", MISSING) if isinstance(message.params, dict) else MISSING


def progress_token(request: Message) -> Json | Missing:
    """The progress token that a request carries; MISSING without one."""
    return meta_of(request).get("progressToken", MISSING)


def reported_token(message: Message) -> Json | Missing:
    """The progress token that a `notifications/progress` names; MISSING where it names none."""
    return message.params.get("progressToken", MISSING) if isinstance(message.params, dict) else MISSING


class IdMap:
    """The interactions by the id of their request."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, object], list[Interaction]] = {}
        self._latest: dict[tuple[str, object], Interaction] = {}

    def add(self, value: Json | Missing, interaction: Interaction) -> None:
        """A request with this id was sent."""
        if value is not MISSING:
            self._open.setdefault(id_key(value), []).append(interaction)
            self._latest[id_key(value)] = interaction

    def close(self, value: Json | Missing, interaction: Interaction) -> None:
        """The request with this id was answered or cancelled."""
        waiting = self._open.get(id_key(value), [])
        if interaction in waiting:
            waiting.remove(interaction)

    def find(self, value: Json | Missing) -> Interaction | None:
        """The oldest open request with this id, or else the latest that there was."""
        key = id_key(value)
        waiting = self._open.get(key)
        return waiting[0] if waiting else self._latest.get(key)
