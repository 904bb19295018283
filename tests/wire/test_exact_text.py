"""What a parsed value would lose is kept as exact text, and answered in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.wire.message import Batch, Json, Lexeme, Message, parse, parse_exact, splice
from tests.wire.samples import frame, message, same, texts, values


@pytest.mark.parametrize(
    ("params", "value"),
    [
        ("1e400", Lexeme("1e400")),
        ("-1e400", Lexeme("-1e400")),
        ("1" * 5000, Lexeme("1" * 5000)),
        ("-0", 0),
        ('{"a":1,"a":2}', {"a": 2}),
        ('"\\ud800"', "\ud800"),
        ('"\\uDFFF\\uD83D"', "\udfff\ud83d"),
        ('"\\ud83d\\ud83d\\ude00"', "\ud83d\U0001f600"),
        ('{"\\uD800":1}', {"\ud800": 1}),
    ],
)
def test_what_a_mapping_would_lose_is_kept_as_text(params: str, value: Json) -> None:
    """DESIGN 3, Lossless; PROTOCOL 5, traps 12 to 14."""
    found = message(parse_exact(b" " + frame(params) + b"\r"))
    assert found.text == frame(params).decode()
    assert same(found.params, value)
    assert type(found.params) is type(value)


@pytest.mark.parametrize(
    "params",
    [
        "0",
        "-0.0",
        "1e5",
        "1.10",
        "4300",
        '"-0"',
        '"\\ud83d\\ude00"',
        '"\\\\ud800"',
        '"\\\\\\\\uD800"',
        '"😀"',
        '{"a":{"a":1}}',
    ],
)
def test_what_a_mapping_holds_needs_no_text(params: str) -> None:
    """Ours: most messages are read as mappings."""
    assert message(parse_exact(frame(params))).text is None
    assert message(parse(frame(params))).text is None


def test_the_quick_parser_keeps_the_text_only_of_what_python_refuses() -> None:
    """Ours: it serves requests, of which nothing is written down."""
    assert message(parse(frame("1" * 5000))).text == frame("1" * 5000).decode()
    assert message(parse(frame("1e400"))).params == float("inf")


@given(values)
def test_both_parsers_agree(value: Json) -> None:
    """Ours: what was recorded is compared with what is parsed quickly."""
    text = frame(json.dumps(value))
    assert same(message(parse(text)).body, message(parse_exact(text)).body)


def test_members_of_a_batch_keep_their_exact_text() -> None:
    """DESIGN 3: an entry that is a list may hold exact texts."""
    found = parse_exact(b'[ {"jsonrpc":"2.0","method":"a","params":1e400} , {"jsonrpc":"2.0","method":"b"}\n]')
    assert isinstance(found, Batch)
    assert [one.text for one in found.messages] == [
        '{"jsonrpc":"2.0","method":"a","params":1e400}',
        '{"jsonrpc":"2.0","method":"b"}',
    ]


# -- splice


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ('{"id":1,"result":1e400}', {("id",): "a"}, '{"id":"a","result":1e400}'),
        ('{ "id" : 1 , "x":[{"id":2}] }', {("id",): 7}, '{ "id" : 7 , "x":[{"id":2}] }'),
        ('{"a":{"id":1},"id":2}', {("id",): 3}, '{"a":{"id":1},"id":3}'),
        ('{"a":{"id":1},"id":2}', {("a", "id"): None}, '{"a":{"id":null},"id":2}'),
        ('{"a":{"b":{"c":1,"d":2}}}', {("a", "b", "c"): 5, ("a", "b", "d"): 6}, '{"a":{"b":{"c":5,"d":6}}}'),
        ('{"id":1,"id":2}', {("id",): 3}, '{"id":3,"id":3}'),
        ('{"\\u0069d":1}', {("id",): 3}, '{"\\u0069d":3}'),
        ('{"id":{"a":"}"}}', {("id",): 3}, '{"id":3}'),
        ('{"x":"\\ud800\\"}","id":1}', {("id",): 3}, '{"x":"\\ud800\\"}","id":3}'),
        ("{}", {("id",): 3}, "{}"),
        (' {"a":[]}', {("a", "b"): 3}, ' {"a":[]}'),
        ('{"a":{}}', {("a", "b"): 3}, '{"a":{}}'),
        ('{"id":1}', {}, '{"id":1}'),
    ],
)
def test_values_are_replaced_and_all_else_is_untouched(text: str, changes: dict[Any, Json], expected: str) -> None:
    """Ours: exact texts are answered under the live id."""
    assert splice(text, changes) == expected


@given(st.dictionaries(texts, values, max_size=4), texts, values)
def test_a_spliced_text_has_the_new_value(value: dict[str, Json], key: str, new: Json) -> None:
    """Ours."""
    text = json.dumps(value, indent=1)
    expected = {**value, key: new} if key in value else value
    assert same(json.loads(splice(text, {(key,): new})), json.loads(json.dumps(expected)))


@pytest.mark.parametrize(("depth", "is_message"), [(400, True), (499, True), (600, False), (900, False)])
@pytest.mark.parametrize("read", [parse, parse_exact])
def test_how_deep_a_message_may_be_does_not_depend_on_who_reads_it(depth: int, is_message: bool, read: Any) -> None:
    """Ours (issue 4): what a recorder kept, a replay deep within calls of its own can read."""
    arrays = b"[" * (depth - 2) + b"]" * (depth - 2)
    frame = b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"s":"[[[","p":' + arrays + b"}}"
    for spelt in (frame, b"\xef\xbb\xbf" + frame, frame.replace(b'"id":1', b'"id":-0')):
        assert isinstance(read(spelt), Message) is is_message
