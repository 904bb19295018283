"""Faults that were seen in other people's tools: the cassette's side of each, named after its case."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcpmock.cassette.events_reader import read_events
from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.cassette.quick import read_quickly
from mcpmock.cassette.reader import cassette_from, load
from mcpmock.cassette.writer import dump, dump_entry, dump_head, dump_session_head
from mcpmock.cassette.yaml_events import pure_parser
from mcpmock.errors import CassetteError
from mcpmock.wire.message import Json, Message, parse_exact
from tests.cassette.values import call, cassette_of, spelt, without_places

MARKDOWN = "# Title\n\nSome *text*, 日本語, größer.\n\n```python\nif x:\n\treturn 'y'  # why\n```\n" * 40


def kept(value: Json) -> str:
    """How a request with this value is written; asserts that all readers read it as it was."""
    cassette = cassette_of(Entry("client", (call(value),)))
    written = dump(cassette)
    for reader in (None, pure_parser):
        read = read_events(written.encode(), cassette_from, parser=reader)
        assert spelt(read.sessions[0].entries[0].messages[0].params) == spelt(value)
    assert without_places(load(written.encode())).sessions[0].entries[0].messages[0].body == call(value).body
    return written


def exact(frame: bytes) -> Message:
    """The message that came over the wire."""
    found = parse_exact(frame)
    assert isinstance(found, Message)
    return found


def test_fr_04_unicode_line_separators_keep_their_code_points() -> None:
    """FR-04: escaped in the file, so that no reader takes them for the end of a line."""
    text = "a\u2028b\u2029c\x85d"
    written = kept({"text": text, text: [text + "\nsecond line"]})
    assert not {"\u2028", "\u2029", "\x85"} & set(written)
    assert '"a\\u2028b\\u2029c\\u0085d"' in written


def test_fr_08_half_a_surrogate_pair_is_saved_as_its_escape() -> None:
    """FR-08: as a value and as a key; the file is UTF-8, and what is read is the same message."""
    for frame in (
        rb'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x\ud800y"}]}}',
        rb'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x\udfffy":1}}}',
    ):
        message = exact(frame)
        written = dump(cassette_of(Entry("client", (message,)))).encode()
        [entry] = load(written).sessions[0].entries
        assert entry.messages == (message,)
        assert read_quickly(written) is not None


def test_fr_09_a_byte_order_mark_is_read_past_and_never_written() -> None:
    """FR-09: editors put one in front of a file; within a text it is a character."""
    cassette = cassette_of(Entry("client", (call({"text": "\ufeffa"}),)))
    written = dump(cassette)
    assert "\ufeff" not in written
    assert load(b"\xef\xbb\xbf" + written.encode()) == load(written.encode())
    assert without_places(load(written.encode())) == cassette


def test_ca_02_long_texts_are_blocks_that_people_can_read() -> None:
    """CA-02: literal blocks where they keep the text; a JSON document and base64 are the strings that they were."""
    document = '{"rows": [{"id": 1, "name": "a: b"}], "next": null}'
    blob = "iVBORw0KGgo" * 20_000
    written = kept({"markdown": MARKDOWN, "json": document, "pretty": '{\n  "a": 1\n}', "png": blob})
    assert "    markdown: |\n          # Title\n\n          Some *text*, 日本語, größer.\n" in written
    assert f"    json: '{document}'\n" in written
    assert f'    png: "{blob}"\n' in written
    assert "!!" not in written


def test_ca_02_what_editors_and_checkouts_change_is_not_left_to_them() -> None:
    """CA-02: after a checkout with Windows line ends, or an editor that strips blanks, the values are the same."""
    values: list[Json] = ["a  \nb", "trailing \n", "a\t\nb", "no-break\xa0\nb", "end\n\n\n", "\r\n", "a\r\nb", MARKDOWN]
    written = dump(cassette_of(*(Entry("client", (call({"t": value}),)) for value in values)))
    stripped = "\n".join(line.rstrip() for line in written.split("\n")).rstrip("\n") + "\n"
    for changed in (written.replace("\n", "\r\n"), stripped):
        read = load(changed.encode()).sessions[0].entries
        assert [entry.messages[0].params for entry in read] == [{"t": value} for value in values]


def test_ca_04_the_same_session_gives_the_same_bytes() -> None:
    """CA-04: in any process, in any order of earlier work, whole or piece by piece; line ends are LF."""
    entries = tuple(Entry("client", (call({"b": 1, "a": {"y": [], "x": MARKDOWN}}),)) for _ in range(3))
    session = Session(entries, "a", env=(("Z", "1"), ("A", "2")))
    first = dump(Cassette((session,)))
    dump(cassette_of(*(Entry("stderr", text=f"word {number}") for number in range(10_000))))  # fills what is remembered
    pieces = [dump_head(Cassette()), dump_session_head(session), *map(dump_entry, entries)]
    assert dump(Cassette((session,))) == first == "".join(pieces)
    assert dump(load(first.encode())) == first
    assert "\r" not in first


def test_ca_05_a_recorded_file_is_read_without_a_yaml_parser() -> None:
    """CA-05: however big it is; and with the parser in Python it gives the same values."""
    cassette = cassette_of(*(Entry("client", (call({"n": number, "text": MARKDOWN[:90]}),)) for number in range(300)))
    written = dump(cassette).encode()
    tree = read_quickly(written)
    assert tree is not None
    assert without_places(cassette_from(tree)) == cassette
    assert read_events(written, cassette_from, parser=pure_parser) == load(written)


def test_ca_06_tags_run_no_code(tmp_path: Path) -> None:
    """CA-06: they are refused before anything is made of them."""
    trace = tmp_path / "trace"
    text = f"version: 1\nsessions:\n- entries:\n  - stderr: !!python/object/apply:os.mkdir ['{trace}']\n"
    with pytest.raises(CassetteError, match=r":4: the tag !!python/object/apply:os.mkdir is not allowed"):
        load(text.encode())
    assert not trace.exists()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("version: 1\nversion: 1\nsessions: []\n", ":2: the key 'version' stands twice"),
        ("version: 1\nsessions:\n- entries:\n\t- exit: 0\n", ":4: a tab in the indentation"),
        ("version: 99\nsessions: []\n", ":1: version 99 is unknown here\n  it was written by a newer mcpmock"),
        ("- version: 1\n", ":1: a cassette must be a mapping"),
        ("", "the file is empty"),
        ("version: 1\nsessions:\n- entries:\n  - client: " + "[" * 100_000, "nested more than 256 deep"),
        ("version: 1\nsessions:\n- entries:\n  - stderr: " + "- " * 100_000, "CassetteError"),
        ("version: 1\nsessions:\n- entries:\n  - client: {a: " + "{a: " * 100_000, "nested more than 256 deep"),
        ("version: 1\nsessions:\n- entries:\n  - client:\n" + "".join(" " * n + "a:\n" for n in range(6, 500)), "deep"),
        ("version: 1\nsessions:\n" + "".join(f"{'  ' * n}- \n" for n in range(500)), "a session must be a mapping"),
        ("? " * 100_000 + "\n", "a key must be a string"),
        ("version: 1\nsessions:\n- entries:\n  - client: &a [" + "&b [" * 100_000, "nested more than 256 deep"),
    ],
)
@pytest.mark.parametrize("parser", [None, pure_parser])
def test_ca_06_oddities_are_errors_with_a_line(text: str, problem: str, parser: object) -> None:
    """CA-06: duplicate keys, tabs, versions, nesting; soon, and without a RecursionError."""
    with pytest.raises(CassetteError) as caught:
        read_events(text.encode(), cassette_from, parser=parser)  # type: ignore[arg-type]
    assert problem in f"{caught.type.__name__} {caught.value}" or (parser and "YAML" in str(caught.value))
