"""Walking through JSON values."""

from __future__ import annotations

from mcpmock.wire.message import Json
from mcpmock.wire.values import strings_in


def test_strings_come_in_their_order_and_names_do_not() -> None:
    """Ours."""
    value: Json = {"a": "1", "b": ["2", {"c": "3", "d": 4}, [], "5"], "e": None, "f": "6"}
    assert list(strings_in(value)) == ["1", "2", "3", "5", "6"]
    assert list(strings_in("x")) == ["x"]


def test_depth_does_not_matter() -> None:
    """PROTOCOL 5, trap 15."""
    deep: Json = "x"
    for _ in range(5_000):
        deep = [deep]
    assert list(strings_in(deep)) == ["x"]
