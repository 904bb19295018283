"""How nearly does a request fit: readable differences, and the recorded requests that come nearest.

Imported only once a request has missed. Equality is that of `keys`: no differences means equal keys, and the reverse.
"""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from mcpmock.cassette.placeholders import bind, has_placeholder
from mcpmock.matching.keys import NO_MASK, Mask, Trees, canonical_json, comparable, members, pointer_to, prune
from mcpmock.matching.rough import may_differ, shallow_pairs, shared_length, weight_of
from mcpmock.wire.message import MISSING, Json, Message, Missing, Object

if TYPE_CHECKING:
    from mcpmock.matching.clashes import Clash

NAMED_BY: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The member of the params that says what a request is about."""

_SHORTLIST: Final = 64
"""How many candidates are compared in full; the rest loses by a cheap estimate."""

_WORK: Final = 300_000
"""Values that are compared, at most, to rank the candidates of that shortlist."""

_ENOUGH: Final = 100
"""Differences that are counted for one candidate in the ranking."""

_ALIGNED: Final = 200
"""Elements of an array that are aligned; longer stretches are compared index by index."""

_ALIGNED_DEPTH: Final = 20
"""Levels at which arrays are aligned; below, element by element, or the time would grow with the depth."""

_LOOKED_AT: Final = 400
"""Characters of a value that are looked at to tell how much differs."""


class Candidate(NamedTuple):
    """A recorded request, with all that a miss must know of it.

    `line` counts from 1 in the file `path` (0: unknown), `session` from 1 among those of its server, `played` is how
    often the live session has had it answered, `mask` is what does not count in it. `server` is the name of the
    server where the file holds several.
    """

    request: Message
    path: str = ""
    line: int = 0
    session: int = 1
    played: int = 0
    mask: Mask = NO_MASK
    server: str = ""


class Difference(NamedTuple):
    """One place where two values differ; `MISSING` on the side where there is none.

    The pointer counts the elements of an array as they stand on the side that has the value, both: the recorded one.
    """

    pointer: str
    recorded: Json | Missing
    live: Json | Missing


class Near(NamedTuple):
    """A candidate and how it differs from the live request; `clashes` are the variables that stand for something else
    in this session."""

    candidate: Candidate
    differences: tuple[Difference, ...]
    clashes: tuple[Clash, ...] = ()


def name_of(request: Message) -> str:
    """The tool, prompt or resource that a request is about; empty for other methods, or where there is none."""
    params = request.params
    found = params.get(NAMED_BY.get(request.method, "")) if isinstance(params, dict) else None
    return found if isinstance(found, str) else ""


def params_of(request: Message) -> Json:
    """The params of a request as they are compared: without what never counts."""
    return comparable(request.method, request.params)


def differences(recorded: Json, live: Json, mask: Mask = NO_MASK) -> Iterator[Difference]:
    """Where two JSON values differ, as deep down as can be told, in the order of the recorded one."""
    waiting = [iter((_Pair((), recorded, live, mask.trees, mask.trees),))]
    while waiting:
        pair = next(waiting[-1], None)
        if pair is None:
            waiting.pop()
        elif isinstance(pair.recorded, dict) and isinstance(pair.live, dict):
            waiting.append(_members_paired(pair, pair.recorded, pair.live))
        elif isinstance(pair.recorded, list) and isinstance(pair.live, list):
            waiting.append(_elements_paired(pair, pair.recorded, pair.live))
        elif not _are_equal(pair.recorded, pair.live, pair.trees, pair.live_trees):
            yield pair.as_difference()


def request_differences(candidate: Candidate, live: Message) -> Iterator[Difference]:
    """Where the params of a live request differ from those of a recorded one of the same method.

    A text that a recorded placeholder can stand for is no difference.
    """
    found = differences(params_of(candidate.request), params_of(live), candidate.mask)
    return (difference for difference in found if not _is_bound(difference))


def _is_bound(difference: Difference) -> bool:
    recorded, live = difference.recorded, difference.live
    if not (isinstance(recorded, str) and isinstance(live, str) and has_placeholder(recorded)):
        return False
    return bind(recorded, live, {}) is not None


def nearest(live: Message, candidates: Iterable[Candidate], limit: int = 3) -> tuple[Near, ...]:
    """The recorded requests that come nearest to a live one, the nearest first; at most `limit`.

    Of the same method; about the same tool, prompt or resource before others; then those with the fewest and smallest
    differences; then as recorded. Time is linear in the number of candidates, and small for each.
    """
    wanted, name = params_of(live), name_of(live)
    rough = heapq.nsmallest(
        max(limit, min(_SHORTLIST, _WORK // (weight_of(wanted) + 1))),
        (
            (name_of(candidate.request) != name, *_estimate(candidate.request, wanted), order, candidate)
            for order, candidate in enumerate(candidates)
            if candidate.request.method == live.method
        ),
    )
    ranked = []
    for is_other, _, _, order, candidate in rough:
        found = Near(candidate, tuple(islice(request_differences(candidate, live), _ENOUGH)))
        ranked.append((is_other, len(found.differences), sum(map(_size, found.differences)), order, found))
    return tuple(found for *_, found in sorted(ranked)[:limit])


class _Pair(NamedTuple):
    """Two values that stand in the same place, or one of them; the trees of a mask that apply there."""

    path: tuple[str | int, ...]
    recorded: Json | Missing
    live: Json | Missing
    trees: Trees
    live_trees: Trees

    def as_difference(self) -> Difference:
        return Difference(
            pointer_to(self.path), _counting(self.recorded, self.trees), _counting(self.live, self.live_trees)
        )


class _Child(NamedTuple):
    segment: str | int
    value: Json | Missing
    trees: Trees

    def text(self) -> str:
        return _text(self.value, self.trees)


_NOTHING: Final = _Child("", MISSING, ())


def _counting(value: Json | Missing, trees: Trees) -> Json | Missing:
    return value if isinstance(value, Missing) else prune(value, trees)


def _text(value: Json | Missing, trees: Trees = ()) -> str:
    return "" if isinstance(value, Missing) else canonical_json(prune(value, trees))


def _paired(pair: _Pair, recorded: _Child, live: _Child) -> _Pair:
    segment = live.segment if recorded is _NOTHING else recorded.segment
    return _Pair((*pair.path, segment), recorded.value, live.value, recorded.trees, live.trees)


def _members_paired(pair: _Pair, recorded: Object, live: Object) -> Iterator[_Pair]:
    if pair.trees or pair.live_trees:
        ours = {child[0]: _Child(*child) for child in members(recorded, pair.trees)}
        theirs = {child[0]: _Child(*child) for child in members(live, pair.live_trees)}
        yield from (_paired(pair, ours.get(key, _NOTHING), theirs.get(key, _NOTHING)) for key in {**ours, **theirs})
        return
    for key in chain(recorded, (key for key in live if key not in recorded)):
        first, second = recorded.get(key, MISSING), live.get(key, MISSING)
        if first.__class__ is not second.__class__ or first.__class__ not in _SIMPLE or first != second:
            yield _Pair((*pair.path, key), first, second, (), ())


def _elements_paired(pair: _Pair, recorded: list[Json], live: list[Json]) -> Iterator[_Pair]:
    if not pair.trees and not pair.live_trees and min(len(recorded), len(live)) > _ALIGNED:
        start = _equal_at_first(recorded, live)  # of long lists only what is left is looked at as children
        ours, theirs = _children(recorded, start), _children(live, start)
        if max(len(recorded), len(live)) - start > 2 * _ALIGNED:
            yield from (_paired(pair, *children) for children in zip_longest(ours, theirs, fillvalue=_NOTHING))
            return
    else:
        ours = (_Child(*child) for child in members(recorded, pair.trees))
        theirs = (_Child(*child) for child in members(live, pair.live_trees))
    yield from _aligned(pair, list(ours), list(theirs))


def _children(elements: list[Json], start: int) -> Iterator[_Child]:
    return (_Child(at, elements[at], ()) for at in range(start, len(elements)))


def _aligned(pair: _Pair, ours: list[_Child], theirs: list[_Child]) -> Iterator[_Pair]:
    stretches: Iterable[tuple[int, int, int, int]] = [(0, len(ours), 0, len(theirs))]
    if len(pair.path) < _ALIGNED_DEPTH:
        stretches = _unequal_stretches([child.text() for child in ours], [child.text() for child in theirs])
    for ours_from, ours_to, theirs_from, theirs_to in stretches:
        first, second = ours[ours_from:ours_to], theirs[theirs_from:theirs_to]
        yield from (_paired(pair, *children) for children in zip_longest(first, second, fillvalue=_NOTHING))


def _unequal_stretches(recorded: list[str], live: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """The stretches (from, to, from, to) between which the two are equal."""
    start = _equal_at_first(recorded, live)
    tail = _equal_at_first(recorded[start:][::-1], live[start:][::-1])
    ours, theirs = recorded[start : len(recorded) - tail], live[start : len(live) - tail]
    if max(len(ours), len(theirs)) > _ALIGNED:
        yield start, start + len(ours), start, start + len(theirs)
        return
    for tag, *ends in difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag != "equal":
            yield start + ends[0], start + ends[1], start + ends[2], start + ends[3]


def _equal_at_first(recorded: Sequence[Json], live: Sequence[Json]) -> int:
    """How many leading elements are the same."""
    pairs = enumerate(zip(recorded, live, strict=False))
    unequal = (at for at, (ours, theirs) in pairs if not _are_equal(ours, theirs))
    return next(unequal, min(len(recorded), len(live)))


_SIMPLE: Final = frozenset({str, int, bool, type(None)})
"""Types of which equal values are the same JSON, and others are not."""


def _are_equal(recorded: Json | Missing, live: Json | Missing, trees: Trees = (), live_trees: Trees = ()) -> bool:
    if recorded.__class__ is live.__class__ and recorded.__class__ in _SIMPLE:
        return recorded == live
    return _text(recorded, trees) == _text(live, live_trees)


def _size(difference: Difference) -> int:
    """How much differs: the characters between what both texts begin and end with."""
    first, second = (
        _text(side[:_LOOKED_AT] if isinstance(side, str) else side)[:_LOOKED_AT] for side in difference[1:]
    )
    start = shared_length(first, second)
    tail = shared_length(first[start:][::-1], second[start:][::-1])
    return max(len(first), len(second)) - start - tail


def _estimate(recorded: Message, wanted: Json) -> tuple[int, int]:
    """Cheaply: how many members of the params and of their arguments differ, and how much."""
    pairs = shallow_pairs(params_of(recorded), wanted)
    rough = [_roughly(first, second) for first, second in pairs if may_differ(first, second)]
    return len(rough), sum(rough)


def _roughly(first: Json | Missing, second: Json | Missing) -> int:
    if isinstance(first, str) and isinstance(second, str):
        return len(set(first[:_LOOKED_AT]) ^ set(second[:_LOOKED_AT])) + abs(len(first) - len(second))
    return _LOOKED_AT
