"""Conversations without a handshake (2026-07-28): calls that overlap, rounds, and subscriptions beside them.

The client says what it says in a fixed order and waits for nothing; each message of the server carries a mark (`m`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from mcpmock.cassette.model import Entry
from mcpmock.wire.envelope import ACKNOWLEDGED, SUBSCRIPTION_KEY
from mcpmock.wire.message import Json, Object, message_from

_ENVELOPE: Final[Object] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}, "sampling": {}, "roots": {}},
}
_T = TypeVar("_T")
_TOOLS, _PROMPTS = "tools", "prompts"
_FILTERS: Final = ((_TOOLS,), (_PROMPTS,), (_TOOLS, _PROMPTS))


@dataclass
class Stream:
    """A call or a subscription: its id, what it asks for, and the marks of all that it must bring, in their order."""

    id: Json
    params: Object
    wants: Sequence[str] = ()
    owed: list[int] = field(default_factory=list)
    is_open: bool = True
    is_begun: bool = False
    is_ended: bool = False  # by the server
    token: Json = None

    def is_told_by(self, body: Object) -> bool:
        """Whether a message of the server came on this."""
        params = body.get("params")
        if not isinstance(params, dict):
            return body.get("id") == self.id
        meta = params.get("_meta")
        if isinstance(meta, dict):
            return meta.get(SUBSCRIPTION_KEY) == self.id
        return self.token is not None and params.get("progressToken") == self.token


class Stateless:
    """What was said."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.streams: list[Stream] = []
        self._paused: list[tuple[Stream, Object]] = []  # what a client may go on with, and the state that it brings
        self._marks = 0

    @classmethod
    def of(cls, choices: Iterable[tuple[int, int]]) -> Stateless:
        """The conversation that these choices make: what to do next, and with which of several."""
        talk = cls()
        for deed, which in choices:
            cls._DEEDS[deed % len(cls._DEEDS)](talk, which)
        for stream in list(talk.streams):
            if stream.is_open and not stream.wants:
                talk._answer_to(stream)
            elif stream.is_open and not stream.is_begun:
                talk._acknowledge(stream)
        return talk

    def _mark(self, stream: Stream) -> int:
        self._marks += 1
        stream.owed.append(self._marks)
        return self._marks

    def _client(self, body: Object) -> None:
        self.entries.append(Entry("client", (message_from(body),)))

    def _server(self, body: Object) -> None:
        self.entries.append(Entry("server", (message_from(body),)))

    def _begin(self, method: str, params: Object, meta: Object, wants: Sequence[str] = ()) -> Stream:
        number = len(self.streams)
        stream = Stream(number if number % 3 else f"r{number}", params, wants)
        self.streams.append(stream)
        self._client({"id": stream.id, "method": method, "params": {**params, "_meta": {**_ENVELOPE, **meta}}})
        return stream

    def _calls(self) -> list[Stream]:
        return [one for one in self.streams if one.is_open and not one.wants]

    def _subscriptions(self, *, begun: bool) -> list[Stream]:
        return [one for one in self.streams if one.is_open and one.wants and one.is_begun == begun]

    # -- what may be done next

    def _call(self, how: int) -> None:
        token = len(self.streams) if how % 2 else None
        meta: Object = {} if token is None else {"progressToken": token}
        self._begin("tools/call", {"name": "abc"[how % 3]}, meta).token = token

    def _answer(self, how: int) -> None:
        """An answer, an error, or a question, which the client may come back with."""
        for stream in _one_of(self._calls(), how):
            self._answer_to(stream, how)

    def _answer_to(self, stream: Stream, how: int = 0) -> None:
        stream.is_open = False
        if how % 4 == 3:
            state: Object = {} if how % 8 == 7 else {"requestState": f"that of {stream.id}"}
            asked: Object = {"q": {"method": "elicitation/create", "params": {"message": "?"}}}
            result: Object = {"resultType": "input_required", "inputRequests": asked, **state}
            self._server({"id": stream.id, "result": {**result, "m": self._mark(stream)}})
            self._paused.append((stream, state))
        elif how % 4 == 2:
            self._server({"id": stream.id, "error": {"code": -1, "message": "no", "m": self._mark(stream)}})
        else:
            self._server({"id": stream.id, "result": {"resultType": "complete", "m": self._mark(stream)}})

    def _go_on(self, how: int) -> None:
        for stream, state in _one_of(self._paused, how):
            self._paused.remove((stream, state))
            again: Object = {**state, "inputResponses": {"q": {"action": "decline"}}}
            self._begin("tools/call", {**stream.params, **again}, {})

    def _progress(self, how: int) -> None:
        for stream in _one_of([one for one in self._calls() if one.token is not None], how):
            told: Object = {"progressToken": stream.token, "progress": how, "m": self._mark(stream)}
            self._server({"method": "notifications/progress", "params": told})

    def _listen(self, how: int) -> None:
        wants = _FILTERS[how % len(_FILTERS)]
        notifications: Object = {f"{kind}ListChanged": True for kind in wants}
        stream = self._begin("subscriptions/listen", {"notifications": notifications}, {}, wants)
        if how % 4:
            self._acknowledge(stream)

    def _acknowledge_one(self, how: int) -> None:
        for stream in _one_of(self._subscriptions(begun=False), how):
            self._acknowledge(stream)

    def _acknowledge(self, stream: Stream) -> None:
        stream.is_begun = True
        self._tell_on(stream, ACKNOWLEDGED, {"notifications": stream.params["notifications"]})

    def _tell_on(self, stream: Stream, method: str, more: Object) -> None:
        is_marked: Object = {} if method == ACKNOWLEDGED else {"m": self._mark(stream)}
        params: Object = {**more, **is_marked, "_meta": {SUBSCRIPTION_KEY: stream.id}}
        self._server({"method": method, "params": params})

    def _tell(self, how: int) -> None:
        """All who have subscribed to it are told that a list has changed."""
        kind = (_TOOLS, _PROMPTS)[how % 2]
        for stream in self._subscriptions(begun=True):
            if kind in stream.wants:
                self._tell_on(stream, f"notifications/{kind}/list_changed", {})

    def _end(self, how: int) -> None:
        for stream in _one_of(self._subscriptions(begun=True), how):
            stream.is_open, stream.is_ended = False, True
            result: Object = {"resultType": "complete", "_meta": {SUBSCRIPTION_KEY: stream.id}}
            self._server({"id": stream.id, "result": {**result, "m": self._mark(stream)}})

    def _leave(self, how: int) -> None:
        """The client ends a subscription, or gives up a call, which is not answered then."""
        for stream in _one_of(self._subscriptions(begun=True) if how % 2 else self._calls(), how):
            stream.is_open = False
            self._client({"method": "notifications/cancelled", "params": {"requestId": stream.id}})

    _DEEDS: Final[Sequence[Callable[[Stateless, int], None]]] = (
        _call, _call, _answer, _answer, _go_on, _progress, _listen, _acknowledge_one, _tell, _tell, _end, _leave,
    )  # fmt: skip


def _one_of(these: Sequence[_T], how: int) -> Sequence[_T]:
    """One of these, if there is any."""
    return [these[how % len(these)]] if these else []
