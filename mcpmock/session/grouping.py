"""Groups the entries of a recorded session into interactions (DESIGN 3, "Whose message is it").

The walk is here: who is open, which answer closes which request, which change was answered when. The rules that
decide for a server message without an id of its own are in `ownership.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpmock.cassette.model import NORM, Entry, HttpFact, Session
from mcpmock.errors import CassetteError
from mcpmock.session.correlation import IdMap, cancelled_id, id_key
from mcpmock.session.events import Asides, Event, is_change, pair_answers, unfold
from mcpmock.session.interaction import Interaction, Step, StepKind, Timeline, era_shown
from mcpmock.session.minted import minted_by
from mcpmock.session.ownership import Owner, Ownership
from mcpmock.wire.envelope import asks_for_input, is_enveloped
from mcpmock.wire.message import Message, Missing
from mcpmock.wire.methods import STAYS_OPEN

if TYPE_CHECKING:
    from mcpmock.session.rounds import Rounds
    from mcpmock.session.subscriptions import Subscriptions

__all__ = ["group"]


def group(session: Session, *, number: int = 0, read_only: frozenset[str] = frozenset()) -> Timeline:
    """The timeline of one recorded session; `number` is its place in the cassette, from 0.

    Raises CassetteError, with the line, where `in:` names nothing that was there before it.
    """
    grouping = _Grouping(list(unfold(session.entries)), read_only)
    grouping.walk()
    for interaction in grouping.interactions:
        interaction.session = number
    timeline = Timeline(grouping.interactions, sessions=(number,), revision=grouping.revision)
    timeline.era = timeline.era or era_shown(timeline.interactions)
    if session.transport == "streamable_http" or session.http is not NORM:
        from mcpmock.session.exchanges import heed_http

        heed_http(session, timeline)
    if timeline.era == "modern":  # which has no sessions, and nothing but POST
        timeline.norm = timeline.norm._replace(session=False, get=405, delete=405)
    return timeline


class _Grouping:
    def __init__(self, events: list[Event], read_only: frozenset[str]) -> None:
        self.events = events
        self.read_only = read_only
        self.pairs = pair_answers(events)
        self.interactions = [Interaction(0, None, Entry("raw"), 0)]
        self.by_event: dict[int, Interaction] = {}
        self.asked: dict[int, tuple[Interaction, int]] = {}  # event of a question -> its interaction and step
        self.latest_asked: dict[tuple[str, object], int] = {}  # id of a question -> the event of the latest one
        self.unreadable: Interaction | None = None  # a line of the client that no error has answered yet
        self.standing: set[str] = set()  # labels of streams that a GET has opened
        self.asides = Asides()
        self.client_has_closed = False
        self._rounds: Rounds | None = None
        self._subscriptions: Subscriptions | None = None
        self.ids = IdMap()
        self.owners = Ownership(self.interactions[0], events, self.pairs)
        self.changes = 0
        self.position = 0
        self.revision = ""

    def walk(self) -> None:
        for at, event in enumerate(self.events):
            if event.side == "client":
                self._client(at, event)
            elif event.message is not None:
                self._server(at, event, event.message)
            else:
                self._no_message(at, event)

    @property
    def rounds(self) -> Rounds:
        """The requests that wait for their next round; few sessions have any."""
        if self._rounds is None:
            from mcpmock.session.rounds import Rounds

            self._rounds = Rounds()
        return self._rounds

    @property
    def subscriptions(self) -> Subscriptions:
        """The subscriptions; few sessions have any."""
        if self._subscriptions is None:
            from mcpmock.session.subscriptions import Subscriptions

            self._subscriptions = Subscriptions(self.owners, self.ids)
        return self._subscriptions

    # -- what the client sent

    def _client(self, at: int, event: Event) -> None:
        begun = len(self.interactions)
        self._heed(at, event)
        self.asides.heard(at, event, begins=len(self.interactions) > begun)

    def _heed(self, at: int, event: Event) -> None:
        message = event.message
        if message is None:
            if event.entry.kind == "raw":
                self._begin(at, event)
            elif event.entry.kind == "eof":
                self.client_has_closed = True
        elif message.kind == "response":
            self._client_answer(at, event, message)
        elif message.method == "notifications/progress":
            pass  # how often a client reports varies: nothing is anchored to it
        elif message.method != "notifications/cancelled" or not self._client_cancel(at, event, message):
            self._begin(at, event)

    def _begin(self, at: int, event: Event) -> None:
        message = event.message
        if message is not None and event.entry.answer is not None:
            message = message._replace(kind="request")  # short form: a request without an id
        interaction = Interaction(len(self.interactions), message, event.entry, self.position)
        self.interactions.append(interaction)
        self.by_event[at] = interaction
        if message is None:
            self.unreadable = interaction
            self.owners.client_spoke(interaction)
            return
        if self._rounds is not None:
            interaction.first = self._rounds.first_of(message)
        if interaction.first is None and is_change(message, self.read_only):
            self.changes += 1
            interaction.change = interaction.effect = self.changes
            if message.kind == "notification":
                self.position = interaction.change
        if message.kind == "request":
            self.ids.add(message.id, interaction)
            if message.method in STAYS_OPEN:
                self.subscriptions.add(interaction)
        self.owners.client_sent(at, interaction)

    def _client_answer(self, at: int, event: Event, message: Message) -> None:
        question = self.pairs.get(at)
        if question is None or question not in self.asked:
            return  # an answer to nothing, or to a ping: nothing waits for it
        interaction, place = self.asked[question]
        asked = interaction.steps[place]
        step = Step("await", event.entry, message, place, is_owned=asked.is_owned, is_alone=asked.is_alone)
        interaction.steps.append(step)
        self.by_event[at] = interaction
        self.owners.client_spoke(interaction)

    def _client_cancel(self, at: int, event: Event, message: Message) -> bool:
        interaction = self.ids.find(cancelled_id(message))
        if interaction is not None:
            self.by_event[at] = interaction
            self._cancel(event, interaction)
        return interaction is not None

    def _cancel(self, event: Event, interaction: Interaction) -> None:
        assert interaction.request is not None
        if interaction.method in STAYS_OPEN:
            self.subscriptions.close(interaction)  # how long a client listens is its own affair
        elif interaction.answer < 0:  # one that came too late is nobody's cause: the next client may well not send it
            interaction.steps.append(Step("cancel", event.entry, event.message, is_owned=True))
            self.ids.close(interaction.request.id, interaction)
            self.owners.cancelled(interaction)

    # -- what the server sent

    def _server(self, at: int, event: Event, message: Message) -> None:
        named = self._named(event)
        is_refusal = self.unreadable is not None and event.entry.http is not None  # some servers make up an id for it
        listen = self._listen(at, message, named) if self._subscriptions is not None else None
        if listen is not None:
            self.subscriptions.came(at, event, listen, named, is_over=self.client_has_closed)
        elif message.kind == "response" and at in self.pairs:
            self._answer(self.by_event[self.pairs[at]], event, message)
        elif message.kind == "response" and message.body.get("id") is not None and not is_refusal:
            owner = named or self.owners.any_other()
            owner.interaction.steps.append(Step("send", event.entry, message, is_stray=True))
        elif message.kind != "request" or message.method != "ping":
            owner = named or self._withdrawn(message) or self._refused(message) or self.owners.of(at, message)
            self._unasked(at, event, message, owner)

    def _listen(self, at: int, message: Message, named: Owner | None) -> Interaction | None:
        """The subscription that a message ends or came on: `in:` may name it, where its id does not tell."""
        if message.kind == "response":
            named = Owner(self.by_event[self.pairs[at]]) if at in self.pairs else None
        if named is not None and named.interaction.method in STAYS_OPEN:
            return named.interaction
        return self.subscriptions.carrying(message) if message.kind != "response" else None

    def _answer(self, interaction: Interaction, event: Event, message: Message) -> None:
        assert interaction.request is not None
        interaction.answer = len(interaction.steps)
        interaction.minted = minted_by(message)
        if self._rounds is not None or asks_for_input(message):
            self.rounds.answered(interaction, message)
        poll = self.owners.cancel_before(interaction)
        interaction.steps.append(Step("send", event.entry, message, is_owned=True, poll=poll))
        self.ids.close(interaction.request.id, interaction)
        self.owners.answered(interaction)
        self.position = max(self.position, interaction.effect)
        if interaction.method == "initialize":
            self.revision = interaction.revision

    def _unasked(self, at: int, event: Event, message: Message, owner: Owner) -> None:
        steps = owner.interaction.steps
        kind: StepKind = "ask" if message.kind == "request" else "send"
        if kind == "ask":
            self.asked[at] = (owner.interaction, len(steps))
            self.latest_asked[id_key(message.id)] = at
            self.owners.asked(owner.interaction, message)
        step = Step(kind, event.entry, message, is_owned=owner.is_owned, is_alone=owner.is_alone, poll=owner.poll)
        steps.append(step._replace(is_standing=True) if owner.is_alone or event.entry.owner in self.standing else step)

    def _named(self, event: Event) -> Owner | None:
        """Whose the entry says that a message is (`in:`)."""
        named = event.entry.owner
        if isinstance(named, Missing) or named in self.standing or named in self.asides:
            return None
        interaction = self.owners.named(named) or self.ids.find(named)
        if interaction is None:
            raise CassetteError(
                f"`in: {named}` names nothing that was there before",
                line=event.entry.line,
                hint="it wants the id of a request that is open here, or the `label:` of a client or http entry",
            )
        return Owner(interaction, is_owned=True)

    def _withdrawn(self, message: Message) -> Owner | None:
        """The server cancels its own question: that belongs where the question does."""
        if message.method != "notifications/cancelled":
            return None
        at = self.latest_asked.get(id_key(cancelled_id(message)))
        if at is None:
            return None
        interaction, place = self.asked[at]
        asked = interaction.steps[place]
        return Owner(interaction, asked.is_owned, asked.is_alone)

    def _refused(self, message: Message) -> Owner | None:
        """An error without a readable id answers the line that could not be read (case RP-04)."""
        if message.kind != "response" or self.unreadable is None:
            return None
        interaction, self.unreadable = self.unreadable, None
        return Owner(interaction, is_owned=True)

    # -- what is no message

    def _no_message(self, at: int, event: Event) -> None:
        entry = event.entry
        if entry.kind == "eof":
            self._end(at, entry)
        elif entry.http is not None:
            self._exchange(at, event, entry.http)
        elif entry.kind in ("raw", "stderr"):
            owner = self.owners.any_other()
            owner.interaction.steps.append(Step("noise", entry, is_alone=owner.is_alone))

    def _exchange(self, at: int, event: Event, fact: HttpFact) -> None:
        """What HTTP did with a message or a stream, beside carrying messages."""
        if fact.verb == "GET":
            self.standing.add(event.entry.label)
        elif fact.path or fact.verb not in ("", "POST") or event.entry.owner in self.standing:
            return
        elif fact.verb and event.entry.owner in self.asides:
            self._accepted(self.asides[event.entry.owner], event.entry, fact)
        else:
            interaction = (self._named(event) or self.owners.the_latest()).interaction
            is_listen = interaction.method in STAYS_OPEN
            if fact.end and fact.side == "client" and (is_listen or interaction.is_stateless):
                self._cancel(event, interaction)
                return
            if fact.end and is_listen:
                self.subscriptions.ended(event.entry, None, interaction)
            else:
                interaction.steps.append(Step("http", event.entry, is_owned=True))
            if (fact.verb or fact.end) and self.owners.ended(at, interaction) and interaction.request is not None:
                self.ids.close(interaction.request.id, interaction)

    def _accepted(self, at: int, told: Entry, fact: HttpFact) -> None:
        """How the POST of an answer, or of a cancel, ended; a stateless one refused for its headers is played alone."""
        steps, event = self.by_event[at].steps if at in self.by_event else [], self.events[at]
        steps[:] = [step._replace(accepted=fact) if step.entry is event.entry else step for step in steps]
        if fact.sent and fact.status >= 400 and event.message is not None and is_enveloped(event.message):
            self.interactions.append(Interaction(len(self.interactions), event.message, event.entry, self.position))
            self.interactions[-1].steps.append(Step("http", told, is_owned=True))

    def _end(self, at: int, entry: Entry) -> None:
        """The server left before its client did: that is played here, with the status or signal that `exit:` tells.

        An `exit:` alone is the orderly end after the client had closed.
        """
        status = next((event.entry.status for event in self.events[at:] if event.entry.kind == "exit"), 0)
        owner = self.owners.the_latest()
        owner.interaction.steps.append(Step("end", entry._replace(status=status), is_alone=owner.is_alone))
