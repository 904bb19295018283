"""Plays interactions: sends what the server sent, in its order, each message when its cause has happened live.

A message waits for what came before it in its own interaction and for nothing else: an answer to a question, a
cancel, a moment. So interactions may overlap freely.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mcpmock.session.correlation import cancelled_id, id_key, progress_token, reported_token
from mcpmock.session.interaction import Step
from mcpmock.session.minted import TASK_STATES, renamed
from mcpmock.session.playing.actions import Close, End, Respond, Send
from mcpmock.session.playing.answers import message_text
from mcpmock.session.playing.live import Live
from mcpmock.session.playing.performance import Agenda, Performance, Questions, unanswered
from mcpmock.wire.envelope import ACKNOWLEDGED
from mcpmock.wire.message import MISSING, Json, Message, Missing
from mcpmock.wire.methods import STAYS_OPEN

__all__ = ["Stage"]


class Stage:
    """All interactions that are being played in a live session."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._open: dict[tuple[str, object], list[Performance]] = {}
        self._questions = Questions()
        self._live_ids: dict[tuple[str, object], Json | Missing] = {}  # strict order: by recorded id, for strays
        self._agenda = Agenda()
        self._is_closed = False

    # -- what happens live

    def begin(self, performance: Performance) -> None:
        """Plays the interaction up to where it has to wait."""
        interaction = performance.interaction
        performance.restart_clock(self._live.now + interaction.rules.delay / 1000, interaction.entry.at)
        self._catch_up(performance, is_answered=False)
        if interaction.change and not interaction.is_request:
            performance.played.answered(interaction)  # a notification has no answer that it could count from
        if self._live.options.order == "strict" and interaction.request is not None:
            self._live_ids[id_key(interaction.request.id)] = performance.live_id
        if interaction.is_unanswered and interaction.method not in STAYS_OPEN:
            self._live.report.note_waiting(id_key(performance.live_id), interaction.entry.line)
        if interaction.method in STAYS_OPEN and performance.message is not None:
            self._live.listeners.begin(performance.message, performance.ticket, interaction)
        self._advance(performance)
        if performance.at < len(interaction.steps) and performance.live_id is not MISSING:
            self._open.setdefault(id_key(performance.live_id), []).append(performance)

    def answer(self, message: Message) -> bool:
        """The client answered a question; False where nobody asked."""
        from mcpmock.session.playing.replies import compare  # few clients are asked anything

        found = self._questions.take(message.id)
        if found is None:
            return False
        performance, place = found
        steps = performance.interaction.steps
        recorded = next((step for step in steps if step.kind == "await" and step.question == place), None)
        if recorded is not None:
            compare(self._live, performance.interaction, recorded, message)
            self._accept(recorded)
        self._advance(performance)
        return True

    def cancel(self, request_id: Json | Missing) -> None:
        """The client cancelled a request: a step of it, or the end of what is its own (DESIGN 4, "A cancel")."""
        self._live.report.note_cancel(id_key(request_id))
        if self._live.subscriptions is not None and self._live.subscriptions.cancel(request_id):
            return
        waiting = [one for one in self._open.get(id_key(request_id), ()) if not one.is_settled]
        if waiting:  # else it was answered or cancelled already, or never asked
            self._cancel(waiting[0])

    def _cancel(self, performance: Performance) -> None:
        steps = performance.interaction.steps
        places = [at for at in range(performance.at, len(steps)) if steps[at].kind == "cancel"]
        performance.is_cancelled = True
        performance.drop_until = places[0] if places else len(steps)
        performance.unanswered.clear()
        if performance.batch and performance.at <= performance.interaction.answer < performance.drop_until:
            self._live.actions += performance.batch.drop()
        if places:
            performance.restart_clock(self._live.now, steps[places[0]].entry.at)
            self._accept(steps[places[0]])
        self._advance(performance)

    def leave(self, ticket: object) -> None:
        """The client has left an exchange; of the stateless revision, that cancels its requests (PROTOCOL 2.4)."""
        if self._live.subscriptions is not None:
            self._live.subscriptions.leave(ticket)
        for performance in [one for performances in self._open.values() for one in performances]:
            if performance.ticket is ticket and performance.is_stateless and not performance.is_settled:
                self._live.report.note_cancel(id_key(performance.live_id))
                self._cancel(performance)

    def wake(self) -> None:
        """Time has passed."""
        while (performance := self._agenda.take(self._live.now)) is not None:
            self._advance(performance)

    def hurry(self) -> None:
        """The client has closed: what waits only for a moment comes now."""
        self._is_closed = True
        while (due := self._agenda.next) is not None:
            self._live.now = max(self._live.now, due)
            self.wake()
        if self._live.subscriptions is not None:
            self._live.subscriptions.farewell()

    @property
    def next_wake(self) -> float | None:
        """The moment at which something is due; None while only the client is awaited."""
        return self._agenda.next

    # -- step by step

    def _advance(self, performance: Performance) -> None:
        steps = performance.interaction.steps
        while performance.at < len(steps):
            step = steps[performance.at]
            if not self._is_left_out(performance, step):
                if step.kind == "await":
                    if step.question in performance.unanswered and not self._gives_up(performance, step.question):
                        return
                    performance.restart_clock(self._live.now, step.entry.at)
                elif step.kind == "cancel":
                    if not performance.is_cancelled:
                        return
                elif self._is_too_early(performance, step):
                    return
                else:
                    self._CARRY_OUT[step.kind](self, performance, step)
            performance.at += 1
        self._close(performance)

    def _is_left_out(self, performance: Performance, step: Step) -> bool:
        if step.is_owned:
            return performance.alone_only or performance.at < performance.drop_until
        if not performance.is_first or (performance.alone_only and not step.is_alone):
            return True
        if step.is_stray:
            return self._live.options.order != "strict"
        return step.kind == "noise" and not self._live.options.noise

    def _is_too_early(self, performance: Performance, step: Step) -> bool:
        due = performance.due(step, self._live.options.delays)
        if due <= self._live.now:
            return False
        if step.poll is None or not self._live.options.rehearses:
            self._agenda.put(due, performance)
        return True

    def _gives_up(self, performance: Performance, place: int) -> bool:
        """Whether the answer to a question has been awaited for too long: the script then goes on without it."""
        patience = self._live.options.patience
        if not patience or self._is_closed:
            return False
        due = performance.awaits(place, self._live.now + patience)
        if self._live.now < due:
            self._agenda.put(due, performance)
            return False
        self._questions.take(performance.asked[place])
        self._live.tell(unanswered(performance.interaction.steps[place], patience))
        return True

    def _accept(self, step: Step) -> None:
        """What the client just sent is a step: over HTTP its POST is answered as the recorded one was."""
        if step.accepted is not None and self._live.options.http:
            self._live.actions.append(Respond(step.accepted, self._live.ticket))

    def _catch_up(self, poll: Performance, *, is_answered: bool) -> None:
        """Before and after a client is told of a task: what it had been told of it until then, without being asked."""
        if poll.interaction.method.startswith("tasks/") or poll.interaction.minted:
            from mcpmock.session.playing.tasks import caught_up, note_answer  # few sessions have tasks

            for performance in caught_up(poll, self._open.values(), self._live.now, is_answered=is_answered):
                self._advance(performance)
            if is_answered:
                note_answer(self._live, poll)

    def _close(self, performance: Performance) -> None:
        if performance.live_id is MISSING:
            return
        if performance.is_cancelled and performance.ticket is not None and performance.batch is None:
            self._live.actions.append(Close(performance.ticket))
        key = id_key(performance.live_id)
        if performance in self._open.get(key, ()):
            self._open[key].remove(performance)
            if not self._open[key]:
                del self._open[key]

    # -- what the steps do

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
        self._catch_up(performance, is_answered=True)

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
        live_id = self._questions.ask(question.id, performance)
        renames = self._live.tasks if question.method.startswith("tasks/") else performance.renames
        changes: dict[tuple[str, ...], Json] = {("id",): live_id, **renamed(question, renames)}
        self._emit(performance, message_text(question, self._live.variables, changes))
        self._live.report.note_question(performance.interaction, performance.at)

    def _play_noise(self, performance: Performance, step: Step) -> None:
        self._live.make_noise(step.entry)

    def _end(self, performance: Performance, step: Step) -> None:
        self._live.actions.append(End(step.entry.status))

    def _cut_off(self, performance: Performance, step: Step) -> None:
        """HTTP ended the request without an answer; whoever does not speak it is told by an error."""
        from mcpmock.session.playing.cutting_off import cut_off  # nobody who replays pipes needs it

        self._live.actions += cut_off(performance, step, speaks_http=self._live.options.http)

    def _emit(self, performance: Performance, text: str) -> None:
        """Sends what answers no request: on the stream of its request, or on the standing one."""
        step = performance.interaction.steps[performance.at]
        ticket, fact = (None if step.is_standing else performance.ticket), step.entry.http
        self._live.actions.append(Send(text, ticket=ticket, is_answer=step.is_reply, fact=fact))

    _CARRY_OUT: Final[dict[str, Callable[[Stage, Performance, Step], None]]] = {
        "send": _send,
        "ask": _ask,
        "noise": _play_noise,
        "end": _end,
        "http": _cut_off,
    }
