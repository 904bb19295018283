"""Any conversation, grouped and played to the same client, is the same conversation (DESIGN 3 and 4)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from mcpmock.cassette.model import Cassette, Entry
from mcpmock.session.correlation import id_key
from mcpmock.session.grouping import group
from mcpmock.session.playing.actions import Action, Send
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.playback import Playback
from mcpmock.session.showing.selfcheck import selfcheck
from mcpmock.session.story import Story
from mcpmock.wire.message import Json, Object, dumps
from tests.session.conversations import Conversation, mark_of

choices = st.lists(st.tuples(st.integers(0, 15), st.integers(0, 23)), max_size=45)


class Client:
    """Says what the recorded client said, with the ids that questions have live, and keeps what it is told."""

    def __init__(self, talk: Conversation) -> None:
        self.machine = Playback(Library(Story(Cassette((talk.session,)))))
        self.told: list[Object] = []
        self.live_ids: dict[int, Json] = {}  # by the mark of a question

    def say(self, entry: Entry) -> None:
        """Send what an entry holds, as one message or as a batch."""
        bodies = [self._live(message.body) for message in entry.messages]
        frame = "[" + ",".join(map(dumps, bodies)) + "]" if entry.is_batch else dumps(bodies[0])
        self.hear(self.machine.receive(frame.encode()))

    def close(self) -> None:
        """Close the connection."""
        self.hear(self.machine.end_of_input())

    def _live(self, body: Object) -> Object:
        if "method" not in body and mark_of(body):
            assert mark_of(body) in self.live_ids, "an answer to a question that was not asked"
            body = {**body, "id": self.live_ids[mark_of(body)]}
        return {"jsonrpc": "2.0", **body}

    def hear(self, actions: list[Action]) -> None:
        """Keep what the server tells."""
        for action in actions:
            assert isinstance(action, Send)
            heard: Any = json.loads(action.text)
            for body in heard if isinstance(heard, list) else [heard]:
                self.told.append(body)
                if "method" in body and "id" in body:
                    self.live_ids[mark_of(body)] = body["id"]


def marks(bodies: list[Object]) -> list[int]:
    """The marks of messages, in their order."""
    return [mark_of(body) for body in bodies]


@settings(max_examples=400)
@given(choices)
@example([(0, 9), (0, 22), (10, 0), (3, 0), (11, 0)])  # a late error, after an answer to the id "3" beside 3
@example([(0, 13), (7, 11), (3, 9), (10, 10), (8, 16), (5, 1)])  # progress after an answer and a late cancel
@example([(2, 17), (10, 4), (7, 10), (8, 5), (6, 16)])  # a question after a cancel
def test_played_to_the_same_client_each_message_comes_once_and_each_request_has_its_own_in_order(
    made: list[tuple[int, int]],
) -> None:
    """Ours (DESIGN 3 and 4): overlapping, cancelled, odd ids, equal ids on both sides, batches."""
    talk = Conversation.of(made)
    client = Client(talk)
    for entry in talk.entries:
        if entry.kind == "client":
            client.say(entry)
    client.close()
    heard = marks(client.told)
    assert sorted(heard) == sorted(talk.owed)
    assert client.machine.report.misses == []
    assert client.machine.unplayed() == []
    for wanted in (*own_order(talk), *grouped_order(talk)):
        assert [mark for mark in heard if mark in wanted] == wanted
    for body, recorded in zip(by_mark(client.told), by_mark(recorded_bodies(talk)), strict=True):
        assert without_live_id(body) == without_live_id(recorded)


@settings(max_examples=200)
@given(choices, st.randoms(use_true_random=False))
def test_played_in_another_order_each_request_has_its_own_and_nothing_comes_twice(
    made: list[tuple[int, int]], random: Any
) -> None:
    """Ours (DESIGN 4): a parallel client gets its answers whatever the order; who is cancelled waits for the cancel."""
    talk = Conversation.of(made)
    client = Client(talk)
    first, *others = [entry for entry in talk.entries if entry.kind == "client"]
    asking = [entry for entry in others if any("method" in message.body for message in entry.messages)]
    asking = [entry for entry in asking if entry.messages[0].method != "notifications/cancelled"]
    random.shuffle(asking)
    client.say(first)
    for entry in asking:
        client.say(entry)
        answer_all(client)
    heard = marks(client.told)
    assert len(heard) == len(set(heard))
    for asked in talk.requests:
        own = [] if asked.is_cancelled or asked.is_batched else asked.own
        assert [mark for mark in heard if mark in own] == own
    assert client.machine.report.misses == []


@settings(max_examples=100)
@given(choices)
def test_the_check_finds_nothing_to_say_of_it(made: list[tuple[int, int]]) -> None:
    """Ours (issue: `mcpmock check`): a cassette that replays itself passes for one."""
    assert selfcheck(Cassette((Conversation.of(made).session,))) == []


def answer_all(client: Client) -> None:
    """The client answers each question as soon as it is asked."""
    while client.live_ids:
        mark, live_id = client.live_ids.popitem()
        answer = {"jsonrpc": "2.0", "id": live_id, "result": {"m": mark}}
        client.hear(client.machine.receive(dumps(answer).encode()))


def own_order(talk: Conversation) -> Iterator[list[int]]:
    """For each request what is its own beyond doubt; in a batch the answers come late, together."""
    yield from ([] if asked.is_batched else asked.own for asked in talk.requests)


def grouped_order(talk: Conversation) -> Iterator[list[int]]:
    """For each interaction what it was found to own."""
    for interaction in group(talk.session).interactions:
        steps = enumerate(interaction.steps)
        is_batched = interaction.request is not None and interaction.entry.is_batch
        yield [
            mark_of(step.message.body)
            for at, step in steps
            if step.message is not None
            and step.kind in ("send", "ask")
            and not (is_batched and at == interaction.answer)
        ]


def recorded_bodies(talk: Conversation) -> list[Object]:
    """All that a replay owes, as recorded."""
    messages = [message for entry in talk.entries if entry.kind == "server" for message in entry.messages]
    return [message.body for message in messages if mark_of(message.body)]


def by_mark(bodies: list[Object]) -> list[Object]:
    """Messages in the order of their marks."""
    return sorted(bodies, key=mark_of)


def without_live_id(body: Object) -> tuple[object, Object]:
    """The id of an answer with its type, and the message without what is live in it."""
    is_answer = "method" not in body
    rest = {key: value for key, value in body.items() if key not in ("id", "jsonrpc")}
    params = rest.get("params")
    if isinstance(params, dict):
        rest["params"] = {key: value for key, value in params.items() if key != "requestId"}
    return id_key(body["id"]) if is_answer else None, rest
