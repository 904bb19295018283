"""The subscriptions of a recorded session (`subscriptions/listen`, 2026-07-28): what came on which, and what ended it.

What comes on a listen stream waits for the stream *and* for the anchor that it would have had without one (DESIGN 3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcpmock.cassette.model import Entry
from mcpmock.session.correlation import IdMap, cancelled_id
from mcpmock.session.interaction import Interaction, Step, StepKind
from mcpmock.session.minted import TASK_STATES
from mcpmock.session.ownership import Owner, Ownership
from mcpmock.wire.envelope import ACKNOWLEDGED, SUBSCRIPTION_KEY
from mcpmock.wire.message import Message

if TYPE_CHECKING:
    from mcpmock.session.events import Event

__all__ = ["Subscriptions", "is_acknowledged"]


class Subscriptions:
    """Those that have been asked for, while a session is grouped; `owners` tells what else was going on, `requests` are
    all that are open."""

    def __init__(self, owners: Ownership, requests: IdMap) -> None:
        self._owners = owners
        self._requests = requests
        self._ids = IdMap()
        self._hosts: dict[int, Interaction] = {}  # of what came on each, by its number: the latest interaction

    def add(self, listen: Interaction) -> None:
        """The client has asked for one."""
        assert listen.request is not None
        self._ids.add(listen.request.id, listen)

    def close(self, listen: Interaction) -> None:
        """It is over: of several with one id, messages come on another one."""
        assert listen.request is not None
        for ids in (self._ids, self._requests):
            ids.close(listen.request.id, listen)

    def carrying(self, message: Message) -> Interaction | None:
        """The one on which a message came, by the id that it carries."""
        meta = message.params.get("_meta") if isinstance(message.params, dict) else None
        if isinstance(meta, dict) and SUBSCRIPTION_KEY in meta:
            return self._ids.find(meta[SUBSCRIPTION_KEY])
        return self._ids.find(cancelled_id(message)) if message.method == "notifications/cancelled" else None

    def came(self, at: int, event: Event, listen: Interaction, named: Owner | None, *, is_over: bool) -> None:
        """A message came on one, its end included; `at` is its event number, `is_over`: the client had closed.

        Where `in:` names the subscription, the cause follows from the rules. The states of a task come again.
        """
        message = event.message
        assert message is not None
        is_end = message.kind == "response"
        if message.method == ACKNOWLEDGED:
            listen.steps.append(Step("send", event.entry, message, is_owned=True))
        elif is_over and (is_end or message.method == "notifications/cancelled"):
            listen.farewell = message  # which waits for just that
        elif is_end:
            self.ended(event.entry, message, listen, named)
        else:
            owner = named if named is not None and named.interaction is not listen else self._owners.of(at, message)
            is_state = message.method in TASK_STATES and owner.is_owned
            step = Step("send", event.entry, message, is_owned=is_state, is_alone=owner.is_alone, listen=listen)
            owner.interaction.steps.append(step._replace(poll=owner.poll))
            host = self._hosts.setdefault(listen.number, owner.interaction)
            self._hosts[listen.number] = max(host, owner.interaction, key=lambda one: one.number)
            if message.method == "notifications/cancelled":
                self.close(listen)

    def ended(self, entry: Entry, result: Message | None, listen: Interaction, named: Owner | None = None) -> None:
        """The server ended one: by its result, by an error, or (None) by the end of its stream.

        Something else is the cause, nothing before what came on it last. One that has not begun was refused: that is
        its answer, which comes again.
        """
        is_refusal = not is_acknowledged(listen) and (result is None or "error" in result.body)
        owner = named
        if owner is None or owner.interaction is listen:
            owner = Owner(listen) if is_refusal else self._owners.any_other()
            host = self._hosts.get(listen.number, owner.interaction)
            if host.number > owner.interaction.number:
                owner = Owner(host, is_alone=owner.is_alone)
        kind: StepKind = "send" if result is not None else "close"
        is_owned = owner.interaction is listen
        step = Step(kind, entry, result, is_owned=is_owned, is_alone=owner.is_alone, listen=listen)
        owner.interaction.steps.append(step)
        self.close(listen)


def is_acknowledged(listen: Interaction) -> bool:
    """Whether a recorded subscription has begun: the server has acknowledged it."""
    return any(step.message is not None and step.message.method == ACKNOWLEDGED for step in listen.steps)
