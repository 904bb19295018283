"""What is written is read again: by our reader in all its ways, and by other people's."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given

from mcpmock.cassette.events_reader import read_events
from mcpmock.cassette.model import Cassette, Entry, HttpFact
from mcpmock.cassette.reader import cassette_from, load
from mcpmock.cassette.writer import dump
from mcpmock.cassette.yaml_events import pure_parser
from mcpmock.wire.message import Json
from tests.cassette.values import TREACHEROUS, call, cassette_of, cassettes, json_values, spelt, texts, without_places


def through_libyaml(data: bytes) -> Cassette:
    """Through the events of libyaml."""
    return read_events(data, cassette_from)


def through_python(data: bytes) -> Cassette:
    """Through the events of PyYAML's own parser."""
    return read_events(data, cassette_from, parser=pure_parser)


READERS = [load, through_libyaml, through_python]


def params_of(cassette: Cassette) -> Json:
    return cassette.sessions[0].entries[0].messages[0].params


@pytest.mark.parametrize("reader", READERS)
@given(value=json_values)
def test_any_json_is_read_as_it_was_written(reader: Callable[[bytes], Cassette], value: Json) -> None:
    """Ours (DESIGN 3, Lossless): order of keys, whole numbers against fractions, signs."""
    written = dump(cassette_of(Entry("client", (call(value),)))).encode()
    assert spelt(params_of(reader(written))) == spelt(value)


@pytest.mark.parametrize("loader", [yaml.SafeLoader, yaml.CSafeLoader])
@given(value=json_values)
def test_other_readers_of_yaml_read_the_same(loader: Any, value: Json) -> None:
    """Ours (DESIGN 3): every reader of YAML 1.1 or 1.2 takes a value for the same value."""
    written = dump(cassette_of(Entry("client", (call(value),))))
    entry = yaml.load(written, Loader=loader)["sessions"][0]["entries"][0]
    assert spelt(entry["client"]["params"]) == spelt(value)


@given(cassette=cassettes)
def test_every_cassette_is_read_as_it_was_written(cassette: Cassette) -> None:
    """Ours (DESIGN 3): entries of every kind, rules, heads."""
    written = dump(cassette).encode()
    for reader in READERS:
        assert without_places(reader(written)) == cassette


@given(cassette=cassettes)
def test_what_was_read_is_written_as_it_was(cassette: Cassette) -> None:
    """Ours (DESIGN 3, Stable)."""
    written = dump(cassette)
    assert dump(load(written.encode())) == written


@given(text=texts)
def test_a_string_is_the_same_in_every_place(text: str) -> None:
    """Ours: as a value, as a key, in a list, in a line of its own and among others."""
    value: Json = {"alone": text, text: [text, {text: text}], "among": {"a": 1, "b": text, "c": [text, 2]}}
    written = dump(cassette_of(Entry("client", (call(value),)))).encode()
    assert spelt(params_of(load(written))) == spelt(value)


@pytest.mark.parametrize("text", TREACHEROUS)
@pytest.mark.parametrize("parse", [yaml.SafeLoader, yaml.CSafeLoader, None])
def test_a_treacherous_string_stays_a_string(text: str, parse: Any) -> None:
    """PROTOCOL 5, traps 9 to 11: as value and as key, in a block and in a line."""
    value: Json = {"text": text, "line": {"a": text}, "list": [text, text], text: {"key": "k" * 120, text: 1}}
    written = dump(cassette_of(Entry("client", (call(value),))))
    if parse is None:
        read = params_of(load(written.encode()))
    else:
        read = yaml.load(written, Loader=parse)["sessions"][0]["entries"][0]["client"]["params"]
    assert read == value


def test_a_key_beyond_1024_characters_is_written_so_that_libyaml_reads_it() -> None:
    """PROTOCOL 5: libyaml looks for the colon of a key within 1,024 characters only."""
    for key in ("k" * 1025, "long key " * 200, '"' * 600, "é\n" * 600):
        value: Json = {key: 1, "then": {key: {"deep": [{key: [1, {key: "x"}]}]}}}
        written = dump(cassette_of(Entry("client", (call(value),)))).encode()
        for reader in READERS:
            assert params_of(reader(written)) == value


def test_a_body_that_yaml_cannot_hold_is_written_as_its_text() -> None:
    """FR-08, over HTTP: a string is the text of a body as it is, anything else is JSON; so nothing is lost."""
    deep: Json = []
    for _ in range(100):
        deep = [deep]
    for body in ({"x\ud800y": 1}, deep):
        fact = HttpFact("POST", status=502, media="application/json", body=body)
        written = dump(cassette_of(Entry("http", http=fact))).encode()
        for reader in READERS:
            read = reader(written).sessions[0].entries[0].http
            assert read == fact._replace(body=json.dumps(body))


def test_half_a_surrogate_pair_is_kept_wherever_it_stands() -> None:
    """FR-08: the message is then written as its exact text."""
    value: Json = {"x\ud800y": "\udfff", "list": ["\ud83d"]}
    written = dump(cassette_of(Entry("client", (call(value),)))).encode()
    for reader in READERS:
        assert spelt(params_of(reader(written))) == spelt(value)
