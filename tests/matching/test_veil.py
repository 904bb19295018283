"""Reports and misses without secrets."""

from __future__ import annotations

import pytest

from mcpmock.matching.miss import Miss, error_object, find_miss, hints
from mcpmock.matching.nearest import Candidate
from mcpmock.matching.pages import page
from mcpmock.matching.veil import veiled
from mcpmock.wire.message import Json, Message, dumps
from tests.matching.test_miss import told
from tests.matching.values import call, request


def test_a_number_beyond_a_double_hides_nothing_else() -> None:
    """Ours: one such number in one call made a whole report `(not shown)`, misses and all."""
    token = "ghp_" + "a1B2" * 9
    assert veiled({"calls": [{"a": float("inf")}, {"b": token}], "misses": [1]}) == {
        "calls": [{"a": "Infinity"}, {"b": "~secret.github_token.1~"}],
        "misses": [1],
    }


def test_a_number_beyond_a_double_is_told_where_it_differs() -> None:
    """Ours: what was recorded was not shown either."""
    data = told(find_miss(call("f", {"a": float("inf")}), [Candidate(call("f", {"a": 1}))]))
    assert data["nearest"][0]["differences"] == [{"pointer": "/arguments/a", "recorded": 1, "live": "Infinity"}]


def test_secrets_that_are_numbers_or_letters_leave_the_report_one() -> None:
    """Ours: a report in which a masked number stood was `(not shown)`, and that of an HTTP replay a traceback."""
    content: Json = {
        "requests": 7,
        "at": 148151,
        "params": {"pin": 48151, "text": "it is 48151\n", "n": "n", "seven": "7"},
    }
    bound = {"~secret.pin.1~": "48151", "~secret.pin.2~": "n", "~secret.pin.3~": "7"}
    assert veiled(content, bound) == {
        "requests": 7,
        "at": 148151,
        "params": {
            "pin": "~secret.pin.1~",
            "text": "it is ~secret.pin.1~\n",
            "~secret.pin.2~": "~secret.pin.2~",
            "seven": "~secret.pin.3~",
        },
    }


TOKEN = "ghp_" + "a1B2" * 9
OTHER = "ghp_" + "c3D4" * 9


@pytest.mark.parametrize(
    "live",
    [
        call(TOKEN),
        request(f"x/{TOKEN}"),
        call("f", {TOKEN: 1}),
        call("f", {"deep": {TOKEN: {"x": 1}}}),
        request("resources/read", {"uri": f"file:///{TOKEN}"}),
    ],
)
@pytest.mark.parametrize("recorded", [call("f", {"a": 1}), call(OTHER), request(f"x/{OTHER}", {"b": 2})])
def test_a_secret_in_the_place_of_a_name_is_told_nowhere(live: Message, recorded: Message) -> None:
    """Ours: recorders keep names of tools, methods and members as they are, and so the page and the error told them."""
    for miss in (find_miss(live, [Candidate(recorded)]), find_miss(live, [], "out of order", Candidate(recorded))):
        told_of = page(miss) + dumps(error_object(miss)) + dumps(miss.request.body)
        assert TOKEN not in told_of
        assert OTHER not in told_of


def test_a_place_that_is_named_by_a_secret_is_not_offered_to_be_ignored() -> None:
    """Ours: what stands for the secret is no pointer."""
    assert all("ignore" not in hint.text for hint in hints(near_miss(call("f", {"a": 1, TOKEN: 1}))))


def near_miss(live: Message) -> Miss:
    """The miss of a request beside a recorded one."""
    return find_miss(live, [Candidate(call("f", {"a": 1}))])
