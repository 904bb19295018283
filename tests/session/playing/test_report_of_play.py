"""The report of a live session: what it did, what missed, what was left (DESIGN 4, "Miss"; issue 2, `--report`)."""

from __future__ import annotations

import json

from mcpmock.session.playing.live import Options
from mcpmock.session.playing.report import KEPT
from tests.session.dialogue import HANDSHAKE, continue_dialogue, dialogue, library, playback, recorded

SESSION = recorded(
    HANDSHAKE
    + """
    > {id: 1, method: resources/read, params: {uri: a}}
    < {id: 1, result: a}
    > {id: 2, method: tools/call, params: {name: ask}}
    < {id: 5, method: sampling/createMessage, params: {maxTokens: 1}}
    > {id: 5, result: {text: recorded}}
    < {id: 6, method: roots/list}
    > {id: 6, result: {roots: []}}
    < {id: 2, result: asked}
    > {id: 3, method: tools/call, params: {name: left}}
    < {id: 3, result: {}}
    """
)
TALK = """
> {id: 0, method: initialize, params: {capabilities: {sampling: {}}}}
< {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
> {method: notifications/initialized}
> {id: 1, method: resources/read, params: {uri: a}}
< {id: 1, result: a}
> {id: 2, method: resources/read, params: {uri: a}}
< {id: 2, result: a}
> {id: 3, method: resources/read, params: {uri: b}}
< miss near miss 3
> {id: 4, method: ping}
< {id: 4, result: {}}
> {method: notifications/roots/list_changed}
> {id: 9, method: tools/call, params: {name: ask}}
< {id: 5, method: sampling/createMessage, params: {maxTokens: 1}}
> {id: 5, result: {text: live}}
< {id: 9, result: asked}
> raw: no JSON
< {id: null, error: {code: -32700, message: "not JSON: Expecting value: line 1 column 1 (char 0)"}}
> {id: 77, result: {}}
"""


def test_of_very_many_misses_the_first_thousand_are_kept_and_all_are_counted() -> None:
    """Ours: a client that misses in a loop made a replay grow without end."""
    talk = playback(library(recorded(HANDSHAKE)))
    for number in range(KEPT + 5):
        talk.receive(b'{"jsonrpc":"2.0","id":%d,"method":"x/y"}' % number)
        talk.receive(b"no JSON")
    talk.report.bound()
    assert (len(talk.report.misses), talk.report.missed, talk.report.forgotten) == (KEPT, KEPT + 5, {"unknown": 5})
    assert len(talk.report.notes) == KEPT
    assert talk.report.misses[0].request.body["id"] == 0


def test_the_report_tells_every_call_and_what_became_of_it() -> None:
    """Issue 2 (`--report FILE`): in order, with the line of what was played."""
    told = dialogue(SESSION, TALK).report.to_json()
    assert [(one["method"], one["outcome"], one["line"]) for one in told["calls"]] == [  # type: ignore[union-attr,index]
        ("initialize", "played", 6),
        ("notifications/initialized", "played", 8),
        ("resources/read", "played", 10),
        ("resources/read", "repeated", 10),
        ("resources/read", "missed", 0),
        ("ping", "made up", 0),
        ("notifications/roots/list_changed", "ignored", 0),
        ("tools/call", "played", 12),
    ]
    assert told["requests"] == 8


def test_the_report_tells_misses_gates_answers_and_oddities() -> None:
    """Ours (DESIGN 4): a gate and another answer are noted and fatal to nobody; all of it is JSON."""
    told = json.loads(json.dumps(dialogue(SESSION, TALK).report.to_json()))
    assert [(one["method"], one["params"], one["error"]["code"]) for one in told["misses"]] == [
        ("resources/read", {"uri": "b"}, -31404)
    ]
    assert told["gates"] == [{"method": "roots/list", "line": 15}]
    assert told["different_answers"] == [{"line": 14, "recorded": {"text": "recorded"}, "live": {"text": "live"}}]
    assert len(told["notes"]) == 2


def test_calls_are_kept_only_where_somebody_wants_them() -> None:
    """Ours: a session of a million calls costs no memory."""
    from mcpmock.session.playing.playback import Playback

    machine = Playback(library(SESSION))
    continue_dialogue(machine, "> {id: 4, method: ping}\n< {id: 4, result: {}}")
    assert machine.report.requests == 1
    assert machine.report.calls == []


def test_what_is_left_is_told_with_its_line_and_params() -> None:
    """Ours (DESIGN 4): requests, and the questions of those that were played."""
    left = playback(SESSION).unplayed()
    assert [(one.method, one.params, one.line) for one in left] == [
        ("resources/read", {"uri": "a"}, 10),
        ("tools/call", {"name": "ask"}, 12),
        ("tools/call", {"name": "left"}, 18),
    ]
    machine = dialogue(SESSION, TALK)
    assert [(one.method, one.params, one.line) for one in machine.unplayed()] == [("tools/call", {"name": "left"}, 18)]


def test_a_question_that_was_not_reached_is_left() -> None:
    """Ours (DESIGN 4): "and answered server questions"; with the line of the question."""
    machine = dialogue(
        SESSION,
        """
    > {id: 9, method: tools/call, params: {name: ask}}
    < {id: 5, method: sampling/createMessage, params: {maxTokens: 1}}
    > {method: notifications/cancelled, params: {requestId: 9}}
    > {id: 1, method: ping}
    < {id: 1, result: {}}
    """,
    )
    assert [(one.method, one.params, one.line) for one in machine.unplayed()] == [
        ("resources/read", {"uri": "a"}, 10),
        ("roots/list", None, 15),
        ("tools/call", {"name": "left"}, 18),
    ]
    page = machine.unplayed_page(machine.unplayed())
    for words in ("2 of 3 recorded requests", "test.yaml:15", "roots/list", "left"):
        assert words in page


def test_an_empty_cassette_leaves_nothing_and_answers_what_needs_no_recording() -> None:
    """Ours (DESIGN 3): `sessions:` without items mean none."""
    for order in ("stateful", "strict"):
        machine = dialogue(
            "version: 1\nsessions:\n",
            """
        > {id: 1, method: ping}
        < {id: 1, result: {}}
        > {method: notifications/initialized}
        > {id: 2, method: server/discover}
        < {id: 2, error: {code: -32601, message: Method not found}}
        """,
            options=Options(order=order),
        )
        assert machine.unplayed() == []
        kind = "out of order" if order == "strict" else "unknown"
        continue_dialogue(machine, f"> {{id: 3, method: tools/call, params: {{name: a}}}}\n< miss {kind} 3")


def test_interactions_say_what_they_are() -> None:
    """Ours: in a debugger, and where an assertion fails."""
    interactions = list(library(recorded(HANDSHAKE, "- {raw: oops, from: client}")).story.interactions())
    assert "initialize" in repr(interactions[1])
    assert "raw" in repr(interactions[-1])
