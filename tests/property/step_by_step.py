"""Conversations of a client that does one thing after another: what such a client hears, and when, is never in doubt.

Requests may be equal to each other, and ids may be used again; the server's messages carry marks (`m`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from mcpmock.cassette.model import Entry
from mcpmock.wire.message import Message, Object, message_from
from tests.session.conversations import IDS, QUESTIONS, SAID, TOLD

_LIST: Final[Object] = {
    "tools": [{"name": "look", "annotations": {"readOnlyHint": True}}, {"name": "add"}, {"name": "take"}]
}
_REQUESTS: Final[Sequence[Object]] = (
    {"method": "tools/call", "params": {"name": "look"}},
    {"method": "tools/call", "params": {"name": "add"}},
    {"method": "tools/call", "params": {"name": "take"}},
    {"method": "tools/call", "params": {"name": "add", "arguments": {"n": 1}}},
    {"method": "resources/read", "params": {"uri": "a:1"}},
    {"method": "tools/list"},
    {"method": "resources/list", "params": {"cursor": "2"}},
    {"method": "prompts/get", "params": {"name": "p", "arguments": {"q": "é"}}},
    {"method": "completion/complete", "params": {"ref": {"type": "ref/prompt", "name": "p"}}},
    {"method": "tasks/get", "params": {"taskId": "t"}},
    {"method": "x/own"},
)
_CHANGES_NO_LIST: Final = ("ping", "completion/complete", "notifications/cancelled")


class StepByStep:
    """What was said."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._marks = 0
        self._ask: Object | None = None  # the open request
        self._given_up: set[str] = set()
        capabilities: Object = {"sampling": {}, "roots": {}, "elicitation": {}}
        greeting: Object = {"protocolVersion": "2025-06-18", "capabilities": capabilities}
        self._client({"id": "begin", "method": "initialize", "params": greeting})
        self._server({"id": "begin", "result": {"protocolVersion": "2025-06-18", "m": self._mark()}})
        self._client({"method": "notifications/initialized"})
        self._client({"id": "list", "method": "tools/list"})
        self._server({"id": "list", "result": {**_LIST, "m": self._mark()}})

    @classmethod
    def of(cls, choices: Iterable[tuple[int, int]]) -> StepByStep:
        """The conversation that these choices make: what to do next, and how."""
        talk = cls()
        for deed, how in choices:
            cls._DEEDS[deed % len(cls._DEEDS)](talk, how)
        if talk._ask is not None:
            talk._answer(0)
        return talk

    @property
    def owed(self) -> list[tuple[int, Object]]:
        """What the client must hear: after which of its messages, and what."""
        said, found = -1, []
        for entry in self.entries:
            if entry.kind == "client":
                said += 1
            else:
                found += [(said, message.body) for message in entry.messages]
        return found

    def _client(self, body: Object) -> None:
        self._add("client", body)

    def _server(self, body: Object) -> None:
        self._add("server", body)

    def _add(self, side: str, body: Object) -> None:
        message = message_from(body)
        self.entries.append(Entry("client" if side == "client" else "server", (message,)))  # type: ignore[arg-type]

    def _mark(self) -> int:
        self._marks += 1
        return self._marks

    # -- what may be done next

    def _request(self, how: int) -> None:
        """The client asks, unless it waits for an answer."""
        if self._ask is not None:
            return
        request = _REQUESTS[how % len(_REQUESTS)]
        params = request.get("params", {})
        assert isinstance(params, dict)
        token: Object = {"_meta": {"progressToken": IDS[how % len(IDS)]}} if how % 2 else {}
        self._ask = {"id": IDS[how % 7], **request, "params": {**params, **token}}
        self._client(self._ask)

    def _answer(self, how: int) -> None:
        """The answer, or an error; the latter would be for a request that was given up, where both have one id."""
        if self._ask is not None:
            failed = how % 5 == 4 and repr(self._ask["id"]) not in self._given_up
            said: Object = {"m": self._mark(), "nextCursor": "2"} if how % 3 == 2 else {"m": self._mark()}
            self._server({"id": self._ask["id"], ("error" if failed else "result"): {**said, "code": -1}})
            self._ask = None

    def _progress(self, how: int) -> None:
        params = self._ask.get("params") if self._ask is not None else None
        meta = params.get("_meta") if isinstance(params, dict) else None
        if isinstance(meta, dict):
            told: Object = {"progressToken": meta["progressToken"], "progress": how, "m": self._mark()}
            self._server({"method": "notifications/progress", "params": told})

    def _tell(self, how: int) -> None:
        """News; an update belongs to the last change (README of the format), so it is told right after one, and that a
        list has changed not right after what changes none."""
        news = TOLD[how % len(TOLD)]
        if news == "notifications/resources/updated" and not self._has_just_changed():
            return
        if news == "notifications/tools/list_changed" and self._last_said().method in _CHANGES_NO_LIST:
            return
        params: Object = {"m": self._mark(), "uri": "a:1", "taskId": "t", "level": "info", "data": how}
        self._server({"method": news, "params": params})

    def _last_said(self) -> Message:
        return next(entry for entry in reversed(self.entries) if entry.kind == "client").messages[0]

    def _has_just_changed(self) -> bool:
        last = self._last_said()
        name = last.params.get("name") if isinstance(last.params, dict) else None
        is_call = last.method == "tools/call" and name != "look"
        return is_call or last.method in ("x/own", "notifications/roots/list_changed")

    def _question(self, how: int) -> None:
        """The server asks, and the client answers at once, or refuses; only while a request that can ask is open."""
        if self._ask is not None and self._ask["method"] in ("tools/call", "prompts/get", "resources/read"):
            mark, number = self._mark(), IDS[how % len(IDS)]
            self._server({"id": number, "method": QUESTIONS[how % len(QUESTIONS)], "params": {"m": mark}})
            answer: Object = {"error": {"code": -1, "m": mark}} if how % 3 == 2 else {"result": {"m": mark}}
            self._client({"id": number, **answer})

    def _say(self, how: int) -> None:
        if self._ask is None:
            self._client({"method": SAID[1 + how % 2], "params": {"n": how}})

    def _ping(self, how: int) -> None:
        if self._ask is None:
            self._client({"id": f"ping {how}", "method": "ping"})
            self._server({"id": f"ping {how}", "result": {}})

    def _cancel(self, how: int) -> None:
        """The client gives up; the server goes on with progress, but does not answer."""
        if self._ask is not None:
            params: Object = {"requestId": self._ask["id"], "reason": "enough"}
            self._client({"method": "notifications/cancelled", "params": params})
            for number in range(how % 3):
                self._progress(number)
            self._given_up.add(repr(self._ask["id"]))
            self._ask = None

    _DEEDS: Final[Sequence[Callable[[StepByStep, int], None]]] = (
        _request, _request, _request, _answer, _answer, _progress, _tell, _question, _say, _ping, _cancel,
    )  # fmt: skip


def without_ids(body: Object) -> Object:
    """A message without what is live in it: the id of a question."""
    live = ("id", "jsonrpc") if "method" in body else ("jsonrpc",)
    return {key: value for key, value in body.items() if key not in live}
