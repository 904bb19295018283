"""How a mock fails: the misses and what was never played, as one error with the pages that explain it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from mcpmock.errors import MockFailure
from mcpmock.matching.miss import Miss, MissKind
from mcpmock.mock.engine import Engine
from mcpmock.wire.methods import method_row

__all__ = ["Missed", "failure_of", "pages_of"]


class Missed(NamedTuple):
    """A request that was never recorded.

    kind    `unknown`, `near miss`, `exhausted`, `wrong state` or `out of order`
    method  what was asked, with `params`
    page    the explanation: the nearest recorded requests, what differs, what to type next
    """

    kind: MissKind
    method: str
    params: Any
    page: str

    @classmethod
    def of(cls, miss: Miss) -> Missed:
        """The miss, explained."""
        from mcpmock.matching.pages import page

        return cls(miss.kind, miss.request.method, miss.request.params, page(miss))


def failure_of(engine: Engine, names: Sequence[str]) -> MockFailure | None:
    """The failure of these servers so far; None where all is well. Raises a fault of ours again."""
    if engine.faults:
        raise engine.faults[0]
    misses = [Missed.of(miss) for name in names for miss in list(engine.parts[name].report.misses)]
    pages = [miss.page for miss in misses]
    if not engine.settings.get("allow_unplayed", False):
        pages += pages_of(engine, names)
    return MockFailure("\n".join(pages), len(misses)) if pages else None


def pages_of(engine: Engine, names: Sequence[str]) -> list[str]:
    """A page about what was never played, for each server that has some."""
    pages: list[str] = []
    for name in names:
        part = engine.parts[name]
        unplayed = part.unplayed()
        if unplayed:
            from mcpmock.matching.pages import unplayed_page

            total = sum(method_row(one.method).counts for one in part.library.story.interactions())
            pages.append(unplayed_page(unplayed, total))
    return pages
