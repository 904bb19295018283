"""Ends: the recorded server leaves, the client closes (DESIGN 4, "The end"; DESIGN 3, `eof:` and `exit:`)."""

from __future__ import annotations

import pytest

from mcpmock.session.playing.actions import End, Send
from mcpmock.session.playing.live import Options
from tests.session.dialogue import HANDSHAKE, dialogue, playback, recorded

BEGIN = """
> {id: 0, method: initialize, params: {capabilities: {sampling: {}, roots: {}}}}
< {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
> {method: notifications/initialized}
"""


def ended(rest: str, *, exit_: str = "- exit: 3") -> str:
    return recorded(f"{HANDSHAKE}\n{rest}\n- eof: server\n{exit_}")


@pytest.mark.parametrize(("exit_", "status"), [("- exit: 3", "3"), ("- exit: 0", "0"), ("- exit: SIGKILL", "SIGKILL")])
def test_the_server_leaves_at_its_place_with_its_own_code_or_signal(exit_: str, status: str) -> None:
    """Ours (DESIGN 4); case PR-05: it left after reading a call, without an answer."""
    dialogue(
        ended("> {id: 7, method: tools/call, params: {name: crash}}", exit_=exit_),
        BEGIN
        + f"""
    > {{id: 1, method: ping}}
    < {{id: 1, result: {{}}}}
    > {{id: 9, method: tools/call, params: {{name: crash}}}}
    < end {status}
    """,
    )


def test_the_end_comes_after_the_answer_where_it_was_recorded_there() -> None:
    """Case PR-08: a server that answers one request and leaves."""
    dialogue(
        ended("> {id: 7, method: tools/call, params: {name: t}}\n< {id: 7, result: {}}", exit_="- exit: 0"),
        BEGIN + "> {id: 9, method: tools/call, params: {name: t}}\n< {id: 9, result: {}}\n< end 0",
    )


def test_the_end_belongs_to_what_the_client_said_last_before_it() -> None:
    """Ours (DESIGN 4): of two open calls the second one broke it; and so did an answer to a question."""
    dialogue(
        ended("> {id: 1, method: tools/call, params: {name: a}}\n> {id: 2, method: tools/call, params: {name: b}}"),
        BEGIN
        + """
    > {id: 1, method: tools/call, params: {name: a}}
    > {id: 2, method: tools/call, params: {name: b}}
    < end 3
    """,
    )
    dialogue(
        ended("""
        > {id: 1, method: tools/call, params: {name: a}}
        < {id: 5, method: roots/list}
        > {id: 5, result: {roots: []}}
        """),
        BEGIN
        + """
    > {id: 1, method: tools/call, params: {name: a}}
    < {id: 5, method: roots/list}
    > {id: 5, result: {roots: []}}
    < end 3
    """,
    )


def test_the_place_is_where_stdout_was_closed_though_the_client_went_on() -> None:
    """Case PR-08: what the client sent after that was never read."""
    dialogue(
        recorded(f"""{HANDSHAKE}
        > {{id: 1, method: tools/call, params: {{name: a}}}}
        - eof: server
        > {{id: 2, method: tools/call, params: {{name: b}}}}
        - exit: 3
        """),
        BEGIN + "> {id: 1, method: tools/call, params: {name: a}}\n< end 3",
    )


def test_a_server_that_only_closed_its_stdout_ends_too() -> None:
    """Ours (DESIGN 3): its `exit:` was not seen, as in a recording that was cut short."""
    dialogue(
        ended("> {id: 1, method: tools/call, params: {name: a}}", exit_=""),
        BEGIN + "> {id: 1, method: tools/call, params: {name: a}}\n< end 0",
    )


def test_a_server_that_left_before_anything_was_said_leaves_at_the_first_message() -> None:
    """Case PR-05: `command: python -c "import sys; sys.exit(3)"`."""
    machine = playback(recorded("- eof: server\n- exit: 3"))
    actions = machine.receive(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}')
    assert actions[0] == End(3)


@pytest.mark.parametrize("exit_", ["- exit: 0", "- exit: 1", "- exit: SIGTERM"])
def test_an_orderly_end_is_not_played(exit_: str) -> None:
    """Ours (DESIGN 4): after the client's EOF any end is orderly, one by signal too."""
    dialogue(
        recorded(f"{HANDSHAKE}\n> {{id: 1, method: tools/list}}\n< {{id: 1, result: {{}}}}\n- eof: client\n{exit_}"),
        BEGIN + "> {id: 1, method: tools/list}\n< {id: 1, result: {}}\n> eof",
    )


# -- the client closes


def test_after_the_clients_end_nothing_waits_for_it_any_more() -> None:
    """Ours (DESIGN 4, The end): what waits for the client is never sent, and what was in flight is flushed."""
    asked = recorded(f"""{HANDSHAKE}
    > {{id: 1, method: tools/call, params: {{name: ask}}}}
    < {{id: 5, method: roots/list}}
    > {{id: 5, result: {{roots: []}}}}
    < {{id: 1, result: {{}}}}
    """)
    machine = playback(asked)
    for line in (
        b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"roots":{}}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}',
    ):
        assert len(machine.receive(line)) == 1
    assert machine.end_of_input() == []
    assert machine.next_wake is None


def test_what_the_recorded_server_said_after_the_clients_end_is_played_at_its_place() -> None:
    """Ours (DESIGN 3): `eof: client` stands where server messages follow it; they belong to the client's last word."""
    dialogue(
        recorded(f"""{HANDSHAKE}
        > {{id: 1, method: tools/list}}
        - eof: client
        < {{id: 1, result: {{}}}}
        - exit: 0
        """),
        BEGIN + "> {id: 1, method: tools/list}\n< {id: 1, result: {}}\n> eof",
    )


def test_noise_is_played_in_its_place_only_where_it_is_wanted() -> None:
    """Case FR-06: stdout noise and stderr, in the order in which they were seen."""
    noisy = recorded("""
    - raw: "Server v1.2 ready"
    - stderr: "one\\n"
    > {id: 1, method: tools/list}
    - {raw: {base64: "/w=="}}
    - {raw: {dropped: 200000000}}
    < {id: 1, result: {}}
    """)
    asked = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    clean = playback(noisy).receive(asked)
    assert [type(one) for one in clean] == [Send]
    told = playback(noisy, Options(noise=True)).receive(asked)
    assert [getattr(one, "line", getattr(one, "text", None)) for one in told] == [
        b"Server v1.2 ready",
        "one\n",
        b"\xff",
        '{"jsonrpc":"2.0","id":1,"result":{}}',
    ]
