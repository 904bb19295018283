"""Reports and misses without secrets."""

from __future__ import annotations

from mcpmock.matching.miss import find_miss
from mcpmock.matching.nearest import Candidate
from mcpmock.matching.veil import veiled
from tests.matching.test_miss import told
from tests.matching.values import call


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
