"""Lines on bytes, however they are chunked."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE, Frame, LineSplitter, Oversize

MIB = 1024 * 1024

streams = st.lists(
    st.sampled_from(
        [b"\n", b"\r", b"\r\n", b"a", b"bc", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\x85", b"\x0b", b"0123456"]
    )
).map(b"".join)


def split(*chunks: bytes, limit: int = DEFAULT_MAX_MESSAGE) -> list[Frame]:
    """All frames of a stream."""
    splitter = LineSplitter(limit)
    return [frame for chunk in chunks for frame in splitter.feed(chunk)] + splitter.end()


@st.composite
def chunked(draw: st.DrawFn) -> list[bytes]:
    """A stream cut into chunks, empty ones among them."""
    stream = draw(streams)
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    return [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


@given(chunked(), st.integers(1, 12))
@example([b"0123456789", b"\r", b"\n"], 4)
@example([b"0123", b"\r", b"\n"], 4)
def test_chunking_never_changes_the_result(chunks: list[bytes], limit: int) -> None:
    """MCP stdio transport; case of every framing bug: a cut at any byte."""
    assert split(*chunks, limit=limit) == split(b"".join(chunks), limit=limit)


@given(streams, st.integers(1, 12))
def test_lines_are_what_stands_between_line_feeds(stream: bytes, limit: int) -> None:
    """Ours: written down a second time, as plainly as can be."""
    lines = [line.removesuffix(b"\r") for line in stream.split(b"\n") if line not in (b"", b"\r")]
    assert split(stream, limit=limit) == [line if len(line) <= limit else Oversize(len(line)) for line in lines]


@pytest.mark.parametrize(
    ("stream", "frames"),
    [
        (b"", []),
        (b"\n\n\r\n", []),
        (b"a\nb\n", [b"a", b"b"]),
        (b"a\r\nb\r\n", [b"a", b"b"]),
        (b"a\rb\n", [b"a\rb"]),
        (b"a\r\r\n", [b"a\r"]),
        (b"a\n\nb", [b"a", b"b"]),
        (b"a\nlast", [b"a", b"last"]),
        (b"last\r", [b"last"]),
        (b" \n", [b" "]),
        ("\u2028\u0085\x0b\x0c\x1c\n".encode(), ["\u2028\u0085\x0b\x0c\x1c".encode()]),
        (b"\xef\xbb\xbf{}\n", [b"\xef\xbb\xbf{}"]),
        (b"\xff\x00\n", [b"\xff\x00"]),
    ],
)
def test_only_a_line_feed_ends_a_line(stream: bytes, frames: list[Frame]) -> None:
    """MCP stdio transport; PROTOCOL 5, traps 16 to 19: CR, BOM, blank lines, a last line without an end."""
    assert split(stream) == frames
    assert split(*(stream[at : at + 1] for at in range(len(stream)))) == frames


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("size", [15, 16, 17, 18, 100])
def test_a_line_beyond_the_cap_is_drained_and_the_next_one_read(size: int, end: bytes) -> None:
    """Ours (issue 2): a cap, with draining beyond it."""
    line = b"x" * size
    expected: Frame = line if size <= 16 else Oversize(size)
    for chunk in (1, 3, 7, 1000):
        stream = line + end + b"next" + end
        chunks = [stream[at : at + chunk] for at in range(0, len(stream), chunk)]
        assert split(*chunks, limit=16) == [expected, b"next"]
    assert split(line, limit=16) == [expected]


def test_what_has_been_seen_of_a_line_is_known() -> None:
    """Ours: a recorder tells how much of a line a dead server had sent."""
    splitter = LineSplitter(4)
    assert splitter.feed(b"one\ntw") == [b"one"]
    assert splitter.pending == 2
    splitter.feed(b"o" * 10)
    assert splitter.pending == 12
    assert splitter.end() == [Oversize(12)]
    assert splitter.pending == 0
    assert splitter.end() == []


def growth(splitter: LineSplitter, chunk: bytes) -> int:
    """How many bytes are needed at once, beyond those that were there before, to take one chunk."""
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    splitter.feed(chunk)
    return tracemalloc.get_traced_memory()[1] - before


def test_a_message_of_50_mib_is_read_in_linear_time() -> None:
    """Ours (issue 2): counted in bytes, not in seconds; whoever copies what is there for every chunk is caught."""
    chunk = b"x" * (64 * 1024)
    splitter = LineSplitter()
    tracemalloc.start()
    try:
        largest = max(growth(splitter, chunk) for _ in range(50 * MIB // len(chunk)))
    finally:
        tracemalloc.stop()
    assert largest < 4 * len(chunk)
    (frame,) = splitter.feed(b"\nnext")
    assert isinstance(frame, bytes)
    assert len(frame) == 50 * MIB
    assert splitter.pending == 4


def test_what_is_drained_is_not_kept() -> None:
    """Ours (issue 2): a line without an end needs no memory."""
    chunk = b"x" * (64 * 1024)
    splitter = LineSplitter(MIB)
    for _ in range(17):
        splitter.feed(chunk)
    tracemalloc.start()
    try:
        assert sum(growth(splitter, chunk) for _ in range(500)) / 500 < 2 * len(chunk)
        assert tracemalloc.get_traced_memory()[0] < 2 * len(chunk)
    finally:
        tracemalloc.stop()
    assert splitter.feed(b"\n") == [Oversize(517 * len(chunk))]
