"""How a mock fails: the misses and what was never played, as one error with the pages that explain it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from mcpmock.errors import MockFailure
from mcpmock.matching.miss import Miss, MissKind
from mcpmock.matching.ways import Ways
from mcpmock.mock.engine import Engine

__all__ = ["Missed", "explain", "failure_of", "misses_of"]

_TOLD: Final = 10
"""Different misses that are explained; a client that tries all sorts of things fills no screens."""

_LOOKED_AT: Final = 1000


class Missed(NamedTuple):
    """A request that was never recorded.

    kind    `unknown`, `near miss`, `exhausted`, `wrong state`, `out of order`, `refused` or `unanswered`
    method  what was asked, with `params`
    page    the explanation: the nearest recorded requests, what differs, what to type next
    """

    kind: MissKind
    method: str
    params: Any
    page: str

    @classmethod
    def of(cls, miss: Miss, ways: Ways) -> Missed:
        """The miss, explained."""
        from mcpmock.matching.pages import page

        return cls(miss.kind, miss.request.method, miss.request.params, page(miss, ways))


def failure_of(engine: Engine, names: Sequence[str]) -> MockFailure | None:
    """The failure of these servers so far; None where all is well."""
    text = explain(engine, names, unplayed=not engine.settings.get("allow_unplayed", False))
    return MockFailure(text, len(misses_of(engine, names))) if text else None


def misses_of(engine: Engine, names: Sequence[str]) -> list[Miss]:
    """The misses at these servers, in the order in which they happened at each."""
    return [miss for name in names for miss in engine.parts[name].misses]


def explain(engine: Engine, names: Sequence[str], *, since: int = 0, unplayed: bool = True) -> str:
    """The pages about the misses, but for the first `since`, and about what was never played; empty where all is
    well. A miss that happened again and again is told once. Raises a fault of ours again."""
    if engine.faults:
        raise engine.faults[0]
    pages = list(_miss_pages(misses_of(engine, names)[since:], engine.ways))
    if unplayed:
        pages += _unplayed_pages(engine, names)
    return "".join(pages)


def _miss_pages(misses: Sequence[Miss], ways: Ways) -> Iterator[str]:
    told = Counter(Missed.of(miss, ways).page for miss in misses[:_LOOKED_AT])
    for page, times in list(told.items())[:_TOLD]:
        yield page if times == 1 else f"{page.rstrip()}\n\n  This happened {times} times.\n\n"
    rest = len(misses) - sum(list(told.values())[:_TOLD])
    if rest:
        yield f"mcpmock: and {rest} more misses\n\n"


def _unplayed_pages(engine: Engine, names: Sequence[str]) -> Iterator[str]:
    """A page about what was never played, for each server that has some."""
    for name in names:
        part = engine.parts[name]
        unplayed = part.unplayed()
        if unplayed:
            from mcpmock.matching.pages import unplayed_page

            yield unplayed_page(unplayed, len(part.recorded()), engine.ways)
