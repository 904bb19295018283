"""Answering: live ids and progress tokens, and requests that overlap (DESIGN 4, "Answering")."""

from __future__ import annotations

import json
from itertools import permutations

import pytest

from mcpmock.session.playing.actions import Send
from tests.session.dialogue import dialogue, playback, recorded

IDS = [
    0,
    "",
    1,
    "1",
    -7,
    1.5,
    9007199254740993,
    -9223372036854775809,
    10**40,
    "listen-1",
    "~var.x~",
    'q"uo\\te',
    "\u2028\n",
    "é漢😀",
    "0",
    "null",
]

CALL = recorded("""
> {id: 5, method: tools/call, params: {name: t, _meta: {progressToken: 5}}}
< {method: notifications/progress, params: {progressToken: 5, progress: 1}}
< {id: 5, result: {}}
""")


# -- ids


@pytest.mark.parametrize("live_id", IDS)
def test_a_live_id_keeps_its_json_type(live_id: object) -> None:
    """Ours (DESIGN 4); PROTOCOL 5, traps 1 and 2: answers, errors of a miss, and what is made up."""
    for method in ("tools/call", "x/own", "ping"):
        talk = {"id": live_id, "method": method, "params": {"name": "t"}}
        (answer,) = (json.loads(one) for one in _sent(playback(CALL).receive(_frame(talk))))
        assert answer["id"] == live_id
        assert type(answer["id"]) is type(live_id)


def _frame(message: dict[str, object]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


def _sent(actions: list[object]) -> list[str]:
    return [action.text for action in actions if isinstance(action, Send)]


def test_equal_looking_ids_are_two_requests() -> None:
    """PROTOCOL 5, trap 1: `1` beside `"1"`, open at the same time and cancelled one by one."""
    dialogue(
        recorded("""
        > {id: 1, method: tools/call, params: {name: a}}
        < {id: 70, method: roots/list}
        > {id: 70, result: {roots: []}}
        < {id: 1, result: a}
        > {id: 2, method: tools/call, params: {name: b}}
        < {id: 71, method: roots/list}
        > {id: 71, result: {roots: []}}
        < {id: 2, result: b}
        """),
        """
    > {id: 1, method: tools/call, params: {name: a}}
    < {id: 70, method: roots/list}
    > {id: "1", method: tools/call, params: {name: b}}
    < {id: 71, method: roots/list}
    > {method: notifications/cancelled, params: {requestId: 1}}
    > {id: 70, result: {roots: []}}
    > {id: 71, result: {roots: []}}
    < {id: "1", result: b}
    """,
    )


def test_the_ids_of_the_two_sides_are_independent() -> None:
    """PROTOCOL 2.1 and 5, trap 3: client id 1 and server id 1 are open at the same time."""
    dialogue(
        recorded("""
        > {id: 1, method: tools/call, params: {name: a}}
        < {id: 1, method: roots/list}
        > {id: 1, result: {roots: []}}
        < {id: 1, result: a}
        """),
        """
    > {id: 1, method: tools/call, params: {name: a}}
    < {id: 1, method: roots/list}
    > {id: 1, result: {roots: []}}
    < {id: 1, result: a}
    """,
    )


# -- progress


@pytest.mark.parametrize("token", [*IDS, True])
def test_progress_comes_on_the_live_token_with_its_type(token: object) -> None:
    """Ours (DESIGN 4); PROTOCOL 4.2-2: 0 and the empty string are tokens too."""
    asked = {"id": 9, "method": "tools/call", "params": {"name": "t", "_meta": {"progressToken": token}}}
    progress, _ = (json.loads(one) for one in _sent(playback(CALL).receive(_frame(asked))))
    assert progress["params"]["progressToken"] == token
    assert type(progress["params"]["progressToken"]) is type(token)


@pytest.mark.parametrize("token", [b"1e400", b'{"a":[-1e400]}'])
def test_a_token_that_cannot_be_said_again_is_none(token: bytes) -> None:
    """Ours: a client may send any number, and JSON has none that is infinite; a replay ended by a traceback."""
    call = b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":%s}}}' % token
    assert [json.loads(one) for one in _sent(playback(CALL).receive(call))] == [
        {"jsonrpc": "2.0", "id": 9, "result": {}}
    ]


@pytest.mark.parametrize("params", ["{name: t}", "{name: t, _meta: {}}", "{name: t, _meta: {other: 1}}"])
def test_a_client_that_asks_for_no_progress_gets_none(params: str) -> None:
    """PROTOCOL 4.2-2."""
    dialogue(CALL, f"> {{id: 9, method: tools/call, params: {params}}}\n< {{id: 9, result: {{}}}}")


def test_overlapping_calls_get_their_own_progress_and_answers() -> None:
    """Ours (DESIGN 4): each message for the right call, though they were recorded in each other's midst."""
    overlapping = recorded("""
    > {id: 1, method: tools/call, params: {name: a, _meta: {progressToken: x}}}
    > {id: 2, method: tools/call, params: {name: b, _meta: {progressToken: y}}}
    < {method: notifications/progress, params: {progressToken: y, progress: 1}}
    < {method: notifications/progress, params: {progressToken: x, progress: 2}}
    < {id: 2, result: b}
    < {method: notifications/progress, params: {progressToken: x, progress: 3}}
    < {id: 1, result: a}
    """)
    dialogue(
        overlapping,
        """
    > {id: 1, method: tools/call, params: {name: a, _meta: {progressToken: y}}}
    < {method: notifications/progress, params: {progressToken: y, progress: 2}}
    < {method: notifications/progress, params: {progressToken: y, progress: 3}}
    < {id: 1, result: a}
    > {id: 2, method: tools/call, params: {name: b, _meta: {progressToken: x}}}
    < {method: notifications/progress, params: {progressToken: x, progress: 1}}
    < {id: 2, result: b}
    """,
    )


def test_only_an_answer_behind_its_own_progress_has_to_be_read_apart() -> None:
    """Ours (DESIGN 4): the mark by which the stdio shell knows."""
    marks = [
        [action.is_after_progress for action in playback(CALL).receive(_frame(asked)) if isinstance(action, Send)]
        for asked in (
            {"id": 1, "method": "tools/call", "params": {"name": "t", "_meta": {"progressToken": 0}}},
            {"id": 1, "method": "tools/call", "params": {"name": "t"}},
            {"id": 1, "method": "ping"},
        )
    ]
    assert marks == [[False, True], [False], [False]]


# -- requests that overlap

PARALLEL = recorded("""
> {id: 1, method: tools/call, params: {name: a}}
> {id: 2, method: tools/call, params: {name: b}}
> {id: 3, method: tools/call, params: {name: c}}
< {id: 9, method: sampling/createMessage, params: {messages: [a]}}
< {id: 3, result: c}
> {id: 9, result: {}}
< {id: 2, result: b}
< {id: 1, result: a}
""")


@pytest.mark.parametrize("order", list(permutations("bc")))
def test_parallel_clients_get_their_answers_whatever_the_order(order: tuple[str, ...]) -> None:
    """Ours (DESIGN 4): one request is open, waiting for its client, while others come and are answered."""
    others = "".join(
        f"> {{id: {name}, method: tools/call, params: {{name: {name}}}}}\n< {{id: {name}, result: {name}}}\n"
        for name in order
    )
    dialogue(
        PARALLEL,
        "> {id: a, method: tools/call, params: {name: a}}\n"
        "< {id: 9, method: sampling/createMessage, params: {messages: [a]}}\n"
        f"{others}> {{id: 9, result: {{}}}}\n< {{id: a, result: a}}",
    )


def test_a_sequential_client_is_never_made_to_wait_for_a_request_that_it_will_not_send() -> None:
    """Ours (DESIGN 4): what was recorded in parallel is answered one by one."""
    dialogue(
        PARALLEL,
        """
    > {id: 3, method: tools/call, params: {name: b}}
    < {id: 3, result: b}
    > {id: 4, method: tools/call, params: {name: c}}
    < {id: 4, result: c}
    """,
    )


def test_progress_that_carries_no_token_is_played_as_it_was_seen() -> None:
    """Issue 4: servers send it, against the spec; it is nobody's own progress."""
    dialogue(
        recorded("""
            > {id: 1, method: tools/call, params: {name: a}}
            < {method: notifications/progress, params: {progress: 1}}
            < {id: 1, result: done}
        """),
        """
            > {id: 7, method: tools/call, params: {name: a}}
            < {method: notifications/progress, params: {progress: 1}}
            < {id: 7, result: done}
        """,
    )
