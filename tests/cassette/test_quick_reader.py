"""The quick reader is sure of what our writer writes, and where it is sure it is right."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mcpmock.cassette.model import Cassette, Entry
from mcpmock.cassette.quick import read_quickly
from mcpmock.cassette.reader import cassette_from
from mcpmock.cassette.tree import Branch
from mcpmock.cassette.values import read_tree
from mcpmock.cassette.writer import dump
from mcpmock.cassette.yaml_events import Document, best_parser
from mcpmock.errors import CassetteError
from tests.cassette.values import call, cassette_of, cassettes
from tests.conftest import ROOT

FRAGMENTS = [
    *(
        "a",
        "b: ",
        "- ",
        "- - ",
        "  ",
        "\n",
        "\n\n",
        "\n  ",
        "\n    ",
        "\n      ",
        "|",
        "|-",
        "|+",
        "|2",
        ": ",
        "::",
        "a:b",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        ", ",
        ",",
        '"',
        "'",
        "''",
        "#",
        " #",
        "# c\n",
        "  # c\n",
        "null",
        "~",
        "true",
        "1",
        "-1",
        "1e3",
    ),
    *(
        "-",
        "--",
        "---",
        "...",
        "? ",
        "*a",
        "&a ",
        "!x ",
        "<<",
        "=",
        "%",
        "@",
        "`",
        ">",
        "\t",
        "\\n",
        "\\u0041",
        "\\ud800",
    ),
    *(
        "é",
        "\u00a0",
        "x y",
        "http://x",
        "-5",
        "-y",
        "\r\n",
        "\r",
        "\x85",
        "\u2028",
        "\ufeff",
        "\x00",
        "text:",
        "on: off\n",
    ),
    *(
        "client: ",
        "entries:",
        "sessions:",
        "match: {ignore: [/a]}",
        "  - client: {method: a}\n",
        "timing: [1, 2,\n    3]",
    ),
]


def shown(value: Any) -> Any:
    """The value with the types and the order of everything, branches as the mappings that they are."""
    if isinstance(value, Branch):
        return shown(value.members)
    if isinstance(value, dict):
        return [(key, shown(member)) for key, member in value.items()]
    if isinstance(value, list):
        return ["list", *map(shown, value)]
    return (type(value).__name__, repr(value))


def lines(tree: Branch) -> list[int]:
    """The lines of the file, its sessions and their entries."""
    sessions = tree.members.get("sessions") or []
    inner = [branch.line for session in sessions for branch in (session, *(session.members.get("entries") or []))]
    return [tree.line, *inner]


def is_sure(data: bytes) -> bool:
    """Whether the quick reader is sure; asserts that it reads then what the events say."""
    tree = read_quickly(data)
    if tree is None:
        return False
    try:
        wanted = read_tree(Document(data, best_parser()))
    except CassetteError:  # a rule that is no mapping, for instance
        with pytest.raises(CassetteError):
            cassette_from(tree)
        return True
    assert shown(tree) == shown(wanted)
    assert lines(tree) == lines(wanted)
    return True


@st.composite
def edited(draw: st.DrawFn) -> bytes:
    """A cassette after some clumsy edits."""
    text = dump(draw(cassettes))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        removed = draw(st.integers(0, 8))
        text = text[:at] + draw(st.sampled_from(["", *FRAGMENTS])) + text[at + removed :]
    return text.encode()


@st.composite
def indented_anew(draw: st.DrawFn) -> bytes:
    """A cassette in which a line was moved to the left or to the right, or to another place."""
    rows = dump(draw(cassettes)).split("\n")
    at = draw(st.integers(0, len(rows) - 1))
    row = " " * draw(st.integers(0, 9)) + rows.pop(at).lstrip(" ")
    rows.insert(draw(st.integers(max(0, at - 2), min(len(rows), at + 2))), row)
    return "\n".join(rows).encode()


@settings(max_examples=150)
@given(data=edited())
def test_it_is_right_about_a_file_that_was_edited(data: bytes) -> None:
    """Ours: what is read quickly is what libyaml would give."""
    is_sure(data)


@settings(max_examples=120)
@given(data=indented_anew())
def test_it_is_right_about_a_file_that_was_indented_anew(data: bytes) -> None:
    """Ours: indentation is what most edits get wrong."""
    is_sure(data)


@settings(max_examples=150)
@given(pieces=st.lists(st.sampled_from(FRAGMENTS), max_size=12))
@example(pieces=["|2", "\n      "])
def test_it_is_right_about_anything_that_looks_like_yaml(pieces: list[str]) -> None:
    """Ours: also where no writer wrote it."""
    is_sure(f"version: 1\nsessions:\n- entries:\n  - client: {''.join(pieces)}\n".encode())


def holds_what_only_libyaml_reads(written: str) -> bool:
    """Long keys, escapes beyond the first plane, and blocks that begin with a blank within two lists."""
    return (
        bool(re.search(r"- - (?:[^\n]*: )?\|2", written)) or "\n? " in written or " ? " in written or "\\U00" in written
    )


@given(cassette=cassettes)
@example(cassette=cassette_of(Entry("stderr", text="this, that,"), Entry("client", (call(["[this,", "that,", "-,"]),))))
def test_it_is_sure_of_what_our_writer_writes(cassette: Cassette) -> None:
    """Ours (DESIGN 6): or loading would be slow, and replay would import a YAML parser."""
    written = dump(cassette)
    assert is_sure(written.encode()) or holds_what_only_libyaml_reads(written)


@pytest.mark.parametrize(
    "text",
    [
        "# a comment\nversion: 1\n\n# and\nsessions:\n\n# here\n- entries:\n  # too\n  - client: {method: a}\n",
        "version: 1\nsessions:\n  - entries:\n      - client: {method: a}\n      - exit: 0\n",
        "version: 1\r\nsessions:\r\n- entries:\r\n  - stderr: |\r\n      a\r\n      b\r\n",
        "\ufeffversion: 1\nsessions: []\n",
        "version: 1\nsessions:\n",
        "version: 1\nsessions:\n- entries:\n  - stderr: |+\n      a\n\n  # the end\n\n# of all\n",
    ],
)
def test_it_is_sure_of_what_people_write(text: str) -> None:
    """Ours: comments, empty lines, other indentation, other line ends."""
    assert is_sure(text.encode())


@pytest.mark.parametrize(
    "written",
    [
        "'folded\n      text'",
        '"folded\n      text"',
        "plain\n      text",
        "a # comment",
        "> \n      folded",
        "|3\n       indented by three",
        "&anchor a",
        '"\\ud83d\\ude00"',
        '"\\x41"',
        "|+\n      a\n\n   \n",
    ],
)
def test_it_leaves_to_libyaml_what_it_does_not_know(written: str) -> None:
    """Ours: nothing is guessed; what is YAML is read all the same."""
    data = f"version: 1\nsessions:\n- entries:\n  - stderr: {written}\n".encode()
    assert not is_sure(data) or written.startswith("|3")


@pytest.mark.parametrize(
    "written",
    [
        *(
            "{a: 'b}",
            '{a: "\\ud83d\\ude00"}',
            "{a:1}",
            "{a: 1,b: 2}",
            "{a: 1, }",
            "{a, b}",
            "[a,b]",
            "[[a],b]",
            "[a: b]",
        ),
        *(
            "{a: b # c\n      }",
            "{a: 1, a: 2}",
            '{"a" : 1}',
            "{'a': 1}",
            '{"\\ud83d\\ude00": 1}',
            "\n      - \n        a",
            "[1,\n    #\n 2]",
            "{a: [1, 2}",
            "{a: {b: c}",
        ),
        *(
            "[" * 120 + "]" * 120,
            "{a: " * 120 + "1" + "}" * 120,
            "\n" + "".join(" " * n + "a:\n" for n in range(6, 120)),
        ),
        "\n      - " + "- " * 120 + "a",
    ],
)
def test_it_leaves_other_flow_styles_and_deep_nesting_to_libyaml(written: str) -> None:
    """Ours: what is not spelt as our writer spells it, or not right, is not decided here."""
    assert not is_sure(f"version: 1\nsessions:\n- entries:\n  - client: {written}\n".encode())


def test_it_reads_megabytes_in_one_string() -> None:
    """CA-05: base64, a block of many lines, and a block without any."""
    for text in ("QUJD" * 700_000, "a line of text\n" * 100_000, "x y" * 500_000 + "\n", '"quoted" ' * 100_000 + "."):
        assert is_sure(dump(cassette_of(Entry("client", (call(text),)))).encode())


def test_reading_what_our_writer_wrote_imports_no_yaml_parser() -> None:
    """Ours (DESIGN 6): importing one takes longer than reading most cassettes."""
    written = dump(cassette_of(Entry("client", (call({"text": "a\nb\n", "n": [1, 2.5, None]}),)))).encode()
    program = f"import sys, mcpmock.cassette.reader as r; r.load({written!r}); print('yaml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True, timeout=60)
    assert done.stdout.split() == [b"False"]
