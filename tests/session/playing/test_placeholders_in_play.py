"""Placeholders are variables (DESIGN 3): what they match, how long that holds, what they fill."""

from __future__ import annotations

import json

import pytest

from mcpmock.session.playing.live import Options
from mcpmock.session.playing.order import ORDERS, Order
from tests.session.dialogue import continue_dialogue, dialogue, library, playback, recorded

KEY = "~secret.api_key.1~"
OTHER = "~secret.api_key.2~"
HOME = "~var.home~"


def call(arguments: str, live_id: int = 1) -> str:
    """A line of a talk."""
    return f"> {{id: {live_id}, method: tools/call, params: {{name: it, arguments: {arguments}}}}}\n"


def said(result: str, live_id: int = 1) -> str:
    """The line that answers it."""
    return f"< {{id: {live_id}, result: {result}}}\n"


MISS = "< miss near miss 1"

# -- what they match


@pytest.mark.parametrize("text", ["hunter2", "", " ", "é\n\u2028", "~", KEY, OTHER, "~secret.api_key.1", "null"])
def test_a_placeholder_matches_any_string_in_its_place(text: str) -> None:
    """Ours (DESIGN 3): so nobody needs the secret to replay, nor a rule; not even a client that has none."""
    dialogue(recorded(call(f"{{key: {KEY}}}") + said("1")), call(json.dumps({"key": text})) + said("1"))


@pytest.mark.parametrize(
    "arguments", ["{key: true}", "{key: null}", "{key: [x]}", "{key: {a: x}}", "{}", "{other: x}", "text"]
)
def test_a_placeholder_matches_nothing_but_a_string_and_nothing_absent(arguments: str) -> None:
    """Ours (DESIGN 3): "any string in that place"."""
    dialogue(recorded(call(f"{{key: {KEY}}}") + said("1")), call(arguments) + MISS)


def test_a_masked_number_matches_any_number_and_is_answered_as_one() -> None:
    """Ours: `--redact key:pin` masks numbers, and what is masked still replays (README)."""
    cassette = recorded(call(f"{{pin: {KEY}}}") + said(f"{{pin: {KEY}}}"))
    dialogue(cassette, call("{pin: 1234}") + said("{pin: 1234}"))
    dialogue(cassette, call('{pin: "1234"}') + said('{pin: "1234"}'))


def test_a_masked_number_matches_any_number_in_json_within_a_string() -> None:
    """Ours (DESIGN 3, "Placeholders are variables"): there its placeholder stands in quotes, so that it stays JSON."""
    text = '{"password": "~secret.password.1~", "user": "bob"}'
    ask = "> {id: 1, method: tools/call, params: {name: t, arguments: {text: '%s'}}}\n"
    live = ask % '{"password": 4711, "user": "bob"}'
    dialogue(
        recorded(f"{ask % text}< {{id: 1, result: {{said: '{text}'}}}}"),
        live + '< {id: 1, result: {said: \'{"password": 4711, "user": "bob"}\'}}',
    )


def test_what_stands_beside_a_placeholder_counts_as_ever() -> None:
    """Ours (DESIGN 3)."""
    cassette = recorded(call(f"{{key: {KEY}, n: 1, list: [{HOME}, x]}}") + said("1"))
    dialogue(cassette, call("{list: [h, x], n: 1.0, key: k}") + said("1"))
    for arguments in ("{key: k, n: 2, list: [h, x]}", "{key: k, n: 1, list: [h, y]}", "{key: k, n: 1, list: [h]}"):
        dialogue(cassette, call(arguments) + MISS)


@pytest.mark.parametrize(
    ("pattern", "fits", "differs"),
    [
        (f"Bearer {KEY}", "Bearer x", "bearer x"),
        (f"https://h/?key={KEY}&q=1", "https://h/?key=a%20b&q=1", "https://h/?key=a&q=2"),
        (f"{HOME}/src/{KEY}.txt", "/home/ann/src/x.txt", "/home/ann/lib/x.txt"),
    ],
)
def test_a_placeholder_within_a_text_matches_any_text_there(pattern: str, fits: str, differs: str) -> None:
    """Ours (DESIGN 3): the text around it counts."""
    cassette = recorded(call(f"{{v: '{pattern}'}}") + said("1"))
    dialogue(cassette, call(f"{{v: '{fits}'}}") + said("1"))
    dialogue(cassette, call(f"{{v: '{differs}'}}") + MISS)


@pytest.mark.parametrize("where", ["tools/call", "prompts/get", "resources/read", "completion/complete", "x/own"])
def test_placeholders_may_stand_in_any_request(where: str) -> None:
    """Ours (DESIGN 3)."""
    request = f"> {{id: 1, method: {where}, params: {{name: '%s', uri: 'a:%s'}}}}\n"
    dialogue(recorded(request % (HOME, HOME) + said(f"'{HOME}'")), request % ("me", "me") + said("me"))


def test_placeholders_may_stand_in_a_notification() -> None:
    """Ours (DESIGN 3): a change by notification is found the same way."""
    note = (
        "> {method: notifications/own, params: {path: '%s'}}\n< {method: notifications/message, params: {data: '%s'}}\n"
    )
    dialogue(recorded(note % (HOME, HOME)), note % ("/h", "/h"))


def test_a_request_of_which_only_the_envelope_holds_one_is_a_request_like_others() -> None:
    """Ours (DESIGN 4, "Key"): `_meta` is no part of what is compared."""
    request = "> {id: 1, method: tools/call, params: {name: it, _meta: %s}}\n"
    cassette = recorded(request % f"{{trace: '{KEY}'}}" + said("1"))
    for meta in ("{trace: 7}", "{}", "{trace: x}"):
        dialogue(cassette, request % meta + said("1"))


def test_params_that_are_a_text_are_compared_as_they_are() -> None:
    """Ours: no request of MCP, but a cassette may hold it."""
    text = f"> {{id: 1, method: x/own, params: '{KEY}'}}\n"
    dialogue(recorded(text + said("1")), text + said("1"))


# -- how long it holds


def test_the_same_placeholder_matches_the_same_text_wherever_it_occurs_in_a_request() -> None:
    """Ours (DESIGN 3)."""
    cassette = recorded(call(f"{{a: {KEY}, b: ['x {KEY}']}}") + said("1"))
    dialogue(cassette, call("{a: k, b: [x k]}") + said("1"))
    dialogue(cassette, call("{a: k, b: [x l]}") + MISS)


def test_the_same_placeholder_matches_the_same_text_for_the_whole_live_session() -> None:
    """Ours (DESIGN 3): the first live value holds, in requests of any method."""
    read = "> {id: 2, method: resources/read, params: {uri: 'a:%s'}}\n"
    cassette = recorded(call(f"{{key: {KEY}}}") + said("1") + read % KEY + said("2", 2))
    dialogue(cassette, call("{key: k}") + said("1") + read % "k" + said("2", 2))
    dialogue(cassette, call("{key: k}") + said("1") + read % "l" + "< miss near miss 2")


def test_another_live_session_has_its_own_values() -> None:
    """Ours (DESIGN 3): "in that live session"."""
    stage = library(recorded(call(f"{{key: {KEY}}}") + said(f"'{KEY}'") + call(f"{{again: {KEY}}}") + said(f"'{KEY}'")))
    one, other = playback(stage), playback(stage)
    continue_dialogue(one, call("{key: k}") + said("k"))
    continue_dialogue(other, call("{key: l}") + said("l"))
    continue_dialogue(one, call("{again: k}") + said("k"))
    continue_dialogue(other, call("{again: l}") + said("l"))


def test_different_placeholders_may_stand_for_the_same_text() -> None:
    """Ours (DESIGN 3): two secrets that differed when recorded are one in a test."""
    cassette = recorded(call(f"{{a: {KEY}, b: {OTHER}}}") + said("1"))
    dialogue(cassette, call("{a: k, b: k}") + said("1"))


def test_a_request_that_does_not_fit_binds_nothing() -> None:
    """Ours (DESIGN 3): a miss leaves no trace."""
    cassette = recorded(call(f"{{a: {KEY}, b: {KEY}}}") + said(f"'{KEY}'"))
    dialogue(cassette, call("{a: k, b: l}") + MISS + "\n" + call("{a: m, b: m}") + said("m"))


def test_equal_requests_with_different_placeholders_are_told_apart_by_what_is_bound() -> None:
    """Ours (DESIGN 3; DESIGN 4, "Which of several equal requests")."""
    both = call(f"{{key: {KEY}}}") + said("of-1") + call(f"{{key: {OTHER}}}") + said("of-2")
    again = call(f"{{key: {OTHER}}}") + said("again-2") + call(f"{{key: {KEY}}}") + said("again-1")
    dialogue(
        recorded(both + again),
        call("{key: k}")
        + (said("of-1") + call("{key: l}") + said("of-2"))
        + (call("{key: k}") + said("again-1") + call("{key: l}") + said("again-2"))
        + (call("{key: k}") + "< miss exhausted 1\n" + call("{key: m}") + "< miss near miss 1"),
    )


# -- an index of their own


@pytest.mark.parametrize("order", [order for order in ORDERS if order != "strict"])
@pytest.mark.parametrize("is_first", [True, False])
def test_requests_are_looked_up_as_they_are_first(order: Order, *, is_first: bool) -> None:
    """Ours (DESIGN 3): what was recorded word for word is nearer than what fits by a placeholder."""
    plain, open_ = call("{key: k}") + said("plain"), call(f"{{key: {KEY}}}") + said("any")
    cassette = recorded(plain + open_ if is_first else open_ + plain)
    dialogue(cassette, call("{key: k}") + said("plain") + call("{key: l}") + said("any"), options=Options(order=order))


def test_when_what_is_recorded_word_for_word_is_used_up_a_placeholder_may_still_fit() -> None:
    """Ours (DESIGN 3): both are equal to the live request."""
    cassette = recorded(call("{key: k}") + said("plain") + call(f"{{key: {KEY}}}") + said("any"))
    dialogue(
        cassette,
        call("{key: k}") + said("plain") + call("{key: k}") + said("any") + call("{key: k}") + "< miss exhausted 1",
    )


def test_fewer_placeholders_are_nearer_than_more() -> None:
    """Ours (DESIGN 3)."""
    cassette = recorded(
        call(f"{{key: {KEY}, q: {OTHER}}}") + said("any") + call(f"{{key: {KEY}, q: x}}") + said("near")
    )
    dialogue(cassette, call("{key: k, q: x}") + said("near"))


def test_ignored_places_do_not_bind() -> None:
    """Ours (DESIGN 3, `ignore`): what does not count may be anything, placeholder or not."""
    cassette = recorded(call(f"{{key: {KEY}, list: [{OTHER}, {KEY}]}}") + said("1"))
    ignore = ("/arguments/key", "/arguments/list/0")
    for arguments in ("{key: 1, list: [{}, k]}", "{list: [null, k]}", "{key: a, list: [b, c]}"):
        dialogue(cassette, call(arguments) + said("1"), ignore=ignore)


def test_strict_order_looks_at_placeholders_too() -> None:
    """Ours (DESIGN 4, `strict`): the next one has to fit what is bound."""
    cassette = recorded(call(f"{{key: {KEY}}}") + said(f"'{KEY}'") + call(f"{{key: {KEY}}}") + said("2"))
    strict = Options(order="strict")
    dialogue(cassette, call("{key: k}") + said("k") + call("{key: k}") + said("2"), options=strict)
    dialogue(cassette, call("{key: k}") + said("k") + call("{key: l}") + "< miss out of order 1", options=strict)


# -- what they fill


def test_answers_are_filled_with_what_is_bound_and_else_left() -> None:
    """Ours (DESIGN 3): wherever the placeholder stands, also within a text."""
    cassette = recorded(
        call(f"{{key: {KEY}}}") + said(f"{{content: [{{text: 'it is {KEY}, not {OTHER}'}}], structuredContent: {KEY}}}")
    )
    dialogue(
        cassette,
        call("{key: k}") + said(f"{{content: [{{text: 'it is k, not {OTHER}'}}], structuredContent: k}}"),
    )


@pytest.mark.parametrize("text", ['quote " and \\ and \n', "\u00e9\u2028\U0001f600", "\ud800", "\x00", "~secret.x.1~"])
def test_what_is_filled_in_stays_json(text: str) -> None:
    """Ours (DESIGN 3): any text, whatever JSON has to escape."""
    machine = playback(recorded(call(f"{{key: {KEY}}}") + said(f"'<{KEY}>'")))
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "it", "arguments": {"key": text}}}
    (action,) = machine.receive(json.dumps(request).encode())
    assert json.loads(action.text)["result"] == f"<{text}>"  # type: ignore[union-attr]


def test_all_that_the_server_sends_is_filled() -> None:
    """Ours (DESIGN 3): questions, progress, log messages and errors, as answers."""
    begin = call(f"{{key: {KEY}}}").replace("name: it", "name: it, _meta: {progressToken: 1}")
    rest = """
    < {method: notifications/progress, params: {progressToken: 1, progress: 1, message: 'KEY'}}
    < {method: notifications/message, params: {data: 'KEY'}}
    < {id: 0, method: elicitation/create, params: {message: 'KEY?'}}
    > {id: 0, result: {action: accept}}
    < {id: 1, error: {code: 1, message: 'no KEY', data: {key: 'KEY'}}}
    """
    dialogue(recorded(begin + rest.replace("KEY", KEY)), begin.replace(KEY, "k") + rest.replace("KEY", "k"))


def test_what_was_sent_before_a_placeholder_was_bound_was_sent_as_it_was() -> None:
    """Ours (DESIGN 3): "if one is bound, else left"."""
    cassette = recorded(
        call("{}") + said(f"'{KEY}'") + call(f"{{key: {KEY}}}") + said("1") + call("{last: 1}") + said(f"'{KEY}'")
    )
    dialogue(cassette, call("{}") + said(f"'{KEY}'") + call("{key: k}") + said("1") + call("{last: 1}") + said("k"))


ROOTS = "> {id: 0, result: {roots: [{uri: 'file://%s/src', name: src}]}}\n"


def test_what_the_client_answers_to_a_question_is_compared_and_binds_like_a_request() -> None:
    """Ours (DESIGN 3): roots are where machine paths come from; another path is no other answer."""
    asked = "< {id: 0, method: roots/list}\n"
    cassette = recorded(call("{}") + asked + ROOTS % HOME + said(f"'{HOME}'") + call(f"{{p: {HOME}}}") + said("2"))
    machine = dialogue(cassette, call("{}") + asked + ROOTS % "/home/ann" + said("/home/ann"))
    assert machine.report.different_answers == []
    continue_dialogue(machine, call("{p: /home/bob}") + MISS)
    continue_dialogue(machine, call("{p: /home/ann}") + said("2"))


@pytest.mark.parametrize(
    "answer", ["{roots: []}", "{roots: [{uri: 'file:///h/lib', name: src}]}", "{roots: [{uri: 7, name: src}]}"]
)
def test_an_answer_to_a_question_that_does_not_fit_is_another_one_and_binds_nothing(answer: str) -> None:
    """Ours (DESIGN 3; DESIGN 4, "Answering")."""
    asked = "< {id: 0, method: roots/list}\n"
    cassette = recorded(call("{}") + asked + ROOTS % HOME + said(f"'{HOME}'"))
    machine = dialogue(cassette, call("{}") + asked + f"> {{id: 0, result: {answer}}}\n" + said(f"'{HOME}'"))
    assert len(machine.report.different_answers) == 1
