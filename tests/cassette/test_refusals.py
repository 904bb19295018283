"""What is wrong with a file is said with its line and with a way out."""

from __future__ import annotations

import contextlib
import inspect
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from yaml.error import YAMLError

from mcpmock.cassette.events_reader import read_events
from mcpmock.cassette.reader import cassette_from, load
from mcpmock.cassette.writer import dump
from mcpmock.cassette.yaml_events import pure_parser
from mcpmock.errors import CassetteError
from tests.cassette.refusals import REFUSALS
from tests.cassette.values import cassettes
from tests.golden import check_golden

GOLDEN = Path(__file__).parent / "golden" / "refusals.txt"


def refusal(data: bytes) -> CassetteError:
    with pytest.raises(CassetteError) as caught:
        load(data, path="it.yaml")
    return caught.value


def test_every_refusal_reads_as_agreed() -> None:
    """Ours (STYLE, habits 7 and 9): what happened, where, and what to do."""
    page = "".join(f"## {what}\n{refusal(data)}\n\n" for what, data in REFUSALS.items())
    check_golden(page, GOLDEN)


@pytest.mark.parametrize("what", REFUSALS)
def test_every_refusal_knows_its_line(what: str) -> None:
    """Ours (DESIGN 3): but for what concerns the whole file."""
    error = refusal(REFUSALS[what])
    assert error.line > 0 or what in ("an empty file", "a file of comments", "UTF-16")
    assert error.path == "it.yaml"


@pytest.mark.parametrize("what", REFUSALS)
def test_both_parsers_refuse_the_same(what: str) -> None:
    """Ours (DESIGN 3): without libyaml the same, though perhaps in other words where it is no YAML."""
    with pytest.raises(CassetteError) as caught:
        read_events(REFUSALS[what], cassette_from, parser=pure_parser)
    if "YAML" not in caught.value.problem:
        assert caught.value.problem == refusal(REFUSALS[what]).problem


def test_what_a_parser_cannot_explain_is_passed_on() -> None:
    """Ours: whatever else PyYAML may raise is a CassetteError, too."""

    def parser(data: bytes) -> object:
        raise YAMLError(f"{len(data)} bytes are too many")

    with pytest.raises(CassetteError, match="no YAML: 2 bytes are too many"):
        read_events(b"a\n", cassette_from, parser=parser)


def test_a_deep_stack_is_no_recursion_error() -> None:
    """CA-06: whoever calls the reader, and from how far down."""

    def from_below(depth: int) -> None:
        if depth:
            from_below(depth - 1)
        else:
            load(f"version: 1\nsessions:\n- entries:\n  - client: &a {'[' * 250}{']' * 250}\n".encode())

    with pytest.raises(CassetteError, match="nested more than 256 deep"):
        from_below(sys.getrecursionlimit() - len(inspect.stack(0)) - 150)


@settings(max_examples=150)
@given(data=st.one_of(st.binary(), st.text().map(str.encode)))
def test_bytes_never_crash_the_reader(data: bytes) -> None:
    """Ours: whatever the file holds, it is a cassette or a CassetteError."""
    with pytest.raises(CassetteError):
        load(data)


@settings(max_examples=120)
@given(cassette=cassettes, at=st.floats(0, 1), noise=st.binary(max_size=6), removed=st.integers(0, 20))
def test_broken_cassettes_never_crash_the_reader(cassette: object, at: float, noise: bytes, removed: int) -> None:
    """Ours: the same for bytes within what was a cassette, and for files that were cut."""
    written = dump(cassette).encode()  # type: ignore[arg-type]
    place = int(at * len(written))
    for data in (written[:place] + noise + written[place + removed :], written[:place]):
        with contextlib.suppress(CassetteError):
            load(data)


def test_what_a_file_holds_moves_no_cursor_in_an_error() -> None:
    """Issue 4, item 5: control characters are spelt, and a key of any length leaves room for the rest."""
    for key in ("\x1b]0;owned\x07", "a\u202eb", "\x85", "k" * 100_000):
        with pytest.raises(CassetteError) as caught:
            load(f"version: 1\nsessions: []\n? {json.dumps(key)}\n: 1\n".encode(), path="a\x1b[2J.yaml")
        assert str(caught.value).replace("\n", "").isprintable()
        assert len(str(caught.value)) < 5_000
        assert "its keys are" in str(caught.value)
