"""Order `stateful`: reads follow the state, writes are used up in order (DESIGN 4)."""

from __future__ import annotations

import pytest

from mcpmock.session.playing.live import Options
from tests.session.dialogue import dialogue, library
from tests.session.sayings import plays, session

LISTS = session("list -> A", "add -> ok", "list -> B", "add -> ok", "list -> C")


def test_a_list_after_one_add_is_the_one_that_was_recorded_there() -> None:
    """Ours (DESIGN 4): recorded list→A, add, list→B, add, list→C; live add, list gives B."""
    plays(LISTS, "add -> ok", "list -> B")


def test_a_list_before_and_after_both_adds() -> None:
    """Ours (DESIGN 4): live list, add, add, list gives A, C."""
    plays(LISTS, "list -> A", "add -> ok", "add -> ok", "list -> C")


def test_a_read_that_is_asked_again_without_a_change_stays_where_it_is() -> None:
    """Ours (DESIGN 4): "then the last again"; reading uses up nothing that a later state needs."""
    plays(LISTS, "list -> A", "list -> A", "list -> A", "add -> ok", "list -> B", "list -> B", "add -> ok", "list -> C")


def test_read_write_read_with_the_write_left_out_reads_the_same_twice() -> None:
    """Ours (DESIGN 4): a state that the client did not bring about is not shown to it."""
    plays(session("read a -> before", "add -> ok", "read a -> after"), "read a -> before", "read a -> before")


def test_reads_at_one_position_are_played_in_their_order_and_then_the_last_again() -> None:
    """Ours (DESIGN 4): "of these the next unplayed, then the last again"."""
    plays(session("read a -> 1", "read a -> 2", "add -> ok"), "read a -> 1", "read a -> 2", "read a -> 2")


def test_a_read_recorded_only_later_gives_the_earliest_recorded() -> None:
    """Ours (DESIGN 4): "if there is none: the earliest recorded"."""
    plays(session("add -> ok", "read a -> 1", "add -> ok", "read a -> 2"), "read a -> 1", "read a -> 1")


def test_a_read_at_a_position_where_none_was_recorded_gives_the_latest_before_it() -> None:
    """Ours (DESIGN 4): "those recorded at the latest position not beyond the live one"."""
    recorded = session("read a -> 1", "add -> ok", "remove -> ok", "read b -> 2", "add -> ok", "read a -> 3")
    plays(recorded, "add -> ok", "remove -> ok", "read a -> 1", "add -> ok", "read a -> 3")


def test_the_position_is_the_latest_recorded_change_in_whatever_order_they_are_played() -> None:
    """Ours (DESIGN 4): its number, not how many there were."""
    recorded = session("read a -> 0", "add -> ok", "read a -> 1", "remove -> ok", "read a -> 2")
    plays(recorded, "remove -> ok", "read a -> 2", "add -> ok", "read a -> 2")


def test_the_last_read_repeats_whatever_it_says() -> None:
    """Ours (DESIGN 4): "the last `tasks/get` whatever its state"."""
    recorded = session("task -> working", "task -> input_required", "task -> working")
    plays(recorded, "task -> working", "task -> input_required", "task -> working", "task -> working")


# -- changes


def test_a_change_is_the_next_unplayed_equal_one_and_never_a_repeat() -> None:
    """Ours (DESIGN 4)."""
    recorded = session("add -> 1", "remove -> x", "add -> 2")
    plays(recorded, "add -> 1", "add -> 2", "add -> exhausted", "remove -> x", "remove -> exhausted")


def test_changes_repeat_their_last_where_playback_repeats_are_allowed() -> None:
    """Ours (DESIGN 4): `allow_playback_repeats` (VCR's word) makes everything repeat its last."""
    recorded = session("add -> 1", "add -> 2", "read a -> r")
    options = Options(repeats=True)
    plays(recorded, "add -> 1", "add -> 2", "add -> 2", "add -> 2", "read a -> r", "read a -> r", options=options)


@pytest.mark.parametrize("change", ["add", "remove", "hint false", "tasks/update", "tasks/cancel", "x/own"])
def test_what_is_a_change(change: str) -> None:
    """Ours (DESIGN 4): a tool that is not known to be read-only, the two task methods, a method in no table."""
    recorded = session("read a -> before", f"{change} -> ok", "read a -> after")
    plays(recorded, "read a -> before", "read a -> before", f"{change} -> ok", "read a -> after")
    plays(recorded, f"{change} -> ok", f"{change} -> exhausted")


@pytest.mark.parametrize("change", ["roots", "own notification"])
def test_a_notification_may_be_a_change(change: str) -> None:
    """Ours (DESIGN 4): `notifications/roots/list_changed`, and any notification that is in no table."""
    recorded = session("read a -> before", change, "read a -> after")
    plays(recorded, "read a -> before", "read a -> before", change, "read a -> after")
    plays(recorded, change, "read a -> after")


@pytest.mark.parametrize(
    "read",
    [
        "look",
        "list",
        "task",
        "tasks/result",
        "tasks/list",
        "prompts/get",
        "initialize",
        "ping",
        "logging/setLevel",
        "completion/complete",
        "resources/subscribe",
        "resources/unsubscribe",
        "subscriptions/listen",
    ],
)
def test_nothing_else_is_a_change(read: str) -> None:
    """Ours (DESIGN 4): `initialize`, `ping`, `setLevel`, `complete`, `subscribe`, `listen` and reads move nothing."""
    recorded = session("read a -> 1", f"{read} -> ok", "read a -> 2")
    plays(recorded, f"{read} -> ok", f"{read} -> ok", "read a -> 1", "read a -> 2")


def test_a_notification_that_the_table_knows_moves_nothing() -> None:
    """Ours (DESIGN 4): `initialized` and the client's `notifications/tasks/status`."""
    recorded = """
version: 1
sessions:
- entries:
  - client: {method: resources/read, params: {uri: a}}
    server: {result: 1}
  - client: {method: notifications/tasks/status, params: {taskId: t}}
  - client: {method: resources/read, params: {uri: a}}
    server: {result: 2}
"""
    dialogue(
        recorded,
        """
    > {method: notifications/tasks/status, params: {taskId: t}}
    > {id: 1, method: resources/read, params: {uri: a}}
    < {id: 1, result: 1}
    """,
    )


def test_a_call_whose_name_is_no_text_is_a_change() -> None:
    """Ours: recorders keep what clients send; check, show and replay ended with a traceback."""
    recorded = """
version: 1
sessions:
- entries:
  - client: {method: resources/read, params: {uri: a}}
    server: {result: 1}
  - client: {method: tools/call, params: {name: []}}
    server: {result: 2}
  - client: {method: resources/read, params: {uri: a}}
    server: {result: 3}
"""
    talk = "> {id: 1, method: tools/call, params: {name: []}}\n< {id: 1, result: 2}\n"
    dialogue(recorded, talk + "> {id: 2, method: resources/read, params: {uri: a}}\n< {id: 2, result: 3}")


def test_a_tool_is_read_only_if_any_list_of_that_server_says_so() -> None:
    """Ours (DESIGN 4): also a list in another recorded session; not one of another server."""
    asked = "{method: tools/call, params: {name: look}}"
    others = "  - client: {method: prompts/get, params: {name: a}}\n    server: {result: 1}\n" * 2
    listed = f"""
version: 1
sessions:
- server: one
  entries:
  - client: {asked}
    server: {{result: 1}}
{others}- server: one
  entries:
  - client: {{method: tools/list}}
    server: {{result: {{tools: [{{name: look, annotations: {{readOnlyHint: true}}}}]}}}}
{others}"""
    twice = f"> {{id: 1, {asked[1:]}\n< {{id: 1, result: 1}}\n> {{id: 2, {asked[1:]}\n"
    dialogue(library(listed, server="one"), twice + "< {id: 2, result: 1}")
    elsewhere = "two".join(listed.rsplit("one", 1))
    dialogue(library(elsewhere, server="one"), twice + "< miss exhausted 2")


# -- a change counts from its answer on

OVERLAPPING = """
version: 1
sessions:
- entries:
  - client: {id: 1, method: resources/read, params: {uri: a}}
  - server: {id: 1, result: before}
  - client: {id: 2, method: tools/call, params: {name: ask}}
  - server: {id: 9, method: roots/list}
  - client: {id: 3, method: resources/read, params: {uri: a}}
  - server: {id: 3, result: still before}
  - client: {id: 9, result: {roots: []}}
  - server: {id: 2, result: changed}
  - client: {id: 4, method: resources/read, params: {uri: a}}
  - server: {id: 4, result: after}
"""


def test_a_change_counts_from_its_answer_on() -> None:
    """Ours (DESIGN 4): live as recorded, a read in the middle of a call is one of before it."""
    dialogue(
        OVERLAPPING,
        """
    > {id: 1, method: tools/call, params: {name: ask}}
    < {id: 9, method: roots/list}
    > {id: 2, method: resources/read, params: {uri: a}}
    < {id: 2, result: before}
    > {id: 3, method: resources/read, params: {uri: a}}
    < {id: 3, result: still before}
    > {id: 4, method: resources/read, params: {uri: a}}
    < {id: 4, result: still before}
    > {id: 9, result: {roots: []}}
    < {id: 1, result: changed}
    > {id: 5, method: resources/read, params: {uri: a}}
    < {id: 5, result: after}
    """,
    )


def test_a_change_that_was_never_answered_never_counts() -> None:
    """Ours (DESIGN 4)."""
    recorded = """
version: 1
sessions:
- entries:
  - client: {id: 1, method: tools/call, params: {name: hang}}
  - client: {id: 2, method: resources/read, params: {uri: a}}
  - server: {id: 2, result: 1}
  - client: {id: 3, method: resources/read, params: {uri: a}}
  - server: {id: 3, result: 2}
"""
    dialogue(
        recorded,
        """
    > {id: 1, method: tools/call, params: {name: hang}}
    > {id: 2, method: resources/read, params: {uri: a}}
    < {id: 2, result: 1}
    """,
    )
