"""What may change the state of a recorded server (DESIGN 4, `stateful`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcpmock.cassette.model import Session
from mcpmock.session.events import unfold
from mcpmock.wire.message import Message
from mcpmock.wire.methods import method_row

__all__ = ["is_change", "read_only_tools"]


def read_only_tools(sessions: Iterable[Session]) -> frozenset[str]:
    """The tools that any recorded `tools/list` calls read-only (`annotations.readOnlyHint: true`)."""
    names: set[str] = set()
    for session in sessions:
        for event in unfold(session.entries):
            if event.side == "server" and event.message and event.message.kind == "response":
                names.update(_read_only_names(event.message.body.get("result")))
    return frozenset(names)


def _read_only_names(result: object) -> Iterator[str]:
    tools = result.get("tools") if isinstance(result, dict) else None
    for tool in tools if isinstance(tools, list) else ():
        hints = tool.get("annotations") if isinstance(tool, dict) else None
        if isinstance(hints, dict) and hints.get("readOnlyHint") is True and isinstance(tool.get("name"), str):
            yield tool["name"]


def is_change(message: Message, read_only: frozenset[str]) -> bool:
    """Whether a client message may change what later reads answer (DESIGN 4, `stateful`)."""
    if not method_row(message.method).changes:
        return False
    if message.method != "tools/call":
        return True
    params = message.params
    return not (isinstance(params, dict) and params.get("name") in read_only)
