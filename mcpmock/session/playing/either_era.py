"""Whether what was written by hand, without a handshake and without `_meta`, makes sense to clients of either era.

Imported only where a client asks such a recording what it speaks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mcpmock.session.interaction import Interaction
from mcpmock.session.story import Story, opening_methods

__all__ = ["is_of_either_era"]

_WITH_HANDSHAKE: Final = frozenset(
    (
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
        "tasks/result",
        "notifications/initialized",
        "notifications/roots/list_changed",
        "notifications/tasks/status",
    )
)
"""What only a client that has shaken hands sends."""

_WITHIN_A_REQUEST: Final = frozenset(("notifications/progress", "notifications/cancelled"))
"""What a stateless server tells of its own accord, without having been asked to: of a request, to who sent it."""


def is_of_either_era(story: Story) -> bool:
    """Whether all sessions can be played to a client with a handshake and to one without.

    Not where one shows its era; nor where a session without a handshake holds what a stateless client would not do or
    not be told (PROTOCOL 2): questions that the server sends as requests, logs, changes of lists, tasks of 2025-11-25,
    batches. There a client that can do both had better shake hands.
    """
    real = [one for one in story.timelines if opening_methods(one)]
    if not real or story.is_legacy or any(one.era for one in real):
        return False
    return not any(_needs_handshake(one.interactions) for one in real)


def _needs_handshake(interactions: Iterable[Interaction]) -> bool:
    return any(_is_asked_so(one) or _is_told_so(one) for one in interactions)


def _is_asked_so(interaction: Interaction) -> bool:
    if interaction.method in _WITH_HANDSHAKE or interaction.entry.is_batch:
        return True
    params = interaction.request.params if interaction.request is not None else None
    return interaction.method == "tools/call" and isinstance(params, dict) and "task" in params


def _is_told_so(interaction: Interaction) -> bool:
    told = (step.message for step in interaction.steps if step.message is not None and step.kind in ("send", "ask"))
    return any(one.kind != "response" and one.method not in _WITHIN_A_REQUEST for one in told)
