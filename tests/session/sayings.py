"""Sessions and talks in a few words: `session("read a -> 1", "add -> ok")` and `plays(cassette, "read a -> 1", …)`.

A word stands for a request, what is behind the arrow for its whole result; notifications have no arrow.
"""

from __future__ import annotations

import json

from mcpmock.session.playing.live import Options
from tests.session.dialogue import dialogue

REQUESTS = {
    "list": {"method": "resources/list"},
    "read a": {"method": "resources/read", "params": {"uri": "a"}},
    "read b": {"method": "resources/read", "params": {"uri": "b"}},
    "add": {"method": "tools/call", "params": {"name": "add"}},
    "remove": {"method": "tools/call", "params": {"name": "remove"}},
    "look": {"method": "tools/call", "params": {"name": "look"}},
    "hint false": {"method": "tools/call", "params": {"name": "hint false"}},
    "task": {"method": "tasks/get", "params": {"taskId": "1"}},
    "roots": {"method": "notifications/roots/list_changed"},
    "own notification": {"method": "notifications/own"},
    "tools": {"method": "tools/list"},
    **{
        method: {"method": method}
        for method in (
            "initialize",
            "ping",
            "logging/setLevel",
            "completion/complete",
            "resources/subscribe",
            "resources/unsubscribe",
            "subscriptions/listen",
            "prompts/get",
            "tasks/update",
            "tasks/cancel",
            "tasks/result",
            "tasks/list",
            "x/own",
        )
    },
}

TOOLS = [
    {"name": "look", "annotations": {"readOnlyHint": True}},
    {"name": "hint false", "annotations": {"readOnlyHint": False}},
    {"name": "add", "annotations": {"title": "says nothing"}},
    {"name": "remove"},
]


def session(*said: str) -> str:
    """A cassette whose session went like this; a list of the tools comes last."""
    entries = [_entry(*line.partition(" -> ")[::2]) for line in said]
    entries.append({"client": REQUESTS["tools"], "server": {"result": {"tools": TOOLS}}})
    return json.dumps({"version": 1, "sessions": [{"entries": entries}]})


def _entry(asked: str, answer: str) -> dict[str, object]:
    return {"client": REQUESTS[asked], "server": {"result": answer}} if answer else {"client": REQUESTS[asked]}


def plays(cassette: str, *said: str, options: Options | None = None) -> list[str]:
    """Holds this talk; returns what would be reported as unplayed."""
    lines: list[str] = []
    for at, line in enumerate(said, 1):
        asked, _, answer = line.partition(" -> ")
        if not answer:
            lines.append(f"> {json.dumps(REQUESTS[asked])}")
            continue
        lines.append(f"> {json.dumps({'id': at, **REQUESTS[asked]})}")
        missed = answer in ("exhausted", "out of order")
        lines.append(f"< miss {answer} {at}" if missed else f"< {json.dumps({'id': at, 'result': answer})}")
    machine = dialogue(cassette, "\n".join(lines), options=options)
    names = {json.dumps(value): name for name, value in REQUESTS.items()}
    return [
        names[json.dumps({"method": one.method, **({"params": one.params} if one.params else {})})]
        for one in machine.unplayed()
    ]
