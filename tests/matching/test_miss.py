"""What a miss is, and what the client is told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from mcpmock.matching.keys import compile_mask
from mcpmock.matching.miss import DIFFERENCES, MISS_CODE, NEAREST, Miss, MissKind, error_object, find_miss, hints
from mcpmock.matching.nearest import Candidate, Difference, Near
from mcpmock.wire.message import MISSING, Json, Lexeme, Message, dumps, message_from
from tests.matching.values import call, json_values, request

RECORDED = [
    Candidate(request("initialize", {"protocolVersion": "2025-11-25"}), "demo.yaml", 5),
    Candidate(request("tools/list"), "demo.yaml", 9, played=1),
    Candidate(call("search", {"q": "cats", "at": "08:00"}), "demo.yaml", 12, played=2),
    Candidate(call("search", {"q": "dogs", "at": "08:01"}), "demo.yaml", 20, session=2),
    Candidate(call("store", {"text": "x"}), "demo.yaml", 30, session=2, played=1),
    Candidate(request("prompts/get", {"name": "greet"}), "demo.yaml", 40, session=2),
    Candidate(request("resources/read", {"uri": "file:///a"}), "demo.yaml", 50, session=2),
]


def told(miss: Miss) -> Any:
    """The data of the error, as the client reads it from the wire."""
    error = json.loads(dumps(error_object(miss)))
    assert set(error) == {"code", "message", "data"}
    assert list(error["data"]) == ["mcpmock"]
    return error["data"]["mcpmock"]


def lines(miss: Miss) -> list[int]:
    """Where the nearest recorded requests stand."""
    return [near.candidate.line for near in miss.nearest]


def test_the_code_is_outside_the_range_that_json_rpc_keeps() -> None:
    """JSON-RPC 2.0, section 5.1; DESIGN 4, Miss."""
    assert not -32768 <= MISS_CODE <= -32000


@pytest.mark.parametrize(
    ("live", "kind", "near"),
    [
        (call("search", {"q": "cats", "at": "09:00"}), "near miss", [12, 20]),
        (call("store", {"text": "y"}), "near miss", [30]),
        (call("serach", {"q": "cats"}), "unknown", [12]),
        (call("something else"), "unknown", []),
        (request("prompts/get", {"name": "greeting"}), "unknown", [40]),
        (request("prompts/get", {"name": "greet", "arguments": {"a": 1}}), "near miss", [40]),
        (request("resources/read", {"uri": "file:///b"}), "near miss", [50]),
        (request("resources/list"), "unknown", []),
        (request("tools/call"), "unknown", []),
        (request("tools/list", {"cursor": "x"}), "near miss", [9]),
    ],
)
def test_a_miss_is_unknown_or_near(live: Message, kind: MissKind, near: list[int]) -> None:
    """DESIGN 4, Miss: an unknown method, tool or prompt; otherwise a near miss."""
    miss = find_miss(live, RECORDED)
    assert miss.kind == kind
    assert lines(miss) == near


def test_what_is_unknown_is_told_beside_what_is_known() -> None:
    """STYLE, habit 9: the way out is printed."""
    tool = find_miss(call("serach"), iter(RECORDED))
    assert tool.known == ("search", "store")
    assert tool.suggestion == "search"
    method = find_miss(request("tool/list"), RECORDED)
    assert "tools/list" in method.known
    assert method.suggestion == "tools/list"
    assert find_miss(request("prompts/get", {"name": "x"}), RECORDED[:3]).known == (
        "initialize",
        "tools/call",
        "tools/list",
    )


def test_notifications_are_not_told_beside_requests() -> None:
    """Ours: nobody asks for one by mistake."""
    initialized = message_from({"method": "notifications/initialized"})
    assert isinstance(initialized, Message)
    recorded = [*RECORDED, Candidate(initialized, "demo.yaml", 7)]
    assert "notifications/initialized" not in find_miss(request("x"), recorded).known
    live = initialized._replace(body={"method": "notifications/initialised"})
    assert find_miss(live, recorded).known == ("notifications/initialized",)


def test_ma_04_the_error_holds_method_nearest_and_differences() -> None:
    """Case MA-04: a stable code, and data that a program can read."""
    error = error_object(find_miss(call("search", {"q": "cats", "at": "09:00"}), RECORDED))
    assert error["code"] == -31404
    assert error["message"] == (
        'mcpmock: no recorded tools/call "search" fits this one (demo.yaml:12): /arguments/at was "08:00", is "09:00"'
    )
    assert error["data"] == {
        "mcpmock": {
            "miss": "near miss",
            "method": "tools/call",
            "name": "search",
            "nearest": [
                {
                    "path": "demo.yaml",
                    "line": 12,
                    "session": 1,
                    "played": 2,
                    "differences": [{"pointer": "/arguments/at", "recorded": "08:00", "live": "09:00"}],
                },
                {
                    "path": "demo.yaml",
                    "line": 20,
                    "session": 2,
                    "played": 0,
                    "differences": [
                        {"pointer": "/arguments/q", "recorded": "dogs", "live": "cats"},
                        {"pointer": "/arguments/at", "recorded": "08:01", "live": "09:00"},
                    ],
                },
            ],
            "hint": "--ignore /arguments/at  (if it does not count); "
            "match: {ignore: [/arguments/at]}  (the same, in the client: entry); "
            "mcpmock record -o demo.yaml -- COMMAND...  (to record it anew)",
        }
    }


def test_ma_04_a_value_that_is_missing_is_left_out_and_null_is_not() -> None:
    """Case MA-04; null is not absent."""
    recorded = [Candidate(call("f", {"a": None, "b": 1}))]
    data = told(find_miss(call("f", {"b": None, "c": None}), recorded))
    assert data["nearest"][0]["differences"] == [
        {"pointer": "/arguments/a", "recorded": None},
        {"pointer": "/arguments/b", "recorded": 1, "live": None},
        {"pointer": "/arguments/c", "live": None},
    ]


def test_an_unknown_tool_is_told_with_what_is_known() -> None:
    """DESIGN 4, Miss."""
    data = told(find_miss(call("serach"), RECORDED))
    assert data["miss"] == "unknown"
    assert data["known"] == ["search", "store"]
    assert data["suggestion"] == "search"
    assert told(find_miss(call("else"), RECORDED))["suggestion"] is None


def test_exhausted_and_wrong_state_name_only_those_that_are_equal() -> None:
    """DESIGN 4, Miss: all that equal this one have been played."""
    kinds: list[MissKind] = ["exhausted", "wrong state"]
    for kind in kinds:
        miss = find_miss(call("search", {"q": "dogs", "at": "08:01"}), RECORDED, kind)
        assert miss.kind == kind
        assert lines(miss) == [20]
        assert told(miss)["nearest"][0]["differences"] == []
    assert lines(find_miss(call("search", {"q": "birds"}), RECORDED, "exhausted")) == [12, 20]


def test_out_of_order_tells_what_was_expected() -> None:
    """DESIGN 4, `strict`: a miss that says what was expected."""
    same = find_miss(call("search", {"q": "cats", "at": "08:00"}), RECORDED, "out of order", RECORDED[3])
    assert [each["pointer"] for each in told(same)["expected"]["differences"]] == ["/arguments/q", "/arguments/at"]
    other = find_miss(call("search", {"q": "cats", "at": "08:00"}), RECORDED, "out of order", RECORDED[1])
    assert told(other)["expected"] == {"path": "demo.yaml", "line": 9, "session": 1, "played": 1, "differences": []}
    assert error_object(other)["message"] == (
        'mcpmock: tools/call "search" came where the recording goes on with tools/list (demo.yaml:9)'
    )
    ended = find_miss(call("search"), RECORDED, "out of order")
    assert told(ended)["expected"] is None
    assert "goes on with nothing more" in str(error_object(ended)["message"])


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("near miss", "--ignore /arguments/at"),
        ("exhausted", "--allow-playback-repeats"),
        ("wrong state", "--order any"),
        ("out of order", "--order any"),
        ("unknown", "mcpmock record -o demo.yaml -- COMMAND..."),
    ],
)
def test_every_miss_says_what_to_type_next(kind: MissKind, hint: str) -> None:
    """DESIGN 2.5."""
    miss = find_miss(call("search", {"q": "cats", "at": "09:00"}), RECORDED, kind)
    assert hints(miss)[0].text == hint
    assert hint in told(miss)["hint"]


@pytest.mark.parametrize(
    ("recorded", "live", "ignore"),
    [
        ({"a b": 1}, {"a b": 2}, "--ignore '/arguments/a b'"),
        ({"a": 1, "b": 1}, {"a": 2, "b": 2}, "--ignore /arguments/a --ignore /arguments/b"),
        ({"l": [1]}, {"l": [2]}, "--ignore /arguments/l/0"),
        ({"a\x1b": 1}, {"a\x1b": 2}, None),
        (dict.fromkeys("abcd", 1), dict.fromkeys("abcd", 2), None),
    ],
)
def test_a_pointer_to_ignore_can_be_pasted_into_a_shell(recorded: Json, live: Json, ignore: str | None) -> None:
    """Ours: what is proposed must work, and only where it is sensible."""
    first = hints(find_miss(call("f", live), [Candidate(call("f", recorded))]))[0].text
    assert first == (ignore or "mcpmock record -o FILE -- COMMAND...")


def test_the_name_of_a_resource_is_not_proposed_to_be_ignored() -> None:
    """Ours: then every resource would be the same."""
    miss = find_miss(request("resources/read", {"uri": "file:///b"}), RECORDED)
    assert [hint.text for hint in hints(miss)] == ["mcpmock record -o demo.yaml -- COMMAND..."]


def test_without_any_recorded_request_there_is_still_an_answer() -> None:
    """Ours."""
    miss = find_miss(call("f"), [])
    assert miss == Miss("unknown", call("f"))
    assert told(miss)["nearest"] == []
    assert hints(miss)[-1].text == "mcpmock record -o FILE -- COMMAND..."
    forced = find_miss(call("f"), [], "near miss")
    assert error_object(forced)["message"] == 'mcpmock: no recorded tools/call "f" fits this one'


def test_an_error_is_never_large() -> None:
    """Ours: an agent reads it."""
    long = "x" * 20_000
    recorded = [Candidate(call(long, {f"{number}{long}": [long] for number in range(30)}), path=long)] * 9
    unknown = [Candidate(call(f"{number}{long}")) for number in range(100)]
    for miss in (
        find_miss(call(long, {f"{number}{long}": {"a": long} for number in range(30)}), recorded),
        find_miss(call(long), unknown),
        find_miss(request(long, {"a": long}), unknown),
    ):
        error = error_object(miss)
        assert len(dumps(error)) < 64_000
        assert len(str(error["message"])) < 1_000
        for near in told(miss)["nearest"]:
            assert len(near["differences"]) == DIFFERENCES
        assert len(told(miss)["nearest"]) <= NEAREST


def test_long_values_are_cut_so_that_the_difference_is_seen() -> None:
    """Ours."""
    same = "x" * 5_000
    data = told(find_miss(call("f", {"a": f"{same}one"}), [Candidate(call("f", {"a": f"{same}two"}))]))
    difference = data["nearest"][0]["differences"][0]
    assert difference["recorded"] == '…xxxxxxxxxxxxtwo"'
    assert difference["live"] == '…xxxxxxxxxxxxone"'


@pytest.mark.parametrize("value", [float("inf"), Lexeme("1e400"), Lexeme("1" * 5000), "\ud800", "\x00\x1b[31m"])
def test_the_error_can_be_sent_whatever_was_asked(value: Json) -> None:
    """PROTOCOL 5, traps 12 and 13: never Infinity, never a crash."""
    data = told(find_miss(call("f", {"a": value, "l": [value]}), [Candidate(call("f", {"a": 1, "l": 2}))]))
    assert len(data["nearest"][0]["differences"]) == 2


@given(json_values, json_values)
def test_any_two_requests_can_be_told_apart(recorded: Json, live: Json) -> None:
    """Ours: a miss never crashes."""
    assert told(find_miss(request("x", live), [Candidate(request("x", recorded))]))["miss"] == "near miss"


def test_a_miss_of_any_depth_can_be_told() -> None:
    """PROTOCOL 5, trap 15."""
    deep: Json = 1
    other: Json = 2
    for _ in range(3_000):
        deep, other = [deep], [other]
    for recorded in (1, other):
        assert told(find_miss(call("f", {"a": deep}), [Candidate(call("f", {"a": recorded}))]))["miss"] == "near miss"


def test_values_that_json_cannot_hold_are_told_as_text() -> None:
    """PROTOCOL 5, trap 13: Infinity is no JSON."""
    differences = (Difference("/arguments/a", float("inf"), MISSING), Difference("/arguments/b", 1, Lexeme("1e400")))
    miss = Miss("near miss", call("f"), (Near(Candidate(call("f")), differences),))
    assert told(miss)["nearest"][0]["differences"] == [
        {"pointer": "/arguments/a", "recorded": "Infinity"},
        {"pointer": "/arguments/b", "recorded": 1, "live": "1e400"},
    ]


def test_masked_places_are_not_told() -> None:
    """STYLE, habit 7: only the fields that some recorded request cares about."""
    recorded = [Candidate(call("f", {"at": 1, "q": 1}), mask=compile_mask(["/arguments/at"]))]
    data = told(find_miss(call("f", {"at": 2, "q": 2}), recorded))
    assert [each["pointer"] for each in data["nearest"][0]["differences"]] == ["/arguments/q"]


def test_ma_05_only_what_the_same_server_recorded_is_near() -> None:
    """Case MA-05: the candidates are those of one server; nothing else is told."""
    other_server = [Candidate(call("search", {"q": "birds"}), "demo.yaml", 70)]
    assert lines(find_miss(call("search", {"q": "bird"}), RECORDED)) == [12, 20]
    assert lines(find_miss(call("search", {"q": "bird"}), other_server)) == [70]
