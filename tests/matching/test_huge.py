"""Misses among very many recorded requests, and of huge ones: told as others are, and soon."""

from __future__ import annotations

import json
from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from mcpmock.matching.clipping import within
from mcpmock.matching.miss import error_object, find_miss
from mcpmock.matching.nearest import Candidate, differences
from mcpmock.matching.pages import page
from mcpmock.matching.rough import HEAVIEST, shortlist, weight_of
from mcpmock.wire.message import Json, Object
from tests.matching.values import call, json_objects, json_values, request

LONG = "0123456789" * 20_000


def told(recorded: Json, live: Json) -> str:
    """The page about a call with one argument, and the error."""
    miss = find_miss(call("f", {"a": live}), [Candidate(call("f", {"a": recorded}))])
    return page(miss) + str(error_object(miss))


def test_a_long_text_is_shown_where_it_differs() -> None:
    """Ours (issue 4): beyond what is redacted of it, too."""
    text = told(LONG + "the cart" + LONG, LONG + "the card" + LONG)
    assert "…56789the cart0123456789" in text
    assert "…56789the card0123456789" in text
    assert len(text) < 5_000


def test_a_secret_in_a_long_text_is_not_shown() -> None:
    """DESIGN 3, "No secrets": also where only the part around the difference is looked at."""
    token = "ghp_" + "aB3dE5gH7j" * 4
    text = told(f"{LONG} {token[:-1]} {LONG}", f"{LONG} {token} {LONG}")
    assert token[4:20] not in text
    assert "_token.1~" in text


def test_a_difference_among_very_many_values_is_told_by_its_place() -> None:
    """Ours (issue 4): what cannot be redacted in reasonable time is not shown."""
    many: list[Json] = list(range(HEAVIEST + 1))
    text = told(many, [*many[:-1], 7])
    assert f"/arguments/a/{HEAVIEST}" in text
    assert "(not shown)" in text


def test_of_very_many_requests_the_nearest_is_found() -> None:
    """Ours (issue 4): whatever stands before and behind it."""
    recorded = [call("f", {"q": f"text {number}", "z": [number], "at": 1}) for number in range(5_000)]
    live = call("f", {"q": "text 3210", "z": [3_210], "at": 2})
    assert 3_210 in shortlist(live, recorded, 10)
    assert len(shortlist(live, recorded, 10)) == 10


@given(st.lists(json_objects, max_size=6), json_objects, st.integers(1, 4))
def test_a_shortlist_holds_what_is_equal(recorded: list[dict[str, Json]], live: dict[str, Json], limit: int) -> None:
    """Ours: as many as are wanted, in recorded order, equal ones before others."""
    found = shortlist(call("f", live), [call("f", one) for one in recorded], limit)
    assert found == sorted(set(found))
    assert len(found) == min(limit, len(recorded))
    equal = [at for at, one in enumerate(recorded) if one == live]
    assert len(set(found) & set(equal)) == min(limit, len(equal))


@settings(max_examples=20, deadline=None)
@given(json_values, st.integers(0, 449))
def test_long_arrays_differ_where_their_elements_do(value: Json, at: int) -> None:
    """Ours: also where nobody looks for a better alignment."""
    recorded: list[Json] = [[value, number] for number in range(450)]
    live = [*recorded[:at], {"another": value}, *recorded[at + 1 :]]
    assert {each.pointer for each in differences(recorded, live)} == {f"/{at}"}


def test_a_weight_says_how_much_there_is_to_compare() -> None:
    """Ours: and takes no longer for what is heavier than heavy."""
    assert weight_of([1, {"a": "b"}]) == 4
    assert weight_of("x" * 10_240) == 11
    assert weight_of([0] * (HEAVIEST * 2)) >= HEAVIEST


def test_requests_by_position_are_among_very_many_others() -> None:
    """JSON-RPC 2.0 section 4.2: params may be a list; MCP has none, but a client may send one."""
    recorded = [request("x/own", [number]) for number in range(20)]
    assert len(shortlist(request("x/own", [7]), recorded, 5)) == 5


def test_long_texts_in_a_list_are_shown_where_they_differ() -> None:
    """Ours (issue 4): lists are looked into as objects are."""
    text = told([1, LONG + "the cart" + LONG], [1, LONG + "the card" + LONG])
    assert "…56789the cart0123456789" in text


def test_long_lists_that_have_little_in_common_are_compared_place_by_place() -> None:
    """Ours (issue 4): aligning them would take time that grows with the square."""
    pairs = [[{"n": number} for number in range(start, start + 300)] for start in (0, 1000)]
    found = [difference.pointer for difference in islice(differences(*pairs), 2)]
    assert found == ["/0/n", "/1/n"]


def test_of_a_report_the_longest_values_are_cut_and_nothing_else() -> None:
    """Ours: ten megabytes of arguments made all clients of a replay wait for ten seconds when somebody asked."""
    short: Object = {"method": "a", "params": {"name": "f", "arguments": {"a": 1}}, "line": 7}
    many: Json = list(range(100_000))
    long: list[Object] = [
        {"params": {"text": LONG, "name": "f"}, "line": 8},
        {"params": many, "line": 9},
        {"params": {str(number): number for number in range(100_000)}, "line": 10},
    ]
    kept = within([short, *long], 10_000)
    assert kept[0] is short
    assert [one["line"] for one in kept] == [7, 8, 9, 10]
    assert isinstance(kept[1]["params"], dict)
    assert kept[1]["params"]["name"] == "f"
    assert len(json.dumps(kept)) < 20_000
    assert within(long, 10_000_000) == long


def test_where_a_report_is_cut_no_half_secret_is_left() -> None:
    """DESIGN 3, "No secrets": a part of a token has not its shape."""
    token = "ghp_" + "aB3dE5gH7j" * 4
    for before in range(940, 1_000):
        (kept,) = within([{"params": "x " * (before // 2) + token + " y" * 5_000}], 1_000)
        assert token in str(kept) or "ghp_" not in str(kept)
