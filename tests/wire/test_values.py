"""Walking through JSON values."""

from __future__ import annotations

from mcpmock.wire.message import MISSING, Json, Object
from mcpmock.wire.values import repeatable, strings_in, value_at, with_value


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


def test_a_path_leads_to_a_value_or_to_nothing() -> None:
    """Ours: null is a value; within arrays, texts and the like no path goes on."""
    value: Json = {"a": {"b": None}, "c": [1], "d": "x"}
    assert value_at(value, ("a", "b")) is None
    assert value_at(value, ()) is value
    assert [value_at(value, path) for path in (("a", "x"), ("c", "0"), ("d", "x"), ("x", "y"))] == [MISSING] * 4


def test_another_value_at_a_path_leaves_the_object_and_its_order_alone() -> None:
    """Ours: a recorded message is played to many."""
    value: Object = {"a": {"b": 1, "c": 2}, "d": 3}
    new = with_value(value, ("a", "b"), 9)
    assert list(new.items()) == [("a", {"b": 9, "c": 2}), ("d", 3)]
    assert value == {"a": {"b": 1, "c": 2}, "d": 3}
    assert with_value(value, ("d",), {"e": 4})["d"] == {"e": 4}
    assert with_value(value, ("a", "x"), 9)["a"] == {"b": 1, "c": 2, "x": 9}


def test_what_is_said_again_is_json_whatever_was_said() -> None:
    """Ours: of a number beyond a double Python keeps an infinity, which JSON cannot spell."""
    value: Json = {"a": [float("inf"), float("-inf"), {"b": 1.5}], "c": "Infinity"}
    assert repeatable(value) == {"a": ["Infinity", "-Infinity", {"b": 1.5}], "c": "Infinity"}
    whole: Json = {"a": [1, None, "x"]}
    assert repeatable(whole) is whole
