"""A live request that no recorded one answers: what it was, why, and what the client is told.

Imported only once a request has missed. `pages` has the text for people.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

from mcpmock.matching.nearest import Candidate, Near, name_of, nearest
from mcpmock.wire.message import Message, Object

MISS_CODE: Final = -31404
"""The JSON-RPC error code of every miss: outside -32768 to -32000, which JSON-RPC 2.0 (5.1) keeps; after HTTP's 404."""

MissKind: TypeAlias = Literal["unknown", "near miss", "exhausted", "wrong state", "out of order"]

NEAREST: Final = 3
"""How many recorded requests a miss names."""


class Miss(NamedTuple):
    """One miss.

    kind       `unknown` method, tool or prompt; `near miss`; `exhausted`: its like was recorded, and all were played;
               `wrong state`: recorded for another state; `out of order`: something else was `expected`
    request    the live request (or notification)
    nearest    the recorded requests that come nearest, with what differs, the nearest first
    known      unknown only: the methods, tools or prompts that were recorded, sorted
    expected   out of order: what the recording has next; None where it has ended
    """

    kind: MissKind
    request: Message
    nearest: tuple[Near, ...] = ()
    known: tuple[str, ...] = ()
    expected: Candidate | None = None


def find_miss(
    request: Message,
    candidates: Iterable[Candidate],
    kind: MissKind | None = None,
    expected: Candidate | None = None,
) -> Miss:
    """The miss of a live request among all recorded requests of its server, in recorded order.

    Without a `kind` it is `unknown` where nothing of that method (tool, prompt) was recorded, else a `near miss`.
    """
    recorded = tuple(candidates)
    found = nearest(request, recorded, NEAREST)
    known = _known(request, recorded)
    subject = name_of(request) if found and _is_named(request) else request.method
    decided = kind or ("near miss" if subject in known else "unknown")
    return Miss(decided, request, found, known if decided == "unknown" else (), expected)


def _known(request: Message, recorded: Iterable[Candidate]) -> tuple[str, ...]:
    """The names beside which an unknown one would stand: tools or prompts, or else methods."""
    same = [candidate.request for candidate in recorded if candidate.request.method == request.method]
    if same and _is_named(request):
        return tuple(sorted({name_of(other) for other in same}))
    return tuple(sorted({candidate.request.method for candidate in recorded}))


def _is_named(request: Message) -> bool:
    return request.method in ("tools/call", "prompts/get")


def error_object(miss: Miss) -> Object:
    """The JSON-RPC error (`code`, `message`, `data`) that answers the request."""
    return {"code": MISS_CODE, "message": miss.kind, "data": {"mcpmock": {"miss": miss.kind}}}
