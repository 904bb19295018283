"""What people read about misses and unplayed interactions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from mcpmock.matching.keys import compile_mask
from mcpmock.matching.miss import Miss, error_object, find_miss, hints
from mcpmock.matching.nearest import Candidate
from mcpmock.matching.pages import WIDTH, page, summary, unplayed_page
from mcpmock.matching.shown import columns, harmless, shorten, side_by_side, spelt
from mcpmock.wire.message import MISSING, Json, Lexeme
from tests.golden import check_golden
from tests.matching.values import call, json_values, request, text

GOLDEN = Path(__file__).parent / "golden"

SEARCH = Candidate(
    call("search", {"q": "red shoes", "limit": 10, "at": "2026-11-30T07:00:00Z"}), "cassettes/shop.yaml", 41, played=1
)
SEARCH_AGAIN = Candidate(
    call("search", {"q": "blue shoes", "limit": 10, "at": "2026-11-30T07:00:09Z"}), "cassettes/shop.yaml", 58
)
BUY = Candidate(call("buy", {"item": 7}), "cassettes/shop.yaml", 72, session=2, played=2)
LIST = Candidate(request("tools/list"), "cassettes/shop.yaml", 12, played=3)
RECORDED = [LIST, SEARCH, SEARCH_AGAIN, BUY]

LONG = "The quick brown fox jumps over the lazy dog. " * 4

MISSES: dict[str, Miss] = {
    "near_miss": find_miss(call("search", {"q": "red shoes", "limit": "10", "at": "2026-12-01T09:30:00Z"}), RECORDED),
    "near_miss_ignored": find_miss(
        call("search", {"q": "red shoe", "at": "2026-12-01T09:30:00Z", "page": 2}),
        [each._replace(mask=compile_mask(["/arguments/at"])) for each in RECORDED],
    ),
    "near_miss_long": find_miss(
        call("note", {"text": f"{LONG}the end\x1b[2J", "tags": ["a", "b", "d"], "日本": "東京" * 30}),
        [
            Candidate(
                call("note", {"text": f"{LONG}The End", "tags": ["a", "b", "c", "d"], "日本": "大阪"}), "n.yaml", 3
            )
        ],
    ),
    "near_miss_many": find_miss(
        call("form", {f"field {number}": number for number in range(12)}),
        [Candidate(call("form", {f"field {number}": str(number) for number in range(12)}), "form.yaml", 8)],
    ),
    "near_miss_placeholder": find_miss(
        call("login", {"token": "abc", "again": "abd"}),
        [Candidate(call("login", {"token": "~secret.token.1~", "again": "~secret.token.1~"}), "login.yaml", 8)],
    ),
    "near_miss_no_object": find_miss(request("odd", [1]), [Candidate(request("odd", "text"), "odd.yaml", 4)]),
    "unknown_tool": find_miss(call("serch", {"q": "red shoes"}), RECORDED),
    "unknown_tool_unlike_any": find_miss(call("fly"), RECORDED),
    "unknown_method": find_miss(request("resources/list"), RECORDED),
    "nothing_recorded": find_miss(call("search"), []),
    "exhausted": find_miss(BUY.request, RECORDED, "exhausted"),
    "wrong_state": find_miss(BUY.request, RECORDED, "wrong state"),
    "out_of_order": find_miss(BUY.request, RECORDED, "out of order", SEARCH_AGAIN),
    "out_of_order_same_tool": find_miss(SEARCH.request, RECORDED, "out of order", SEARCH_AGAIN),
    "out_of_order_ended": find_miss(BUY.request, RECORDED, "out of order"),
    "long_names": find_miss(
        request("prompts/get", {"name": "a prompt with a name that goes on and on " * 3}),
        [
            Candidate(
                request("prompts/get", {"name": "a prompt with a name that goes on and off " * 3}),
                "a folder with a long name/" * 5 + "x.yaml",
                1234,
            )
        ],
    ),
}


@pytest.mark.parametrize("name", MISSES)
def test_the_page_about_a_miss(name: str) -> None:
    """STYLE, habit 7: two columns, nearest first, then what to type next."""
    check_golden(page(MISSES[name]), GOLDEN / f"{name}.txt")


@pytest.mark.parametrize("name", MISSES)
def test_a_page_is_harmless_and_not_too_wide(name: str) -> None:
    """Ours: it goes to terminals and to logs."""
    text = page(MISSES[name])
    assert text.endswith("\n\n")
    for line in text.splitlines():
        assert columns(line) <= WIDTH or any(line.strip() == hint.text for hint in hints(MISSES[name]))
        assert line.isprintable()
        assert line == line.rstrip()


@given(json_values, json_values)
def test_any_miss_has_a_page(recorded: Json, live: Json) -> None:
    """Ours: whatever was asked, the page can be printed."""
    text = page(find_miss(call("f", {"a": live}), [Candidate(call("f", {"a": recorded}), "x.yaml", 1)]))
    assert all(columns(line) <= WIDTH and line.isprintable() for line in text.splitlines())


def test_secrets_are_shown_neither_in_the_page_nor_in_the_error() -> None:
    """DESIGN 3, No secrets: also not in a log; and also where the recording kept them."""
    mine, other = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7H8", "ghp_" + "z9Y8x7W6v5" * 3 + "u4T3S2"
    recorded = [Candidate(call("login", {"token": mine, "user": "ann", "auth": "~secret.password.1~"}), "x.yaml", 3)]
    live = call("login", {"token": other, "user": "bob", "auth": "hunter2hunter2", "api_key": "k-" + other})
    miss = find_miss(live, recorded)
    for told in (page(miss), repr(error_object(miss)), repr(miss.request)):
        assert mine not in told
        assert other not in told
        assert "hunter2" not in told
    assert [each.pointer for each in miss.nearest[0].differences] == [
        "/arguments/token",
        "/arguments/user",
        "/arguments/api_key",
    ]
    first = miss.nearest[0].differences[0]
    assert first.recorded != first.live
    assert {type(first.recorded), type(first.live)} == {str}


def test_what_cannot_be_redacted_is_not_shown() -> None:
    """Ours: what is nested too deeply hinders redaction, so no value is told."""
    deep: Json = 1
    for _ in range(20_000):  # Python 3.13 can redact what is nested 9,000 times
        deep = [deep]
    recorded = [Candidate(call("f", {"a": 1, "token": "x"}), "x.yaml", 3)]
    miss = find_miss(call("f", {"a": deep, "q": "may be a secret"}), recorded)
    assert "may be a secret" not in page(miss)
    assert [tuple(each) for each in miss.nearest[0].differences] == [
        ("/arguments/a", "(not shown)", "(not shown)"),
        ("/arguments/token", "(not shown)", MISSING),
        ("/arguments/q", MISSING, "(not shown)"),
    ]


# -- unplayed


def test_the_page_about_what_was_not_played() -> None:
    """DESIGN 4, The end: `--fail-unplayed`."""
    check_golden(unplayed_page([SEARCH_AGAIN, BUY], 5), GOLDEN / "unplayed.txt")
    asked = Candidate(request("roots/list"), "cassettes/shop.yaml", 99)
    check_golden(unplayed_page([asked], 1), GOLDEN / "unplayed_question.txt")
    read = Candidate(request("resources/read", {"uri": "file:///a"}), "cassettes/shop.yaml", 101)
    odd = Candidate(request("sampling/createMessage", [1]), "cassettes/shop.yaml", 103)
    check_golden(unplayed_page([BUY, read, asked, odd], 5), GOLDEN / "unplayed_both.txt")
    many = [Candidate(call("f", {"n": number, "text": LONG}), "x.yaml", number + 1) for number in range(30)]
    check_golden(unplayed_page(many, 30), GOLDEN / "unplayed_many.txt")


def test_what_was_not_played_is_told_without_secrets() -> None:
    """DESIGN 3, No secrets: a recording can have kept them."""
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7H8"
    text = unplayed_page([Candidate(call("login", {"token": token}), "x.yaml", 1)], 1)
    assert token not in text
    assert "~secret.github_token.1~" in text


@pytest.mark.parametrize(
    ("misses", "unplayed", "line"),
    [
        ([], 0, "mcpmock: 12 played\n"),
        (["near_miss"], 0, "mcpmock: 12 played, 1 missed (near miss)\n"),
        (
            ["near_miss", "unknown_tool", "near_miss"],
            2,
            "mcpmock: 12 played, 3 missed (2 near miss, 1 unknown), 2 never played\n",
        ),
        ([], 1, "mcpmock: 12 played, 1 never played\n"),
    ],
)
def test_the_closing_line(misses: list[str], unplayed: int, line: str) -> None:
    """Ours."""
    assert summary(12, [MISSES[name] for name in misses], unplayed) == line


# -- values as text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (MISSING, "(nothing)"),
        (None, "null"),
        (True, "true"),
        (1.0, "1.0"),
        ("a", '"a"'),
        ("1", '"1"'),
        (Lexeme("1e400"), "1e400"),
        ("é\n\x1b\u202e\ud800\U000e0001", '"é\\n\\u001b\\u202e\\ud800\\udb40\\udc01"'),
        ({"b": [1, None], "a": {}}, '{"b": [1, null], "a": {}}'),
    ],
)
def test_values_are_spelt_as_json(value: Json, shown: str) -> None:
    """Ours: what may be confused looks different, and nothing moves the cursor."""
    assert spelt(value) == shown


def test_a_value_of_any_depth_is_spelt() -> None:
    """PROTOCOL 5, trap 15."""
    deep: Json = {}
    for _ in range(5_000):
        deep = [deep]
    assert spelt(deep) == "[" * 5_000 + "{}" + "]" * 5_000


@given(text)
def test_text_is_made_harmless_without_loss(value: str) -> None:
    """Ours."""
    assert harmless(value).isprintable()
    escaped = value.replace("\\", "\\u005c") if not value.isprintable() else None
    assert escaped is None or json.loads(f'"{harmless(escaped.replace(chr(34), chr(92) + "u0022"))}"') == value


@given(text, text)
def test_columns_keep_their_width(first: str, second: str) -> None:
    """Ours: CJK is two columns wide, combining marks none."""
    for width in (13, 20):
        assert all(columns(part) <= width for part in side_by_side(harmless(first * 9), harmless(second * 9), width))


@pytest.mark.parametrize(
    ("value", "width", "cut"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本", 4, "日本"),
        ("日本語", 4, "日…"),
        ("日本語", 5, "日本…"),
        ("e\u0301" * 3, 3, "e\u0301" * 3),
        ("", 0, ""),
    ],
)
def test_text_is_cut_to_columns(value: str, width: int, cut: str) -> None:
    """Ours."""
    assert shorten(value, width) == cut


@pytest.mark.parametrize("secret", ["dcgKZO60Tz5d8nFBFUkt", "pa$$ w'rd horse"])
def test_a_secret_is_not_shown_beside_what_it_does_not_fit(secret: str) -> None:
    """Issue 4: a placeholder of one recorded request tells what is secret, also where another one is compared."""
    candidates = [
        Candidate(call("f", {"say": "hello ~secret.service_key.1~", "to": "x"}), "x.yaml", 3),
        Candidate(call("f", {"to": "y"}), "x.yaml", 5),
    ]
    miss = find_miss(call("f", {"say": f"hello {secret}", "to": "z"}), candidates)
    assert len(miss.nearest) == 2
    for told in (page(miss), repr(error_object(miss)), repr(miss)):
        assert secret not in told
