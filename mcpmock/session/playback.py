"""The playback machine: a recorded server, for one live client. Pure: frames and moments in, actions out (DESIGN 4).

    library = Library(Story(cassette))
    playback = Playback(library)
    for action in playback.receive(b'{"jsonrpc":"2.0","id":1,"method":"ping"}', now=0.0): ...

After each call the shell carries out the actions in order, and wakes the machine at `next_wake`, if there is one.
"""

from __future__ import annotations

from typing import Final

from mcpmock.session.actions import Action, Send
from mcpmock.session.anchors import Anchors
from mcpmock.session.answers import answer_text, error_text
from mcpmock.session.batch import BatchAnswers
from mcpmock.session.casting import Casting, Library, Role
from mcpmock.session.correlation import cancelled_id
from mcpmock.session.interaction import Interaction
from mcpmock.session.ledger import Ledger, MemoryLedger
from mcpmock.session.live import Live, Options
from mcpmock.session.made_up import is_enveloped, is_of_other_era, make_up, method_not_found
from mcpmock.session.minted import NO_RENAMES, Minted, Renames
from mcpmock.session.performance import Performance
from mcpmock.session.report import Outcome, Report, Unplayed
from mcpmock.session.stage import Stage
from mcpmock.session.story import PROBES
from mcpmock.wire.framing import Frame, Oversize
from mcpmock.wire.message import (
    INVALID_REQUEST,
    MISSING,
    PARSE_ERROR,
    Batch,
    Json,
    Message,
    Missing,
    NotAMessage,
    Parsed,
    is_valid_id,
    parse,
)
from mcpmock.wire.methods import BATCH_REVISION, method_row

__all__ = ["DEFAULT_OPTIONS", "Playback"]

DEFAULT_OPTIONS: Final = Options()
_ID_OPTIONAL_SINCE: Final = "2025-11-25"


class Playback:
    """One live session with a recorded server.

    `ledger` is what it shares with other live sessions of the same story; alone, it begins with the first session.
    """

    def __init__(
        self,
        library: Library,
        options: Options = DEFAULT_OPTIONS,
        ledger: Ledger | None = None,
        report: Report | None = None,
    ) -> None:
        self.report = report or Report()
        self._library = library
        self._story = library.story
        self._live = Live(options, self.report)
        self.variables = self._live.variables  # what placeholders stand for live: the client's secrets among it
        self._casting = Casting(library, self._live, ledger or MemoryLedger())
        self._stage = Stage(self._live)
        self._minted = Minted()
        self._is_quick = not options.delays and options.order != "strict"  # plain answers need no stage then
        self._performed: set[tuple[int, int]] = set()
        self._batches: list[BatchAnswers] = []  # those that wait for an answer
        self._anchors = Anchors()  # those of the bound timeline

    # -- what the shell tells

    def receive(self, frame: Frame, now: float = 0.0) -> list[Action]:
        """The client sent one frame, at the moment `now` (seconds on any clock that does not go back)."""
        if isinstance(frame, Oversize):
            return self.receive_parsed(NotAMessage(PARSE_ERROR, f"a line of {frame.size} bytes is too long"), now)
        return self.receive_parsed(parse(frame), now, frame)

    def receive_parsed(self, parsed: Parsed, now: float = 0.0, frame: bytes = b"") -> list[Action]:
        """Like `receive`, for a shell that has parsed the frame."""
        live = self._live
        live.now, live.actions = now, []
        if isinstance(parsed, Message):
            self._message(parsed)
        elif isinstance(parsed, Batch):
            self._batch(parsed)
        else:
            self._invalid(parsed, frame)
        return live.actions

    def wake(self, now: float) -> list[Action]:
        """The moment `now` has come."""
        self._live.now = now
        self._live.actions = []
        self._stage.wake()
        return self._live.actions

    def end_of_input(self, now: float = 0.0) -> list[Action]:
        """The client has closed its side: what is in flight is sent at once, what waits for the client never."""
        self._live.now = now
        self._live.actions = []
        self._stage.hurry()
        for batch in self._batches:
            self._live.actions += batch.take(anyway=True)
        return self._live.actions

    @property
    def next_wake(self) -> float | None:
        """The moment at which the machine wants to be woken; None while it waits for nothing but the client."""
        return self._stage.next_wake

    def unplayed(self) -> list[Unplayed]:
        """What counts as unplayed of the recorded session that this live one took."""
        own = self._own_interactions(default=0)
        if self._story.is_joined or not own:
            return []  # of what is joined, other processes play the rest
        played = self._casting.played(self._casting.bound or 0)
        counts = {one.number: played.count(one) for one in own}
        return self.report.unplayed_among(own, counts, self._library.masks.key)

    def unplayed_page(self, unplayed: list[Unplayed]) -> str:
        """The page about what was not played, for people."""
        from mcpmock.session.missing import Missed

        return Missed(self._library, self._casting).unplayed_page(unplayed)

    # -- messages

    def _message(self, message: Message, batch: BatchAnswers | None = None) -> None:
        if message.kind == "request":
            if not is_valid_id(message.id):
                self._refuse(INVALID_REQUEST, "the id of a request is a string or a number", MISSING, batch)
            else:
                self._request(message, batch)
        elif message.kind == "notification":
            self._notification(message)
        elif not self._stage.answer(message):
            self.report.notes.append(f"the client answered id {message.id!r}, which nobody had asked")

    def _request(self, message: Message, batch: BatchAnswers | None) -> None:
        method, renames = message.method, NO_RENAMES
        if self._minted.recorded:
            message, renames = self._minted.back(message)
        if self._casting.bound is None and method not in PROBES:
            self._bind(message)
        if method == "initialize":
            self._live.introduce(message)
        is_foreign = not self._live.revision and is_of_other_era(message, self._story)
        role: Role | bool = False
        if not method_row(method).noise:
            role = not is_foreign and self._casting.find(message)
        elif method == "server/discover" or not is_enveloped(message):
            role = self._casting.find_noise(message) or False
        if isinstance(role, Role):
            self._perform(role, message, batch, renames)
        elif is_foreign:
            self._answer(method_not_found(message), batch)
            self._miss(message, None, is_used_up=False, is_told=True)
        else:
            text = make_up(message, self._live, self._own_interactions(), server=self._story.server)
            if text is None:
                self._miss(message, batch, is_used_up=role)
            else:
                self._note_call(message, "made up")
                self._answer(text, batch)

    def _notification(self, message: Message) -> None:
        method = message.method
        if method == "notifications/cancelled":
            self._stage.cancel(cancelled_id(message))
            return
        if method == "notifications/progress":
            return
        if self._casting.bound is None:
            self._bind(message)
        find = self._casting.find_noise if method_row(method).noise else self._casting.find
        role: Role | bool | None = find(message)
        if isinstance(role, Role):
            self._perform(role, message)
        elif self._live.options.order == "strict" and not method_row(method).noise:
            self._miss(message, None, is_used_up=False)
        else:
            self._note_call(message, "ignored")

    def _batch(self, batch: Batch) -> None:
        """A batch is answered as one where its revision allows it, else refused whole."""
        if (self._live.revision or self._story.revision) != BATCH_REVISION:
            self._refuse(INVALID_REQUEST, f"batches belong to revision {BATCH_REVISION} only", MISSING, None)
            return
        answers = BatchAnswers(sum(message.kind == "request" for message in batch.messages))
        self._batches.append(answers)
        for message in batch.messages:
            self._message(message, answers)
        self._live.actions += answers.take()

    def _invalid(self, found: NotAMessage, frame: bytes) -> None:
        """What is no message gets the recorded reaction to the same line, or the error that JSON-RPC asks for."""
        role = self._casting.find_raw(_line_text(frame)) if frame else None
        if role is not None:
            self._perform(role, None)
            return
        self.report.notes.append(f"the client sent what is no message: {found.reason}")
        self._refuse(found.code, found.reason, found.id, None)

    def _refuse(self, code: int, reason: str, live_id: Json | Missing, batch: BatchAnswers | None) -> None:
        """An error for input without a readable id: without one from 2025-11-25 on, with null before (case RP-04)."""
        if isinstance(live_id, Missing) and (self._live.revision or self._story.revision) < _ID_OPTIONAL_SINCE:
            live_id = None
        self._answer(error_text(live_id, {"code": code, "message": reason}), batch)

    # -- playing

    def _bind(self, message: Message) -> None:
        """The first message that is no probe takes a recorded session."""
        if not self._casting.bind(message) or self._story.is_joined:
            return
        timeline = self._story.timelines[self._casting.bound or 0]
        self._anchors = Anchors(timeline)
        if any(step.kind == "end" for step in timeline.interactions[0].steps):
            self._perform_unasked(
                timeline.interactions[0], alone_only=False
            )  # the server left before anything was said

    def _perform(
        self, role: Role, message: Message | None, batch: BatchAnswers | None = None, renames: Renames = NO_RENAMES
    ) -> None:
        number, interaction, is_repeat = role
        if self._anchors and number == self._casting.bound:
            self._pass_anchors(interaction)
        if message is not None:
            self._note_call(message, "repeated" if is_repeat else "played", interaction.entry.line)
            if message.method == "initialize":
                self._live.revision = interaction.revision
        played = self._casting.played(number)
        if interaction.is_plain and message is not None and batch is None and self._is_quick and not renames:
            self._live.actions.append(Send(answer_text(interaction, message.id, self._live.variables)))
            played.answered(interaction)
            return
        place = (number, interaction.number)
        performance = Performance(interaction, message, played, is_first=place not in self._performed, alone_only=False)
        if not performance.is_first and interaction.made_task:
            renames = self._minted.fresh(interaction.made_task)
        self._performed.add(place)
        performance.batch, performance.renames = batch, renames
        if batch is not None and message is not None and message.kind == "request" and interaction.answer < 0:
            self._live.actions += batch.drop()
        self._stage.begin(performance)

    def _pass_anchors(self, interaction: Interaction) -> None:
        """Sends what was recorded at client messages that this client has left out."""
        for anchor in self._anchors.passed_by(interaction):
            self._perform_unasked(anchor, alone_only=True)

    def _perform_unasked(self, interaction: Interaction, *, alone_only: bool) -> None:
        bound = self._casting.bound or 0
        if (bound, interaction.number) not in self._performed:
            self._performed.add((bound, interaction.number))
            played = self._casting.played(bound)
            self._stage.begin(Performance(interaction, None, played, is_first=True, alone_only=alone_only))

    # -- what was not recorded

    def _miss(self, message: Message, batch: BatchAnswers | None, *, is_used_up: bool, is_told: bool = False) -> None:
        """Reports a miss, and tells the client unless it is told already."""
        from mcpmock.session.missing import Missed  # needed by nobody whose client stays on the record

        missed = Missed(self._library, self._casting)
        if self._live.options.order == "strict":
            miss = missed.out_of_order(message)
        else:
            miss = missed.like(message, is_used_up=is_used_up)
        self.report.misses.append(miss)
        self._note_call(message, "missed")
        if message.kind == "request" and not is_told:
            self._answer(error_text(message.id, missed.error(miss, self._live.options.ways)), batch)

    def _answer(self, text: str, batch: BatchAnswers | None) -> None:
        self._live.actions += [Send(text)] if batch is None else batch.add(text)

    def _own_interactions(self, default: int | None = None) -> list[Interaction]:
        bound = self._casting.bound if self._casting.bound is not None else default
        if bound is None or not self._story.timelines:
            return []
        return self._story.timelines[bound].interactions

    def _note_call(self, message: Message, outcome: Outcome, line: int = 0) -> None:
        self.report.add_call(message, outcome, line, self._live.now)


def _line_text(frame: bytes) -> str | bytes:
    try:
        return frame.decode()
    except UnicodeDecodeError:
        return frame
