"""Conversations for property tests: any talk of a client and a server, as entries, with what belongs to what.

`Conversation.of(choices)` makes one of a list of numbers, so that Hypothesis shrinks it to the few that matter. Each
message carries a mark of its own (`m`), by which it is found again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from mcpmock.cassette.model import Entry, Session
from mcpmock.wire.message import MISSING, Json, Message, Object

IDS: Final[tuple[Json, ...]] = (0, 1, "1", "", -1, 2**60, 1.5, "é", 2, 3, "3", 10**30)
ASKING: Final = ("tools/call", "prompts/get", "resources/read", "completion/complete", "tasks/result")
OTHERS: Final = ("tools/list", "resources/list", "x/own", "tasks/cancel")
TOLD: Final = (
    "notifications/message",
    "notifications/tools/list_changed",
    "notifications/resources/updated",
    "notifications/tasks/status",
    "notifications/own",
)
QUESTIONS: Final = ("sampling/createMessage", "roots/list", "elicitation/create")
SAID: Final = ("notifications/initialized", "notifications/roots/list_changed", "notifications/own")


@dataclass
class Asked:
    """A request of either side: its id, its mark, its token, and what is known of it."""

    id: Json
    mark: int
    method: str
    token: Json = None
    is_open: bool = True
    is_cancelled: bool = False
    is_batched: bool = False
    own: list[int] = field(default_factory=list)
    """The marks of the progress and the answer that are its own beyond doubt, in their order."""

    @property
    def is_waiting(self) -> bool:
        """Whether its answer is still to come."""
        return self.is_open and not self.is_cancelled


class Conversation:
    """What was said, and by whom."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.requests: list[Asked] = []
        self.questions: list[Asked] = []
        self.owed: list[int] = []
        """The marks of all that a replay has to send."""
        self.marks = 0
        self._begin()

    @classmethod
    def of(cls, choices: Iterable[tuple[int, int]]) -> Conversation:
        """The conversation that these choices make: what to do next, and with which of several."""
        talk = cls()
        for deed, which in choices:
            cls._DEEDS[deed % len(cls._DEEDS)](talk, which)
        return talk

    @property
    def session(self) -> Session:
        """As a recorded session."""
        return Session(tuple(self.entries))

    # -- what is said

    def _begin(self) -> None:
        capabilities: Object = {"sampling": {}, "roots": {}, "elicitation": {}}
        self._client({"id": "begin", "method": "initialize", "params": {"capabilities": capabilities}}, "request")
        self._owe({"id": "begin", "result": {"protocolVersion": "2025-03-26", "m": self._mark()}}, "response")

    def _mark(self) -> int:
        self.marks += 1
        return self.marks

    def _client(self, body: Object, kind: str) -> None:
        self.entries.append(Entry("client", (Message(body, kind),)))  # type: ignore[arg-type]

    def _owe(self, body: Object, kind: str, owner: Asked | None = None) -> None:
        message = Message(body, kind)  # type: ignore[arg-type]
        self.entries.append(
            Entry("server", (message,)) if owner is None else Entry("server", (message,), owner=owner.id)
        )
        self.owed.append(mark_of(body))

    def request(self, which: int) -> None:
        """The client asks; its id may be one that waits already, its words may turn up in a question."""
        methods = ASKING + OTHERS
        mark = self._mark()
        asked = Asked(IDS[which % len(IDS)], mark, methods[which % len(methods)], token=IDS[-1 - which % len(IDS)])
        meta: Object = {}
        if which % 3 and all(
            other.token != asked.token or type(other.token) is not type(asked.token) for other in self.requests
        ):
            meta = {"_meta": {"progressToken": asked.token}}
        else:
            asked.token = None
        params: Object = {"m": mark, "name": f"t{which % 2}", "arguments": {"words": f"w{which % 4}"}, **meta}
        self.requests.append(asked)
        self._client({"id": asked.id, "method": asked.method, "params": params}, "request")

    def ping(self, which: int) -> None:
        """A ping of the client, answered at once; and one of the server, which is not played."""
        self._client({"id": f"ping {which}", "method": "ping"}, "request")
        self._owe({"id": f"ping {which}", "result": {"m": self._mark()}}, "response")
        self.entries.append(Entry("server", (Message({"id": f"ping {which}", "method": "ping"}, "request"),)))
        self._client({"id": f"ping {which}", "result": {}}, "response")

    def say(self, which: int) -> None:
        """The client notifies."""
        method = SAID[which % len(SAID)]
        self._client({"method": method, "params": {"m": self._mark()}}, "notification")

    def answer(self, which: int) -> None:
        """The server answers an open request: of several with one id the oldest, if nobody says otherwise.

        An error after a cancel would be for the cancelled one, where both have one id.
        """
        asked = _pick([one for one in self.requests if one.is_waiting], which)
        if asked is not None:
            same = [one for one in self.requests if _equal(one.id, asked.id) and one.is_open]
            is_error = which % 5 == 4 and not any(one.is_cancelled for one in same)
            body: Object = {"error": {"code": 1, "m": self._mark()}} if is_error else {"result": {"m": self._mark()}}
            self._answered(next(one for one in same if one.is_waiting), body)

    def answer_cancelled(self, which: int) -> None:
        """The server answers a request that was cancelled."""
        asked = _pick([one for one in self.requests if one.is_open and one.is_cancelled], which)
        if asked is not None and not any(_equal(one.id, asked.id) for one in self.requests if one is not asked):
            self._answered(asked, {"error": {"code": 0, "message": "cancelled", "m": self._mark()}})

    def _answered(self, asked: Asked, body: Object) -> None:
        asked.is_open = False
        asked.own.append(self.marks)
        self._owe({"id": asked.id, **body}, "response")

    def progress(self, which: int) -> None:
        """The server reports progress, perhaps after the answer, perhaps after a cancel."""
        asked = _pick([one for one in self.requests if one.token is not None], which)
        if asked is not None:
            asked.own.append(self._mark())
            params: Object = {"progressToken": asked.token, "progress": self.marks, "m": self.marks}
            self._owe({"method": "notifications/progress", "params": params}, "notification")

    def tell(self, which: int) -> None:
        """The server notifies."""
        params: Object = {"m": self._mark(), "uri": "a:1", "taskId": "t"}
        self._owe({"method": TOLD[which % len(TOLD)], "params": params}, "notification")

    def tell_of(self, which: int) -> None:
        """The server notifies, and the entry says what it belongs to (`in:`)."""
        asked = _pick([one for one in self.requests if one.is_waiting], which)
        if asked is not None:
            self._owe({"method": "notifications/message", "params": {"m": self._mark()}}, "notification", asked)

    def ask(self, which: int) -> None:
        """The server asks; its id may be one that the client uses, never one that waits for the client's answer."""
        free = [one for one in IDS if not any(str(one) == str(other.id) for other in self.questions if other.is_open)]
        asked = Asked(free[which % len(free)], self._mark(), QUESTIONS[which % len(QUESTIONS)])
        self.questions.append(asked)
        self._owe(
            {"id": asked.id, "method": asked.method, "params": {"m": asked.mark, "message": f"w{which % 4}"}}, "request"
        )

    def reply(self, which: int) -> None:
        """The client answers a question, in any order, or refuses."""
        asked = _pick([one for one in self.questions if one.is_open], which)
        if asked is not None:
            asked.is_open = False
            body: Object = {"error": {"code": -1, "m": asked.mark}} if which % 3 == 2 else {"result": {"m": asked.mark}}
            self._client({"id": asked.id, **body}, "response")

    def cancel(self, which: int) -> None:
        """The client cancels a request, perhaps too late."""
        asked = _pick([one for one in self.requests if not one.is_cancelled], which)
        if asked is not None:
            same = [one for one in self.requests if _equal(one.id, asked.id) and one.is_waiting]
            for one in same[:1]:
                one.is_cancelled = True
            self._client({"method": "notifications/cancelled", "params": {"requestId": asked.id}}, "notification")

    def withdraw(self, which: int) -> None:
        """The server cancels a question of its own; the client answers no more, or did in a race."""
        asked = _pick([one for one in self.questions if one.is_open], which)
        if asked is not None:
            asked.is_open = which % 2 == 0
            self._owe(
                {"method": "notifications/cancelled", "params": {"requestId": asked.id, "m": self._mark()}},
                "notification",
            )

    def join(self, which: int) -> None:
        """What one side said last becomes a batch; a handshake is never part of one."""
        size, side = 2 + which % 3, self.entries[-1].kind
        last = self.entries[2:][-size:]
        messages = tuple(message for entry in last for message in entry.messages)
        is_one_sided = all(one.kind == side and one.owner is MISSING for one in last)
        has_answers = side == "client" and any(message.kind == "response" for message in messages)
        if len(last) == size and is_one_sided and not has_answers:
            self.entries[-size:] = [Entry(side, messages, is_batch=True)]
            marks = {mark_of(message.body) for message in messages}
            for one in self.requests:
                one.is_batched |= side == "client" and one.mark in marks

    _DEEDS: Final[Sequence[Callable[[Conversation, int], None]]] = (
        request, request, request, answer, answer, progress, tell, ask, reply, say, cancel, answer_cancelled,
        tell_of, withdraw, ping, join,
    )  # fmt: skip


def mark_of(body: Object) -> int:
    """The mark of a message; 0 where it has none."""
    for member in ("params", "result", "error"):
        value = body.get(member)
        if isinstance(value, dict) and isinstance(value.get("m"), int):
            return int(str(value["m"]))
    return 0


def _equal(one: Json, other: Json) -> bool:
    return type(one) is type(other) and one == other


def _pick(several: Sequence[Asked], which: int) -> Asked | None:
    return several[which % len(several)] if several else None
