"""Conversations that are recorded from bytes and played through streams in memory: the two real ends of the tests here.

What the client hears is compared with what was recorded. Each message of the server carries a mark of its own (`m`), by
which it is found again; see `tests.session.conversations`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import anyio
from hypothesis import strategies as st

from mcpmock.cassette.events_reader import read_events
from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.cassette.reader import cassette_from, load
from mcpmock.cassette.writer import dump
from mcpmock.cassette.yaml_events import pure_parser
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.playback import Playback
from mcpmock.session.recording.stdio import Recording
from mcpmock.session.story import Story
from mcpmock.transports.memory import Codec, memory_streams
from mcpmock.wire.message import Json, Message, Object, Side, dumps
from tests.session.conversations import mark_of

Chunk = tuple[Side, bytes]


class Played(NamedTuple):
    """What the client heard: after which of its messages (from 0), and what; and the machine that it heard it from."""

    heard: list[tuple[int, Object]]
    machine: Playback


def on_the_wire(entries: Iterable[Entry]) -> list[Chunk]:
    """The lines of a conversation, in their order."""
    return [("client" if entry.kind == "client" else "server", _frame(entry) + b"\n") for entry in entries]


@st.composite
def cut(draw: st.DrawFn, lines: Sequence[Chunk]) -> list[Chunk]:
    """The same bytes in other chunks: neighbours of one side together, then cut anywhere."""
    chunks: list[Chunk] = []
    for side, same in groupby(lines, key=lambda line: line[0]):
        data = b"".join(chunk for _, chunk in same)
        places = sorted(draw(st.sets(st.integers(1, len(data) - 1), max_size=4)))
        bounds = zip([0, *places], [*places, len(data)], strict=True)
        chunks += [(side, data[start:end]) for start, end in bounds]
    return chunks


def record(chunks: Iterable[Chunk]) -> str:
    """The cassette that a recorder makes of it, as text."""
    recording = Recording()
    for side, data in chunks:
        recording.received(side, data, 0)
    recording.ended("client", 0)
    recording.ended("server", 0)
    recording.exited(0, 0)
    return dump(Cassette((Session(tuple(recording.take_entries())),)))


def read(text: str) -> Cassette:
    """The cassette, which all readers read alike: the quick one, libyaml's events, and those of the pure parser."""
    data = text.encode()
    cassette = load(data)
    assert repr(read_events(data, cassette_from)) == repr(cassette)
    assert repr(read_events(data, cassette_from, parser=pure_parser)) == repr(cassette)
    return cassette


def play(cassette: Cassette) -> Played:
    """The recorded client meets its recording."""
    client = _Client(cassette.sessions[0])
    return anyio.run(client.run, Playback(Library(Story(cassette))))


class _Client:
    """Says what the recorded client said, with the ids that questions have live."""

    def __init__(self, session: Session) -> None:
        self._entries = [entry for entry in session.entries if entry.kind == "client"]
        self._live_ids: dict[int, Json] = {}  # by the mark of a question
        self._said = -1
        self._heard: list[tuple[int, Object]] = []

    async def run(self, machine: Playback) -> Played:
        codec = Codec(encode=lambda frame: frame, decode=self._hear)
        async with memory_streams(machine, codec) as (receive, send):
            for number, entry in enumerate(self._entries):
                self._said = number
                await send.send(_frame(entry._replace(messages=tuple(map(self._live, entry.messages)))))
            await send.aclose()
            read = [item async for item in receive]
            assert [body for item in read for body in (item if isinstance(item, list) else [item])] == [
                body for _, body in self._heard
            ]
        return Played(self._heard, machine)

    def _live(self, message: Message) -> Message:
        if message.kind != "response" or not mark_of(message.body):
            return message
        assert mark_of(message.body) in self._live_ids, "an answer to a question that was not asked"
        return message._replace(body={**message.body, "id": self._live_ids[mark_of(message.body)]})

    def _hear(self, text: str) -> Any:
        heard: Any = json.loads(text)
        for body in heard if isinstance(heard, list) else [heard]:
            if "method" in body and "id" in body:
                self._live_ids[mark_of(body)] = body["id"]
            self._heard.append((self._said, body))
        return heard


def _frame(entry: Entry) -> bytes:
    bodies = [dumps({"jsonrpc": "2.0", **message.body}) for message in entry.messages]
    return ("[" + ",".join(bodies) + "]" if entry.is_batch else bodies[0]).encode()


def with_values(entries: Iterable[Entry], values: Sequence[Json]) -> list[Entry]:
    """The same conversation with more in its messages: any JSON, in turn."""
    turns = iter(range(10**6))

    def filled(message: Message) -> Message:
        for member in ("params", "result"):
            inside = message.body.get(member)
            if isinstance(inside, dict) and message.method != "initialize":
                value = values[next(turns) % len(values)]
                return message._replace(body={**message.body, member: {**inside, "v": value}})
        return message

    return [entry._replace(messages=tuple(map(filled, entry.messages))) for entry in entries]
