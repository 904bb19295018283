"""Batches, input without a readable id, errors without one, strays (DESIGN 4; cases RP-04, RP-06, RP-07)."""

from __future__ import annotations

import pytest

from mcpmock.session.playing.live import Options
from tests.session.dialogue import continue_dialogue, dialogue, playback, recorded


def session(revision: str, rest: str = "") -> str:
    return recorded(f"""
> {{id: 0, method: initialize, params: {{protocolVersion: "{revision}", capabilities: {{}}}}}}
< {{id: 0, result: {{protocolVersion: "{revision}"}}}}
> {{method: notifications/initialized}}
{rest}
""")


def begin(revision: str) -> str:
    return (
        "> {id: 0, method: initialize, params: {capabilities: {sampling: {}}}}\n"
        f'< {{id: 0, result: {{protocolVersion: "{revision}"}}}}\n'
        "> {method: notifications/initialized}\n"
    )


CALLS = """
> {id: 1, method: tools/call, params: {name: a}}
< {id: 1, result: a}
> {id: 2, method: tools/call, params: {name: ask, _meta: {progressToken: 1}}}
< {method: notifications/progress, params: {progressToken: 1, progress: 1}}
< {id: 7, method: sampling/createMessage}
> {id: 7, result: {}}
< {id: 2, result: asked}
> {id: 3, method: tools/call, params: {name: hang}}
> {id: 4, method: resources/read, params: {uri: r}}
> {method: notifications/cancelled, params: {requestId: 4}}
< {id: 4, error: {code: -32800, message: cancelled}}
"""
BATCH = "2025-03-26"


def test_a_batch_is_answered_as_one_array_without_its_notifications() -> None:
    """Case RP-06: also the misses and what is made up."""
    dialogue(
        session(BATCH, CALLS),
        begin(BATCH)
        + """
    > [{id: 1, method: ping}, {method: x/y}, {id: 2, method: tools/call, params: {name: a}}, {id: x, method: x}]
    < [{id: 1, result: {}}, {id: 2, result: a}, [miss, unknown, x]]
    """,
    )


def test_a_batch_of_notifications_is_answered_with_nothing() -> None:
    """JSON-RPC 2.0 section 6: no empty array."""
    dialogue(
        session(BATCH),
        begin(BATCH) + "> [{method: notifications/x}]\n> {id: 1, method: ping}\n< {id: 1, result: {}}",
    )


def test_what_a_batch_waits_for_is_asked_at_once_and_the_array_comes_when_all_is_there() -> None:
    """Ours (DESIGN 4): progress and questions are messages of their own; a request between is answered on its own."""
    machine = dialogue(
        session(BATCH, CALLS),
        begin(BATCH)
        + """
    > [{id: 1, method: tools/call, params: {name: ask, _meta: {progressToken: t}}}, {id: 2, method: ping}]
    < {method: notifications/progress, params: {progressToken: t, progress: 1}}
    < {id: 7, method: sampling/createMessage}
    > {id: 3, method: ping}
    < {id: 3, result: {}}
    """,
    )
    (array,) = machine.receive(b'[{"jsonrpc":"2.0","id":7,"result":{}}]')
    assert getattr(array, "text", "").startswith("[{")
    assert getattr(array, "is_after_progress", False), "an array with an answer behind its progress is one too"


def test_a_request_that_is_never_answered_is_missing_in_the_array() -> None:
    """Ours (DESIGN 4): unanswered calls stay unanswered, and hold up nobody."""
    dialogue(
        session(BATCH, CALLS),
        begin(BATCH)
        + """
    > [{id: 1, method: tools/call, params: {name: hang}}, {id: 2, method: tools/call, params: {name: a}}]
    < [{id: 2, result: a}]
    """,
    )


def test_a_request_that_is_cancelled_is_missing_in_the_array() -> None:
    """Ours (DESIGN 4): or it is there with the recorded answer to the cancel."""
    dialogue(
        session(BATCH, CALLS),
        begin(BATCH)
        + """
    > [{id: 1, method: tools/call, params: {name: ask}}, {id: 2, method: tools/call, params: {name: a}}]
    < {id: 7, method: sampling/createMessage}
    > {method: notifications/cancelled, params: {requestId: 1}}
    < [{id: 2, result: a}]
    """,
    )
    dialogue(
        session(BATCH, CALLS),
        begin(BATCH)
        + """
    > [{id: 1, method: resources/read, params: {uri: r}}, {id: 2, method: tools/call, params: {name: a}}]
    > {method: notifications/cancelled, params: {requestId: 1}}
    < [{id: 2, result: a}, {id: 1, error: {code: -32800, message: cancelled}}]
    """,
    )


def test_what_of_a_batch_is_there_is_sent_when_the_client_closes() -> None:
    """Ours (DESIGN 4): what waits for the client is never answered; the rest is flushed."""
    dialogue(
        session(BATCH, CALLS),
        begin(BATCH)
        + """
    > [{id: 1, method: tools/call, params: {name: ask}}, {id: 2, method: tools/call, params: {name: a}}]
    < {id: 7, method: sampling/createMessage}
    > eof
    < [{id: 2, result: a}]
    """,
    )


def test_a_recorded_batch_is_played_message_by_message_to_who_asks_one_by_one() -> None:
    """Ours (DESIGN 3): a batch is a way of sending; its members are messages like any other."""
    batched = session(
        BATCH,
        """
    > [{id: 1, method: prompts/list}, {id: 2, method: resources/list}]
    < [{id: 2, result: r}, {id: 1, result: p}]
    """,
    )
    dialogue(
        batched,
        begin(BATCH)
        + """
    > {id: 5, method: prompts/list}
    < {id: 5, result: p}
    > [{id: 6, method: resources/list}]
    < [{id: 6, result: r}]
    """,
    )


# -- where there are no batches, and what has no readable id

OTHERS = [("2024-11-05", ", id: null"), ("2025-06-18", ", id: null"), ("2025-11-25", "")]


@pytest.mark.parametrize(("revision", "told"), OTHERS)
def test_a_batch_is_refused_whole_in_every_other_revision(revision: str, told: str) -> None:
    """Case RP-06: -32600. Case RP-04: an id of null before 2025-11-25, none from then on."""
    machine = playback(session(revision, CALLS))
    continue_dialogue(machine, begin(revision))
    _refused(machine, b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, told)


@pytest.mark.parametrize(("revision", "told"), [*OTHERS, (BATCH, ", id: null")])
@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"[]", -32600),
        (b"\xff\xfe", -32700),
        (b"hello", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":NaN}', -32700),
        (b"[" * 100_000, -32700),
        (b"42", -32600),
        (b"null", -32600),
        (b"{}", -32600),
        (b'{"id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32600),
    ],
)
def test_input_without_a_readable_id_gets_an_error_without_one(
    revision: str, told: str, line: bytes, code: int
) -> None:
    """Case RP-04: JSON-RPC 2.0 says null; from 2025-11-25 on the schema lets it be left out, and never be null."""
    machine = playback(session(revision))
    continue_dialogue(machine, begin(revision))
    _refused(machine, line, code, told)
    continue_dialogue(machine, "> {id: 1, method: ping}\n< {id: 1, result: {}}")


@pytest.mark.parametrize(("revision", "told"), OTHERS)
def test_before_the_handshake_the_recorded_revision_decides(revision: str, told: str) -> None:
    """Case RP-04."""
    _refused(playback(session(revision)), b"hello", -32700, told)


def _refused(machine: object, line: bytes, code: int, told: str) -> None:
    (action,) = machine.receive(line)  # type: ignore[attr-defined]
    head = '{"jsonrpc":"2.0","id":null,"error":{' if told else '{"jsonrpc":"2.0","error":{'
    assert action.text.startswith(f'{head}"code":{code},"message":"')


@pytest.mark.parametrize(
    "line",
    [b'{"id":7,"method":"ping"}', b'{"jsonrpc":"2.0","id":7}', b'{"jsonrpc":"2.0","id":7,"method":1}'],
)
def test_an_invalid_request_with_a_readable_id_is_answered_under_that_id(line: bytes) -> None:
    """JSON-RPC 2.0 section 5: the id of the request, if it could be detected."""
    (action,) = playback(session(BATCH)).receive(line)
    assert getattr(action, "text", "").startswith('{"jsonrpc":"2.0","id":7,"error":{"code":-32600')


def test_a_recorded_error_without_a_readable_id_is_replayed_in_its_place() -> None:
    """Case RP-04: to the same broken line what the recorded server said, to another one the standard error."""
    broken = session(
        "2025-06-18",
        """
    - {raw: "oops", from: client}
    < {id: null, error: {code: -32700, message: recorded}}
    > {id: 1, method: ping}
    < {id: 1, result: {}}
    < {error: {code: -32603, message: out of the blue}}
    """,
    )
    machine = dialogue(
        broken,
        begin("2025-06-18")
        + """
    > raw: oops
    < {id: null, error: {code: -32700, message: recorded}}
    > {id: 1, method: ping}
    < {id: 1, result: {}}
    < {error: {code: -32603, message: out of the blue}}
    > raw: oops
    < {id: null, error: {code: -32700, message: recorded}}
    """,
    )
    _refused(machine, b"other", -32700, ", id: null")


# -- strays

STRAYS = session(
    "2025-06-18",
    """
> {id: 1, method: tools/call, params: {name: a}}
< {id: 1, result: a}
< {id: 1, result: twice}
< {id: 99, result: stray}
> {id: 2, method: tools/call, params: {name: b}}
< {id: 1, result: thrice}
< {id: 2, result: b}
""",
)


def test_an_answer_to_nothing_and_a_second_answer_are_left_out() -> None:
    """Case RP-07: default replay answers once."""
    dialogue(
        STRAYS,
        begin("2025-06-18")
        + """
    > {id: 5, method: tools/call, params: {name: a}}
    < {id: 5, result: a}
    > {id: 6, method: tools/call, params: {name: b}}
    < {id: 6, result: b}
    """,
    )


def test_in_strict_order_they_are_sent_in_their_place() -> None:
    """Case RP-07: a second answer under the id that its request has live, a stray under its own."""
    dialogue(
        STRAYS,
        begin("2025-06-18")
        + """
    > {id: 5, method: tools/call, params: {name: a}}
    < {id: 5, result: a}
    < {id: 5, result: twice}
    < {id: 99, result: stray}
    > {id: 6, method: tools/call, params: {name: b}}
    < {id: 5, result: thrice}
    < {id: 6, result: b}
    """,
        options=Options(order="strict"),
    )
