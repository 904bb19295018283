"""When two requests are equal."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.errors import UsageError
from mcpmock.matching.keys import (
    NO_MASK,
    Mask,
    canonical,
    canonical_json,
    compile_mask,
    members,
    pointer_to,
    prune,
    segments_of,
)
from mcpmock.wire.message import Json, Lexeme, Message, parse, parse_exact
from tests.matching.values import json_objects, json_values, text


def shuffled(value: Any, order: random.Random) -> Any:
    """The value with the members of every object in another order."""
    if isinstance(value, dict):
        return {key: shuffled(value[key], order) for key in order.sample(list(value), len(value))}
    return [shuffled(element, order) for element in value] if isinstance(value, list) else value


def same_json(first: Any, second: Any) -> bool:
    """Equality as DESIGN 4 words it, written down a second time and as plainly as can be."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same_json(first[key], second[key]) for key in first)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(same_json, first, second))
    return (type(first) in (int, float) and type(second) in (int, float) and first == second) or (
        type(first) is type(second) and first == second
    )


@given(json_values, st.randoms(use_true_random=False))
def test_the_order_of_members_never_matters(value: Json, order: random.Random) -> None:
    """DESIGN 4, Key."""
    assert canonical_json(value) == canonical_json(shuffled(value, order))


@given(json_values, json_values)
def test_texts_are_equal_just_where_values_are(first: Json, second: Json) -> None:
    """DESIGN 4, Key: true is not 1, 1 equals 1.0, null is not absent, arrays are ordered."""
    assert (canonical_json(first) == canonical_json(second)) is same_json(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [(1, 1.0), (100, 1e2), (0, -0.0), (10**22, 1e22), (1.5, 1.50), ({"a": 1, "b": 2.0}, {"b": 2, "a": 1.0})],
)
def test_numbers_are_compared_by_value(first: Json, second: Json) -> None:
    """DESIGN 4, Key; PROTOCOL 5, trap 4."""
    assert canonical_json([first]) == canonical_json([second])


@pytest.mark.parametrize("others", [[True, 1, "1", "true", None, [], {}, [1], {"a": 1}, "", 0, False, "null", 1.5]])
def test_values_of_different_types_are_never_equal(others: list[Json]) -> None:
    """DESIGN 4, Key; PROTOCOL 5, trap 4."""
    assert len({canonical_json(value) for value in others}) == len(others)


@pytest.mark.parametrize("digits", ["12345678901234567890", "9007199254740993", "1" * 4000])
def test_big_integers_are_exact(digits: str) -> None:
    """PROTOCOL 5, trap 13."""
    assert canonical_json(int(digits)) != canonical_json(int(digits) + 1)
    assert canonical_json([int(digits), 1.0]) == canonical_json([int(digits), 1])


def test_a_number_that_python_cannot_hold_equals_itself_and_no_string() -> None:
    """PROTOCOL 5, trap 13: 5,000 digits, and 1e400, which the quick parser has as infinity."""
    for spelt in ("1" * 5000, "-" + "1" * 5000, "1e400", "-1e400", "1" * 400 + ".5"):
        number = Lexeme(spelt)
        assert canonical_json({"a": number}) == canonical_json({"a": Lexeme(spelt)})
        assert canonical_json({"a": number}) != canonical_json({"a": spelt})
    assert canonical_json(Lexeme("1" * 5000)) != canonical_json(Lexeme("1" * 4999 + "2"))
    assert canonical_json(Lexeme("1e400")) != canonical_json(Lexeme("-1e400"))


@pytest.mark.parametrize("number", ["1e400", "-1e999", "1" * 5000, "-0", "1E2", "1.0", "2e0"])
def test_both_parsers_give_equal_requests(number: str) -> None:
    """What was recorded was parsed exactly, what comes in live quickly."""
    frame = f'{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"n":[{number}]}}}}'.encode()
    quick, exact = parse(frame), parse_exact(frame)
    assert isinstance(quick, Message)
    assert isinstance(exact, Message)
    assert canonical("x", quick.params) == canonical("x", exact.params)


def test_lone_surrogates_are_told_apart_as_names_and_values() -> None:
    """PROTOCOL 5, trap 12."""
    values: list[Json] = ["\ud800", "\ud801", "\\ud800", {"\ud800": 1}, {"\ud801": 1}]
    assert len({canonical_json(value) for value in values}) == len(values)


def test_depth_does_not_matter() -> None:
    """PROTOCOL 5, trap 15: what the parser still took may be too deep for calls."""
    deep: Json = 1
    other: Json = 1.0
    for _ in range(50_000):
        deep, other = [deep], [other]
    assert canonical_json(deep) == canonical_json(other)
    while isinstance(deep, list) and isinstance(other, list):  # taken apart by hand: freeing it recurses, too
        deep, other = deep[0], other[0]


@pytest.mark.parametrize("method", ["tools/call", "prompts/get"])
def test_absent_arguments_equal_none_at_all(method: str) -> None:
    """DESIGN 4, Key: absent `arguments` equal `{}`; null is something else."""
    absent = canonical(method, {"name": "x"})
    assert canonical(method, {"name": "x", "arguments": {}}) == absent
    assert canonical(method, {"name": "x", "arguments": None}) != absent
    assert canonical(method, {"name": "x", "arguments": {"a": None}}) != canonical(method, {"name": "x"})


def test_absent_params_equal_empty_ones() -> None:
    """DESIGN 4, Key."""
    assert canonical("tools/list", None) == canonical("tools/list", {}) == canonical("tools/list", {"_meta": {"a": 1}})
    assert canonical("tools/list", {"cursor": ""}) != canonical("tools/list", {})
    assert canonical("x", {"arguments": {}}) != canonical("x", {}), "only two methods have arguments that mean nothing"
    assert canonical("x", []) != canonical("x", {})


def test_or_03_progress_tokens_and_all_other_meta_are_no_part_of_the_key() -> None:
    """Case OR-03; DESIGN 4, Key."""
    metas: list[Json] = [{}, {"progressToken": "b7-1"}, {"progressToken": 0}, None]
    keys = {canonical("tools/call", {"name": "x", "_meta": meta}) for meta in metas}
    assert keys == {canonical("tools/call", {"name": "x"})}
    assert canonical("x", {"a": {"_meta": 1}}) != canonical("x", {"a": {}}), "only at the top"


def test_who_the_client_is_does_not_count() -> None:
    """DESIGN 4, Key."""
    first: Json = {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": {"name": "a"}}
    assert canonical("initialize", first) == canonical("initialize", {}) != canonical("initialize", {"more": 1})
    assert canonical("x", {"clientInfo": 1}) != canonical("x", {})


def test_ids_in_notifications_do_not_count() -> None:
    """DESIGN 4, Key: they are correlated instead."""
    assert canonical("notifications/cancelled", {"requestId": 3}) == canonical("notifications/cancelled", {})
    assert canonical("notifications/progress", {"progressToken": 3, "progress": 1}) == canonical(
        "notifications/progress", {"progressToken": "x", "progress": 1.0}
    )


# -- masks


def test_ma_03_ignored_places_do_not_count() -> None:
    """Case MA-03: a path, a time, an id, a trace id."""
    mask = compile_mask(["/arguments/path", "/arguments/at", "/arguments/id"])
    first: dict[str, Json] = {"path": "/tmp/pytest-17/x", "at": "2026-11-30T07:00:00Z", "id": "0b0e", "q": "a"}
    second: dict[str, Json] = {"path": "/tmp/pytest-18/x", "at": "2026-12-01T09:00:00Z", "id": "77ac", "q": "a"}

    def key(arguments: Json, trace: str) -> str:
        return canonical("tools/call", {"name": "x", "arguments": arguments, "_meta": {"traceparent": trace}}, mask)

    assert key(first, "00-1") == key(second, "00-2")
    assert key(first, "00-1") == key({"q": "a"}, "00-2"), "a masked place counts as absent"
    assert key(first, "00-1") != key({**second, "q": "b"}, "00-1")


@pytest.mark.parametrize(
    ("pointers", "first", "second"),
    [
        (["/a"], {"a": 1}, {}),
        (["/a/b"], {"a": {"b": 1}}, {"a": {}}),
        (["/*/b"], {"x": {"b": 1}, "y": {"b": 2}}, {"x": {}, "y": {}}),
        (["/a/1"], {"a": [1, 2]}, {"a": [1]}),
        (["/a/*"], {"a": [1, 2]}, {"a": []}),
        (["/a/*/at"], {"a": [{"at": 1, "q": 2}]}, {"a": [{"q": 2}]}),
        (["/*", "/a/b"], {"a": 1}, {}),
        (["/*/b", "/x/c"], {"x": {"b": 1, "c": 2}}, {"x": {}}),
        (["/a", "/a/b"], {"a": {"b": 1, "c": 2}}, {}),
        (["/a/b", "/a"], {"a": {"b": 1, "c": 2}}, {}),
        (["/a~1b/~0"], {"a/b": {"~": 1}}, {"a/b": {}}),
        (["/"], {"": 1}, {}),
        (["/arguments"], {"arguments": {"a": 1}}, {}),
    ],
)
def test_a_masked_place_counts_as_absent(pointers: list[str], first: Json, second: Json) -> None:
    """Ours (DESIGN 4): RFC 6901, and `*` for any one segment."""
    mask = compile_mask(pointers)
    assert canonical_json(first, mask) == canonical_json(second, mask)
    assert canonical("tools/call", first, mask) == canonical("tools/call", second, mask)
    assert canonical_json(first) != canonical_json(second)


def test_a_pointer_that_leads_nowhere_masks_nothing() -> None:
    """Ours (DESIGN 4)."""
    mask = compile_mask(["/a/b/c", "/x", "/l/7"])
    value: Json = {"a": "b", "l": [1], "y": {"x": 1}}
    assert canonical_json(value, mask) == canonical_json(value)


@given(json_objects, st.data())
def test_masking_a_place_is_removing_it(value: dict[str, Json], data: st.DataObject) -> None:
    """Ours (DESIGN 4): masked places count as absent."""
    key = data.draw(st.sampled_from(sorted(value, key=repr)) if value else text)
    if key == "*":
        return
    mask = compile_mask([pointer_to([key])])
    without = {name: member for name, member in value.items() if name != key}
    assert canonical_json(value, mask) == canonical_json(without) == canonical_json(without, mask)
    assert not any(segment == key for segment, _, _ in members(value, mask.trees))


@given(st.lists(text, min_size=1))
def test_pointers_and_segments_are_the_same(segments: list[str]) -> None:
    """RFC 6901, section 3."""
    assert segments_of(pointer_to(segments)) == segments


@pytest.mark.parametrize("pointer", ["", "arguments/at", "#/a", "/a~", "/a~2b", "/~~"])
def test_a_wrong_pointer_is_named(pointer: str) -> None:
    """Ours: errors say where."""
    with pytest.raises(UsageError) as caught:
        compile_mask(["/fine", pointer])
    assert repr(pointer) in str(caught.value)


def test_masks_are_values() -> None:
    """Ours: requests with equal masks share an index."""
    first, second = compile_mask(["/a", "/b"]), compile_mask(["/b", "/a", "/a"])
    assert first == second
    assert hash(first) == hash(second)
    assert first != compile_mask(["/a"])
    assert first != ("/a", "/b")
    assert compile_mask(["/a"]) | compile_mask(["/b"]) == first
    assert NO_MASK | first is first
    assert first | NO_MASK is first
    assert compile_mask([]) is NO_MASK
    assert not NO_MASK
    assert first
    assert repr(first) == "Mask('/a', '/b')"
    assert isinstance(first, Mask)


def test_what_no_pointer_leads_to_is_not_copied() -> None:
    """Ours: a mask costs what it touches."""
    value: dict[str, Json] = {"a": {"b": [1, 2]}, "c": {"d": 1}}
    pruned = prune(value, compile_mask(["/c/d"]).trees)
    assert pruned == {"a": {"b": [1, 2]}, "c": {}}
    assert isinstance(pruned, dict)
    assert pruned["a"] is value["a"]


def test_usual_params_are_written_by_the_quick_encoder() -> None:
    """Ours: one look-up per live request; where nothing is special the key is the sorted, compact JSON."""
    params: Json = {"name": "search", "arguments": {"q": "é", "limit": 10, "deep": True, "f": 1.5}}
    assert canonical("tools/call", params) == json.dumps(
        params, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
