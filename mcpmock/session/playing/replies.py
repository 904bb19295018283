"""What a live client answered to a question, beside what the recorded one did."""

from __future__ import annotations

from mcpmock.session.interaction import Interaction, Step
from mcpmock.session.minted import task_made_by
from mcpmock.session.playing.live import Live
from mcpmock.session.playing.variables import answer_bindings, loose_bindings
from mcpmock.wire.message import Message

__all__ = ["compare"]


def compare(live: Live, interaction: Interaction, recorded: Step, message: Message) -> None:
    """Binds the variables of the recorded answer; reports one that is another. Where it makes a task of the client
    (2025-11-25), the server asks after the live one from then on."""
    assert recorded.message is not None
    made, own = task_made_by(recorded.message), task_made_by(message)
    if made is not None and own is not None:
        live.tasks[made] = own
    bound = answer_bindings(recorded.message, message, live.variables.bound)
    if bound is None:
        live.report.note_other_answer(recorded.message, message, interaction)
        bound = loose_bindings(recorded.message, message, live.variables.bound)
    live.variables.bind(bound)
