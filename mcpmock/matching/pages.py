"""What people read about misses and unplayed interactions. Imported only where there is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mcpmock.matching.miss import DIFFERENCES, Hint, Miss, hints
from mcpmock.matching.nearest import Candidate, Difference, Near, name_of, params_of
from mcpmock.matching.shown import both_spelt, columns, harmless, shorten, spelt
from mcpmock.matching.veil import Veil
from mcpmock.matching.ways import COMMAND_LINE, Ways
from mcpmock.matching.words import describe, place, sentence
from mcpmock.wire.message import Message
from mcpmock.wire.methods import method_row

WIDTH: Final = 100
"""Columns of a page."""

_POINTER: Final = 36
_UNPLAYED: Final = 20


def page(miss: Miss, ways: Ways = COMMAND_LINE) -> str:
    """The page about a miss, for stderr and for a failing test; ends with an empty line.

    The request is told by what differs from the nearest recorded ones, in two columns; what to type next is below.
    """
    lines = [*_title(f"{miss.kind}: {sentence(miss)}"), ""]
    if miss.expected:
        lines += [*_near(miss.expected, f": {describe(miss.expected.candidate.request)}"), ""]
    else:
        for near in miss.nearest:
            lines += [*_near(near), *_placeholders(near, miss), ""]
    return _text([*lines, *_hints(hints(miss, ways)), ""])


def unplayed_page(unplayed: Sequence[Candidate], total: int, ways: Ways = COMMAND_LINE) -> str:
    """The page about what was never played: of the `total` recorded requests that count, and answered questions.

    Ends with an empty line.
    """
    requests = sum(method_row(candidate.request.method).counts for candidate in unplayed)
    lines = [*_title(_left(requests, total, len(unplayed) - requests)), ""]
    veil = Veil()
    for candidate in unplayed[:_UNPLAYED]:
        request = veil.request(candidate.request)
        lines.append(_line(f"{_where(candidate)}: {describe(request)}", f" {_details(request)}".rstrip()))
    if len(unplayed) > _UNPLAYED:
        lines.append(f"  and {len(unplayed) - _UNPLAYED} more")
    found = [
        Hint("optional: true", "on the client: entry of one that need not be played"),
        Hint(ways.unplayed, "to let them be"),
    ]
    return _text([*lines, "", *_hints(found), ""])


def _left(requests: int, total: int, questions: int) -> str:
    parts = []
    if requests or not questions:
        parts.append(f"{requests} of {total} recorded requests {'was' if requests == 1 else 'were'} never played")
    if questions:
        parts.append(f"{questions} {'question was' if questions == 1 else 'questions were'} never asked")
    return ", ".join(parts)


def _line(head: str, rest: str) -> str:
    """An indented line of which the rest is cut off, and the head never: a long path must not hide what it is about."""
    return f"  {head}{shorten(rest, max(20, WIDTH - columns(head) - 2))}"


def _details(request: Message) -> str:
    """What `describe` leaves out, and what never counts."""
    params = params_of(request)
    if not isinstance(params, dict):
        return spelt(params)
    if isinstance(params.get("arguments"), dict):
        params = params["arguments"]
    elif name_of(request):
        return ""
    return spelt(params) if params else ""


def summary(played: int, misses: Sequence[Miss], unplayed: int = 0, forgotten: Mapping[str, int] = {}) -> str:
    """The closing line of a replay: how many requests were played, missed and how; ends with a line end.

    `forgotten` are further misses, by their kind.
    """
    parts = [f"{played} played"]
    if misses:
        kinds = Counter[str](miss.kind for miss in misses) + Counter(forgotten)
        told = ", ".join(f"{number} {kind}" if kinds.total() > 1 else kind for kind, number in kinds.items())
        parts.append(f"{kinds.total()} missed ({told})")
    if unplayed:
        parts.append(f"{unplayed} never played")
    return f"mcpmock: {', '.join(parts)}\n"


def _near(near: Near, subject: str = "") -> Iterator[str]:
    played = near.candidate.played
    often = "not played" if not played else "played once" if played == 1 else f"played {played} times"
    yield shorten(f"  {_where(near.candidate)}, {often}{subject}", WIDTH)
    if near.differences:
        yield from _table(near.differences)


def _placeholders(near: Near, miss: Miss) -> list[str]:
    if near.clashes:
        return [f"    {clash.in_words()}" for clash in near.clashes[:DIFFERENCES]]
    if near.differences or miss.kind != "near miss" or miss.refusal:
        return []
    return ["    the same, but for a placeholder that stands for another text in this session"]


def _table(differences: Sequence[Difference]) -> Iterator[str]:
    """The differing places in two columns, under their titles."""
    told = differences[:DIFFERENCES]
    pointers = [shorten(harmless(difference.pointer) or "(params)", _POINTER) for difference in told]
    first = max(map(columns, pointers))
    room = (WIDTH - first - 8) // 2
    cells = [both_spelt(each.recorded, each.live, room) for each in told]
    second = max(columns("recorded"), *(columns(recorded) for recorded, _ in cells))
    for pointer, (recorded, live) in zip(["", *pointers], [("recorded", "sent"), *cells], strict=True):
        yield f"    {_padded(pointer, first)}  {_padded(recorded, second)}  {live}"
    if len(differences) > len(told):
        yield f"    and {len(differences) - len(told)} more"


def _hints(ways: Sequence[Hint]) -> Iterator[str]:
    yield "  What to type next:"
    room = WIDTH - max(len(hint.why) for hint in ways) - 6
    longest = max(width for width in (0, *(columns(hint.text) for hint in ways)) if width <= room)
    for hint in ways:
        if columns(hint.text) > room:  # it is there to be pasted, so it is neither cut nor divided
            yield from (f"    {hint.text}", f"    {'':{longest}}  {hint.why}")
        else:
            yield f"    {_padded(hint.text, longest)}  {hint.why}"


def _title(text: str) -> list[str]:
    """The text in lines of words."""
    lines = ["mcpmock:"]
    for word in text.split(" "):
        if columns(lines[-1]) + 1 + columns(word) > WIDTH:
            lines.append(" ")
        lines[-1] += f" {word}"
    return lines


def _where(candidate: Candidate) -> str:
    server = f", server {shorten(harmless(candidate.server), _POINTER)}" if candidate.server else ""
    return f"{place(candidate)}{server}, session {candidate.session}"


def _padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
