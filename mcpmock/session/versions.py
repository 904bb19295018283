"""Which stateless revisions a recorded server speaks (2026-07-28; PROTOCOL 2.6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mcpmock.session.interaction import Interaction
from mcpmock.wire.envelope import MODERN_REVISION, version_of

__all__ = ["Versions", "versions_in"]


class Versions(NamedTuple):
    """Revisions, as requests and discoveries name them.

    supported  those that it speaks: as it said itself, else as its clients used them
    served     those in which it has answered a request, whatever it says that it speaks
    """

    supported: tuple[str, ...]
    served: frozenset[str]


def versions_in(interactions: Iterable[Interaction]) -> Versions:
    """Those of all that was recorded of a server."""
    told: dict[str, None] = {}
    used: dict[str, None] = {}
    served: set[str] = set()
    for one in interactions:
        version = version_of(one.request) if one.request is not None else None
        answer = one.answer_message
        if isinstance(version, str) and answer is not None and not one.has_failed:
            served.add(version)
        if one.method == "server/discover" and answer is not None:
            result = answer.body.get("result")
            named = result.get("supportedVersions") if isinstance(result, dict) else None
            told.update({name: None for name in named if isinstance(name, str)} if isinstance(named, list) else {})
        elif isinstance(version, str):
            used[version] = None
    return Versions(tuple(told or used or {MODERN_REVISION: None}), frozenset(served))
