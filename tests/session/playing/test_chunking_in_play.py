"""However the client's bytes are cut, the recorded server answers the same (STYLE, Tests)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mcpmock.matching.miss import MISS_CODE
from mcpmock.session.playing.actions import Action, Send
from mcpmock.wire.framing import LineSplitter
from tests.session.dialogue import HANDSHAKE, library, playback, recorded

LIBRARY = library(
    recorded(
        HANDSHAKE
        + """
        > {id: 1, method: tools/call, params: {name: ask, arguments: {q: "é漢😀"}, _meta: {progressToken: 1}}}
        < {method: notifications/progress, params: {progressToken: 1, progress: 1}}
        < {id: 5, method: roots/list}
        > {id: 5, result: {roots: []}}
        < {id: 1, result: {text: "a\\u2028b\\u2029c\\x85d"}}
        > {id: 2, method: resources/read, params: {uri: a}}
        < {id: 2, result: {}}
        """
    )
)

LINES = [
    b'\xef\xbb\xbf{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"roots":{}}}}',
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":"é","method":"tools/call","params":{"name":"ask","arguments":{"q":"é漢😀"}}}'.encode(),
    b"",
    b"\xff\xfe",
    b'{"jsonrpc":"2.0","id":5,"result":{"roots":[]}}',
    b"Content-Length: 40",
    '{"jsonrpc":"2.0","id":1,"method":"x","params":{"t":"a\u2028b\u0085c"}}'.encode(),
    b'{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"a"}}',
    b'{"jsonrpc":"2.0","id":3,"method":"ping"}',
]
STREAM = b"".join(line + end for line, end in zip(LINES, [b"\n", b"\r\n"] * 5, strict=True))


def answers(chunks: Iterable[bytes]) -> list[str]:
    """What a fresh live session answers to a stream that comes in these chunks."""
    machine, splitter = playback(LIBRARY), LineSplitter()
    actions: list[Action] = []
    for chunk in chunks:
        for frame in splitter.feed(chunk):
            actions += machine.receive(frame)
    for frame in splitter.end():
        actions += machine.receive(frame)
    actions += machine.end_of_input()
    return [action.text for action in actions if isinstance(action, Send)]


WHOLE = answers([STREAM])


def test_the_whole_stream_in_one_chunk_is_answered_message_by_message() -> None:
    """Cases FR-04, FR-05, FR-07, FR-09, FR-11: ten lines in one read, some of them no messages."""
    told = [json.loads(text) for text in WHOLE]
    assert [(one.get("id"), one.get("method"), one.get("error", {}).get("code")) for one in told] == [
        (0, None, None),
        (5, "roots/list", None),
        (None, None, -32700),
        ("é", None, None),
        (None, None, -32700),
        (1, None, MISS_CODE),
        (2, None, None),
        (3, None, None),
    ]
    assert told[3]["result"] == {"text": "a\u2028b\u2029c\u0085d"}
    assert all(text.isascii() and "\n" not in text for text in WHOLE)


@given(st.lists(st.integers(0, len(STREAM)), max_size=40))
def test_any_chunking_of_the_clients_bytes_gives_the_same_answers(cuts: list[int]) -> None:
    """Ours (STYLE): in the middle of a message, of a character, between CR and LF, and empty chunks too."""
    places = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[start:end] for start, end in pairwise(places)]
    assert answers(chunks) == WHOLE


def test_one_byte_at_a_time() -> None:
    """Ours (STYLE)."""
    assert answers(STREAM[at : at + 1] for at in range(len(STREAM))) == WHOLE


@given(st.binary(max_size=300))
def test_no_bytes_of_a_client_break_the_session(data: bytes) -> None:
    """Ours (STYLE): bytes never crash a decoder; what follows is answered, and nothing is said twice."""
    ping = b'\n{"jsonrpc":"2.0","id":"still here","method":"ping"}\n'
    told = answers([data, ping])
    assert json.loads(told[-1]) == {"jsonrpc": "2.0", "id": "still here", "result": {}}
    assert len(told) <= data.count(b"\n") + 2
