"""Whatever a file holds, the reader gives a cassette, or an error with its place; soon, and the same by every way."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpmock.cassette.events_reader import read_events
from mcpmock.cassette.model import Cassette
from mcpmock.cassette.quick import read_quickly
from mcpmock.cassette.reader import cassette_from, load
from mcpmock.cassette.writer import dump
from mcpmock.cassette.yaml_events import pure_parser
from mcpmock.errors import CassetteError
from tests.cassette.values import spelt, without_places
from tests.fuzz.hostile import EXAMPLES, spoilt, spoilt_cassettes

bounded = settings(max_examples=120, deadline=None)


def is_refused(error: CassetteError) -> bool:
    """That a file is refused is all right, in words that people can read and a terminal cannot mistake."""
    text = str(error)
    return text.startswith("c.yaml") and text.replace("\n", "").isprintable() and len(text) < 5_000


def read(data: bytes) -> Cassette | None:
    """The cassette; None where it is refused as it should be."""
    try:
        return load(data, path="c.yaml")
    except CassetteError as error:
        return None if is_refused(error) else pytest.fail(repr(error))


@bounded
@given(st.one_of(spoilt_cassettes, st.binary(max_size=200)))
def test_a_spoilt_file_is_read_or_refused(data: bytes) -> None:
    """Issue 4, item 5: by no other error; and what is read can be written, and read again."""
    cassette = read(data)
    if cassette is not None:
        again = load(dump(cassette).encode())
        assert bodies(again) == bodies(cassette)
        assert [len(session.entries) for session in again.sessions] == [len(one.entries) for one in cassette.sessions]


def bodies(cassette: Cassette) -> list[str]:
    """What is said in a cassette."""
    entries = [entry for session in cassette.sessions for entry in session.entries]
    return [spelt(message.body) for entry in entries for message in entry.messages]


@bounded
@given(spoilt_cassettes)
def test_the_quick_reader_reads_nothing_otherwise(data: bytes) -> None:
    """Issue 4, item 5: where it is sure, libyaml says the same, and never that the file is no good."""
    tree = read_quickly(data)
    if tree is None:
        return
    try:
        quick = cassette_from(tree)
    except CassetteError:
        return  # the line of that is for libyaml to tell
    assert without_places(quick) == without_places(read_events(data, cassette_from))


@settings(max_examples=25, deadline=None)
@given(spoilt_cassettes)
def test_the_parser_in_python_is_not_to_be_brought_down_either(data: bytes) -> None:
    """Issue 4, item 5: where there is no libyaml, and what both read is the same."""
    try:
        slow = read_events(data, cassette_from, path="c.yaml", parser=pure_parser)
    except CassetteError as error:
        assert is_refused(error)  # noqa: PT017  # that it is raised is no must
        return
    quick = read(data)
    assert quick is None or without_places(slow._replace(path="")) == without_places(quick)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_file_cut_anywhere_is_a_cassette_or_is_torn(name: str) -> None:
    """Issue 4, item 5: every cut."""
    data = EXAMPLES[name]
    for end in range(0, len(data), 29):
        read(data[:end])


@pytest.mark.parametrize("name", EXAMPLES)
def test_checkouts_and_editors_change_nothing(name: str) -> None:
    """CA-02: Windows line ends, a byte order mark, and blanks that an editor strips."""
    data = EXAMPLES[name]
    cassette = load(data)
    stripped = b"\n".join(line.rstrip() for line in data.split(b"\n"))
    for changed in (data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data, stripped, stripped + b"\n\n"):
        assert load(changed) == cassette


def test_the_same_seed_spoils_alike() -> None:
    """Ours: or what was found could not be found again."""
    data = EXAMPLES["handshake.yaml"]
    assert spoilt(data, 7, 3) == spoilt(data, 7, 3) != data
