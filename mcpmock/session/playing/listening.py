"""The subscriptions of a live client (`subscriptions/listen`, 2026-07-28), and what is sent on them (PROTOCOL 2.4).

What was recorded on a subscription waits for that one and for its own cause. It goes to the live subscription that
plays the recorded one; where the live client has put its subscriptions together otherwise, to one that asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from mcpmock.cassette.model import HttpFact
from mcpmock.session.correlation import id_key
from mcpmock.session.interaction import Interaction, Step
from mcpmock.session.minted import NO_RENAMES, TASK_STATES, Renames, renamed
from mcpmock.session.playing.actions import Action, Close, Send
from mcpmock.session.playing.answers import message_text
from mcpmock.session.playing.live import Live
from mcpmock.wire.envelope import ACKNOWLEDGED, SUBSCRIPTION_KEY, is_enveloped
from mcpmock.wire.message import Json, Message, Missing, Object, dumps
from mcpmock.wire.values import repeatable, value_at, with_value

__all__ = ["Listeners"]

_KINDS: Final = {
    "notifications/tools/list_changed": "toolsListChanged",
    "notifications/prompts/list_changed": "promptsListChanged",
    "notifications/resources/list_changed": "resourcesListChanged",
}
_NAMED: Final = {
    "notifications/resources/updated": ("resourceSubscriptions", "uri"),
    "notifications/tasks": ("taskIds", "taskId"),
}
"""Where the filter of a subscription lists what it is about, and where a notification names it."""


class Listener:
    """One live subscription: its request, the exchange it came in, the recorded one that it plays."""

    def __init__(self, request: Message, ticket: object, plays: Interaction | None) -> None:
        self.live_id = request.id
        self.ticket = ticket
        self.plays = plays
        params = request.params
        wanted = params.get("notifications") if isinstance(params, dict) else None
        self.wanted = cast("Object", repeatable(wanted)) if isinstance(wanted, dict) else {}

    def wants(self, message: Message) -> bool:
        """Whether its filter asks for a notification; of kinds that nobody knows that cannot be told."""
        params = message.params if isinstance(message.params, dict) else {}
        if kind := _KINDS.get(message.method):
            return self.wanted.get(kind) is True
        if message.method in _NAMED:
            key, member = _NAMED[message.method]
            about, listed = params.get(member), self.wanted.get(key)
            named = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
            if message.method in TASK_STATES:
                return about in named
            return isinstance(about, str) and any(map(about.startswith, named))
        return True

    def was_to_want(self, message: Message) -> bool:
        """Whether the recorded one that it plays asked for a notification, so that it had its own."""
        request = self.plays.request if self.plays is not None else None
        return request is not None and Listener(request, None, None).wants(message)

    def honoured(self, acknowledged: Json) -> Object:
        """The part of its filter that the recorded server has acknowledged kinds of."""
        kinds = acknowledged if isinstance(acknowledged, dict) else {}
        return {key: value for key, value in self.wanted.items() if kinds.get(key)}


class Listeners:
    """Those of one live session."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._open: dict[tuple[tuple[str, object], object], Listener] = {}  # over HTTP many clients may share an id
        self._waiting: list[tuple[Step, Renames]] = []
        self._begun: set[int] = set()  # the recorded ones that live ones have played

    def begin(self, request: Message, ticket: object, plays: Interaction | None = None) -> None:
        """The client has subscribed; it is acknowledged at once where the recording does not tell how.

        One that was refused is refused.
        """
        listener = Listener(request, ticket, plays)
        self._open[id_key(request.id), ticket] = listener
        self._begun.add(id(plays))
        is_told = plays is not None and any(_tells(one, plays) for one in plays.steps)
        if is_enveloped(request) and not is_told:
            self.acknowledge(request.id, ticket, None)

    def acknowledge(self, live_id: Json | Missing, ticket: object, message: Message | None) -> None:
        """The server acknowledges a subscription, and sends what has waited for it.

        Without a recorded acknowledgement everything is honoured that the client asks for.
        """
        listener = self._open.get((id_key(live_id), ticket))
        if listener is None:
            return
        params = message.params if message is not None and isinstance(message.params, dict) else {}
        honoured = listener.honoured(params.get("notifications")) if message is not None else listener.wanted
        text = {
            "jsonrpc": "2.0",
            "method": ACKNOWLEDGED,
            "params": {"_meta": {SUBSCRIPTION_KEY: _plain(live_id)}, "notifications": honoured},
        }
        self._live.actions.append(Send(dumps(text), ticket=listener.ticket))
        waiting, self._waiting = self._waiting, []
        for step, renames in sorted(waiting, key=lambda one: one[0].entry.line):
            self.send(step, renames)

    def send(self, step: Step, renames: Renames = NO_RENAMES) -> None:
        """What was recorded on a subscription; it waits where the client has none that it could go to.

        The server's end of one, by its result, by a cancellation that names it or by the end of its stream, ends the
        live one.
        """
        recorded, message = step.listen, step.message
        assert recorded is not None
        own = [one for one in self._open.values() if one.plays is recorded]
        if message is None or message.kind == "response" or message.method == "notifications/cancelled":
            self._end(own, message, step.entry.http)
            if id(recorded) not in self._begun:
                self._waiting.append((step, renames))
            return
        for path, value in renamed(message, renames).items():
            message = message._replace(body=with_value(message.body, path, value), text=None)
        wanting = [one for one in self._open.values() if one.wants(message)]
        is_state = message.method in TASK_STATES
        found = [one for one in wanting if one.plays is recorded]
        if not own or (is_state and not found):
            found = [one for one in wanting if is_state or not one.was_to_want(message)][:1]
        if not found and (is_state or not own):
            self._waiting.append((step, renames))
        for listener in found:
            self._live.actions.append(self._on(listener, message))
        if found and is_state:
            self._live.note_state(step, renames)

    def _end(self, ending: Sequence[Listener], message: Message | None, fact: HttpFact | None = None) -> None:
        """The server ends these, by a message, or by the end of their streams; a client that speaks no HTTP is told of
        that by an error."""
        for listener in ending:
            del self._open[id_key(listener.live_id), listener.ticket]
            if message is not None:
                self._live.actions.append(self._on(listener, message, fact))
            elif fact is not None:
                from mcpmock.session.playing.cutting_off import ended  # few streams end so

                over = ended(fact, listener.live_id, listener.ticket, speaks_http=self._live.options.http)
                self._live.actions.append(over)

    def farewell(self) -> None:
        """The client has closed its side: what the recorded server said then."""
        for listener in list(self._open.values()):
            if listener.plays is not None and listener.plays.farewell is not None:
                self._end([listener], listener.plays.farewell)

    def cancel(self, live_id: Json | Missing) -> bool:
        """The client ends a subscription; False where it has none of this id."""
        key = id_key(live_id)
        listener = next((one for (its_id, _), one in self._open.items() if its_id == key), None)
        if listener is None:
            return False
        del self._open[key, listener.ticket]
        if listener.ticket is not None:
            self._live.actions.append(Close(listener.ticket))
        return True

    def leave(self, ticket: object) -> None:
        """The client has left the stream of its subscription."""
        for key in [key for key, one in self._open.items() if one.ticket is ticket]:
            del self._open[key]

    def _on(self, listener: Listener, message: Message, fact: HttpFact | None = None) -> Action:
        live_id = _plain(listener.live_id)
        changes: dict[tuple[str, ...], Json] = {}
        if message.kind == "response":
            if "id" not in message.body:  # the short form
                message = message._replace(body={"id": live_id, **message.body}, text=None)
            changes["id",] = live_id
            changes.update(_if_there(message, ("result", "_meta", SUBSCRIPTION_KEY), live_id))
        changes.update(_if_there(message, ("params", "_meta", SUBSCRIPTION_KEY), live_id))
        changes.update(_if_there(message, ("params", "requestId"), live_id))
        text = message_text(message, self._live.variables, changes)
        return Send(text, ticket=listener.ticket, is_answer=message.kind == "response", fact=fact)


def _tells(step: Step, listen: Interaction) -> bool:
    """Whether a step tells how a subscription began: it acknowledges or refuses it."""
    if step.message is None:
        return step.ends_by_http or (step.kind == "close" and step.listen is listen)
    is_refusal = step.listen is listen and step.message.kind == "response" and "error" in step.message.body
    return is_refusal or step.message.method == ACKNOWLEDGED


def _plain(live_id: Json | Missing) -> Json:
    return None if isinstance(live_id, Missing) else live_id


def _if_there(message: Message, path: tuple[str, ...], value: Json) -> dict[tuple[str, ...], Json]:
    return {} if isinstance(value_at(message.body, path), Missing) else {path: value}
