"""Requests that were open when a recorder was killed: what became of them nobody knows.

Imported only where a request was recorded without an answer.
"""

from __future__ import annotations

from mcpmock.cassette.model import Session
from mcpmock.session.interaction import Interaction, Timeline
from mcpmock.wire.methods import STAYS_OPEN

__all__ = ["note_cut_short"]


def note_cut_short(session: Session, timeline: Timeline) -> None:
    """Marks the unanswered requests of a recorded session behind which nothing more was answered.

    Where the recording went on, the server truly never answered; where it saw the end of the session, either side left.
    """
    if any(_is_end(entry.kind, entry.http.verb if entry.http else "") for entry in session.entries):
        return
    places = {id(entry): place for place, entry in enumerate(session.entries)}
    answered = max((places.get(id(entry), -1) for one in timeline.interactions for entry in _answers(one)), default=-1)
    for one in timeline.interactions:
        is_last = places.get(id(one.entry), -1) > answered
        one.is_cut_short = one.is_unanswered and one.method not in STAYS_OPEN and is_last


def _is_end(kind: str, verb: str) -> bool:
    return kind in ("exit", "eof") or verb == "DELETE"


def _answers(interaction: Interaction) -> list[object]:
    return [step.entry for step in interaction.steps if step.is_reply or step.ends_by_http]
