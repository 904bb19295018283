"""What can be told of requests cheaply, before anybody compares them: where there are very many, or huge ones."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import Final

from mcpmock.wire.message import MISSING, Json, Message, Missing, Object

__all__ = ["HEAVIEST", "may_differ", "shallow_pairs", "shared_length", "shortlist", "weight_of"]

HEAVIEST: Final = 100_000
"""The weight of what is called huge."""

_TEXT: Final = 1024
"""So many characters of text weigh as much as one value."""


def shortlist(live: Message, recorded: Sequence[Message], limit: int) -> list[int]:
    """The places of the recorded requests that are most like a live one of their method, in rising order.

    At most `limit`, and by the members of their params and arguments only. Takes about a microsecond for each.
    """
    if len(recorded) <= limit:
        return list(range(len(recorded)))
    wanted = _arguments_of(live)
    distances = ((_distance(_arguments_of(one), wanted), at) for at, one in enumerate(recorded))
    return sorted(at for _, at in heapq.nsmallest(limit, distances))


def weight_of(value: Json | Missing) -> int:
    """How many values there are in this one, long texts counting more; no more than it takes to call it huge."""
    weight, waiting = 0, [value]
    while waiting and weight < HEAVIEST:
        here = waiting.pop()
        weight += 1
        if isinstance(here, dict):
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here
        elif isinstance(here, str):
            weight += len(here) // _TEXT
    return weight


def shallow_pairs(recorded: Json, live: Json) -> Iterator[tuple[Json | Missing, Json | Missing]]:
    """What stands in the same place of two params, or of their arguments."""
    if not (isinstance(recorded, dict) and isinstance(live, dict)):
        yield recorded, live
        return
    for key in {**recorded, **live}:
        first, second = recorded.get(key, MISSING), live.get(key, MISSING)
        if key == "arguments" and isinstance(first, dict) and isinstance(second, dict):
            yield from ((first.get(inner, MISSING), second.get(inner, MISSING)) for inner in {**first, **second})
        else:
            yield first, second


def may_differ(first: Json | Missing, second: Json | Missing) -> bool:
    """Whether two values may differ; never raises, whatever the depth."""
    try:
        return first != second
    except RecursionError:
        return True


def shared_length(first: str, second: str) -> int:
    """How many leading characters are the same; by halves, because to compare slices is done in C."""
    low, high = 0, min(len(first), len(second))
    if first[:high] == second[:high]:
        return high
    step = 16
    while step < high and first[low:step] == second[low:step]:
        low, step = step, step * 2
    high = min(step, high)
    while high - low > 1:
        middle = (low + high) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _arguments_of(request: Message) -> Object:
    params = request.body.get("params")
    if not isinstance(params, dict):
        return {}
    arguments = params.get("arguments")
    return arguments if isinstance(arguments, dict) else params


def _distance(recorded: Object, wanted: Object) -> tuple[int, int]:
    """How many members differ; how much the lengths of those differ that are texts."""
    few, many = (recorded, wanted) if len(recorded) < len(wanted) else (wanted, recorded)
    same = texts = 0
    for key, value in few.items():
        other = many.get(key, MISSING)
        if may_differ(value, other):
            if isinstance(value, str) and isinstance(other, str):
                texts += abs(len(value) - len(other))
        else:
            same += 1
    return len(many) - same, texts
