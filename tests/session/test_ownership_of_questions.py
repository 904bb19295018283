"""Whose message is it (DESIGN 3, rule 4): what the server asks.

Where two requests are open and the question belongs to the second, a client that does the first alone is asked nothing.
"""

from __future__ import annotations

import pytest

from tests.session.dialogue import HANDSHAKE, dialogue, recorded
from tests.session.questions import ASK, answer, asked, call


@pytest.mark.parametrize(
    "request_",
    [
        "tools/call, params: {name: it}",
        "prompts/get, params: {name: it}",
        "resources/read, params: {uri: 'a:1'}",
        "completion/complete, params: {ref: {type: ref/prompt, name: p}, argument: {name: q, value: v}}",
        "tasks/result, params: {taskId: t}",
    ],
)
def test_a_question_belongs_to_an_open_request_that_can_ask(request_: str) -> None:
    """Ours (DESIGN 3, rule 4): others are passed over, though they were sent before and are answered next."""
    asking = f"> {{id: 2, method: {request_}}}\n"
    dialogue(
        recorded(
            HANDSHAKE
            + "> {id: 1, method: tools/list}\n"
            + asking
            + "> {id: 3, method: resources/list}\n"
            + asked(0, "what?")
            + "< {id: 1, result: {tools: []}}\n< {id: 3, result: {resources: []}}\n"
            + answer(2, "it")
        ),
        HANDSHAKE
        + "> {id: 1, method: tools/list}\n< {id: 1, result: {tools: []}}\n"
        + "> {id: 3, method: resources/list}\n< {id: 3, result: {resources: []}}\n"
        + asking
        + asked(0, "what?")
        + answer(2, "it"),
    )


def test_a_request_that_was_answered_before_the_question_was_did_not_ask_it() -> None:
    """Ours (DESIGN 3, rule 4): no server answers a call whose question is still open, whatever words they share."""
    dialogue(
        recorded(
            HANDSHAKE
            + call(1, "a", "p: hello")
            + call(2, "b", "p: other")
            + f"< {ASK % (0, 'hello')}\n"
            + answer(1, "a")
            + "> {id: 0, result: {}}\n"
            + answer(2, "b")
        ),
        HANDSHAKE
        + (call(1, "a", "p: hello") + answer(1, "a"))
        + (call(2, "b", "p: other") + asked(0, "hello") + answer(2, "b")),
    )


def test_a_question_that_was_never_answered_may_be_of_any_request_that_was_open_then() -> None:
    """Ours (DESIGN 3, rule 4): its answer cannot tell; nothing waits for it."""
    dialogue(
        recorded(
            HANDSHAKE
            + call(1, "a", "p: hello")
            + call(2, "b", "p: other")
            + f"< {ASK % (0, 'hello')}\n"
            + (answer(1, "a") + answer(2, "b"))
        ),
        HANDSHAKE
        + (call(2, "b", "p: other") + answer(2, "b"))
        + (call(1, "a", "p: hello") + f"< {ASK % (0, 'hello')}\n" + answer(1, "a")),
    )


@pytest.mark.parametrize(
    ("a", "b", "question"),
    [
        pytest.param("p: alpha", "p: beta", "of beta", id="the only one whose words turn up"),
        pytest.param("p: beta, q: gamma", "p: beta", "of beta", id="a larger part of them"),
        pytest.param("p: alpha, n: 1", "p: beta, n: 2", "of beta", id="numbers do not count"),
        pytest.param("p: [x, {q: y}]", "p: [beta, {q: gamma}]", "of beta and gamma", id="at any depth"),
        pytest.param("p: '1'", "p: '12'", "of 12", id="of two that turn up whole the longer"),
        pytest.param("n: 1", "p: beta", "of beta", id="no words at all"),
        pytest.param("p: ''", "p: beta", "of beta", id="an empty string turns up everywhere"),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_question_belongs_to_the_request_most_of_whose_string_arguments_turn_up_in_it(
    a: str, b: str, question: str, *, is_first: bool
) -> None:
    """Ours (DESIGN 3, rule 4): in whatever order they were sent, and though the other has not asked yet."""
    sent = [call(1, "a", a), call(2, "b", b)]
    dialogue(
        recorded(
            HANDSHAKE
            + "".join(sent if is_first else sent[::-1])
            + (asked(0, question) + asked(1, question))
            + (answer(1, "a") + answer(2, "b"))
        ),
        HANDSHAKE
        + (call(1, "a", a) + answer(1, "a"))
        + (call(2, "b", b) + asked(0, question) + asked(1, question) + answer(2, "b")),
    )


def test_what_turns_up_is_looked_for_in_all_arguments_of_other_requests() -> None:
    """Ours (DESIGN 3, rule 4): a resource has its URI, a completion its reference and value."""
    read = "> {id: 1, method: resources/read, params: {uri: 'a:1'}}\n"
    complete = (
        "> {id: 2, method: completion/complete, params: "
        "{ref: {type: ref/resource, uri: 'b:{x}'}, argument: {name: x, value: beta}}}\n"
    )
    dialogue(
        recorded(HANDSHAKE + complete + read + asked(0, "about a:1") + answer(1, "a") + answer(2, "b")),
        HANDSHAKE + complete + answer(2, "b") + read + asked(0, "about a:1") + answer(1, "a"),
    )
    dialogue(
        recorded(HANDSHAKE + read + complete + asked(0, "x of b:{x}: beta") + answer(1, "a") + answer(2, "b")),
        HANDSHAKE + read + answer(1, "a") + complete + asked(0, "x of b:{x}: beta") + answer(2, "b"),
    )


def test_of_equal_ones_the_question_belongs_to_one_that_has_not_asked_yet() -> None:
    """Ours (DESIGN 3, rule 4): two calls that ask one question each, both at once."""
    dialogue(
        recorded(
            HANDSHAKE
            + (call(1, "a") + call(2, "b"))
            + f"< {ASK % (0, 'one')}\n< {ASK % (1, 'two')}\n"
            + "> {id: 1, result: {}}\n> {id: 0, result: {}}\n"
            + (answer(1, "a") + answer(2, "b"))
        ),
        HANDSHAKE
        + (call(2, "b") + asked(1, "two") + answer(2, "b"))
        + (call(1, "a") + asked(0, "one") + answer(1, "a")),
    )


def test_one_whose_question_came_by_a_rule_of_its_own_has_asked_too() -> None:
    """Ours (DESIGN 3, rule 4): whatever said that a question is its own."""
    dialogue(
        recorded(
            HANDSHAKE
            + (call(1, "a") + call(2, "b"))
            + f"- {{server: {ASK % (0, 'one')}, in: 1}}\n< {ASK % (1, 'two')}\n"
            + "> {id: 0, result: {}}\n> {id: 1, result: {}}\n"
            + (answer(1, "a") + answer(2, "b"))
        ),
        HANDSHAKE
        + (call(2, "b") + asked(1, "two") + answer(2, "b"))
        + (call(1, "a") + asked(0, "one") + answer(1, "a")),
    )


def test_of_those_that_have_all_asked_the_question_belongs_to_the_oldest() -> None:
    """Ours (DESIGN 3, rule 4)."""
    dialogue(
        recorded(
            HANDSHAKE
            + (call(1, "a") + call(2, "b"))
            + (asked(0, "one") + asked(1, "two") + asked(2, "three"))
            + (answer(2, "b") + answer(1, "a"))
        ),
        HANDSHAKE
        + (call(2, "b") + asked(1, "two") + answer(2, "b"))
        + (call(1, "a") + asked(0, "one") + asked(2, "three") + answer(1, "a")),
    )


def test_a_question_with_no_request_that_can_ask_is_like_anything_else() -> None:
    """Ours (DESIGN 3, rule 5): the only open request."""
    dialogue(
        recorded(HANDSHAKE + "> {id: 1, method: tools/list}\n" + asked(0, "what?") + "< {id: 1, result: {tools: []}}"),
        HANDSHAKE + "> {id: 1, method: tools/list}\n" + asked(0, "what?") + "< {id: 1, result: {tools: []}}",
    )


def test_a_question_outside_any_request_belongs_to_the_client_message_before_it() -> None:
    """Ours (DESIGN 3, rule 5): also to the client's answer to another question."""
    outside = asked(0, "one") + asked(1, "two")
    after = call(1, "a") + answer(1, "a") + asked(2, "three")
    dialogue(recorded(HANDSHAKE + outside + after), HANDSHAKE + outside + after)
    waiting = f"< {ASK % (0, 'one')}\n" + after + "> {id: 0, result: {}}\n" + asked(1, "two")
    dialogue(recorded(HANDSHAKE + outside + after), HANDSHAKE + waiting)
