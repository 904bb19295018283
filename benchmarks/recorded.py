"""Cassettes to load and to save: what servers really send, in all sizes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Final

from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.wire.message import Json, Message, message_from

MEGABYTE: Final = 1_000_000
_WORDS: Final = "the quick brown fox jumps over a lazy dog while 12 monkeys count: one, two (or three) #tags".split()  # noqa: SIM905


def typical(size: int) -> Cassette:
    """About so many bytes of calls with arguments, progress, and answers of text, data, JSON in text and lists."""
    return _cassette(_calls(), size)


def chatter(size: int) -> Cassette:
    """The same of many small messages."""
    return _cassette(_pings(), size)


def blob(size: int) -> Cassette:
    """One call, answered with so many bytes of base64."""
    content: Json = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAA" * (size // 24)}
    return Cassette(
        (Session((_said("client", id=1, method="x"), _said("server", id=1, result={"content": [content]}))),)
    )


def prose(size: int) -> Cassette:
    """One call, answered with so many bytes of text in lines."""
    line = " ".join(_WORDS) + "\n"
    content: Json = {"type": "text", "text": line * (size // len(line))}
    return Cassette(
        (Session((_said("client", id=1, method="x"), _said("server", id=1, result={"content": [content]}))),)
    )


def _cassette(entries: Iterator[Entry], size: int) -> Cassette:
    """As many of the entries as make up the size, each with its time."""
    chosen: list[Entry] = []
    for entry in entries:
        if size <= 0:
            break
        size -= len(json.dumps(entry.messages[0].body))
        chosen.append(entry._replace(at=7 * len(chosen)))
    return Cassette((Session(tuple(chosen), "bench", command=("bench", "--stdio")),), recorded_with="mcpmock")


def _calls() -> Iterator[Entry]:
    dice = random.Random(1)  # the same in every run
    number = 0
    while True:
        number += 1
        arguments: Json = {
            "query": _text(dice, 4),
            "limit": number % 50,
            "exact": number % 2 == 0,
            "path": f"/a/{number}",
        }
        params: Json = {"name": "search", "arguments": arguments, "_meta": {"progressToken": number}}
        yield _said("client", id=number, method="tools/call", params=params)
        progress: Json = {"progressToken": number, "progress": 0.5, "message": _text(dice, 3)}
        yield _said("server", method="notifications/progress", params=progress)
        yield _said("server", id=number, result=_result(dice, number))


def _result(dice: random.Random, number: int) -> Json:
    rows: Json = [
        {"id": row, "name": _text(dice, 2), "score": row * 1.5, "uri": f"demo://row/{row}"} for row in range(3)
    ]
    texts = ["\n".join(_text(dice, 9) for _ in range(6)) + "\n", _text(dice, 20), json.dumps(rows)]
    content: Json = [{"type": "text", "text": text} for text in texts[: 1 + number % 3]]
    return {"content": content, "structuredContent": {"rows": rows, "next": None}, "isError": False}


def _pings() -> Iterator[Entry]:
    dice = random.Random(2)
    number = 0
    while True:
        number += 1
        params: Json = {"name": "echo", "arguments": {"message": _text(dice, 3)}}
        yield _said("client", id=number, method="tools/call", params=params)
        yield _said("server", id=number, result={"content": [{"type": "text", "text": _text(dice, 4)}]})


def _said(side: str, **body: Json) -> Entry:
    message = message_from(body)
    assert isinstance(message, Message)
    return Entry("client" if side == "client" else "server", (message,))


def _text(dice: random.Random, words: int) -> str:
    return " ".join(dice.choices(_WORDS, k=words))
