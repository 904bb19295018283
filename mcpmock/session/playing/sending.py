"""What the steps of an interaction do: what the server said goes out, as the live client has to see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mcpmock.cassette.placeholders import fill_text
from mcpmock.session.correlation import cancelled_id, id_key, progress_token, reported_token
from mcpmock.session.interaction import Step, StepKind
from mcpmock.session.minted import TASK_STATES, renamed
from mcpmock.session.playing.actions import End, Send, SendNoise, WriteStderr
from mcpmock.session.playing.answers import message_text
from mcpmock.session.playing.live import Live
from mcpmock.session.playing.performance import Performance, Questions
from mcpmock.wire.envelope import ACKNOWLEDGED
from mcpmock.wire.message import MISSING, Json, Message, Missing

__all__ = ["Sender"]


class Sender:
    """Carries out steps; `questions` are those that the client has been asked."""

    def __init__(self, live: Live) -> None:
        self.questions = Questions()
        self._live = live
        self._live_ids: dict[tuple[str, object], Json | Missing] = {}  # strict order: by recorded id, for strays

    def note_id(self, performance: Performance) -> None:
        """The id that a recorded request has live, for what answers it a second time."""
        request = performance.interaction.request
        if self._live.options.order == "strict" and request is not None:
            self._live_ids[id_key(request.id)] = performance.live_id

    def carry_out(self, performance: Performance, step: Step) -> None:
        """The step at which an interaction is: it has come to that, and is sent."""
        self._CARRY_OUT[step.kind](self, performance, step)

    def _send(self, performance: Performance, step: Step) -> None:
        assert step.message is not None
        if performance.at == performance.interaction.answer:
            self._send_answer(performance)
        elif step.listen is not None:
            self._live.listeners.send(step, performance.renames)
        elif step.message.method == ACKNOWLEDGED:
            self._live.listeners.acknowledge(performance.live_id, performance.ticket, step.message)
        elif step.message.method == "notifications/progress":
            self._send_progress(performance, self._live.as_agreed(step.message))
        elif step.message.method == "notifications/cancelled":
            self._withdraw(performance, step.message)
        elif step.is_stray:
            self._send_stray(performance, step.message)
        else:
            if step.message.method == "notifications/message" and not performance.wants_log(step.message):
                self._live.report.note_withheld(step)
                return
            changes = renamed(step.message, performance.renames)
            self._emit(performance, message_text(step.message, self._live.variables, changes))
            if step.message.method in TASK_STATES:
                self._live.note_state(step, performance.renames)

    def _send_answer(self, performance: Performance) -> None:
        text = performance.answer_text(self._live.variables, self._live.agreed)
        if performance.batch is None:
            fact = performance.interaction.steps[performance.at].entry.http
            self._live.actions.append(Send(text, performance.sent_progress, performance.ticket, True, fact))
        else:
            self._live.actions += performance.batch.add(text, is_after_progress=performance.sent_progress)
        performance.played.answered(performance.interaction)

    def _send_stray(self, performance: Performance, message: Message) -> None:
        """A second answer goes out under the id that its request has live."""
        live_id = self._live_ids.get(id_key(message.id), MISSING)
        changes: dict[tuple[str, ...], Json] = {} if isinstance(live_id, Missing) else {("id",): live_id}
        self._emit(performance, message_text(message, self._live.variables, changes))

    def _send_progress(self, performance: Performance, message: Message) -> None:
        request, recorded = performance.interaction.request, reported_token(message)
        if request is None or isinstance(recorded, Missing) or id_key(recorded) != id_key(progress_token(request)):
            self._emit(performance, message_text(message, self._live.variables))
            return
        token = performance.live_token
        if not isinstance(token, Missing):  # a client that asked for no progress gets none
            performance.sent_progress = True
            changes: dict[tuple[str, ...], Json] = {("params", "progressToken"): token}
            self._emit(performance, message_text(message, self._live.variables, changes))

    def _withdraw(self, performance: Performance, message: Message) -> None:
        """The server cancels its own question, under the id that the question has live; nothing waits for it then.

        Or else the request of the client that this is about.
        """
        live_id = performance.withdraw(cancelled_id(message))
        if live_id is None:
            return  # who was not asked is told nothing
        changes: dict[tuple[str, ...], Json] = {}
        if not isinstance(live_id, Missing):
            changes[("params", "requestId")] = live_id
        self._emit(performance, message_text(message, self._live.variables, changes))

    def _ask(self, performance: Performance, step: Step) -> None:
        question = step.message
        assert question is not None
        if performance.is_stateless or not self._live.can_be_asked(question):  # that era asks in answers (PROTOCOL 2.4)
            self._live.report.note_gate(question, performance.interaction)
            return
        live_id = self.questions.ask(question.id, performance)
        renames = self._live.tasks if question.method.startswith("tasks/") else performance.renames
        changes: dict[tuple[str, ...], Json] = {("id",): live_id, **renamed(question, renames)}
        self._emit(performance, message_text(question, self._live.variables, changes))
        self._live.report.note_question(performance.interaction, performance.at)

    def _play_noise(self, performance: Performance, step: Step) -> None:
        """What the recorded server wrote that is no message."""
        text = step.entry.text
        if isinstance(text, str):
            text = fill_text(text, self._live.variables.without_secrets())
        if step.entry.kind == "stderr":
            self._live.actions.append(WriteStderr(text if isinstance(text, str) else text.decode("utf-8", "replace")))
        elif step.entry.side == "server" and not step.entry.size:
            self._live.actions.append(SendNoise(text if isinstance(text, bytes) else text.encode()))

    def _end(self, performance: Performance, step: Step) -> None:
        self._live.actions.append(End(step.entry.status))

    def _cut_off(self, performance: Performance, step: Step) -> None:
        """HTTP ended the request without an answer; whoever does not speak it is told by an error."""
        from mcpmock.session.playing.cutting_off import cut_off  # nobody who replays pipes needs it

        self._live.actions += cut_off(performance, step, speaks_http=self._live.options.http)

    def _close(self, performance: Performance, step: Step) -> None:
        self._live.listeners.send(step)

    def _emit(self, performance: Performance, text: str) -> None:
        """Sends what answers no request: on the stream of its request, or on the standing one."""
        step = performance.interaction.steps[performance.at]
        ticket, fact = (None if step.is_standing else performance.ticket), step.entry.http
        self._live.actions.append(Send(text, ticket=ticket, is_answer=step.is_reply, fact=fact))

    _CARRY_OUT: Final[dict[StepKind, Callable[[Sender, Performance, Step], None]]] = {
        "send": _send,
        "ask": _ask,
        "noise": _play_noise,
        "end": _end,
        "http": _cut_off,
        "close": _close,
    }
