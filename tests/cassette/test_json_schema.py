"""The JSON Schema for editors says what the reader says."""

from __future__ import annotations

import contextlib
import importlib
import json
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from yaml.error import YAMLError

from mcpmock.cassette import entries, http_facts, reader
from mcpmock.cassette.json_schema import cassette_schema
from mcpmock.cassette.model import Cassette
from mcpmock.cassette.tree import Branch
from mcpmock.cassette.values import read_tree
from mcpmock.cassette.writer import dump
from mcpmock.cassette.yaml_events import Document, best_parser
from mcpmock.cli.check import command
from mcpmock.errors import CassetteError
from tests.cassette.refusals import REFUSALS
from tests.cassette.values import cassettes
from tests.conftest import ROOT

PUBLISHED: Final = ROOT / "cassettes" / "cassette.schema.json"
SCHEMA: Final = cassette_schema()
VALIDATOR: Final[Any] = importlib.import_module("jsonschema").Draft7Validator(SCHEMA)
FILES: Final = sorted([*ROOT.glob("cassettes/*.yaml"), *ROOT.glob("tests/**/*.yaml")])

NOT_SAID: Final = frozenset({"a string that is no JSON", "a string that is no message"})
"""What a schema cannot say: whether a string is the exact JSON text of a message."""


def plain(value: Any) -> Any:
    """A tree as the JSON value that an editor sees."""
    if isinstance(value, Branch):
        return {key: plain(member) for key, member in value.members.items()}
    if isinstance(value, list):
        return [plain(member) for member in value]
    return {key: plain(member) for key, member in value.items()} if isinstance(value, dict) else value


def value_of(data: bytes) -> Any:
    """What a cassette's YAML holds. Raises what the reader raises where it holds none."""
    return plain(read_tree(Document(data, best_parser())))


def errors(value: Any) -> list[str]:
    """What the schema has against it."""
    return [error.message for error in VALIDATOR.iter_errors(value)]


def test_the_published_schema_is_what_the_tables_give() -> None:
    """Issue 5, item 1: write it anew with `mcpmock check --schema > cassettes/cassette.schema.json`."""
    assert PUBLISHED.read_text(encoding="utf-8") == json.dumps(SCHEMA, indent=1, ensure_ascii=False) + "\n"


def test_the_command_prints_it() -> None:
    """Issue 5, item 1."""
    done = CliRunner().invoke(command, ["--schema"])
    assert (done.exit_code, json.loads(done.output)) == (0, SCHEMA)


def test_it_is_a_schema() -> None:
    """Ours."""
    VALIDATOR.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "table", [reader.FILE_KEYS, reader.SESSION_KEYS, reader.RULE_KEYS, entries.KEYS, http_facts.FACT_KEYS]
)
def test_every_key_of_the_tables_is_in_it(table: Any) -> None:
    """Ours: nobody can add a key and forget it."""
    text = json.dumps(SCHEMA)
    assert [key for key in table.keys if f'"{key}": ' not in text] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_cassette_of_the_repository_is_valid(path: Path) -> None:
    """Issue 5, item 1."""
    data = path.read_bytes()
    reader.load(data)
    assert errors(value_of(data)) == []


@settings(max_examples=60)
@given(cassettes)
def test_every_cassette_that_is_written_is_valid(cassette: Cassette) -> None:
    """Issue 5, item 1: but for texts that no cassette needs to have and the reader refuses, such as empty names."""
    assert errors(value_of(dump(cassette).encode())) == []


@pytest.mark.parametrize("what", REFUSALS)
def test_what_the_reader_refuses_the_schema_refuses(what: str) -> None:
    """Issue 5, item 1: where a schema can say it; what is no YAML an editor sees without one."""
    with contextlib.suppress(CassetteError, YAMLError, RecursionError):
        value = value_of(REFUSALS[what])
        assert bool(errors(value)) == (what not in NOT_SAID)
