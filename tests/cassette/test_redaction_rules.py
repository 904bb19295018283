"""What users call a secret: their rules, and what is said of wrong ones."""

from __future__ import annotations

import pytest

from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.cassette.redaction.rules import read_rules
from mcpmock.errors import UsageError
from mcpmock.wire.message import Json, Message, parse_exact
from tests.cassette.secrets_planted import answered, call, made


def arguments(*rules: str, given: Json) -> Json:
    """The arguments of a call that these rules leave."""
    return Redactor(rules=read_rules(rules)).message(call(given)).params["arguments"]  # type: ignore[index, call-overload]


@pytest.mark.parametrize("name", ["pin", "Pin", "PIN"])
def test_a_key_is_masked_in_any_spelling_and_depth_with_all_that_is_in_it(name: str) -> None:
    """Ours (issue 4): numbers too, whatever their name."""
    assert arguments("key:pin", given={"a": [{name: "x1"}], name: {"b": [7, "y2"]}}) == {
        "a": [{name: "~secret.pin.1~"}],
        name: {"b": ["~secret.pin.2~", "~secret.pin.3~"]},
    }


def test_a_key_is_masked_in_json_within_texts_headers_options_and_variables() -> None:
    """Ours (issue 4)."""
    redactor = Redactor(rules=read_rules(["key:x-pin"]), environment={"X_PIN": "sesame-1"})
    assert redactor.text('{"xPin": 77}') == '{"xPin": "~secret.x_pin.1~"}'
    assert redactor.header("X-Pin", "abc") == "~secret.x_pin.2~"
    assert redactor.command(["s", "--x-pin", "abd", "X_PIN=abe"]) == (
        "s", "--x-pin", "~secret.x_pin.3~", "X_PIN=~secret.x_pin.4~",
    )  # fmt: skip
    assert redactor.env([("X_PIN", "abf")]) == (("X_PIN", "~secret.x_pin.5~"),)
    assert redactor.text("it is sesame-1") == "it is ~secret.x_pin.6~"


def test_a_key_never_masks_what_is_the_protocols() -> None:
    """Issue 4: "never touched"."""
    body = {"id": 1, "method": "tools/call", "params": {"name": "t", "_meta": {"progressToken": "p"}}}
    redactor = Redactor(rules=read_rules(["key:name", "key:id", "key:method", "key:progressToken"]))
    assert redactor.message(made(body)).body == body  # type: ignore[arg-type]


def test_a_pointer_masks_what_stands_there_and_nothing_else() -> None:
    """Ours (issue 4; RFC 6901)."""
    rule = "pointer:/params/arguments/a~1b/*/x"
    assert arguments(rule, given={"a/b": [{"x": "1"}, {"x": 2, "y": "1"}], "x": "1"}) == {
        "a/b": [{"x": "~secret.x.1~"}, {"x": "~secret.x.2~", "y": "1"}],
        "x": "1",
    }
    exact = parse_exact(b'{"jsonrpc":"2.0","id":1,"result":{"n":-0,"secret":"x"}}')
    assert isinstance(exact, Message)
    assert Redactor(rules=read_rules(["pointer:/result/n"])).message(exact).body["result"]["n"] == "~secret.n.1~"  # type: ignore[index, call-overload]


def test_a_pattern_masks_its_group_everywhere_and_names_the_placeholder() -> None:
    """Ours (issue 4)."""
    redactor = Redactor(rules=read_rules([r"regex:customer (?P<customer>\d+)", "regex:RED"]))
    assert redactor.text("customer 4711, RED") == "customer ~secret.customer.1~, ~secret.match.1~"
    assert redactor.counts == {"regex:1": 1, "regex:2": 1}


def test_a_variable_is_looked_for_by_value() -> None:
    """Ours (issue 4): whatever its name is."""
    redactor = Redactor(
        rules=read_rules(["env:MY_THING"]), environment={"MY_THING": "open-sesame", "OTHER": "tea-time"}
    )
    assert redactor.text("open-sesame at tea-time") == "~secret.my_thing.1~ at tea-time"
    assert redactor.counts == {"env:MY_THING": 1}


def test_the_counts_name_rules_and_kinds_and_no_values() -> None:
    """Issue 4: the manifest."""
    redactor = Redactor(rules=read_rules(["key:pin", "pointer:/params/arguments/q"]))
    redactor.message(call({"pin": "1", "q": "x", "password": "sw0rdfish"}))
    redactor.message(answered("sw0rdfish"))
    assert redactor.counts == {"key:pin": 1, "pointer:/params/arguments/q": 1, "password": 2}


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("pin", "a rule of redaction has a colon; write key:NAME"),
        ("pin", "did you mean key:…?"),
        ("sword:pin", "'sword:…' is no rule of redaction"),
        ("kye:pin", "did you mean key:"),
        ("key:", "'key:' says nothing behind the colon"),
        ("pointer:params", "a JSON pointer begins with '/'"),
        ("pointer:/a~2", "~ is written ~0"),
        ("regex:(", "'regex:…' (number 1): missing ), unterminated subpattern"),
        ("regex:x*", "matches the empty text"),
    ],
)
def test_a_wrong_rule_is_told(rule: str, told: str) -> None:
    """Ours (issue 4): "errors that name what is wrong"."""
    with pytest.raises(UsageError) as raised:
        read_rules([rule])
    assert told in str(raised.value)


@pytest.mark.parametrize(
    "rule", ["sw0rdfish", "kye:sw0rdfish", "pointer:sw0rdfish", "pointer:/sw0rdfish~2", "regex:sw0rdfish("]
)
def test_what_a_wrong_rule_looks_for_is_not_repeated(rule: str) -> None:
    """Ours: who masks a secret by a rule that is none must not find the secret in a log."""
    with pytest.raises(UsageError) as raised:
        read_rules([rule])
    assert "sw0rdfish" not in str(raised.value)
