"""How two requests differ, and which recorded ones come nearest."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcpmock.matching.keys import NO_MASK, canonical_json, compile_mask, pointer_to, segments_of
from mcpmock.matching.nearest import (
    Candidate,
    Difference,
    Near,
    differences,
    name_of,
    nearest,
    request_differences,
)
from mcpmock.matching.rough import shared_length
from mcpmock.wire.message import MISSING, Json, Lexeme
from tests.matching.values import call, json_objects, json_values, request, text


def told(recorded: Json, live: Json, *ignore: str) -> list[tuple[Any, ...]]:
    """The differences as plain tuples."""
    return [tuple(difference) for difference in differences(recorded, live, compile_mask(ignore))]


masks = st.lists(st.lists(text, min_size=1, max_size=3).map(pointer_to) | st.sampled_from(["/*", "/*/0", "/*/*", "/0"]))


@given(json_values, json_values, masks)
def test_no_difference_means_equal_keys_and_the_reverse(recorded: Json, live: Json, pointers: list[str]) -> None:
    """STYLE, habit 6: what decides and what explains cannot drift."""
    mask = compile_mask(pointers)
    is_equal = canonical_json(recorded, mask) == canonical_json(live, mask)
    assert (not list(differences(recorded, live, mask))) is is_equal


@given(json_values)
def test_a_value_does_not_differ_from_itself(value: Json) -> None:
    """Ours."""
    assert not told(value, value)


def at(value: Json, pointer: str) -> Any:
    """The value at a pointer, MISSING where there is none."""
    for segment in segments_of(pointer) if pointer else []:
        if isinstance(value, dict):
            value = value.get(segment, MISSING)  # type: ignore[arg-type]
        else:
            assert isinstance(value, list)
            value = value[int(segment)]
    return value


@given(json_objects, json_objects)
def test_pointers_lead_to_what_differs(recorded: dict[str, Json], live: dict[str, Json]) -> None:
    """RFC 6901: a difference can be looked up in the value that it was told of."""
    for pointer, ours, theirs in differences(recorded, live):
        if ours is MISSING:
            assert at(live, pointer) is theirs
        else:
            assert at(recorded, pointer) is ours


@pytest.mark.parametrize(
    ("recorded", "live", "expected"),
    [
        ({"a": 1}, {"a": 2}, [("/a", 1, 2)]),
        ({"a": 1}, {}, [("/a", 1, MISSING)]),
        ({}, {"a": None}, [("/a", MISSING, None)]),
        ({"a": {"b": {"c": 1, "d": 2}}}, {"a": {"b": {"c": 1, "d": 3}}}, [("/a/b/d", 2, 3)]),
        ({"a": {"b": 1}}, {"a": [1]}, [("/a", {"b": 1}, [1])]),
        ({"a": True}, {"a": 1}, [("/a", True, 1)]),
        ({"a": None}, {"a": 0}, [("/a", None, 0)]),
        ({"x/y": 1, "~": 1}, {"x/y": 2, "~": 2}, [("/x~1y", 1, 2), ("/~0", 1, 2)]),
        ({"b": 1, "a": 1}, {"a": 2, "b": 2, "c": 3}, [("/b", 1, 2), ("/a", 1, 2), ("/c", MISSING, 3)]),
        ("a long text", "a long test", [("", "a long text", "a long test")]),
        ([1, 2, 3], [1, 5, 3], [("/1", 2, 5)]),
        ([1, 2, 3], [1, 2], [("/2", 3, MISSING)]),
        ([1, 2, 3], [0, 1, 2, 3], [("/0", MISSING, 0)]),
        ([1, 2, 3, 4], [1, 3, 4], [("/1", 2, MISSING)]),
        (["a", "b", "c"], ["b", "c", "d"], [("/0", "a", MISSING), ("/2", MISSING, "d")]),
        ([{"k": 1}, {"k": 2}], [{"x": 0}, {"k": 1}, {"k": 3}], [("/0", MISSING, {"x": 0}), ("/1/k", 2, 3)]),
        ([], {}, [("", [], {})]),
    ],
)
def test_differences_are_few_and_deep_down(recorded: Json, live: Json, expected: list[Any]) -> None:
    """STYLE, habit 7: say only what matters."""
    assert told(recorded, live) == expected


def test_masked_places_are_no_differences_and_are_not_shown() -> None:
    """DESIGN 4: `ignore`."""
    assert not told({"at": 1, "l": [{"at": 1, "q": 1}]}, {"l": [{"at": 2, "q": 1}]}, "/at", "/l/*/at")
    assert told({"a": {"at": 1, "q": 1}}, {"a": [2]}, "/a/at") == [("/a", {"q": 1}, [2])]


def test_long_arrays_are_compared_index_by_index() -> None:
    """Ours: aligning is quadratic, so there is an end to it."""
    recorded: list[Json] = list(range(1000))
    live: list[Json] = [value - 1 for value in range(999)]
    found = told(recorded, live)
    assert found[0] == ("/0", 0, -1)
    assert found[-1] == ("/999", 999, MISSING)
    assert len(found) == 1000


def test_depth_does_not_matter_to_differences() -> None:
    """PROTOCOL 5, trap 15."""
    recorded: Json = 1
    live: Json = 2
    for _ in range(3_000):
        recorded, live = {"a": recorded}, {"a": live}
    assert told(recorded, live) == [("/a" * 3_000, 1, 2)]


def test_numbers_that_python_cannot_hold_differ_as_numbers() -> None:
    """PROTOCOL 5, trap 13."""
    assert told({"n": Lexeme("1e400")}, {"n": "1e400"}) == [("/n", "1e400", "1e400")]
    assert not told({"n": Lexeme("1e400")}, {"n": float("inf")})


# -- requests


def test_arguments_left_out_are_compared_as_empty_ones() -> None:
    """DESIGN 4, Key."""
    assert list(request_differences(Candidate(call("add", {"a": 1})), call("add"))) == [
        Difference("/arguments/a", 1, MISSING)
    ]
    assert not list(request_differences(Candidate(call("add")), call("add", {})))


def test_what_a_placeholder_can_stand_for_is_no_difference() -> None:
    """DESIGN 3: placeholders are variables."""
    recorded = Candidate(call("x", {"auth": "Bearer ~secret.token.1~", "q": "a"}))
    assert not list(request_differences(recorded, call("x", {"auth": "Bearer abc", "q": "a"})))
    assert list(request_differences(recorded, call("x", {"auth": "Basic abc", "q": "b"}))) == [
        Difference("/arguments/auth", "Bearer ~secret.token.1~", "Basic abc"),
        Difference("/arguments/q", "a", "b"),
    ]
    assert list(request_differences(recorded, call("x", {"auth": 1, "q": "a"})))


def test_a_request_is_about_a_tool_a_prompt_or_a_resource() -> None:
    """Ours."""
    assert name_of(call("add")) == "add"
    assert name_of(request("prompts/get", {"name": "greet"})) == "greet"
    assert name_of(request("resources/read", {"uri": "file:///x"})) == "file:///x"
    for nameless in (request("tools/list", {"name": "x"}), request("tools/call"), request("tools/call", {"name": 1})):
        assert not name_of(nameless)


def lines(found: tuple[Near, ...]) -> list[int]:
    """Where the candidates stand."""
    return [near.candidate.line for near in found]


def candidates(*requests: Any) -> list[Candidate]:
    """Recorded requests on the lines 1, 2, 3 …"""
    return [Candidate(each, "x.yaml", line) for line, each in enumerate(requests, 1)]


def test_the_same_tool_comes_before_fewer_differences() -> None:
    """Ours: a call of another tool is no near miss of this one."""
    recorded = candidates(
        request("tools/list"), call("sub", {"a": 1}), call("add", {"x": 1, "y": 2, "z": 3}), request("prompts/get")
    )
    assert lines(nearest(call("add", {"a": 1}), recorded)) == [3, 2]


def test_a_resource_with_a_similar_address_comes_first() -> None:
    """Ours."""
    recorded = candidates(*(request("resources/read", {"uri": f"file:///{name}"}) for name in ("zzz", "notes", "x")))
    assert lines(nearest(request("resources/read", {"uri": "file:///note"}), recorded)) == [2, 1, 3]


def test_fewer_then_smaller_differences_come_first_then_what_was_recorded_first() -> None:
    """Ours: deterministic."""
    recorded = candidates(
        call("f", {"q": "entirely different", "n": 1}),
        call("f", {"q": "cats and dogs", "n": 2}),
        call("f", {"q": "cats and do", "n": 1}),
        call("f", {"q": "cats and dogs", "n": 2}),
        call("f", {"q": "entirely different", "n": 7}),
    )
    assert lines(nearest(call("f", {"q": "cats and dogs", "n": 1}), recorded, 5)) == [2, 4, 3, 1, 5]


def test_masks_of_candidates_count_in_the_ranking() -> None:
    """DESIGN 4: `ignore`."""
    mask = compile_mask(["/arguments/at"])
    recorded = [
        Candidate(call("f", {"at": 1, "q": "abd"}), line=1),
        Candidate(call("f", {"at": 1, "q": "abd"}), line=2, mask=mask),
    ]
    assert lines(nearest(call("f", {"at": 2, "q": "abc"}), recorded)) == [2, 1]


def test_params_that_are_no_object_can_be_compared() -> None:
    """Ours: what a client sends is not ours to trust."""
    recorded = candidates(request("x", [1, 2]), request("x", {"a": 1}), request("x"))
    assert lines(nearest(request("x", [1, 3]), recorded)) == [1, 3, 2]
    assert nearest(request("x", "text"), recorded)[0].differences


def test_params_of_any_depth_can_be_compared() -> None:
    """PROTOCOL 5, trap 15: comparing them must not end in a RecursionError."""
    deep: Json = 1
    other: Json = 2
    for _ in range(5_000):
        deep, other = [deep], [other]
    assert len(nearest(call("f", {"a": deep}), candidates(call("f", {"a": other})))) == 1


def test_of_many_candidates_each_is_looked_at_only_shortly() -> None:
    """Ours: a miss among 5,000 recorded requests compares in full only a short list; the nearest is found."""
    recorded = candidates(*(call("f", {"q": f"query {number}", "n": number}) for number in range(5_000)))
    found = nearest(call("f", {"q": "query 3555x", "n": 3_555}), recorded)
    assert lines(found)[0] == 3_556


def test_differences_come_one_by_one() -> None:
    """Ours: whoever wants few need not wait for all."""
    recorded: Json = {str(number): number for number in range(1000)}
    assert len(list(islice(differences(recorded, {}, NO_MASK), 5))) == 5


@given(st.text("ab", max_size=40), st.text("ab", max_size=40))
@example("a" * 1_000 + "b", "a" * 1_000)
@example("a" * 1_000 + "b" * 1_000, "a" * 1_000 + "c" * 1_000)
def test_the_shared_beginning_is_shared(first: str, second: str) -> None:
    """Ours."""
    length = shared_length(first, second)
    assert first[:length] == second[:length]
    assert length == min(len(first), len(second)) or first[length] != second[length]
