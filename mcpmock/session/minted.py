"""Values that the server minted and would hand out twice: fresh ones then, and back again (DESIGN 4, "Key").

Only the ids of tasks can be confused: two that are running at once would be polled as one. A cursor that is handed out
with the same page again leads to the same next page, so "the last again" is the recorded page, cursor and all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from mcpmock.wire.message import Json, Message, Object

__all__ = ["NO_RENAMES", "Minted", "Renames", "renamed", "task_made_by"]

Renames: TypeAlias = Mapping[str, str]
"""Fresh values by the recorded ones that they stand for."""

NO_RENAMES: Final[Renames] = {}
_RELATED: Final = "io.modelcontextprotocol/related-task"
_PLACES: Final = (
    ("params", "taskId"),
    ("params", "_meta", _RELATED, "taskId"),
    ("result", "taskId"),
    ("result", "task", "taskId"),
    ("result", "_meta", _RELATED, "taskId"),
)
"""Where messages name a task."""


class Minted:
    """The fresh values of one live session; `recorded` tells what each stands for."""

    def __init__(self) -> None:
        self.recorded: dict[str, str] = {}

    def fresh(self, recorded: str) -> Renames:
        """A value that was never handed out, to stand for a recorded one."""
        serial = 2
        while f"{recorded}-{serial}" in self.recorded:
            serial += 1
        self.recorded[f"{recorded}-{serial}"] = recorded
        return {recorded: f"{recorded}-{serial}"}

    def back(self, message: Message) -> tuple[Message, Renames]:
        """A live request with the recorded values in it, and what they have to be renamed to in what answers it."""
        params = message.params
        live = params.get("taskId") if isinstance(params, dict) else None
        recorded = self.recorded.get(live) if isinstance(live, str) else None
        if not isinstance(params, dict) or not isinstance(live, str) or recorded is None:
            return message, NO_RENAMES
        body: Object = {**message.body, "params": {**params, "taskId": recorded}}
        return message._replace(body=body, text=None), {recorded: live}


def task_made_by(answer: Message | None) -> str | None:
    """The id of the task that an answer hands out (`CreateTaskResult`, MCP 2025-11-25); None where it makes none."""
    result = answer.body.get("result") if answer is not None else None
    task = result.get("task") if isinstance(result, dict) else None
    made = task.get("taskId") if isinstance(task, dict) else None
    return made if isinstance(made, str) else None


def renamed(message: Message, renames: Renames) -> dict[tuple[str, ...], Json]:
    """What has to change in a recorded message: new values by their paths."""
    changes: dict[tuple[str, ...], Json] = {}
    for path in _PLACES if renames else ():
        value: Json = message.body
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str) and value in renames:
            changes[path] = renames[value]
    return changes
