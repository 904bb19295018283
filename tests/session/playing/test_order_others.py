"""Orders `sequence`, `strict` and `any` (DESIGN 4, "Which of several equal requests")."""

from __future__ import annotations

import pytest

from mcpmock.matching.miss import MISS_CODE
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.order import Order
from tests.session.dialogue import continue_dialogue, dialogue, playback
from tests.session.sayings import plays, session

SEQUENCE = Options(order="sequence")
STRICT = Options(order="strict")
ANY = Options(order="any")

LISTS = session("list -> A", "add -> 1", "list -> B", "add -> 2", "list -> C")


# -- sequence


def test_sequence_plays_the_next_unplayed_one_with_that_key() -> None:
    """Ours (DESIGN 4): whatever the state."""
    plays(LISTS, "list -> A", "list -> B", "list -> C", "add -> 1", "add -> 2", options=SEQUENCE)
    plays(LISTS, "add -> 1", "add -> 2", "list -> A", "list -> B", options=SEQUENCE)


def test_in_sequence_a_read_repeats_its_last_and_a_change_is_exhausted() -> None:
    """Ours (DESIGN 4): "After the last one a read repeats it; a change is a miss named exhausted"."""
    plays(session("list -> A", "list -> B"), "list -> A", "list -> B", "list -> B", "list -> B", options=SEQUENCE)
    plays(session("add -> 1", "add -> 2"), "add -> 1", "add -> 2", "add -> exhausted", options=SEQUENCE)


def test_in_sequence_changes_repeat_where_playback_repeats_are_allowed() -> None:
    """Ours (DESIGN 4)."""
    options = Options(order="sequence", repeats=True)
    plays(session("add -> 1", "add -> 2"), "add -> 1", "add -> 2", "add -> 2", options=options)


# -- strict


def test_strict_plays_the_recorded_global_order() -> None:
    """Ours (DESIGN 4)."""
    plays(LISTS, "list -> A", "add -> 1", "list -> B", "add -> 2", "list -> C", options=STRICT)


def test_in_strict_order_anything_else_is_a_miss() -> None:
    """Ours (DESIGN 4): and the recording goes on where it was."""
    plays(LISTS, "add -> out of order", "list -> A", "list -> out of order", "add -> 1", options=STRICT)


def test_in_strict_order_a_read_is_not_repeated() -> None:
    """Ours (DESIGN 4): "anything else is a miss"."""
    plays(session("list -> A", "add -> 1"), "list -> A", "list -> out of order", "add -> 1", options=STRICT)


@pytest.mark.parametrize(
    ("played", "expected"),
    [([], "resources/list"), (["list -> A"], "tools/call"), (["list -> A", "add -> 1"], None)],
)
def test_a_miss_in_strict_order_says_what_was_expected(played: list[str], expected: str | None) -> None:
    """Ours (DESIGN 4): the next recorded request with its line, or nothing where the recording has ended."""
    cassette = """
version: 1
sessions:
- entries:
  - client: {method: resources/list}
    server: {result: A}
  - client: {method: tools/call, params: {name: add}}
    server: {result: "1"}
"""
    talk = """
    > {id: 1, method: resources/list}
    < {id: 1, result: A}
    > {id: 2, method: tools/call, params: {name: add}}
    < {id: 2, result: "1"}
    """
    head = "\n".join(talk.strip().splitlines()[: 2 * len(played)])
    machine = dialogue(cassette, head + "\n> {id: 9, method: prompts/get}\n< miss out of order 9", options=STRICT)
    (miss,) = machine.report.misses
    told = miss.expected.candidate if miss.expected else None
    assert (told and told.request.method) == expected
    assert (told and told.line) == (5 + 2 * len(played) if expected else None)


def test_the_client_is_told_what_was_expected() -> None:
    """Ours (DESIGN 4): in the error's data, for machines, and in its message, for people."""
    machine = dialogue(LISTS, "> {id: 1, method: resources/list}\n< {id: 1, result: A}", options=STRICT)
    (action,) = machine.receive(b'{"jsonrpc":"2.0","id":2,"method":"resources/list"}')
    text = getattr(action, "text", "")
    assert f'"code":{MISS_CODE}' in text
    assert '"expected":{' in text
    assert "goes on with tools/call" in text


def test_strict_order_passes_over_what_is_optional() -> None:
    """Ours (DESIGN 3 and 4): one optional interaction, several, the last; what is not optional stands."""
    cassette = """
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: a}}
    server: {result: a}
    optional: true
  - client: {method: tools/call, params: {name: b}}
    server: {result: b}
    optional: true
  - client: {method: tools/call, params: {name: c}}
    server: {result: c}
  - client: {method: tools/call, params: {name: d}}
    server: {result: d}
    optional: true
"""

    def call(at: int, name: str) -> str:
        return f"> {{id: {at}, method: tools/call, params: {{name: {name}}}}}\n"

    def said(at: int, name: str) -> str:
        return f"< {{id: {at}, result: {name}}}\n"

    full = "".join(call(at, name) + said(at, name) for at, name in enumerate("abcd"))
    assert dialogue(cassette, full, options=STRICT).unplayed() == []
    dialogue(cassette, call(1, "b") + said(1, "b") + call(2, "c") + said(2, "c"), options=STRICT)
    dialogue(cassette, call(1, "c") + said(1, "c"), options=STRICT)
    dialogue(cassette, call(1, "b") + said(1, "b") + call(2, "a") + "< miss out of order 2", options=STRICT)
    dialogue(cassette, call(1, "d") + "< miss out of order 1", options=STRICT)


def test_in_strict_order_an_unexpected_notification_is_a_miss() -> None:
    """Ours (DESIGN 4): one that changes state; it gets no answer, so the miss is in the report only."""
    machine = dialogue(
        session("list -> A"),
        "> {method: notifications/roots/list_changed}\n> {id: 1, method: resources/list}\n< {id: 1, result: A}",
        options=STRICT,
    )
    assert [miss.kind for miss in machine.report.misses] == ["out of order"]


@pytest.mark.parametrize("noise", ["ping", "logging/setLevel"])
def test_noise_is_outside_the_strict_order(noise: str) -> None:
    """Ours (DESIGN 4, Noise): it uses up nothing, whether it was recorded there or not."""
    recorded = session("list -> A", f"{noise} -> recorded", "add -> 1")
    plays(recorded, f"{noise} -> recorded", "list -> A", "add -> 1", options=STRICT)


def test_the_handshake_is_part_of_the_strict_order_only_where_it_was_recorded() -> None:
    """Ours (DESIGN 3): a session without a handshake gets one."""
    machine = playback(LISTS, STRICT)
    asked = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}'
    assert "protocolVersion" in str(machine.receive(asked))
    continue_dialogue(machine, "> {id: 1, method: resources/list}\n< {id: 1, result: A}")
    with_handshake = session("initialize -> hello", "list -> A")
    plays(with_handshake, "list -> out of order", "initialize -> hello", "list -> A", options=STRICT)


def test_in_strict_order_everything_repeats_its_last_where_playback_repeats_are_allowed() -> None:
    """Ours (DESIGN 4): the last equal one that was recorded, once it has been played; what was not is still a miss."""
    options = Options(order="strict", repeats=True)
    recorded = session("list -> A", "add -> 1", "list -> B", "remove -> 2")
    plays(recorded, "list -> A", "list -> out of order", "add -> 1", "add -> 1", "list -> B", options=options)
    plays(recorded, "list -> A", "add -> 1", "list -> B", "list -> B", "add -> 1", "remove -> 2", options=options)


# -- any


def test_any_plays_the_best_match_however_often_it_was_played() -> None:
    """Ours (DESIGN 4)."""
    plays(session("add -> 1"), "add -> 1", "add -> 1", "add -> 1", options=ANY)


def test_any_minds_no_order() -> None:
    """Ours (DESIGN 4)."""
    plays(session("add -> 1", "remove -> 2"), "remove -> 2", "add -> 1", "remove -> 2", options=ANY)


def test_the_best_match_is_the_one_of_which_the_least_is_ignored() -> None:
    """Ours (DESIGN 4): an exact one, then one with fewer pointers, whatever the order in the file."""
    cassette = """
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: t, arguments: {a: 1, b: 1}}}
    server: {result: loosest}
    match: {ignore: [/arguments/a, /arguments/b]}
  - client: {method: tools/call, params: {name: t, arguments: {a: 1, b: 1}}}
    server: {result: loose}
    match: {ignore: [/arguments/b]}
  - client: {method: tools/call, params: {name: t, arguments: {a: 1, b: 1}}}
    server: {result: exact}
"""
    dialogue(
        cassette,
        """
    > {id: 1, method: tools/call, params: {name: t, arguments: {a: 1, b: 1}}}
    < {id: 1, result: exact}
    > {id: 2, method: tools/call, params: {name: t, arguments: {a: 1, b: 2}}}
    < {id: 2, result: loose}
    > {id: 3, method: tools/call, params: {name: t, arguments: {a: 2, b: 2}}}
    < {id: 3, result: loosest}
    > {id: 4, method: tools/call, params: {name: t, arguments: {a: 1, b: 1}}}
    < {id: 4, result: exact}
    """,
        options=ANY,
    )


@pytest.mark.parametrize("order", ["stateful", "sequence", "strict", "any"])
def test_a_request_that_was_never_recorded_misses_in_every_order(order: Order) -> None:
    """Ours (DESIGN 4): and the session goes on."""
    kind = "out of order" if order == "strict" else "unknown"
    dialogue(
        session("list -> A"),
        f"""
    > {{id: 1, method: x/own}}
    < miss {kind} 1
    > {{id: 2, method: resources/list}}
    < {{id: 2, result: A}}
    """,
        options=Options(order=order),
    )
