"""Pages of lists that lead in a circle: who follows `nextCursor` there never ends (case SC-01)."""

from __future__ import annotations

from typing import Final

from mcpmock.session.interaction import Interaction
from mcpmock.wire.message import Json, Message
from mcpmock.wire.values import value_at

__all__ = ["IN_A_CIRCLE", "Followed", "Pages", "cursor_of"]

IN_A_CIRCLE: Final = "lead in a circle: a client that follows nextCursor never ends"

_MOST: Final = 1_000  # pages that are remembered: a server may give out new cursors for ever, and that is no circle
_ONCE_TOO_OFTEN: Final = 3  # a client may ask twice for good reasons: once more because it got no answer, or to compare


class Pages:
    """The pages that have passed, of all lists: which leads to which."""

    def __init__(self) -> None:
        self._following: dict[tuple[str, str], str] = {}

    def turned(self, request: Message, answer: Message) -> bool:
        """A page was answered: whether it leads back to itself, at once or by way of others."""
        method, cursor = request.method, cursor_of(request)
        following = value_at(answer.body, ("result", "nextCursor"))
        if cursor is None:
            return False
        if not isinstance(following, str):
            self._following.pop((method, cursor), None)
            return False
        if len(self._following) >= _MOST:
            self._following.clear()
        self._following[method, cursor] = following
        seen: set[str] = set()
        while following not in seen and following != cursor:
            seen.add(following)
            following = self._following.get((method, following), following)
        return following == cursor


class Followed:
    """How often a live client has asked for pages that lead in a circle; told once of each list."""

    def __init__(self) -> None:
        self._pages = Pages()
        self._times: dict[tuple[str, str], int] = {}
        self._told: set[str] = set()

    def asked(self, request: Message, interaction: Interaction) -> str:
        """The client asks for a page: what a person should be told; empty where that is nothing, or was told."""
        answer, key = interaction.answer_message, (request.method, cursor_of(request) or "")
        if answer is None or not self._pages.turned(request, answer):
            return ""
        times = self._times[key] = self._times.get(key, 0) + 1
        if times < _ONCE_TOO_OFTEN or request.method in self._told:
            return ""
        self._told.add(request.method)
        page = f"the same page of {request.method} again and again (line {interaction.entry.line})"
        return f"the client asks for {page}: the recorded pages {IN_A_CIRCLE}"


def cursor_of(request: Message) -> str | None:
    """The cursor that a list is asked with, which may be empty; None for a first page, and what is no list."""
    params: Json = request.params if isinstance(request.params, dict) else None
    cursor = params.get("cursor") if isinstance(params, dict) else None
    return cursor if isinstance(cursor, str) and request.method.endswith("/list") else None
