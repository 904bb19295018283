"""The `endpoint` event on its way through a proxy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.wire.sse_endpoint import EndpointFilter


def moved(uri: str) -> str:
    """Where the proxy has it."""
    return f"/at{uri}"


def passed(*chunks: bytes) -> list[bytes]:
    """What comes out for each chunk, and at the end."""
    stream = EndpointFilter(moved)
    return [*map(stream.feed, chunks), stream.end()]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_the_endpoint_is_rewritten_at_once_whatever_ends_its_lines(end: bytes) -> None:
    """LG-01: CRLF, and `data` before `event`."""
    event = end.join((b"data:/m?s=1", b"event: endpoint", b"id:7", b"", b""))
    assert passed(event)[0] == end.join((b"data: /at/m?s=1", b"event: endpoint", b"id:7", b"", b""))


def test_only_the_first_event_is_an_endpoint() -> None:
    """LG-01."""
    first = b"event: message\ndata: {}\n\n"
    assert passed(first, b"event: endpoint\ndata: /m\n\n")[1] == b"event: endpoint\ndata: /m\n\n"


def test_comments_and_events_without_data_pass_at_once() -> None:
    """SS-04: somebody may look at them to see that the line is alive."""
    assert passed(b": ping\n", b": ping\n\n", b"retry: 5\n\n", b"event: endpoint\ndata: /m\n\n") == [
        b": ping\n",
        b": ping\n\n",
        b"retry: 5\n\n",
        b"event: endpoint\ndata: /at/m\n\n",
        b"",
    ]


def test_a_byte_order_mark_hides_no_endpoint() -> None:
    """FR-09."""
    assert passed(b"\xef\xbb\xbfevent: endpoint\ndata: /m\n\n")[0] == b"\xef\xbb\xbfevent: endpoint\ndata: /at/m\n\n"


def test_what_is_unfinished_at_the_end_or_too_long_passes_as_it_is() -> None:
    """SS-05."""
    assert passed(b"event: endpoint\ndata: /m\n") == [b"", b"event: endpoint\ndata: /m\n"]
    long = b"data: " + b"x" * 70_000
    assert passed(long) == [long, b""]


_LINES = st.sampled_from([b"event: endpoint", b"data: /m", b"data", b": c", b"id: 1", b"event: message", b""])


@given(st.lists(_LINES, max_size=8), st.sampled_from([b"\n", b"\r\n", b"\r"]), st.data())
def test_chunking_never_changes_what_comes_out(lines: list[bytes], end: bytes, data: st.DataObject) -> None:
    """Ours: and all but an endpoint comes out as it went in."""
    stream = b"".join(line + end for line in lines)
    cut = data.draw(st.integers(0, len(stream)))
    whole = b"".join(passed(stream))
    assert b"".join(passed(stream[:cut], stream[cut:])) == whole
    if b"event: endpoint" not in lines:
        assert whole == stream
