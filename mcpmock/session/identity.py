"""What a recorded session speaks, and who answers in it: derived from its messages, never stored beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from mcpmock.session.interaction import Era, Interaction
from mcpmock.session.story import capabilities_shown
from mcpmock.wire.envelope import SERVER_KEY, version_of
from mcpmock.wire.message import Object

__all__ = ["NOBODY", "Identity", "identity_of", "server_told"]


class Identity(NamedTuple):
    """Era and revision of a session; the server as it names itself, and what it can do, or is seen to do."""

    era: Era
    revision: str
    server: Object
    capabilities: Object


NOBODY: Final = Identity("", "", {}, {})


def identity_of(interactions: list[Interaction], era: Era) -> Identity:
    """What a session shows: a handshake tells it, a discovery, or else each request and each result for itself."""
    greeting = _told_by("initialize" if era == "legacy" else "server/discover", interactions)
    told = greeting.get("capabilities")
    can = told if isinstance(told, dict) else capabilities_shown(interactions)
    if era == "legacy":
        server = greeting.get("serverInfo")
        revision = greeting.get("protocolVersion")
        named = server if isinstance(server, dict) else {}
        return Identity(era, revision if isinstance(revision, str) else "", named, can)
    return Identity(era, _revision_used(interactions), server_told(interactions) or {}, can)


def server_told(interactions: Iterable[Interaction]) -> Object | None:
    """The server as it names itself in its results (2026-07-28); None where none of them does."""
    for interaction in interactions:
        meta = _result_of(interaction).get("_meta")
        told = meta.get(SERVER_KEY) if isinstance(meta, dict) else None
        if isinstance(told, dict) and isinstance(told.get("name"), str) and isinstance(told.get("version"), str):
            return told
    return None


def _told_by(method: str, interactions: Iterable[Interaction]) -> Object:
    """The result of the first answer to that method."""
    results = (_result_of(interaction) for interaction in interactions if interaction.method == method)
    return next(filter(None, results), {})


def _revision_used(interactions: Iterable[Interaction]) -> str:
    """The revision that the last request asks for: those before it may have asked for one that was refused."""
    asked = [version_of(interaction.request) for interaction in interactions if interaction.request is not None]
    return next((version for version in reversed(asked) if isinstance(version, str)), "")


def _result_of(interaction: Interaction) -> Object:
    answer = interaction.answer_message
    result = answer.body.get("result") if answer is not None else None
    return result if isinstance(result, dict) else {}
