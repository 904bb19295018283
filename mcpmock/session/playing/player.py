"""Plays a recorded server to one live client, message by message: which interaction answers, or what a miss is told."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from mcpmock.session.correlation import cancelled_id
from mcpmock.session.interaction import PROBES, Interaction
from mcpmock.session.minted import NO_RENAMES, Minted, Renames, task_of
from mcpmock.session.playing.actions import Send
from mcpmock.session.playing.anchors import Anchors
from mcpmock.session.playing.answers import answer_text, result_text
from mcpmock.session.playing.casting import Casting, Library, Role
from mcpmock.session.playing.ledger import Ledger
from mcpmock.session.playing.live import Live
from mcpmock.session.playing.performance import Performance
from mcpmock.session.playing.stage import Stage
from mcpmock.session.playing.unrecorded import Unrecorded
from mcpmock.wire.envelope import is_enveloped
from mcpmock.wire.message import INVALID_REQUEST, MISSING, Json, Message, Missing, is_valid_id
from mcpmock.wire.methods import LEGACY_REVISIONS, STAYS_OPEN, method_row

if TYPE_CHECKING:
    from mcpmock.session.pages import Followed
    from mcpmock.session.playing.batch import BatchAnswers
    from mcpmock.session.playing.gate import Gate

__all__ = ["Player"]


class Player:
    """The part of a playback machine that knows messages; what it wants done is in `live.actions`."""

    def __init__(self, library: Library, live: Live, ledger: Ledger) -> None:
        self.casting = Casting(library, live, ledger)
        self.unrecorded = Unrecorded(library, self.casting, live)
        self.stage = Stage(live, self.unrecorded.cut_short)
        self._library = library
        self._story = library.story
        self._live = live
        self._minted = Minted()
        self._is_quick = not live.options.delays and live.options.order != "strict"  # plain answers need no stage then
        self._performed: set[tuple[int, int]] = set()
        self._followed: Followed | None = None  # once a client asks for a page
        self._anchors = Anchors()  # those of the bound timeline
        self._is_guarded = self._story.shows_stateless or not self._story.holds_era("legacy")

    @cached_property
    def _gate(self) -> Gate:
        from mcpmock.session.playing.gate import Gate  # few recordings, and few clients, know more than a handshake

        return Gate(self._story, self.casting, self._live)

    def message(self, message: Message, batch: BatchAnswers | None = None) -> None:
        """The client sent a message, alone or as a member of a batch."""
        if message.kind == "request":
            if not is_valid_id(message.id):
                self.unrecorded.refuse_input(
                    INVALID_REQUEST, "the id of a request is a string or a number", MISSING, batch
                )
            else:
                self._request(message, batch)
        elif message.kind == "notification":
            self._notification(message)
        elif not self.stage.answer(message):
            self._live.report.notes.append(f"the client answered id {_spelt(message.id)}, which nobody had asked")

    def _request(self, message: Message, batch: BatchAnswers | None) -> None:
        if self._is_turned_away(message, batch):
            return
        method, renames = message.method, NO_RENAMES
        if self._minted.recorded:
            message, renames = self._minted.back(message)
        if self.casting.bound is None and method not in PROBES:
            self._bind(message)
        is_foreign = not self._live.revision and is_enveloped(message) and self._gate.is_of_other_era(message)
        task = renames.get(task_of(message), "") if renames else ""
        is_unknown = is_foreign and not method_row(method).noise
        role = self._refused_alike(message) or False if is_unknown else self._find(message, task)
        if not isinstance(role, Role):
            if method != "tasks/get" or not self._tell_state(message, batch, task):
                self.unrecorded.request(message, batch, is_foreign=is_foreign, is_used_up=role)
            return
        if method == "server/discover" and role.interaction.has_failed and not self._story.shows_stateless:
            self._live.report.note_refused_probe(self._story.revision)
        if method.endswith("/list"):
            self._turn_page(message, role.interaction)
        self.perform(role, message, batch, renames)

    def _refused_alike(self, message: Message) -> Role | None:
        """How a client without a handshake was refused that asked for the same; only HTTP has a way to tell it."""
        if not self._live.options.http:
            return None
        from mcpmock.session.playing.foreign import refused_alike  # most such clients fall back at their probe

        return refused_alike(message, self._library, self.casting)

    def _is_turned_away(self, message: Message, batch: BatchAnswers | None) -> bool:
        """Whether it was answered before anybody looked what it asks: for a flaw, or for the version it speaks."""
        has_envelope = is_enveloped(message)
        if message.method == "initialize" and not has_envelope:
            self._live.introduce(message)
        verdict = self._gate.judge(message) if self._is_guarded or has_envelope else None
        if isinstance(verdict, Role):
            self.perform(verdict, message, batch)
        elif verdict is not None:
            self.unrecorded.refuse(message, verdict, batch)
        return verdict is not None

    def _find(self, message: Message, task: str) -> Role | bool:
        """The role for a live request; True where its like was recorded and is used up, else False.

        `task` is the live id of the task that it is about, where that was handed out again.
        """
        method = message.method
        if method == "server/discover":
            return self._gate.probe(message) or False
        if method_row(method).noise:
            return self.casting.find_noise(message) or False
        role = self.casting.find(message, task)
        if method in STAYS_OPEN and not isinstance(role, Role):
            return self.casting.find_noise(message) or role  # its filter may differ
        return role

    def _tell_state(self, message: Message, batch: BatchAnswers | None, task: str) -> bool:
        """A poll that was not recorded is told the state that the client knows; False where it knows none."""
        from mcpmock.session.playing.tasks import made_up_poll  # few sessions have tasks

        state = made_up_poll(self._live, task or task_of(message))
        if state is not None:
            self._live.note_call(message, "made up")
            self._live.answer(result_text(message.id, state), batch)
        return state is not None

    def _turn_page(self, message: Message, interaction: Interaction) -> None:
        """Tells a person, once, that the client follows pages that lead in a circle (case SC-01)."""
        from mcpmock.session.pages import Followed, cursor_of  # most lists have one page

        if cursor_of(message) is not None:
            self._followed = self._followed or Followed()
            if told := self._followed.asked(message, interaction):
                self._live.tell(told)

    def _notification(self, message: Message) -> None:
        method = message.method
        refusal = self._gate.flaw(message) if self._live.oddities is not None and self._is_guarded else None
        if refusal is not None:
            self.perform(refusal, message)
            return
        if method == "notifications/cancelled":
            if not (self._live.options.http and is_enveloped(message)):  # there the disconnect is the cancel
                self.stage.cancel(cancelled_id(message))
            return
        if method == "notifications/progress":
            return
        if self.casting.bound is None:
            self._bind(message)
        find = self.casting.find_noise if method_row(method).noise else self.casting.find
        role: Role | bool | None = find(message)
        if isinstance(role, Role):
            self.perform(role, message)
        elif self._live.options.order == "strict" and not method_row(method).noise:
            self.unrecorded.miss(message, None, is_used_up=False)
        else:
            self._live.note_call(message, "ignored")

    def _bind(self, message: Message) -> None:
        """The first message that is no probe takes a recorded session."""
        if not self.casting.bind(message) or self._story.is_joined:
            return
        timeline = self._story.timelines[self.casting.bound or 0]
        self._anchors = Anchors(timeline)
        if any(step.kind == "end" for step in timeline.interactions[0].steps):
            # the server left before anything was said
            self._perform_unasked(timeline.interactions[0], alone_only=False)

    def perform(
        self, role: Role, message: Message | None, batch: BatchAnswers | None = None, renames: Renames = NO_RENAMES
    ) -> None:
        """Plays an interaction for a live message; None stands for a line that is no message."""
        number, interaction, _, is_repeat = role
        if self._anchors and number == self.casting.bound:
            self._pass_anchors(interaction)
        if message is not None:
            self._live.note_call(message, "repeated" if is_repeat else "played", interaction.entry.line)
            if message.method == "initialize":
                self._agree(message, interaction)
        if message is not None and batch is None and not renames and self._is_plain(interaction):
            self._answer_plainly(role, message)
        else:
            self._stage(role, message, batch, renames)

    def _is_plain(self, interaction: Interaction) -> bool:
        """Whether all there is to play is an answer, the same for whoever asks: the quick way, without a stage."""
        return (
            interaction.is_plain
            and self._is_quick
            and self._live.era != "modern"
            and not self._live.agreed
            and not interaction.method.startswith("tasks/")
        )

    def _answer_plainly(self, role: Role, message: Message) -> None:
        live, fact = self._live, role.interaction.steps[0].entry.http
        text = answer_text(role.interaction, message.id, live.variables)
        live.actions.append(Send(text, False, live.ticket, True, fact))
        role.played.answered(role.interaction)

    def _stage(self, role: Role, message: Message | None, batch: BatchAnswers | None, renames: Renames) -> None:
        interaction, place = role.interaction, (role.timeline, role.interaction.number)
        is_first = place not in self._performed
        performance = Performance(interaction, message, role.played, is_first=is_first, alone_only=False)
        if not is_first and interaction.minted:
            fresh = self._minted.fresh(interaction.minted)
            renames = {**renames, **fresh}
            self.casting.hand_out_again(role.timeline, interaction, fresh.values())
        self._performed.add(place)
        lacking = self._gate.lacking(message, interaction) if performance.is_stateless and message is not None else None
        if lacking is not None and message is not None:
            self.unrecorded.refuse(message, lacking, batch)
            return
        performance.batch, performance.renames, performance.ticket = batch, renames, self._live.ticket
        is_silent = interaction.answer < 0 and not interaction.is_cut_short
        if batch is not None and message is not None and message.kind == "request" and is_silent:
            self._live.actions += batch.drop()
        self.stage.begin(performance)

    def _agree(self, message: Message, interaction: Interaction) -> None:
        """The version of this live session: the recorded one, or (an option) the one that the client asks for."""
        live, asked = self._live, message.params.get("protocolVersion") if isinstance(message.params, dict) else None
        live.revision = interaction.revision
        if live.options.echo and isinstance(asked, str) and asked in LEGACY_REVISIONS and live.revision:
            live.agreed = asked if asked != live.revision else ""
            live.revision = asked

    def _pass_anchors(self, interaction: Interaction) -> None:
        """Sends what was recorded at client messages that this client has left out."""
        for anchor in self._anchors.passed_by(interaction):
            self._perform_unasked(anchor, alone_only=True)

    def _perform_unasked(self, interaction: Interaction, *, alone_only: bool) -> None:
        bound = self.casting.bound or 0
        if (bound, interaction.number) not in self._performed:
            self._performed.add((bound, interaction.number))
            played = self.casting.played(bound)
            self.stage.begin(Performance(interaction, None, played, is_first=True, alone_only=alone_only))


_LONGEST_ID: Final = 60


def _spelt(live_id: Json | Missing) -> str:
    """An id for people, who have asked for none that fills a screen."""
    text = "null" if isinstance(live_id, Missing) else repr(live_id)
    return text if len(text) <= _LONGEST_ID else f"{text[:_LONGEST_ID]}…"
