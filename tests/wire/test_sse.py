"""Server-sent events on bytes, however they are chunked."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE
from mcpmock.wire.sse import Event, EventParser, encode_event

MIB = 1024 * 1024
LINES = ["data", "data:", "data: a", "data:é", "data:  b", "id: 1", "id", "id: a\0b", "event: e", "event", "retry: 5"]
ODD = [
    "retry: x",
    "retry: \u0661",
    ": c",
    "foo: bar",
    "datax: 1",
    " data: a",
    "\ufeffdata: a",
    "x\u2028y",
    "\x85",
    "data: x:y",
]

lines = st.lists(st.sampled_from([*LINES, *ODD, "", ""]), max_size=12)
ends = st.sampled_from(["\n", "\r\n", "\r"])
streams = st.one_of(
    st.builds(
        lambda lines, end, bom: bom + "".join(line + end for line in lines),
        lines,
        ends,
        st.sampled_from(["", "\ufeff"]),
    ),
    st.lists(st.tuples(st.sampled_from([*LINES, *ODD, ""]), ends), max_size=12).map(
        lambda pairs: "".join(line + end for line, end in pairs)
    ),
    st.text(),
).map(str.encode)


def parse(*chunks: bytes, limit: int = DEFAULT_MAX_MESSAGE) -> list[Event]:
    """All events of a stream, with what its end cut short."""
    parser = EventParser(limit)
    return [event for chunk in chunks for event in parser.feed(chunk)] + parser.end()


@st.composite
def chunked(draw: st.DrawFn) -> list[bytes]:
    """A stream cut into chunks, empty ones among them."""
    stream = draw(streams)
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    return [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


def plainly(stream: bytes, limit: int) -> list[Event]:
    """The same once more, as plainly as the rules are written."""
    text = stream.decode(errors="surrogateescape").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    events = []
    for number, block in enumerate(blocks := text.split("\n\n")):
        fields = [line.split(":", 1) if ":" in line else [line, ""] for line in block.split("\n")]
        found = [(key, value.removeprefix(" ").encode(errors="surrogateescape")) for key, value in fields]
        data = [value for key, value in found if key == "data"]
        ids = [value.decode(errors="replace") for key, value in found if key == "id" and b"\0" not in value]
        retries = [int(value) for key, value in found if key == "retry" and value.isdigit()]
        names = [value.decode(errors="replace") for key, value in found if key == "event"]
        if data or ids or retries or names:
            whole = b"\n".join(data)
            is_kept = len(whole) <= limit
            events.append(
                Event(
                    names[-1] if names and names[-1] else "message",
                    whole if is_kept else b"",
                    ids[-1] if ids else None,
                    retries[-1] if retries else None,
                    0 if is_kept else len(whole),
                    number == len(blocks) - 1,
                )
            )
    return events


@given(chunked(), st.integers(1, 12))
@example([b"data: 0123", b"45\r", b"\n\r", b"\n"], 4)
@example([b"\xef", b"\xbb\xbfdata: a\n\n"], 4)
@example([b"data: a\r", b"", b"\ndata: b\r\n\r\n"], 4)
def test_chunking_never_changes_the_events(chunks: list[bytes], limit: int) -> None:
    """WHATWG HTML 9.2; SS-02: a cut at any byte, within a CRLF and within a character too."""
    assert parse(*chunks, limit=limit) == parse(b"".join(chunks), limit=limit)


@given(streams, st.integers(1, 12))
def test_events_are_what_the_rules_say(stream: bytes, limit: int) -> None:
    """WHATWG HTML 9.2.6: written down a second time, as plainly as can be."""
    assert parse(stream, limit=limit) == plainly(stream, limit)


@given(st.lists(st.binary(max_size=30), max_size=5))
def test_bytes_never_crash_the_parser(chunks: list[bytes]) -> None:
    """Ours: whatever a server sends."""
    assert parse(*chunks) == parse(b"".join(chunks))


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_ss_02_several_data_lines_in_any_order_of_fields(end: bytes, size: int) -> None:
    """SS-02: no blank behind the colon, a bare `data`, unknown fields."""
    stream = b'data:{"jsonrpc":"2.0",\ndata:"id":1,\ndata: "result":{}}\nevent: message\nid:7\nfoo: bar\ndata\n\n'
    stream = stream.replace(b"\n", end)
    chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
    assert parse(*chunks) == [Event("message", b'{"jsonrpc":"2.0",\n"id":1,\n"result":{}}\n', "7")]


def test_an_event_is_told_as_soon_as_its_empty_line_has_begun() -> None:
    """Ours (issue 5): nothing waits for the next chunk, not even where lines end with CR."""
    parser = EventParser()
    assert parser.feed(b"data: a\r\n\r") == [Event(data=b"a")]
    assert parser.feed(b"\ndata: b\r\r") == [Event(data=b"b")]
    assert parser.feed(b"data: c\n\n") == [Event(data=b"c")]


def test_ss_03_an_event_without_data_brings_its_id_and_retry() -> None:
    """SS-03: a priming event; by the rules it is not dispatched."""
    (priming, message) = parse(b"id: s1_0\nretry: 500\ndata: \n\nid: s1_1\nevent: message\ndata: {}\n\n")
    assert (priming, priming.is_priming) == (Event(id="s1_0", retry=500), True)
    assert (message, message.is_priming) == (Event(data=b"{}", id="s1_1"), False)


def test_ss_03_ids_that_count_for_nothing() -> None:
    """WHATWG HTML 9.2.6: one with NUL is passed over, an empty one resets."""
    assert parse(b"id: a\0b\ndata: x\n\n") == [Event(data=b"x")]
    assert parse(b"id\ndata: x\n\n") == [Event(data=b"x", id="")]
    assert parse(b"retry: 1e3\nretry: -1\nretry: " + b"9" * 5000 + b"\ndata: x\n\n") == [Event(data=b"x")]


def test_ss_04_comments_are_no_events() -> None:
    """SS-04: heartbeats, alone and within an event."""
    assert parse(b": ping - 2026-01-01\n\n:\n\n\n\ndata: a\n: b\ndata: c\n\n") == [Event(data=b"a\nc")]


def test_an_event_that_can_be_resumed_after_and_says_nothing_primes() -> None:
    """MCP 2025-11-25: an id and empty data; data that was too long to keep is not empty."""
    assert Event(id="1").is_priming
    assert not any(
        event.is_priming for event in (Event(), Event(id=""), Event(id="1", data=b"x"), Event(id="1", size=9))
    )


@pytest.mark.parametrize("rest", [b"", b"\n", b"\r\n", b"\r"])
def test_ss_05_what_the_end_cuts_short_is_told_so(rest: bytes) -> None:
    """SS-05: many rely on such an event, so whoever asks can have it."""
    assert parse(b"event: message\ndata: {}" + rest) == [Event(data=b"{}", is_unterminated=True)]
    assert parse(b": only a comment" + rest) == []


@pytest.mark.parametrize("cut", [1, 7, 4096, 10_000])
def test_data_that_is_too_long_is_drained_and_told_by_its_size(cut: int) -> None:
    """FR-02, over HTTP: one line, or many; what comes after it is an event again."""
    for stream, size in (
        (b"data: " + b"x" * 50_000 + b"\n\n", 50_000),
        (b"data:" + b"x" * 50_000 + b"\n\n", 50_000),
        (b"data: " + b"x" * 999 + b"\n" + b"data: yy\n\n", 1002),
        (b"data: xx\n" * 500 + b"\n", 1499),
    ):
        whole = b"id: 1\n" + stream + b"data: z\n\n"
        chunks = [whole[at : at + cut] for at in range(0, len(whole), cut)]
        assert parse(*chunks, limit=1000) == [Event(id="1", size=size), Event(data=b"z")]


def test_other_lines_that_are_too_long_count_for_nothing() -> None:
    """Ours: a comment, an id or a name of a megabyte is nobody's."""
    long = b"x" * MIB
    stream = b": " + long + b"\n\nid: " + long + b"\nevent: " + long + b"\ndata: a\n\n"
    for chunks in ([stream], [stream[at : at + 1000] for at in range(0, len(stream), 1000)]):
        assert parse(*chunks, limit=1000) == [Event(data=b"a")]


def test_memory_does_not_grow_with_an_event_that_never_ends() -> None:
    """FR-02, over HTTP."""
    parser = EventParser(MIB)
    tracemalloc.start()
    try:
        for chunk in (b"data: ", *[b"x" * 65536] * 200, b"\n", *[b"data: " + b"y" * 1000 + b"\n"] * 20_000):
            assert parser.feed(chunk) == []
        assert tracemalloc.get_traced_memory()[1] < 4 * MIB
    finally:
        tracemalloc.stop()


texts = st.text(st.characters(exclude_categories=["Cs"]))
words = texts.filter(lambda text: not set(text) & set("\r\n\0"))


@given(texts, words, words, st.one_of(st.none(), st.integers(0, 10**9)), ends)
def test_what_is_encoded_is_parsed_again(text: str, name: str, id: str, retry: int | None, end: str) -> None:
    """SS-02, SS-05: a text of several lines too; line ends become LF, as by the rules they must."""
    encoded = encode_event(text, name=name, id=id, retry=retry)
    assert encoded.endswith(b"\n\n")
    data = text.replace("\r\n", "\n").replace("\r", "\n").encode()
    assert parse(encoded) == [Event(name or "message", data, id or None, retry)]


def test_an_event_is_encoded_in_the_order_that_everybody_knows() -> None:
    """Ours: id, event, data; a priming event has no name (PROTOCOL 2.3)."""
    assert encode_event('{"a":1}', id="7") == b'id: 7\nevent: message\ndata: {"a":1}\n\n'
    assert encode_event("", name="", id="7", retry=500) == b"id: 7\nretry: 500\ndata: \n\n"


@pytest.mark.parametrize("word", ["a\nb", "a\rb"])
def test_a_name_or_an_id_is_one_line(word: str) -> None:
    """Ours: nothing that was recorded or configured can forge an event."""
    with pytest.raises(ValueError, match="one line"):
        encode_event("", name=word)
    with pytest.raises(ValueError, match="one line"):
        encode_event("", id=word)
    with pytest.raises(ValueError, match="no NUL"):
        encode_event("", id="a\0b")
