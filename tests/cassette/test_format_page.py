"""The page that defines the format, and the examples: what they show is read as they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcpmock.cassette.reader import load
from mcpmock.cassette.writer import dump
from tests.cassette.values import without_places
from tests.conftest import ROOT

FOLDER = ROOT / "cassettes"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
EXAMPLES = sorted(FOLDER.glob("*.yaml"))
BLOCKS = re.findall(r"^( *)```yaml\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_every_block_of_the_page_is_a_cassette_or_a_part_of_one(number: int) -> None:
    """Ours: what people copy from the page works."""
    indent, block = BLOCKS[number]
    text = re.sub(f"^{indent}", "", block, flags=re.MULTILINE)
    whole = text if text.startswith("version:") else f"version: 1\nsessions:\n- entries:\n{text}"
    assert any(session.entries for session in load(whole.encode()).sessions)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_says_what_it_shows_and_is_on_the_page(example: Path) -> None:
    """Ours: nobody has to guess what a file is there for."""
    text = example.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert f"[{example.name}]({example.name})" in PAGE


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_the_same_when_it_is_written_again(example: Path) -> None:
    """Ours: but for its comments, of course."""
    cassette = without_places(load(example.read_bytes(), path=str(example)))
    assert without_places(load(dump(cassette).encode())) == cassette


def test_the_page_names_no_example_that_is_not_there() -> None:
    """Ours."""
    named = set(re.findall(r"\]\(([a-z_]+\.yaml)\)", PAGE))
    assert named == {example.name for example in EXAMPLES}
