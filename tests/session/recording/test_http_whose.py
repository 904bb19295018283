"""Whose message is it, over HTTP: whatever was recorded, it belongs to the exchange that it came on."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from mcpmock.cassette.model import Cassette, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.writer import dump
from mcpmock.session.grouping import group
from mcpmock.session.showing.selfcheck import selfcheck
from tests.session.http_talk import Talk, introduced

METHODS: Final = ("tools/call", "tools/list", "resources/read", "ping", "resources/subscribe", "tasks/result")
SAYINGS: Final[dict[str, Any]] = {
    "log": {"method": "notifications/message", "params": {}},
    "changed": {"method": "notifications/tools/list_changed", "params": {}},
    "updated": {"method": "notifications/resources/updated", "params": {"uri": "a:b"}},
    "question": {"id": 1, "method": "sampling/createMessage", "params": {}},
    "roots": {"id": 2, "method": "roots/list", "params": {}},
    "progress": {"method": "notifications/progress", "params": {}},
    "task": {"method": "notifications/tasks/status", "params": {"taskId": "k"}},
}

steps = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.sampled_from(METHODS), st.integers(1, 3)),
        st.tuples(st.sampled_from(sorted(SAYINGS)), st.integers(0, 5), st.integers(1, 3)),
        st.tuples(st.sampled_from(["answer", "answer", "leave", "cancel", "notify"]), st.integers(0, 5), st.just(0)),
    ),
    max_size=14,
)


class Server:
    """Plays steps on a talk. Everything that the server says has a number, and `came` tells on whose stream."""

    def __init__(self) -> None:
        self.talk: Talk = introduced(stream=True)
        self.streams: list[tuple[int, int, int]] = []  # of open requests: exchange, number, id
        self.came: dict[int, int] = {}
        self._numbers = 0
        self._asked: Counter[int] = Counter()  # how often under which id
        self._cancelled: set[int] = set()  # ids; a stream that still runs under one has no name once it is used again

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    def play(self, what: str, which: Any, token: int) -> None:
        """One step; what cannot be done is left out."""
        if what == "ask" and token not in self._cancelled:
            number = self.number()
            params = {"n": number, "uri": "a:b", "taskId": "k", "_meta": {"progressToken": token}}
            exchange = self.talk.post({"id": token, "method": which, "params": params})
            self.talk.open(exchange)
            self.streams.append((exchange, number, token))
            self._asked[token] += 1
        elif what in ("ask", "notify"):
            self.talk.answer(self.talk.post({"method": "notifications/roots/list_changed"}), status=202)
        elif self.streams:
            self.say(what, which % len(self.streams), token)

    def say(self, what: str, place: int, token: int) -> None:
        """Something comes on the stream of an open request, or it ends."""
        exchange, asked, number = self.streams[place]
        if what == "leave":
            self.talk.abort(exchange, "client")
        elif what == "cancel":
            cancelled = {"method": "notifications/cancelled", "params": {"requestId": number}}
            if self._asked[number] == 1:  # else nobody knows which is meant
                self.talk.answer(self.talk.post(cancelled), status=202)
                self._cancelled.add(number)
            return
        elif what == "answer":
            self.came[said := self.number()] = asked
            self.talk.event(exchange, {"id": number, "result": {"n": said}})
            self.talk.end(exchange)
        else:
            self.came[said := self.number()] = asked
            message = SAYINGS[what]
            self.talk.event(exchange, {**message, "params": {**message["params"], "n": said, "progressToken": token}})
            return
        del self.streams[place]


def cassette_of(played: list[tuple[str, Any, int]]) -> tuple[Cassette, dict[int, int]]:
    """The cassette of what was played, as it is read again, and on whose stream everything came."""
    server = Server()
    for step in played:
        server.play(*step)
    server.talk.close()
    session = Session(tuple(server.talk.session().take_entries()), transport="streamable_http")
    return load(dump(Cassette((session,))).encode()), server.came


def belongings(cassette: Cassette) -> dict[int, int]:
    """To which request each thing that was said belongs."""
    timeline = group(cassette.sessions[0])
    found: dict[int, int] = {}
    for interaction in timeline.interactions:
        for step in interaction.steps:
            if step.message is not None and step.kind != "cancel":
                said: Any = step.message.body.get("params") or step.message.body.get("result")
                request: Any = interaction.request.params if interaction.request else None
                found[said["n"]] = request["n"] if request else 0
    return found


@settings(max_examples=300)
@given(steps)
def test_whatever_came_on_a_stream_belongs_to_its_request(played: list[tuple[str, Any, int]]) -> None:
    """Issue 5, RP-02: a response belongs to the POST it came on, not to its id; so does everything else."""
    cassette, came = cassette_of(played)
    assert belongings(cassette) == came


@settings(max_examples=100)
@given(steps)
def test_whatever_was_recorded_replays_itself(played: list[tuple[str, Any, int]]) -> None:
    """Issue 5, item 6: with streams that are broken off, cancels, and questions; only pings are answered anyway."""
    cassette, _ = cassette_of([step for step in played if step[1] != "ping"])
    assert selfcheck(cassette) == []
