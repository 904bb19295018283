"""However hostile a file or a peer is, the memory that it takes is bounded by its size."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpmock.cassette.reader import load
from mcpmock.errors import CassetteError
from mcpmock.wire.framing import LineSplitter
from mcpmock.wire.message import parse, parse_exact
from mcpmock.wire.sse import EventParser
from tests.fuzz.hostile import HOSTILE, MIB, frames, spoilt_cassettes

SMALL: Final = MIB
"""What anything may take, however small it is."""

FOR_EACH_BYTE: Final = 200
"""What a byte of input may take: `[` is a list, `- ` an entry."""

FOR_EACH_BYTE_OF_A_TEXT: Final = 16
BUDGET: Final = 32 * MIB
"""What aliases may make of a small file: 100,000 nodes, or 10 MB of text (cassettes/README.md)."""

bounded = settings(max_examples=60, deadline=None)


def peak(act: Callable[[], object]) -> int:
    """The most bytes that Python held at a time for this."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def read(data: bytes) -> None:
    """Read a cassette; that it is refused is all right."""
    try:
        load(data, path="c.yaml")
    except CassetteError:
        return


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_takes_no_more_than_its_size_allows(name: str) -> None:
    """Issue 4, item 5: no memory over a bound. How long it takes, a benchmark of the same files tells."""
    data = HOSTILE[name]
    for_each_byte = FOR_EACH_BYTE if len(data) < 2 * MIB else FOR_EACH_BYTE_OF_A_TEXT
    assert peak(lambda: read(data)) <= BUDGET + for_each_byte * len(data)


@bounded
@given(spoilt_cassettes)
def test_a_spoilt_file_takes_no_more_than_its_size_allows(data: bytes) -> None:
    """Issue 4, item 5."""
    assert peak(lambda: read(data)) <= SMALL + FOR_EACH_BYTE * len(data)


@bounded
@given(st.one_of(frames, st.binary(max_size=2_000)))
def test_a_line_takes_no_more_than_its_size_allows(frame: bytes) -> None:
    """Issue 4, item 5: read the quick way, and to the letter."""
    assert peak(lambda: (parse(frame), parse_exact(frame))) <= SMALL + FOR_EACH_BYTE * len(frame)


@pytest.mark.parametrize("piece", [b"x" * 65_536, b'{"a":', b"\r", b"data: x\n", b"data:" + b"y" * 4_000, b"id: 1\n"])
@pytest.mark.parametrize("splitter", [LineSplitter, EventParser])
def test_a_peer_that_never_ends_takes_no_more_than_the_longest_message(
    splitter: type[LineSplitter] | type[EventParser], piece: bytes
) -> None:
    """FR-02; issue 4, item 5: a line, or an event, that has no end is counted, not kept."""
    most = 256 * 1024
    count = min(50_000, 16 * MIB // len(piece))

    def feed() -> None:
        reader = splitter(most)
        for _ in range(count):
            reader.feed(piece)

    assert peak(feed) <= SMALL + 40 * most
