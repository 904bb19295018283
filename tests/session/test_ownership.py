"""Whose message is it (DESIGN 3, rule 1): answers.

Each test of these rules records several things at once, then plays them to a client that does them in another order,
or only some of them: so the client's side shows what belongs together. The other rules are beside this one.
"""

from __future__ import annotations

import pytest

from tests.session.dialogue import HANDSHAKE, dialogue, recorded


def test_an_answer_belongs_to_the_open_request_with_its_id() -> None:
    """Ours (DESIGN 3, rule 1): answers that crossed are told apart."""
    dialogue(
        recorded(
            HANDSHAKE
            + """
    > {id: 1, method: tools/call, params: {name: slow}}
    > {id: 2, method: tools/call, params: {name: fast}}
    < {id: 2, result: {fast: 1}}
    < {id: 1, result: {slow: 1}}
    """
        ),
        HANDSHAKE
        + """
    > {id: 8, method: tools/call, params: {name: fast}}
    < {id: 8, result: {fast: 1}}
    > {id: 9, method: tools/call, params: {name: slow}}
    < {id: 9, result: {slow: 1}}
    """,
    )


@pytest.mark.parametrize("ids", [("1", '"1"'), ("0", '""'), ("-1", "9007199254740993"), ("1.5", "'1.5'")])
def test_ids_that_differ_in_type_or_value_are_different_ids(ids: tuple[str, str]) -> None:
    """PROTOCOL 5, traps 1 and 2: `1` is not `"1"`, and 0 and the empty string are ids."""
    one, other = ids
    dialogue(
        recorded(
            HANDSHAKE
            + f"""
    > {{id: {one}, method: tools/call, params: {{name: a}}}}
    > {{id: {other}, method: tools/call, params: {{name: b}}}}
    < {{id: {other}, result: {{b: 1}}}}
    < {{id: {one}, result: {{a: 1}}}}
    """
        ),
        HANDSHAKE
        + f"""
    > {{id: {one}, method: tools/call, params: {{name: b}}}}
    < {{id: {one}, result: {{b: 1}}}}
    > {{id: {other}, method: tools/call, params: {{name: a}}}}
    < {{id: {other}, result: {{a: 1}}}}
    """,
    )


def test_of_several_open_requests_with_that_id_the_oldest_is_answered() -> None:
    """Ours (DESIGN 3, rule 1); case RP-02: a client sends every request with id 1."""
    dialogue(
        recorded(
            HANDSHAKE
            + """
    > {id: 1, method: tools/call, params: {name: a}}
    > {id: 1, method: tools/call, params: {name: b}}
    < {id: 1, result: {a: 1}}
    > {id: 1, method: tools/call, params: {name: c}}
    < {id: 1, result: {b: 1}}
    < {id: 1, result: {c: 1}}
    """
        ),
        HANDSHAKE
        + """
    > {id: 1, method: tools/call, params: {name: c}}
    < {id: 1, result: {c: 1}}
    > {id: 1, method: tools/call, params: {name: b}}
    < {id: 1, result: {b: 1}}
    > {id: 1, method: tools/call, params: {name: a}}
    < {id: 1, result: {a: 1}}
    """,
    )


def test_a_cancelled_request_is_open_no_more_but_for_the_error_that_ends_it() -> None:
    """Ours (DESIGN 3, rule 1); case RP-02: with one id for all, what comes after a cancel answers the next request."""
    dialogue(
        recorded(
            HANDSHAKE
            + """
    > {id: 1, method: tools/call, params: {name: a}}
    > {method: notifications/cancelled, params: {requestId: 1}}
    > {id: 1, method: tools/call, params: {name: b}}
    < {id: 1, result: {b: 1}}
    > {id: 1, method: tools/call, params: {name: c}}
    > {method: notifications/cancelled, params: {requestId: 1}}
    > {id: 1, method: tools/call, params: {name: d}}
    < {id: 1, error: {code: 0, message: Request cancelled}}
    < {id: 1, result: {d: 1}}
    """
        ),
        HANDSHAKE
        + """
    > {id: 1, method: tools/call, params: {name: d}}
    < {id: 1, result: {d: 1}}
    > {id: 2, method: tools/call, params: {name: b}}
    < {id: 2, result: {b: 1}}
    > {id: 3, method: tools/call, params: {name: c}}
    > {method: notifications/cancelled, params: {requestId: 3}}
    < {id: 3, error: {code: 0, message: Request cancelled}}
    > {id: 4, method: tools/call, params: {name: a}}
    > {method: notifications/cancelled, params: {requestId: 4}}
    """,
    )


def test_a_cancelled_request_is_not_given_up_for_the_answer_to_an_id_of_another_type() -> None:
    """PROTOCOL 5, trap 1: `1` is not `"1"`."""
    talk = """
    > {id: 1, method: tools/call, params: {name: a}}
    > {id: "1", method: tools/call, params: {name: b}}
    > {method: notifications/cancelled, params: {requestId: 1}}
    < {id: "1", result: {b: 1}}
    < {id: 1, error: {code: 0, message: Request cancelled}}
    """
    dialogue(
        recorded(HANDSHAKE + talk),
        HANDSHAKE
        + """
    > {id: 1, method: tools/call, params: {name: a}}
    > {method: notifications/cancelled, params: {requestId: 1}}
    < {id: 1, error: {code: 0, message: Request cancelled}}
    > {id: 1, method: tools/call, params: {name: b}}
    < {id: 1, result: {b: 1}}
    """,
    )


def test_of_several_open_requests_with_that_id_the_oldest_is_cancelled() -> None:
    """Ours (DESIGN 3, rule 1): a cancel goes by id as an answer does, in the recording and live."""
    cassette = recorded(
        HANDSHAKE
        + """
    > {id: 1, method: tools/call, params: {name: a, _meta: {progressToken: a}}}
    > {id: 1, method: tools/call, params: {name: b, _meta: {progressToken: b}}}
    > {method: notifications/cancelled, params: {requestId: 1}}
    < {method: notifications/progress, params: {progressToken: a, progress: 1}}
    < {id: 1, result: {b: 1}}
    """
    )
    dialogue(
        cassette,
        HANDSHAKE
        + """
    > {id: 5, method: tools/call, params: {name: b}}
    < {id: 5, result: {b: 1}}
    > {id: 6, method: tools/call, params: {name: a, _meta: {progressToken: x}}}
    > {method: notifications/cancelled, params: {requestId: 6}}
    < {method: notifications/progress, params: {progressToken: x, progress: 1}}
    """,
    )


def test_answers_and_questions_of_both_sides_may_have_the_same_id() -> None:
    """PROTOCOL 2.1: the ids of the two sides are independent."""
    dialogue(
        recorded(
            HANDSHAKE
            + """
    > {id: 1, method: tools/call, params: {name: a}}
    < {id: 1, method: sampling/createMessage, params: {maxTokens: 1}}
    > {id: 1, result: {text: hi}}
    < {id: 1, result: {a: 1}}
    """
        ),
        HANDSHAKE
        + """
    > {id: 1, method: tools/call, params: {name: a}}
    < {id: 1, method: sampling/createMessage, params: {maxTokens: 1}}
    > {id: 1, result: {text: hi}}
    < {id: 1, result: {a: 1}}
    """,
    )


def test_an_answer_to_nothing_and_a_second_answer_answer_nothing() -> None:
    """Case RP-07: the first answer wins."""
    dialogue(
        recorded(
            HANDSHAKE
            + """
    > {id: 1, method: tools/call, params: {name: a}}
    < {id: 99, result: {stray: 1}}
    < {id: 1, result: {a: 1}}
    < {id: 1, result: {a: 2}}
    """
        ),
        HANDSHAKE
        + """
    > {id: 99, method: tools/call, params: {name: a}}
    < {id: 99, result: {a: 1}}
    > {id: 1, method: tools/call, params: {name: a}}
    < miss exhausted 1
    """,
    )
