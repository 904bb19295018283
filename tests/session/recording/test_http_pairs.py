"""Which answer is whose, where HTTP has ended requests without one."""

from __future__ import annotations

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.events import pair_answers, unfold
from tests.session.dialogue import recorded


def pairs(entries: str) -> dict[int, int]:
    """The event number of each answer by that of its request."""
    events = list(unfold(load(recorded(entries).encode()).sessions[0].entries))
    return {at: other for at, other in pair_answers(events).items() if at < other}


def test_au_01_a_refused_request_is_not_answered_by_the_answer_to_the_next() -> None:
    """AU-01: the second `initialize` has the id of the first."""
    talk = """
        > {id: 0, method: initialize}
        - {http: {post: 401}}
        > {id: 0, method: initialize}
        < {id: 0, result: {}}
    """
    assert pairs(talk) == {2: 3}


@pytest.mark.parametrize(("owner", "answered"), [("1", 1), ("again", 0), ("a", 0)])
def test_a_request_is_named_by_its_id_or_by_its_label(owner: str, answered: int) -> None:
    """Ours (HTTP in cassettes/README.md): of several with one id the oldest."""
    talk = f"""
        > {{id: 1, method: tools/list}}
        - {{client: {{id: 1, method: tools/list}}, label: again}}
        - {{client: {{id: a, method: tools/list}}}}
        - {{http: {{post: 502}}, in: {owner}}}
        < {{id: 1, result: {{}}}}
    """
    assert pairs(talk) == {answered: 4}


def test_all_requests_of_a_batch_are_ended_at_once() -> None:
    """RP-06: one POST, one response."""
    talk = """
        > {id: 1, method: ping}
        - {client: [{id: 2, method: ping}, {method: notifications/initialized}, {id: 3, method: ping}]}
        < {method: notifications/message}
        - {http: {post: 502}}
        < {id: 3, result: {}}
        < {id: 2, result: {}}
        < {id: 1, result: {}}
    """
    assert pairs(talk) == {0: 8}


@pytest.mark.parametrize("entry", ["{post: 200, path: /token}", "{closed: server}", "{get: 405}"])
def test_whatever_else_http_shows_ends_no_request(entry: str) -> None:
    """Ours: the answer may come on another stream."""
    assert pairs(f"> {{id: 1, method: ping}}\n- {{http: {entry}}}\n< {{id: 1, result: {{}}}}") == {0: 2}


def test_a_status_before_all_messages_ends_nothing() -> None:
    """Ours: whatever people write."""
    assert pairs("- {http: {post: 502}}\n> {id: 1, method: ping}\n< {id: 1, result: {}}") == {1: 2}
