"""A live request that no recorded one answers: what it was, why, and what the client is told.

Imported only once a request has missed. `pages` has the text for people.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

from mcpmock.matching.clashes import clashes
from mcpmock.matching.nearest import (
    Candidate,
    Difference,
    Near,
    name_of,
    nearest,
    params_of,
    request_differences,
)
from mcpmock.matching.shown import both_spelt, shorten
from mcpmock.matching.veil import Veil
from mcpmock.matching.ways import COMMAND_LINE, Ways
from mcpmock.matching.words import detail, sentence
from mcpmock.wire.message import MISSING, Json, Message, Missing, Object, dumps

MISS_CODE: Final = -31404
"""The JSON-RPC error code of every miss: outside -32768 to -32000, which JSON-RPC 2.0 (5.1) keeps; after HTTP's 404."""

MissKind: TypeAlias = Literal[
    "unknown", "near miss", "exhausted", "wrong state", "out of order", "refused", "unanswered"
]

NEAREST: Final = 3
"""How many recorded requests a miss names."""

DIFFERENCES: Final = 8
"""How many differences are told of each of them."""

NAMED: Final = frozenset({"tools/call", "prompts/get"})
"""The methods of which a name may be unknown."""

_PLAIN: Final = re.compile(r"/[A-Za-z0-9_./~-]*")
_KNOWN: Final = 20
_NAME: Final = 200
_VALUE: Final = 400
"""Characters of a value, as JSON, in the data of an error; a longer one is told as the beginning of its text."""


class Miss(NamedTuple):
    """One miss, without secrets.

    kind       `unknown` method, tool or prompt; `near miss`; `exhausted`: its like was recorded, and all were played;
               `wrong state`: recorded for another state; `out of order`: something else was `expected`;
               `refused`: see `refusal`; `unanswered`: its like was recorded, but the recording ended before the answer
    request    the live request (or notification); without its params where they may hold secrets that cannot be told
    nearest    the recorded requests that come nearest, with what differs, the nearest first
    known      unknown only: the methods, tools or prompts that were recorded, sorted
    suggestion unknown only: the one of them that may have been meant, or the empty string
    expected   out of order: what the recording has next, with what differs; None where it has ended
    path       the cassette, where it is known
    notification  unknown only: the same, recorded without an id, so that it counts as a notification
    refusal    why the client cannot be served, whatever was recorded of such requests; else the empty string
    lacking    refused only: the capabilities that the client would have to declare to be served; else empty
    """

    kind: MissKind
    request: Message
    nearest: tuple[Near, ...] = ()
    known: tuple[str, ...] = ()
    suggestion: str = ""
    expected: Near | None = None
    path: str = ""
    notification: Candidate | None = None
    refusal: str = ""
    lacking: Mapping[str, Json] = {}


class Hint(NamedTuple):
    """What to type next, and what it is good for."""

    text: str
    why: str


def find_miss(
    request: Message,
    candidates: Iterable[Candidate],
    kind: MissKind | None = None,
    expected: Candidate | None = None,
    bound: Mapping[str, str] = {},
) -> Miss:
    """The miss of a live request among all recorded requests of its server, in recorded order.

    Without a `kind` it is `unknown` where nothing of that method (tool, prompt) was recorded, else a `near miss`.
    `bound` is what placeholders stand for in the live session.
    """
    name, beside = _beside(request, candidates)
    kind = kind or ("near miss" if name in beside else "unknown")
    meant = name if name in beside else _closest(name, beside)
    found = nearest(request, beside.get(meant, ()), NEAREST if kind != "unknown" else 1)
    if kind in ("exhausted", "wrong state"):
        found = tuple(near for near in found if not near.differences) or found
    found = tuple(_with_clashes(near, request, bound) for near in found)
    next_one = _with_clashes(_near(request, expected), request, bound) if expected else None
    veil = Veil()
    return Miss(
        kind,
        veil.request(request, found),
        tuple(veil.near(near, request) for near in found),
        known=tuple(map(veil.name, sorted(beside))) if kind == "unknown" else (),
        suggestion=veil.name(meant) if kind == "unknown" else "",
        expected=next_one and veil.near(next_one, request),
        path=next((same[0].path for same in beside.values()), ""),
    )


def error_object(miss: Miss, ways: Ways = COMMAND_LINE) -> Object:
    """The JSON-RPC error (`code`, `message`, `data`) that answers the request; of bounded size.

    `data.mcpmock` holds `miss` (the kind), `method`, `name` (where it has one), `nearest` (a list of `path`, `line`,
    `session`, `server` (where the cassette holds several), `played`, `differences`: `pointer`, `recorded`, `live`, of
    which a missing value is left out), `known` and `suggestion` (where unknown), `expected` (where out of order: the
    same as in `nearest`, or null) and `hint`.
    """
    told: Object = {"miss": miss.kind, "method": shorten(miss.request.method, _NAME)}
    if name := name_of(miss.request):
        told["name"] = shorten(name, _NAME)
    told["nearest"] = [_told(near) for near in miss.nearest]
    if miss.kind == "unknown":
        told["known"] = [shorten(each, _NAME) for each in miss.known[:_KNOWN]]
        told["suggestion"] = shorten(miss.suggestion, _NAME) or None
    if miss.kind == "out of order":
        told["expected"] = _told(miss.expected) if miss.expected else None
    told["hint"] = "; ".join(f"{hint.text}  ({hint.why})" for hint in hints(miss, ways))
    return {"code": MISS_CODE, "message": f"mcpmock: {sentence(miss)}{detail(miss)}", "data": {"mcpmock": told}}


def hints(miss: Miss, ways: Ways = COMMAND_LINE) -> list[Hint]:
    """What to type next, the likeliest first."""
    found: list[Hint] = []
    if miss.lacking:
        found.append(Hint(f'"capabilities": {shorten(dumps(dict(miss.lacking)), _NAME)}', "for the client to declare"))
    if miss.notification:
        found.append(Hint("id: 1", "in that client: entry, and the same in its answer; or both in one entry"))
    if miss.kind == "near miss":
        found += _hints_on_variables(miss, ways)
    if miss.kind == "near miss" and (pointers := _volatile(miss)):
        it = "it does" if len(pointers) == 1 else "these do"
        places = ", ".join(map(_in_yaml, pointers))
        found.append(Hint(ways.ignoring(pointers), f"if {it} not count"))
        found.append(Hint(f"match: {{ignore: [{places}]}}", "the same, in the client: entry"))
    elif miss.kind == "exhausted":
        found.append(Hint(ways.repeats, "to have the last answer again"))
    elif miss.kind in ("wrong state", "out of order"):
        found.append(Hint(ways.any_order, "to have the best match at any time"))
    target = shlex.quote(miss.path) if miss.path.isprintable() and 0 < len(miss.path) <= _VALUE else "FILE"
    return [*found, Hint(ways.recording(target), "to record it anew")]


def _hints_on_variables(miss: Miss, ways: Ways) -> list[Hint]:
    near = next(iter(miss.nearest), None)
    if near is None:
        return []
    if near.clashes and not near.differences:
        clash = near.clashes[0]
        is_short = clash.live.isprintable() and 0 < len(clash.live) <= _NAME
        return [Hint(ways.setting(clash.name, clash.live), "if that is the folder")] if is_short else []
    if any(isinstance(each.recorded, str) and "~var." in each.recorded for each in near.differences):
        return [Hint("mcpmock record --var NAME=FOLDER ...", "to record a folder that is elsewhere here")]
    return []


def _beside(request: Message, candidates: Iterable[Candidate]) -> tuple[str, dict[str, list[Candidate]]]:
    """The name that may be unknown, and the candidates by such names: tools or prompts, or else methods."""
    by_method: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.request.kind != request.kind:
            continue
        by_method.setdefault(candidate.request.method, []).append(candidate)
    if request.method not in NAMED or request.method not in by_method:
        return request.method, by_method
    by_name: dict[str, list[Candidate]] = {}
    for candidate in by_method[request.method]:
        by_name.setdefault(name_of(candidate.request), []).append(candidate)
    return name_of(request), by_name


def _closest(name: str, known: Iterable[str]) -> str:
    """The known name most like this one, or the empty string; long names are not looked at, that takes too long."""
    return next(iter(difflib.get_close_matches(name[:_NAME], [each for each in known if len(each) <= _NAME], 1)), "")


def _with_clashes(near: Near, request: Message, bound: Mapping[str, str]) -> Near:
    return near._replace(clashes=clashes(params_of(near.candidate.request), params_of(request), bound))


def _near(request: Message, expected: Candidate) -> Near:
    """The expected request; what differs only where both are about the same."""
    is_same = (expected.request.method, name_of(expected.request)) == (request.method, name_of(request))
    return Near(expected, tuple(islice(request_differences(expected, request), DIFFERENCES)) if is_same else ())


def _volatile(miss: Miss) -> list[str]:
    """The places that would have to be ignored for the nearest request to fit; none where they are many."""
    pointers = [difference.pointer for difference in miss.nearest[0].differences] if miss.nearest else []
    if len(pointers) > NEAREST or not all(map(_can_be_typed, pointers)):
        return []
    return [pointer for pointer in pointers if pointer not in ("/name", "/uri")]


def _can_be_typed(pointer: str) -> bool:
    """What stands for a secret cannot: no pointer has a tilde that is no escape."""
    is_pointer = pointer.startswith("/") and "~secret." not in pointer
    return is_pointer and pointer.isprintable() and len(pointer) <= _NAME


def _in_yaml(pointer: str) -> str:
    """The pointer as an element of a YAML flow sequence."""
    return pointer if _PLAIN.fullmatch(pointer) else dumps(pointer)


def _told(near: Near) -> Object:
    candidate = near.candidate
    told: Object = {"path": shorten(candidate.path, _VALUE), "line": candidate.line, "session": candidate.session}
    if candidate.server:
        told["server"] = shorten(candidate.server, _NAME)
    differences: list[Json] = [_difference(each) for each in near.differences[:DIFFERENCES]]
    told |= {"played": candidate.played, "differences": differences}
    if near.clashes:
        told["variables"] = [clash.to_json() for clash in near.clashes[:DIFFERENCES]]
    return told


def _difference(difference: Difference) -> Object:
    values = {"recorded": difference.recorded, "live": difference.live}
    if not all(map(_is_short, values.values())):
        texts = both_spelt(difference.recorded, difference.live, _VALUE)
        values = {side: text for (side, value), text in zip(values.items(), texts, strict=True) if value is not MISSING}
    told: Object = {"pointer": shorten(difference.pointer, _VALUE)}
    told.update({side: value for side, value in values.items() if not isinstance(value, Missing)})
    return told


def _is_short(value: Json | Missing) -> bool:
    """Whether an error can hold the value as it is."""
    try:
        return isinstance(value, Missing) or len(dumps(value)) <= _VALUE
    except (ValueError, RecursionError):  # infinity, from a number beyond a double
        return False
