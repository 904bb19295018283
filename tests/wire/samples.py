"""JSON values and messages for the tests of the wire."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from mcpmock.wire.message import Message, Parsed, parse, parse_exact

PARSERS = pytest.mark.parametrize("parser", [parse, parse_exact])

texts = st.text(st.characters(), max_size=8)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
ROOTS: list[dict[str, Any]] = [
    {"method": "x"},
    {"method": "x", "id": 1},
    {"id": "1", "result": None},
    {"error": 1},
]


def _body(root: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
    return {**root, **extra, **root}


names = texts.filter(lambda name: name != "jsonrpc")
bodies = st.builds(_body, st.sampled_from(ROOTS), st.dictionaries(names, values, max_size=4))


def same(first: Any, second: Any) -> bool:
    """Whether two values are spelt alike: order of members, int against float, `-0.0`."""
    return repr(first) == repr(second)


def frame(params: str) -> bytes:
    """A request with these params, given as JSON text."""
    return f'{{"jsonrpc":"2.0","id":1,"method":"x","params":{params}}}'.encode()


def message(parsed: Parsed) -> Message:
    """What was parsed, which has to be a message."""
    assert isinstance(parsed, Message), parsed
    return parsed
