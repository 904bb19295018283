"""Whose message is it (DESIGN 3, rule 4): `roots/list`, and the server's cancel of a question of its own."""

from __future__ import annotations

import pytest

from tests.session.dialogue import HANDSHAKE, dialogue, recorded
from tests.session.questions import ASK, answer, call

ROOTS = "< {id: %s, method: roots/list}\n"
TRIGGERS = ["", "> {method: notifications/roots/list_changed}\n"]


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_the_first_roots_list_with_several_requests_open_belongs_to_its_notification(trigger: str) -> None:
    """Ours (DESIGN 3, rule 4): `initialized` and `roots/list_changed` make servers ask for roots."""
    dialogue(
        recorded(
            HANDSHAKE
            + (ROOTS % 7 + "> {id: 7, result: {roots: []}}\n" if trigger else "")
            + trigger
            + (call(1, "a") + call(2, "b"))
            + ROOTS % 0
            + "> {id: 0, result: {roots: []}}\n"
            + (answer(1, "a") + answer(2, "b"))
        ),
        HANDSHAKE
        + (ROOTS % 7 + "> {id: 7, result: {roots: []}}\n" if trigger else "")
        + trigger
        + ROOTS % 0
        + (call(1, "a") + answer(1, "a"))
        + "> {id: 0, result: {roots: []}}\n"
        + (call(2, "b") + answer(2, "b")),
    )


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_a_second_roots_list_is_a_question_like_others(trigger: str) -> None:
    """Ours (DESIGN 3, rule 4): only the first one belongs to the notification, whoever that one belonged to."""
    roots = "> {id: %s, result: {roots: []}}\n"
    dialogue(
        recorded(
            HANDSHAKE
            + trigger
            + (call(1, "a") + ROOTS % 0 + roots % 0 + answer(1, "a"))
            + (call(2, "b") + call(3, "c"))
            + (ROOTS % 1 + roots % 1)
            + (answer(2, "b") + answer(3, "c"))
        ),
        HANDSHAKE
        + trigger
        + (call(2, "b") + ROOTS % 1 + roots % 1 + answer(2, "b"))
        + (call(1, "a") + ROOTS % 0 + roots % 0 + answer(1, "a"))
        + (call(3, "c") + answer(3, "c")),
    )


def test_the_first_roots_list_with_one_request_open_belongs_to_that_request() -> None:
    """Ours (DESIGN 3, rule 4)."""
    dialogue(
        recorded(HANDSHAKE + call(1, "a") + ROOTS % 0 + "> {id: 0, result: {roots: []}}\n" + answer(1, "a")),
        HANDSHAKE + call(1, "a") + ROOTS % 0 + "> {id: 0, result: {roots: []}}\n" + answer(1, "a"),
    )


CANCEL = "< {method: notifications/cancelled, params: {requestId: %s}}\n"


def test_the_servers_cancel_of_its_question_belongs_where_the_question_does() -> None:
    """Ours (DESIGN 3): by the server's id, whoever else is open, and under the id that the question has live."""
    dialogue(
        recorded(
            HANDSHAKE
            + (call(0, "a", "p: alpha") + call(1, "b", "p: beta"))
            + (f"< {ASK % (0, 'of beta')}\n" + CANCEL % 0)
            + (answer(0, "a") + answer(1, "b"))
        ),
        HANDSHAKE
        + (call(0, "a", "p: alpha") + answer(0, "a"))
        + (call(1, "b", "p: beta") + f"< {ASK % (0, 'of beta')}\n" + CANCEL % 0 + answer(1, "b")),
    )


def test_a_question_that_the_server_has_withdrawn_is_waited_for_no_more() -> None:
    """PROTOCOL 2.1: a client that was cancelled does not answer, though the recorded one, in a race, did."""
    dialogue(
        recorded(
            HANDSHAKE
            + call(1, "a")
            + (f"< {ASK % (0, 'what?')}\n" + CANCEL % 0 + "> {id: 0, result: {}}\n")
            + answer(1, "a")
        ),
        HANDSHAKE + call(1, "a") + f"< {ASK % (0, 'what?')}\n" + CANCEL % 0 + answer(1, "a"),
    )


def test_the_servers_cancel_of_a_question_that_was_not_asked_is_not_sent() -> None:
    """Ours (DESIGN 4, "Gates"): a client that cannot be asked has nothing to cancel."""
    url = "{id: 0, method: elicitation/create, params: {mode: url}}"
    dialogue(
        recorded(HANDSHAKE + call(1, "a") + f"< {url}\n" + CANCEL % 0 + answer(1, "a")),
        HANDSHAKE + call(1, "a") + answer(1, "a"),
    )


def test_the_servers_cancel_of_a_question_outside_any_request_goes_with_it() -> None:
    """Ours (DESIGN 3; DESIGN 4, "An anchor"): also where the client leaves out the message before both."""
    subscribe = "> {id: 1, method: resources/subscribe, params: {uri: 'a:1'}}\n< {id: 1, result: {}}\n"
    outside = f"< {ASK % (0, 'what?')}\n" + CANCEL % 0
    dialogue(
        recorded(HANDSHAKE + subscribe + outside + call(2, "a") + answer(2, "a")),
        HANDSHAKE + call(2, "a") + outside + answer(2, "a"),
    )


def test_a_cancel_of_no_question_is_like_anything_else() -> None:
    """Ours (DESIGN 3, rule 5): it goes out as it was."""
    dialogue(
        recorded(HANDSHAKE + call(1, "a") + CANCEL % 5 + answer(1, "a")),
        HANDSHAKE + call(1, "a") + CANCEL % 5 + answer(1, "a"),
    )
