"""The table of MCP methods, revisions 2024-11-05 to 2026-07-28: what playback must know of each."""

from __future__ import annotations

from typing import Final, NamedTuple

LEGACY_REVISIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The revisions with an `initialize` handshake, oldest first."""

BATCH_REVISION: Final = "2025-03-26"
"""The one revision that allows JSON-RPC batches."""


class Method(NamedTuple):
    """One row.

    changes      whether it moves the position of a session (`tools/call` unless its tool is read-only)
    noise        whether it uses up nothing: any recorded answer serves, or one is made up
    asks         whether a server may ask the client while it is open
    counts       whether one that was never played is reported as unplayed
    capability   the server capability that it shows, or the client capability that a question needs
    """

    changes: bool = False
    noise: bool = False
    asks: bool = False
    counts: bool = False
    capability: str = ""


CLIENT_METHODS: Final[dict[str, Method]] = {
    "initialize": Method(),
    "server/discover": Method(noise=True),
    "ping": Method(noise=True),
    "tools/list": Method(capability="tools"),
    "tools/call": Method(changes=True, asks=True, counts=True, capability="tools"),
    "resources/list": Method(capability="resources"),
    "resources/templates/list": Method(capability="resources"),
    "resources/read": Method(asks=True, counts=True, capability="resources"),
    "resources/subscribe": Method(capability="resources"),
    "resources/unsubscribe": Method(capability="resources"),
    "subscriptions/listen": Method(),
    "prompts/list": Method(capability="prompts"),
    "prompts/get": Method(asks=True, counts=True, capability="prompts"),
    "completion/complete": Method(asks=True, capability="completions"),
    "logging/setLevel": Method(noise=True, capability="logging"),
    "tasks/get": Method(capability="tasks"),
    "tasks/result": Method(asks=True, capability="tasks"),
    "tasks/list": Method(capability="tasks"),
    "tasks/cancel": Method(changes=True, capability="tasks"),
    "tasks/update": Method(changes=True),
    "skills/list": Method(),
    "skills/get": Method(),
    "resources/directory/read": Method(),
    "notifications/initialized": Method(noise=True),
    "notifications/cancelled": Method(noise=True),
    "notifications/progress": Method(noise=True),
    "notifications/roots/list_changed": Method(changes=True),
    "notifications/tasks/status": Method(),
}
"""What a client sends."""

SERVER_QUESTIONS: Final[dict[str, Method]] = {
    "ping": Method(noise=True),
    "roots/list": Method(capability="roots"),
    "sampling/createMessage": Method(capability="sampling"),
    "elicitation/create": Method(capability="elicitation"),
    "tasks/get": Method(capability="tasks"),
    "tasks/result": Method(capability="tasks"),
    "tasks/list": Method(capability="tasks"),
    "tasks/cancel": Method(capability="tasks"),
}
"""The requests that a server sends (legacy revisions)."""

STAYS_OPEN: Final = frozenset({"subscriptions/listen"})
"""The requests that nobody expects to be answered before the end."""

CACHEABLE: Final = frozenset(
    ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read")
)
"""The methods whose results say how long they may be kept (2026-07-28): how often they are asked is not told by a
recording."""

LIST_CHANGED: Final = frozenset(f"notifications/{kind}/list_changed" for kind in ("tools", "prompts", "resources"))

UNKNOWN: Final = Method(changes=True)
"""The row of every client method that the table does not hold."""


def method_row(method: str) -> Method:
    """The row of what a client sends; an unknown method may change anything."""
    return CLIENT_METHODS.get(method, UNKNOWN)
