"""Plays a recorded server to one live client, message by message: which interaction answers, or what a miss is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcpmock.cassette.model import HttpFact
from mcpmock.session.actions import Send
from mcpmock.session.anchors import Anchors
from mcpmock.session.answers import answer_text, error_text
from mcpmock.session.casting import Casting, Library, Role
from mcpmock.session.correlation import cancelled_id
from mcpmock.session.interaction import PROBES, Interaction
from mcpmock.session.ledger import Ledger
from mcpmock.session.live import Live
from mcpmock.session.made_up import bad_request_text, is_of_other_era, make_up, method_not_found
from mcpmock.session.minted import NO_RENAMES, Minted, Renames
from mcpmock.session.performance import Performance
from mcpmock.session.report import Outcome
from mcpmock.session.stage import Stage
from mcpmock.wire.envelope import is_enveloped
from mcpmock.wire.message import INVALID_REQUEST, MISSING, Json, Message, Missing, is_valid_id
from mcpmock.wire.methods import LEGACY_REVISIONS, STAYS_OPEN, method_row

if TYPE_CHECKING:
    from mcpmock.session.batch import BatchAnswers
    from mcpmock.session.pages import Followed

__all__ = ["Player"]

_ID_OPTIONAL_SINCE: Final = "2025-11-25"
_BAD_REQUEST: Final = HttpFact(status=400, answers="json")


class Player:
    """The part of a playback machine that knows messages; what it wants done is in `live.actions`."""

    def __init__(self, library: Library, live: Live, ledger: Ledger) -> None:
        self.casting = Casting(library, live, ledger)
        self.stage = Stage(live)
        self._library = library
        self._story = library.story
        self._live = live
        self._minted = Minted()
        self._is_quick = not live.options.delays and live.options.order != "strict"  # plain answers need no stage then
        self._performed: set[tuple[int, int]] = set()
        self._followed: Followed | None = None  # once a client asks for a page
        self._anchors = Anchors()  # those of the bound timeline
        self._may_be_stateless = self._story.holds_era("modern")
        self._holds_stateless = any(one.era == "modern" for one in self._story.timelines)

    def refuse(self, code: int, reason: str, live_id: Json | Missing, batch: BatchAnswers | None = None) -> None:
        """An error for input without a readable id: without one from 2025-11-25 on, with null before (case RP-04)."""
        if isinstance(live_id, Missing) and (self._live.revision or self._story.revision) < _ID_OPTIONAL_SINCE:
            live_id = None
        self._answer(error_text(live_id, {"code": code, "message": reason}), batch, _BAD_REQUEST)

    def message(self, message: Message, batch: BatchAnswers | None = None) -> None:
        """The client sent a message, alone or as a member of a batch."""
        if message.kind == "request":
            if not is_valid_id(message.id):
                self.refuse(INVALID_REQUEST, "the id of a request is a string or a number", MISSING, batch)
            else:
                self._request(message, batch)
        elif message.kind == "notification":
            self._notification(message)
        elif not self.stage.answer(message):
            self._live.report.notes.append(f"the client answered id {_spelt(message.id)}, which nobody had asked")

    def _request(self, message: Message, batch: BatchAnswers | None) -> None:
        method, renames = message.method, NO_RENAMES
        is_doubtful = False
        if self._holds_stateless and self._live.options.order != "strict":  # there it is one of those in their order
            refusal = self.casting.find_refusal(message)
            if refusal is not None:
                self.perform(refusal, message, batch)
                return
        if method == "initialize" and not is_enveloped(message):
            self._live.introduce(message)
            is_doubtful = not self._story.holds_era("legacy")
        elif self._may_be_stateless and is_enveloped(message):
            self._live.era = "modern"
            is_doubtful = True
        if is_doubtful and self._is_refused(message, batch):
            return
        if self._minted.recorded:
            message, renames = self._minted.back(message)
        if self.casting.bound is None and method not in PROBES:
            self._bind(message)
        is_foreign = not self._live.revision and is_of_other_era(message, self._story)
        role: Role | bool = False
        if not method_row(method).noise:
            role = not is_foreign and self.casting.find(message)
            if method in STAYS_OPEN and not isinstance(role, Role):
                role = self.casting.find_noise(message) or role  # its filter may differ
        else:
            role = self.casting.find_noise(message) or False
        if isinstance(role, Role):
            if method.endswith("/list"):
                self._turn_page(message, role.interaction)
            self.perform(role, message, batch, renames)
        elif method == "server/discover" and not self._is_discovered(message):
            self._note_call(message, "made up")
            self._refuse_era(message, batch)
        elif is_foreign:
            self._refuse_era(message, batch)
            self._miss(message, None, is_used_up=False, is_told=True)
        elif method in STAYS_OPEN and self._live.era == "modern":
            self._note_call(message, "made up")
            self._live.listeners.begin(message, self._live.ticket)
        else:
            text = self._made_up(message)
            if text is None:
                self._miss(message, batch, is_used_up=role)
            else:
                self._note_call(message, "made up")
                self._answer(text, batch)

    def _is_discovered(self, message: Message) -> bool:
        """Whether a client that asks what the server speaks is told the stateless revision."""
        if self._holds_stateless or not is_enveloped(message):
            return self._holds_stateless
        from mcpmock.session.either_era import is_of_either_era

        return is_of_either_era(self._story)

    def _turn_page(self, message: Message, interaction: Interaction) -> None:
        """Tells a person, once, that the client follows pages that lead in a circle (case SC-01)."""
        from mcpmock.session.pages import Followed, cursor_of  # most lists have one page

        if cursor_of(message) is not None:
            self._followed = self._followed or Followed()
            if told := self._followed.asked(message, interaction):
                self._live.tell(told)

    def _made_up(self, message: Message) -> str | None:
        """An answer that needs no recording; see `make_up`."""
        if self._live.era == "modern" and is_enveloped(message):
            from mcpmock.session.stateless import make_up_stateless

            return make_up_stateless(message, self._story, self.own_interactions())
        return make_up(message, self._live, self.own_interactions(), server=self._story.server)

    def _is_refused(self, message: Message, batch: BatchAnswers | None) -> bool:
        """Whether the recorded server cannot serve the version that a request asks for; then it is told so."""
        from mcpmock.session.stateless import version_error

        error = version_error(message, self._story)
        recorded = self.casting.find_noise(message) if error and message.method == "initialize" else None
        if recorded is not None:  # a client that waited in vain for the answer to its probe
            self.perform(recorded, message, batch)
        elif error is not None:
            self._answer(error_text(message.id, error), batch, _BAD_REQUEST)
            self._miss(message, None, is_used_up=False, is_told=True)
        return error is not None

    def _refuse_era(self, message: Message, batch: BatchAnswers | None) -> None:
        """What servers with a handshake tell clients without one, so that they fall back (PROTOCOL 4.5)."""
        if self._live.options.http:
            self._answer(bad_request_text(), batch, _BAD_REQUEST)
        else:
            self._answer(method_not_found(message), batch)

    def _notification(self, message: Message) -> None:
        method = message.method
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
            self._miss(message, None, is_used_up=False)
        else:
            self._note_call(message, "ignored")

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
        number, interaction, is_repeat = role
        if self._anchors and number == self.casting.bound:
            self._pass_anchors(interaction)
        if message is not None:
            self._note_call(message, "repeated" if is_repeat else "played", interaction.entry.line)
            if message.method == "initialize":
                self._agree(message, interaction)
        played = self.casting.played(number)
        is_quick = self._is_quick and self._live.era != "modern" and not self._live.agreed
        is_quick = is_quick and not interaction.method.startswith("tasks/")
        if is_quick and interaction.is_plain and message is not None and batch is None and not renames:
            live, fact = self._live, interaction.steps[0].entry.http
            live.actions.append(
                Send(answer_text(interaction, message.id, live.variables), False, live.ticket, True, fact)
            )
            played.answered(interaction)
            return
        place = (number, interaction.number)
        performance = Performance(interaction, message, played, is_first=place not in self._performed, alone_only=False)
        if not performance.is_first and interaction.minted:
            renames = {**renames, **self._minted.fresh(interaction.minted)}
        self._performed.add(place)
        if performance.is_stateless and self._is_gated(performance, batch):
            return
        performance.batch, performance.renames, performance.ticket = batch, renames, self._live.ticket
        if batch is not None and message is not None and message.kind == "request" and interaction.answer < 0:
            self._live.actions += batch.drop()
        self.stage.begin(performance)

    def _agree(self, message: Message, interaction: Interaction) -> None:
        """The version of this live session: the recorded one, or (an option) the one that the client asks for."""
        live, asked = self._live, message.params.get("protocolVersion") if isinstance(message.params, dict) else None
        live.revision = interaction.revision
        if live.options.echo and isinstance(asked, str) and asked in LEGACY_REVISIONS and live.revision:
            live.agreed = asked if asked != live.revision else ""
            live.revision = asked

    def _is_gated(self, performance: Performance, batch: BatchAnswers | None) -> bool:
        """Whether a stateless client cannot be asked what the recording asks next; then it is told so (DESIGN 4)."""
        from mcpmock.session.stateless import capability_error

        message, interaction = performance.message, performance.interaction
        assert message is not None
        error = capability_error(message, interaction)
        if error is not None:
            self._answer(error_text(message.id, error), batch, _BAD_REQUEST)
            self._live.report.gates.append({"method": interaction.method, "line": interaction.entry.line})
            self._miss(message, None, is_used_up=False, is_told=True)
        return error is not None

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

    # -- what was not recorded

    def _miss(self, message: Message, batch: BatchAnswers | None, *, is_used_up: bool, is_told: bool = False) -> None:
        """Reports a miss, and tells the client unless it is told already."""
        from mcpmock.session.missing import Missed  # needed by nobody whose client stays on the record

        missed = Missed(self._library, self.casting)
        if self._live.options.order == "strict":
            miss = missed.out_of_order(message)
        else:
            miss = missed.like(message, is_used_up=is_used_up)
        self._live.report.misses.append(miss)
        self._live.variables.heard.update(missed.secrets_in(message, miss))
        self._note_call(message, "missed")
        if message.kind == "request" and not is_told:
            self._answer(error_text(message.id, missed.error(miss, self._live.options.ways)), batch)

    def _answer(self, text: str, batch: BatchAnswers | None, fact: HttpFact | None = None) -> None:
        if batch is not None:
            self._live.actions += batch.add(text)
        else:
            self._live.actions.append(Send(text, ticket=self._live.ticket, is_answer=True, fact=fact))

    def own_interactions(self, default: int | None = None) -> list[Interaction]:
        """Those of the recorded session that was taken, or else of that at place `default`."""
        bound = self.casting.bound if self.casting.bound is not None else default
        if bound is None or not self._story.timelines:
            return []
        return self._story.timelines[bound].interactions

    def _note_call(self, message: Message, outcome: Outcome, line: int = 0) -> None:
        self._live.report.add_call(message, outcome, line, self._live.now)


_LONGEST_ID: Final = 60


def _spelt(live_id: Json | Missing) -> str:
    """An id for people, who have asked for none that fills a screen."""
    text = "null" if isinstance(live_id, Missing) else repr(live_id)
    return text if len(text) <= _LONGEST_ID else f"{text[:_LONGEST_ID]}…"
