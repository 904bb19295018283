"""Client messages that a live client may skip, though something unasked hangs on them (DESIGN 4, "An anchor")."""

from __future__ import annotations

from collections.abc import Iterator

from mcpmock.session.interaction import Interaction, Timeline
from mcpmock.wire.methods import method_row

__all__ = ["Anchors"]


class Anchors:
    """Those of one recorded session, as far as its live one has not passed them yet; falsy when none is left.

    Only what was recorded while nothing was open can come without its anchor, and nothing without its change.
    """

    def __init__(self, timeline: Timeline | None = None) -> None:
        self._ahead = list(reversed(_anchors_of(timeline))) if timeline is not None else []

    def __bool__(self) -> bool:
        return bool(self._ahead)

    def passed_by(self, interaction: Interaction) -> Iterator[Interaction]:
        """The anchors that are passed with this interaction, itself aside; each is told once. Noise passes none."""
        if method_row(interaction.method).noise and interaction.method != "notifications/initialized":
            return
        while self._ahead and self._ahead[-1].number < interaction.number:
            yield self._ahead.pop()


def _anchors_of(timeline: Timeline) -> list[Interaction]:
    if timeline.anchors is None:
        candidates = (one for one in timeline.interactions if not one.change)
        timeline.anchors = [one for one in candidates if any(step.is_alone for step in one.steps)]
    return timeline.anchors
