"""Placeholders as variables: syntax, binding, filling."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.cassette.placeholders import (
    bind,
    fill,
    fill_text,
    has_placeholder,
    secret_placeholder,
    texts_with_placeholders,
)
from mcpmock.wire.message import dumps

A = "~secret.github_token.1~"
B = "~secret.password.2~"
HOME = "~var.home~"


@pytest.mark.parametrize("text", [A, HOME, f"Bearer {A}", f"~{A}~", "~~var.x~", secret_placeholder("jwt", 12)])
def test_a_placeholder_is_seen_wherever_it_stands(text: str) -> None:
    """Ours (DESIGN 3)."""
    assert has_placeholder(text)


@pytest.mark.parametrize(
    "text", ["", "~", "~~", "~/.ssh", "~secret~", "~secret.x~", "~secret.x.0~", "~secret.X.1~", "~var.~", "~ var.x ~"]
)
def test_what_only_resembles_a_placeholder_is_text(text: str) -> None:
    """Ours (DESIGN 3)."""
    assert not has_placeholder(text)


def test_pointers_name_the_strings_that_hold_one_in_their_order() -> None:
    """RFC 6901: `~` and `/` in a member's name are escaped."""
    value = {"b": [1, A, {"x/y": f"see {B}", "~": HOME}], "a": "plain", A: "a name is no value", "c": A}
    assert [pointer for pointer, _ in texts_with_placeholders(value)] == ["/b/1", "/b/2/x~1y", "/b/2/~0", "/c"]
    assert list(texts_with_placeholders(A)) == [("", A)]


def test_a_placeholder_takes_any_text_in_its_place() -> None:
    """Ours (DESIGN 3): nobody needs the secret to replay."""
    assert bind({"token": A, "n": 1}, {"token": "ghp_live", "n": 1}, {}) == {A: "ghp_live"}
    assert bind(f"Bearer {A}", "Bearer x y\nz", {}) == {A: "x y\nz"}
    assert bind(f"https://h/x?key={A}&y=2", "https://h/x?key=k&y=2", {}) == {A: "k"}


def test_the_same_placeholder_takes_the_same_text_everywhere() -> None:
    """Ours (DESIGN 3)."""
    assert bind([A, f"is {A}"], ["x", "is x"], {}) == {A: "x"}
    assert bind([A, f"is {A}"], ["x", "is y"], {}) is None
    assert bind(f"{A}/{A}", "x/x", {}) == {A: "x"}
    assert bind(f"{A}/{A}", "x/y", {}) is None
    assert bind(f"{A}/{A}", "p/q/p/q", {}) == {A: "p/q"}


def test_what_is_bound_already_holds_and_is_not_told_again() -> None:
    """Ours (DESIGN 3): bindings hold for a live session."""
    assert bind(A, "x", {A: "x"}) == {}
    assert bind(A, "y", {A: "x"}) is None
    assert bind([A, B], ["x", "y"], {A: "x"}) == {B: "y"}


@pytest.mark.parametrize("live", [None, True, ["x"], {"x": "y"}])
def test_what_is_no_text_does_not_fit(live: object) -> None:
    """Ours (DESIGN 3): a placeholder matches any string."""
    assert bind({"token": A}, {"token": live}, {}) is None


@pytest.mark.parametrize("pattern", [f"pin {A}", A + B, "~var.home~"])
def test_a_number_fits_only_where_the_placeholder_of_a_secret_is_the_whole_string(pattern: str) -> None:
    """Ours: numbers are masked, too (`--redact key:pin`), but never a part of one, and no folder is one."""
    assert bind({"pin": pattern}, {"pin": 1234}, {}) is None


@pytest.mark.parametrize("folder", ['/srv/a"b', "C:\\Users\\bob", "/srv/plain", "/srv/\u00e9\\"])
def test_a_folder_with_quotes_or_backslashes_is_escaped_in_json_within_a_string_too(folder: str) -> None:
    """Ours: at any depth; what stands beside that JSON in the text is no JSON."""
    told = {"path": f"{HOME}/a", "uri": f"see {HOME}"}
    recorded = {"text": f"in {HOME}: {dumps(told)}", "deep": dumps({"x": [dumps(told)]}), "plain": HOME}
    filled = json.loads(fill(dumps(recorded), {HOME: folder}))
    there = {"path": f"{folder}/a", "uri": f"see {folder}"}
    assert filled["plain"] == folder
    assert filled["text"].startswith(f"in {folder}: ")
    assert json.loads(filled["text"].removeprefix(f"in {folder}: ")) == there
    assert json.loads(json.loads(filled["deep"])["x"][0]) == there


def test_a_number_is_filled_in_as_one() -> None:
    """Ours: also in JSON within a text; as the name of a member, and within other text, it is text."""
    bound = bind({"pin": A, "other": B}, {"pin": 1234, "other": "1234"}, {})
    assert bound == {A: "1234", B: "1234"}
    recorded = {"pin": A, "other": B, "text": f'{{"pin": "{A}"}} {A}', A: [A, f"is {A}"]}
    assert json.loads(fill(dumps(recorded), bound)) == {
        "pin": 1234, "other": "1234", "text": '{"pin": 1234} 1234', "1234": [1234, "is 1234"],
    }  # fmt: skip


def test_an_empty_text_fits() -> None:
    """Ours (DESIGN 3): nobody needs the secret to replay, and where there is none the variable is often empty."""
    assert bind({"token": A, "header": f"Bearer {A}"}, {"token": "", "header": "Bearer "}, {}) == {A: ""}
    assert bind(f"{A}{B}", "", {}) == {A: "", B: ""}


@pytest.mark.parametrize("live", ["Bearer", "bearer x", "Basic x"])
def test_the_text_around_a_placeholder_counts(live: str) -> None:
    """Ours (DESIGN 3)."""
    assert bind(f"Bearer {A}", live, {}) is None


def test_a_string_with_several_placeholders_divides_as_the_others_say() -> None:
    """Ours: a whole value elsewhere settles where an ambiguous string divides, whichever comes first."""
    live = {"pair": "x-y-z", "first": "x-y"}
    assert bind({"pair": f"{A}-{B}", "first": A}, live, {}) == {A: "x-y", B: "z"}
    assert bind({"pair": f"{A}-{B}"}, live, {}) == {A: "x", B: "y-z"}


def test_a_member_that_the_live_value_lacks_is_passed_over() -> None:
    """Ours: whoever asks has compared the rest, and may have ignored it."""
    assert bind({"a": A, "list": [A, B]}, {"list": ["x"]}, {}) == {A: "x"}


def test_a_text_of_a_megabyte_that_does_not_fit_is_refused_at_once() -> None:
    """Ours: linear time, also with several placeholders in one string."""
    text = "x=" * 500_000
    assert bind(f"x{A}={B}={HOME}=y", text, {}) is None


def test_filling_escapes_for_json_and_leaves_the_unbound() -> None:
    """Ours (DESIGN 3): answers carry the live value, where there is one."""
    text = dumps({"hello": f"<{A}> {B}"})
    value = 'quote " backslash \\ line\n é \ud800'
    assert json.loads(fill(text, {A: value})) == {"hello": f"<{value}> {B}"}
    assert fill(text, {}) is text
    assert fill_text(f"{A} {B}", {B: "x"}) == f"{A} x"


texts = st.text(st.characters(exclude_characters="~", exclude_categories=()), max_size=12)
secrets = st.dictionaries(st.sampled_from([A, B, HOME]), st.text(min_size=1, max_size=8), min_size=3)
patterns = st.lists(st.one_of(texts, st.sampled_from([A, B, HOME])), max_size=6).map("".join)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), patterns),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(values, secrets)
def test_what_was_bound_by_a_request_fills_its_answer(recorded: object, live_secrets: dict[str, str]) -> None:
    """Ours (DESIGN 3): binding a value to its own filled form, then filling it, gives that form."""
    text = json.dumps(recorded)
    live = json.loads(fill(text, live_secrets))
    # what every placeholder stands for is known, so that no string is ambiguous
    bound = bind([A, B, HOME, recorded], [*(live_secrets[name] for name in (A, B, HOME)), live], {})
    assert bound == live_secrets
    assert json.loads(fill(text, bound)) == live


@given(patterns, secrets)
def test_a_string_always_fits_what_it_was_filled_from(pattern: str, live_secrets: dict[str, str]) -> None:
    """Ours: however ambiguous, some binding is found, and it fills the string to the same text."""
    live = fill_text(pattern, live_secrets)
    bound = bind(pattern, live, {})
    assert bound is not None
    assert fill_text(pattern, bound) == live
