"""Whose message is it: the rules for a server message that is no answer (DESIGN 3, rules 2 to 5).

They were found on real traffic; each sentence below quotes the rule that it carries out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mcpmock.session.correlation import id_key, progress_token, reported_token
from mcpmock.session.interaction import Interaction, Poll
from mcpmock.session.minted import RELATED_TASK, TASK_STATES, task_made_by
from mcpmock.session.open_requests import OpenRequests
from mcpmock.wire.message import MISSING, Json, Message
from mcpmock.wire.methods import LIST_CHANGED, STAYS_OPEN

if TYPE_CHECKING:
    from mcpmock.session.events import Event

__all__ = ["Owner", "Ownership"]

_CHANGES_NO_LIST = frozenset(
    {"resources/subscribe", "resources/unsubscribe", "logging/setLevel", "completion/complete", "ping"}
)
_TAKE_OVER = frozenset({"tasks/cancel", "tasks/update"})  # what a task does after one of these, it does because of it


class Owner(NamedTuple):
    """The interaction that a server message belongs to, and how firmly: see `Step.is_owned` and `Step.is_alone`; for
    `poll` see there."""

    interaction: Interaction
    is_owned: bool = False
    is_alone: bool = False
    poll: Poll | None = None


class Ownership:
    """What has been said so far, as far as the rules ask for it.

    `pairs` gives the event number of an answer for the event number of its request, and the reverse.
    """

    def __init__(self, first: Interaction, events: Sequence[Event], pairs: Mapping[int, int]) -> None:
        self._events, self._pairs = events, pairs
        self._causes: Mapping[int, int] | None = None  # of notifications of change, once one could be of several
        self._calls: dict[int, Interaction] = {}  # by event number
        self._sole: Interaction | None = None  # the latest request, if nothing else was open when it was sent
        self._open = OpenRequests(pairs)
        self._before = first  # the client message before what comes now
        self._before_lists = first  # the same, if that may have changed a list
        self._initialized: Interaction | None = None
        self._answered_since_initialized = False
        self._roots_trigger: Interaction | None = None  # a notification that no roots/list has followed yet
        self._last_change: Interaction | None = None
        self._tokens: dict[tuple[str, object], Interaction] = {}
        self._tasks: dict[Json, Interaction] = {}
        self._task_waiters: dict[Json, Interaction] = {}
        self._polls: dict[Json, Interaction] = {}  # the latest of each task, whatever it asks
        self._subscribers: dict[str, Interaction] = {}
        self._lengths: set[int] = set()  # of their URIs
        self._labels: dict[Json, Interaction] = {}
        self._resumed: Mapping[tuple[str, object], int] | None = (
            None  # where a stream is resumed at last, once one ended
        )

    # -- what has happened

    def client_sent(self, at: int, interaction: Interaction) -> None:
        """A request or notification begins an interaction; `at` is its event number.

        A ping is never an open request, and the message before only where nothing is open: clients send pings by the
        clock, so whatever else goes on, it is not because of one.
        """
        request = interaction.request
        assert request is not None
        if request.method == "ping" and self._open:
            self._note_label(interaction)
            return
        self.client_spoke(interaction)
        if request.method == "ping":
            return
        if interaction.change:
            self._last_change = interaction
        if request.kind == "request":
            if request.method not in STAYS_OPEN:  # what goes on meanwhile is not because of a subscription
                self._sole = None if self._open else interaction
                self._open.add(at, interaction)
                if request.method == "tools/call":
                    self._calls[at] = interaction
            self._note_params(interaction, request)
        elif request.method == "notifications/initialized":
            self._initialized = self._roots_trigger = interaction
            self._answered_since_initialized = False
        elif request.method == "notifications/roots/list_changed":
            self._roots_trigger = interaction

    def client_spoke(self, interaction: Interaction) -> None:
        """The client sent something that belongs to this interaction."""
        self._before = interaction
        if interaction.method not in _CHANGES_NO_LIST:
            self._before_lists = interaction
        self._note_label(interaction)

    def _note_label(self, interaction: Interaction) -> None:
        if interaction.entry.label:
            self._labels[interaction.entry.label] = interaction

    def cancelled(self, interaction: Interaction) -> None:
        """The client cancelled the request of this interaction: nothing else belongs to it from now on."""
        self._open.close(interaction)
        self.client_spoke(interaction)

    def ended(self, at: int, interaction: Interaction) -> bool:
        """HTTP has ended the request of this interaction, or its stream, at this event; False where it goes on: the
        answer comes all the same, or the client asks for the rest."""
        goes_on = self._open.is_answered_later(interaction) or self._is_resumed(at, interaction)
        if not goes_on:
            self._open.close(interaction)
        return not goes_on

    def _is_resumed(self, at: int, interaction: Interaction) -> bool:
        if self._resumed is None:
            facts = ((place, event.entry.http) for place, event in enumerate(self._events))
            self._resumed = {id_key(fact.resumes): place for place, fact in facts if fact is not None}
        names = (interaction.entry.label or MISSING, interaction.request.id if interaction.request else MISSING)
        return any(self._resumed.get(id_key(name), -1) > at for name in names if name is not MISSING)

    def answered(self, interaction: Interaction) -> None:
        """The request of this interaction got its answer, which is its latest step."""
        self._open.close(interaction)
        if self._initialized is not None and interaction.number > self._initialized.number:
            self._answered_since_initialized = True
        answer = interaction.steps[-1].message
        task = task_made_by(answer) if answer is not None else None
        if task is not None:
            self._tasks[task] = interaction

    def asked(self, interaction: Interaction, question: Message) -> None:
        """The server asked a question that belongs to this interaction."""
        self._open.asked(interaction)
        if question.method == "roots/list":
            self._roots_trigger = None

    def _note_params(self, interaction: Interaction, request: Message) -> None:
        params = request.params if isinstance(request.params, dict) else {}
        token = progress_token(request)
        if token is not MISSING:
            self._tokens[id_key(token)] = interaction
        if isinstance(params.get("taskId"), str):
            self._polls[params["taskId"]] = interaction
        if request.method == "tasks/result" and isinstance(params.get("taskId"), str):
            self._task_waiters[params["taskId"]] = interaction
        elif request.method in _TAKE_OVER and isinstance(params.get("taskId"), str):
            self._tasks[params["taskId"]] = interaction
        elif request.method == "resources/subscribe" and isinstance(params.get("uri"), str):
            self._subscribers[str(params["uri"])] = interaction
            self._lengths.add(len(str(params["uri"])))

    # -- whose is it

    def named(self, label: Json) -> Interaction | None:
        """The interaction with this label."""
        return self._labels.get(label) if isinstance(label, str) else None

    def of(self, at: int, message: Message) -> Owner:
        """The owner of a notification, a question or an answer without an id; `at` is its event number."""
        bound = self._bound(message)
        if bound is not None:
            return Owner(bound, is_owned=True, poll=self._poll_before(message, bound))
        if message.method in LIST_CHANGED:
            return self._of_list_changed(at)
        if message.method == "notifications/resources/updated":
            return self._of_updated(at, message)
        if message.kind == "request":
            return self._of_question(at, message)
        return self.any_other()

    def any_other(self) -> Owner:
        """Rule 5: the only open request; of several the one that is answered next; else the client message before."""
        interaction = self._open.answered_next()
        if interaction is None:
            return Owner(self._before, is_alone=True)
        return Owner(interaction, is_owned=len(self._open) == 1)

    def the_latest(self) -> Owner:
        """What the client said last: after it the server left, whatever else was open."""
        return Owner(self._before, is_alone=not self._open)

    def _bound(self, message: Message) -> Interaction | None:
        """Rule 2: the request whose progress token or related task the message carries."""
        params = message.params if isinstance(message.params, dict) else {}
        if message.method == "notifications/progress":
            return self._tokens.get(id_key(reported_token(message)))
        meta = params.get("_meta")
        related = meta.get(RELATED_TASK) if isinstance(meta, dict) else None
        task = related.get("taskId") if isinstance(related, dict) else None
        if message.method in TASK_STATES:
            task = params.get("taskId")
        return self._of_task(task) if isinstance(task, str) else None

    def _of_task(self, task: str) -> Interaction | None:
        """The open `tasks/result` of the task, or the request that has made, changed or cancelled it since."""
        waiter, maker = self._task_waiters.get(task), self._tasks.get(task)
        if waiter is None or waiter not in self._open:
            return maker
        return waiter if maker is None or maker.number < waiter.number else maker

    def _poll_before(self, message: Message, maker: Interaction) -> Poll | None:
        """What the client has asked after the task of which this tells the state, since it was told that there is one:
        no server tells a client that a task has ended, and then that it goes on."""
        if message.method not in TASK_STATES or maker in self._open:
            return None
        poll = self._polls.get(message.params.get("taskId") if isinstance(message.params, dict) else None)
        return Poll(poll, poll not in self._open) if poll is not None and poll.number > maker.number else None

    def cancel_before(self, result: Interaction) -> Poll | None:
        """The cancel of a task that was sent while its result was waited for: it is told because of that."""
        params = result.request.params if result.request is not None else None
        task = params.get("taskId") if result.method == "tasks/result" and isinstance(params, dict) else None
        poll = self._polls.get(task) if isinstance(task, str) else None
        if poll is None or poll.method != "tasks/cancel" or poll.number < result.number:
            return None
        return Poll(poll, poll not in self._open)

    def _known_cause(self, at: int) -> Interaction | None:
        """The call that a notification of a change came of, where several were open at once and what each tool brings
        is seen elsewhere in the session."""
        if self._before is self._sole:
            return None
        if self._causes is None:
            from mcpmock.session.known_causes import causes_known  # needed by nobody who asks for one thing at a time

            self._causes = causes_known(self._events, self._pairs)
        return self._calls.get(self._causes.get(at, -1))

    def _of_list_changed(self, at: int) -> Owner:
        """Rule 3: `initialized`, while no later request has been answered; else the call that is known to bring it, or
        the latest open one, or the client message before it, but none that cannot be a cause: a server may tell of a
        change a moment later."""
        is_alone = not self._open
        if self._initialized is not None and not self._answered_since_initialized:
            return Owner(self._initialized, is_alone=is_alone)
        return Owner(self._known_cause(at) or self._open.latest_call() or self._before_lists, is_alone=is_alone)

    def _of_updated(self, at: int, message: Message) -> Owner:
        """Rule 3: the call that is known to bring it, or the last change before it, else as `list_changed`.

        A subscription that came after that change is the nearer cause: no update is legal before it, nor without it
        (PROTOCOL 3.2), so a client that leaves the subscription out is not told either.
        """
        params = message.params if isinstance(message.params, dict) else {}
        subscriber, change = self._subscriber(str(params.get("uri", ""))), self._known_cause(at) or self._last_change
        if subscriber is not None and (change is None or change.number < subscriber.number):
            return Owner(subscriber)
        return Owner(change, is_alone=not self._open) if change is not None else self._of_list_changed(at)

    def _subscriber(self, uri: str) -> Interaction | None:
        """The latest subscription to this resource, or to one that it is a part of."""
        starts = (uri[:length] for length in self._lengths if length <= len(uri))
        fitting = [self._subscribers[start] for start in starts if start in self._subscribers]
        return max(fitting, key=lambda one: one.number, default=None)

    def _of_question(self, at: int, message: Message) -> Owner:
        """Rule 4: of the open requests that can ask, the one whose words the question takes up."""
        trigger = self._roots_trigger
        if message.method == "roots/list" and trigger is not None and len(self._open) > 1:
            return Owner(trigger, is_owned=True)
        interaction = self._open.asking(at, message.params)
        return Owner(interaction, is_owned=True) if interaction is not None else self.any_other()
