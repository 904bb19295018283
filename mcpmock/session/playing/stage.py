"""Plays interactions: sends what the server sent, in its order, each message when its cause has happened live.

A message waits for what came before it in its own interaction and for nothing else: an answer to a question, a
cancel, a moment. So interactions may overlap freely.
"""

from __future__ import annotations

from collections.abc import Callable

from mcpmock.session.correlation import id_key
from mcpmock.session.interaction import Step
from mcpmock.session.playing.actions import Close, Respond
from mcpmock.session.playing.live import Live
from mcpmock.session.playing.performance import Agenda, Performance, unanswered
from mcpmock.session.playing.sending import Sender
from mcpmock.wire.message import MISSING, Json, Message, Missing
from mcpmock.wire.methods import STAYS_OPEN

__all__ = ["Stage"]


class Stage:
    """All interactions that are being played in a live session."""

    def __init__(self, live: Live, cut_short: Callable[[Performance], None]) -> None:
        """`cut_short` tells a client that the recording ended before the answer to its request."""
        self._live = live
        self._cut_short = cut_short
        self._open: dict[tuple[str, object], list[Performance]] = {}
        self._sender = Sender(live)
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
        self._sender.note_id(performance)
        if interaction.is_unanswered and interaction.method not in STAYS_OPEN and not interaction.is_cut_short:
            self._note_waiting(performance)
        if interaction.method in STAYS_OPEN and performance.message is not None:
            self._live.listeners.begin(performance.message, performance.ticket, interaction)
        self._advance(performance)
        if performance.at < len(interaction.steps) and performance.live_id is not MISSING:
            self._open.setdefault(id_key(performance.live_id), []).append(performance)

    def answer(self, message: Message) -> bool:
        """The client answered a question; False where nobody asked."""
        from mcpmock.session.playing.replies import compare  # few clients are asked anything

        found = self._sender.questions.take(message.id)
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
        self._live.report.note_cancel((self, id_key(request_id)))
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
                self._live.report.note_cancel((self, id_key(performance.live_id)))
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
                        self._note_waiting(performance, is_cancelled=True)
                        return
                elif self._is_too_early(performance, step):
                    return
                else:
                    self._sender.carry_out(performance, step)
                    if performance.at == performance.interaction.answer:
                        self._catch_up(performance, is_answered=True)
            performance.at += 1
        self._close(performance)
        if performance.interaction.is_cut_short and not performance.is_cancelled and performance.message is not None:
            performance.is_cancelled = True  # it is told once
            self._cut_short(performance)

    def _note_waiting(self, performance: Performance, *, is_cancelled: bool = False) -> None:
        """A request goes on only if its client gives it up."""
        interaction = performance.interaction
        if interaction.is_request and interaction.method not in STAYS_OPEN and not performance.is_settled:
            key = (self, id_key(performance.live_id))
            self._live.report.note_waiting(key, interaction.entry.line, is_cancelled=is_cancelled)

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
        self._sender.questions.take(performance.asked[place])
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
