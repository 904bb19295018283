"""What counts as unplayed at the end of a session, and what was only skipped (DESIGN 4)."""

from __future__ import annotations

from tests.session.dialogue import dialogue, playback
from tests.session.sayings import REQUESTS, plays, session


def test_passing_over_a_read_leaves_it_skipped_not_unplayed() -> None:
    """Ours (DESIGN 4)."""
    recorded = session("read a -> 1", "read a -> 2", "add -> ok", "read a -> 3")
    assert plays(recorded, "add -> ok", "read a -> 3") == []


def test_a_read_that_was_not_passed_over_is_unplayed() -> None:
    """Ours (DESIGN 4): nothing equal was read behind it."""
    recorded = session("read a -> 1", "read a -> 2", "add -> ok", "read a -> 3", "read b -> 4")
    assert plays(recorded, "read a -> 1", "add -> ok") == ["read a", "read a", "read b"]
    assert plays(recorded, "add -> ok", "read b -> 4") == ["read a", "read a", "read a"]


def test_what_a_rule_makes_equal_is_passed_over_together() -> None:
    """Ours (DESIGN 4): skipped or unplayed is decided by the key, with all that is ignored."""
    recorded = """
version: 1
match: [{ignore: [/at]}]
sessions:
- entries:
  - client: {method: resources/read, params: {uri: a, at: 1}}
    server: {result: 1}
  - client: {method: tools/call, params: {name: add}}
    server: {result: ok}
  - client: {method: resources/read, params: {uri: a, at: 2}}
    server: {result: 2}
"""
    machine = dialogue(
        recorded,
        """
    > {id: 1, method: tools/call, params: {name: add}}
    < {id: 1, result: ok}
    > {id: 2, method: resources/read, params: {uri: a, at: 3}}
    < {id: 2, result: 2}
    """,
    )
    assert machine.unplayed() == []


def test_unplayed_counts_only_for_calls_prompts_and_resources() -> None:
    """Ours (DESIGN 4): lists, the handshake, completion, subscriptions, tasks and what is unknown never count."""
    every = [f"{name} -> x" for name in REQUESTS if name not in ("roots", "own notification")]
    machine = playback(session(*every, "roots", "own notification"))
    assert {one.method for one in machine.unplayed()} == {"tools/call", "prompts/get", "resources/read"}


def test_an_answered_question_that_was_not_asked_is_unplayed() -> None:
    """Ours (DESIGN 4): "and answered server questions"; an unanswered one is not."""
    recorded = """
version: 1
sessions:
- entries:
  - client: {method: notifications/initialized}
  - server: {id: 1, method: roots/list}
  - client: {id: 1, result: {roots: []}}
  - server: {id: 2, method: sampling/createMessage}
"""
    machine = playback(recorded)
    assert [(one.method, one.line) for one in machine.unplayed()] == [("roots/list", 6)]
    machine = dialogue(
        recorded,
        """
    > {method: notifications/initialized}
    < {id: 1, method: roots/list}
    > {id: 1, result: {roots: []}}
    < {id: 2, method: sampling/createMessage}
    """,
    )
    assert machine.unplayed() == []


def test_a_question_that_no_message_of_the_client_led_to_has_its_line_on_the_page() -> None:
    """Ours: a recording may begin with it; `--fail-unplayed` ended with a traceback."""
    machine = playback(
        """
version: 1
sessions:
- entries:
  - server: {id: 1, method: roots/list}
  - client: {id: 1, result: {roots: []}}
"""
    )
    assert "test.yaml:5, session 1: roots/list" in machine.unplayed_page(machine.unplayed())


def test_an_optional_read_that_was_played_leaves_those_before_it_skipped() -> None:
    """Ours (DESIGN 3 and 4): optional is about being left out, not about standing for others."""
    recorded = """
version: 1
sessions:
- entries:
  - client: {method: resources/read, params: {uri: a}}
    server: {result: 1}
  - client: {method: tools/call, params: {name: add}}
    server: {result: ok}
  - client: {method: resources/read, params: {uri: a}}
    server: {result: 2}
    optional: true
"""
    machine = dialogue(
        recorded,
        """
    > {id: 1, method: tools/call, params: {name: add}}
    < {id: 1, result: ok}
    > {id: 2, method: resources/read, params: {uri: a}}
    < {id: 2, result: 2}
    """,
    )
    assert machine.unplayed() == []


def test_a_miss_leaves_unplayed_what_it_missed() -> None:
    """Ours (DESIGN 4)."""
    assert plays(session("add -> ok", "remove -> ok"), "add -> ok", "add -> exhausted") == ["remove"]
