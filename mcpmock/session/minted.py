"""Values that the server minted and would hand out twice: fresh ones then, and back again (DESIGN 4, "Key").

Only the ids of tasks and the state of rounds of input (2026-07-28) can be confused: two that are running at once would
be taken for one. A cursor that is handed out with the same page again leads to the same next page, so "the last again"
is the recorded page, cursor and all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from mcpmock.wire.message import Json, Message, Object
from mcpmock.wire.values import value_at

__all__ = [
    "NO_RENAMES",
    "RELATED_TASK",
    "TASK_STATES",
    "Minted",
    "Renames",
    "minted_by",
    "renamed",
    "task_made_by",
    "task_of",
]

Renames: TypeAlias = Mapping[str, str]
"""Fresh values by the recorded ones that they stand for."""

NO_RENAMES: Final[Renames] = {}

RELATED_TASK: Final = "io.modelcontextprotocol/related-task"
"""The key in `_meta` under which a message names the task that it belongs to (2025-11-25)."""

TASK_STATES: Final = frozenset({"notifications/tasks/status", "notifications/tasks"})
"""What tells the state of a task unasked (2025-11-25, and the extension of 2026-07-28)."""

_PLACES: Final = (
    ("params", "taskId"),
    ("params", "_meta", RELATED_TASK, "taskId"),
    ("result", "taskId"),
    ("result", "task", "taskId"),
    ("result", "_meta", RELATED_TASK, "taskId"),
    ("result", "requestState"),
)
"""Where messages of the server hold such values."""

_BACK: Final = ("taskId", "requestState")
"""Where the params of a client's request do."""


class Minted:
    """The fresh values of one live session; `recorded` tells what each stands for."""

    def __init__(self) -> None:
        self.recorded: dict[str, str] = {}

    def fresh(self, recorded: Iterable[str]) -> Renames:
        """Values that were never handed out, to stand for recorded ones."""
        renames: dict[str, str] = {}
        for value in recorded:
            serial = 2
            while f"{value}-{serial}" in self.recorded:
                serial += 1
            self.recorded[f"{value}-{serial}"] = value
            renames[value] = f"{value}-{serial}"
        return renames

    def back(self, message: Message) -> tuple[Message, Renames]:
        """A live request with the recorded values in it, and what they have to be renamed to in what answers it."""
        params = message.params
        if not isinstance(params, dict):
            return message, NO_RENAMES
        found = {key: live for key in _BACK if isinstance(live := params.get(key), str) and live in self.recorded}
        if not found:
            return message, NO_RENAMES
        recorded = {key: self.recorded[live] for key, live in found.items()}
        body: Object = {**message.body, "params": {**params, **recorded}}
        return message._replace(body=body, text=None), {recorded[key]: live for key, live in found.items()}


def minted_by(answer: Message) -> tuple[str, ...]:
    """What an answer hands out to come back: the id of a task that it makes, the state of a round of input
    (2026-07-28)."""
    result = answer.body.get("result")
    if not isinstance(result, dict):
        return ()
    state = result.get("requestState") if result.get("resultType") == "input_required" else None
    return tuple(value for value in (task_made_by(answer), state) if isinstance(value, str))


def task_made_by(answer: Message) -> str | None:
    """The id of the task that an answer makes, of 2025-11-25 or of the extension of 2026-07-28."""
    task = value_at(answer.body, ("result", "task", "taskId"))
    if value_at(answer.body, ("result", "resultType")) == "task" and not isinstance(task, str):
        task = value_at(answer.body, ("result", "taskId"))
    return task if isinstance(task, str) else None


def task_of(message: Message) -> str:
    """The id of the task that a message is about; empty where it names none."""
    task = message.params.get("taskId") if isinstance(message.params, dict) else None
    return task if isinstance(task, str) else ""


def renamed(message: Message, renames: Renames) -> dict[tuple[str, ...], Json]:
    """What has to change in a recorded message: new values by their paths."""
    changes: dict[tuple[str, ...], Json] = {}
    for path in _PLACES if renames else ():
        value = value_at(message.body, path)
        if isinstance(value, str) and value in renames:
            changes[path] = renames[value]
    return changes
