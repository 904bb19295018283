"""The playback machine: a recorded server, for one live client. Pure: frames and moments in, actions out (DESIGN 4).

    library = Library(Story(cassette))
    playback = Playback(library)
    for action in playback.receive(b'{"jsonrpc":"2.0","id":1,"method":"ping"}', now=0.0): ...

After each call the shell carries out the actions in order, and wakes the machine at `next_wake`, if there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcpmock.cassette.model import NORM, HttpNorm
from mcpmock.session.playing.actions import Action
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.ledger import Ledger, MemoryLedger
from mcpmock.session.playing.live import Live, Options
from mcpmock.session.playing.player import Player
from mcpmock.session.playing.report import Report, Unplayed
from mcpmock.wire.framing import Frame, Oversize
from mcpmock.wire.message import INVALID_REQUEST, MISSING, PARSE_ERROR, Batch, Message, NotAMessage, Parsed, parse
from mcpmock.wire.methods import BATCH_REVISION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpmock.session.headers.oddities import Oddities
    from mcpmock.session.playing.batch import BatchAnswers

__all__ = ["DEFAULT_OPTIONS", "Playback"]

DEFAULT_OPTIONS: Final = Options()


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
        self._player = Player(library, self._live, ledger or MemoryLedger())
        self._batches: list[BatchAnswers] = []  # those that wait for an answer

    # -- what the shell tells

    def receive(self, frame: Frame, now: float = 0.0, ticket: object = None) -> list[Action]:
        """The client sent one frame, at the moment `now` (seconds on any clock that does not go back).

        `ticket`: over HTTP the exchange that brought it, whatever that is to the shell.
        """
        if isinstance(frame, Oversize):
            found = NotAMessage(PARSE_ERROR, f"a line of {frame.size} bytes is too long")
            return self.receive_parsed(found, now, ticket=ticket)
        return self.receive_parsed(parse(frame), now, frame, ticket)

    def receive_parsed(
        self,
        parsed: Parsed,
        now: float = 0.0,
        frame: bytes = b"",
        ticket: object = None,
        oddities: Oddities | None = None,
    ) -> list[Action]:
        """Like `receive`, for a shell that has parsed the frame. `oddities`: those of its headers, over HTTP."""
        live = self._live
        live.now, live.actions, live.ticket, live.oddities = now, [], ticket, oddities
        if isinstance(parsed, Message):
            self._player.message(parsed)
        elif isinstance(parsed, Batch):
            self._batch(parsed.messages)
        else:
            self._invalid(parsed, frame)
        return live.actions

    def wake(self, now: float) -> list[Action]:
        """The moment `now` has come."""
        self._live.now = now
        self._live.actions = []
        self._player.stage.wake()
        return self._live.actions

    def left(self, ticket: object, now: float = 0.0) -> list[Action]:
        """HTTP: the client has left an exchange before it was complete.

        In the stateless revision that is how requests are cancelled; with a handshake it means nothing.
        """
        self._live.now, self._live.actions = now, []
        self._player.stage.leave(ticket)
        return self._live.actions

    def end_of_input(self, now: float = 0.0) -> list[Action]:
        """The client has closed its side: what is in flight is sent at once, what waits for the client never."""
        self._live.now = now
        self._live.actions = []
        self._player.stage.hurry()
        for batch in self._batches:
            self._live.actions += batch.take(anyway=True)
        return self._live.actions

    @property
    def next_wake(self) -> float | None:
        """The moment at which the machine wants to be woken; None while it waits for nothing but the client."""
        return self._player.stage.next_wake

    @property
    def norm(self) -> HttpNorm:
        """How the recorded server answers over HTTP: as in the session that this live one has taken, or may take."""
        timelines = self._story.timelines
        return timelines[self._player.casting.bound or 0].norm if timelines else NORM

    def unplayed(self) -> list[Unplayed]:
        """What counts as unplayed of the recorded session that this live one took."""
        own = self._player.casting.own_interactions(default=0)
        if self._story.is_joined or not own:
            return []  # of what is joined, other processes play the rest
        played = self._player.casting.played(self._player.casting.bound or 0)
        counts = {one.number: played.count(one) for one in own}
        return self.report.unplayed_among(own, counts, self._library.masks.key)

    def unplayed_page(self, unplayed: list[Unplayed]) -> str:
        """The page about what was not played, for people."""
        from mcpmock.session.playing.missing import Missed

        return Missed(self._library, self._player.casting).unplayed_page(unplayed)

    # -- messages

    def _batch(self, members: Sequence[Message | NotAMessage]) -> None:
        """A batch is answered as one where its revision allows it, else refused whole."""
        if (self._live.revision or self._story.revision) != BATCH_REVISION and not self._story.takes_batches:
            self._player.unrecorded.refuse_input(
                INVALID_REQUEST, f"batches belong to revision {BATCH_REVISION} only", MISSING
            )
            return
        from mcpmock.session.playing.batch import BatchAnswers  # one revision of five knows batches

        is_of_revision = (self._live.revision or self._story.revision) == BATCH_REVISION
        owed = sum(isinstance(member, NotAMessage) or member.kind == "request" for member in members)
        if owed == 1 and not is_of_revision:  # where batches are but tolerated, an answer comes as it would alone
            for member in members:
                self._player.message(member) if isinstance(member, Message) else self._refuse(member)
            return
        answers = BatchAnswers(owed, self._live.ticket)
        self._batches.append(answers)
        for member in members:
            if isinstance(member, NotAMessage):
                self._refuse(member, answers)
            else:
                self._player.message(member, answers)
        self._live.actions += answers.take()

    def _invalid(self, found: NotAMessage, frame: bytes) -> None:
        """What is no message gets the recorded reaction to the same line, or the error that JSON-RPC asks for."""
        role = self._player.casting.find_raw(_line_text(frame)) if frame else None
        if role is not None:
            self._player.perform(role, None)
            if self._live.ticket is None or role.interaction.is_replied_to:
                return  # else it is a POST, and no POST may wait for ever (case HT-10)
        if found.members:
            self._batch(found.members)
        else:
            self._refuse(found)

    def _refuse(self, found: NotAMessage, batch: BatchAnswers | None = None) -> None:
        self.report.notes.append(f"the client sent what is no message: {found.reason}")
        self._player.unrecorded.refuse_input(found.code, found.reason, found.id, batch)


def _line_text(frame: bytes) -> str | bytes:
    try:
        return frame.decode()
    except UnicodeDecodeError:
        return frame
