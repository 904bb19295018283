"""What happened in a session as data: whose is what, how long it took, how much it was."""

from __future__ import annotations

import json

import pytest

from mcpmock.cassette.model import Cassette, Entry
from mcpmock.cassette.reader import load
from mcpmock.errors import CassetteError
from mcpmock.session.events import Event
from mcpmock.session.showing.summary import SessionSummary, summarize
from mcpmock.session.showing.totals import add_up, count
from mcpmock.session.showing.transcript import head_of, lines_of, totals_of
from mcpmock.wire.message import Json, Message

HEAD = "version: 1\nsessions:\n"


def cassette(*lines: str) -> Cassette:
    """The cassette with these lines of YAML as entries of its one session."""
    return load((HEAD + "- entries:\n" + "".join(f"  {line}\n" for line in lines)).encode())


def told(summary: SessionSummary) -> list[str]:
    """The lines of a session."""
    return [line.text for line in lines_of(summary, 100)]


def test_overlapping_calls_keep_their_own_apart() -> None:
    """Ours (DESIGN 3, "Whose message is it"): by id and by progress token."""
    (summary,) = summarize(
        cassette(
            "- client: {id: 1, method: tools/call, params: {name: a, _meta: {progressToken: x}}}",
            "- client: {id: 2, method: tools/call, params: {name: b, _meta: {progressToken: y}}}",
            "- server: {method: notifications/progress, params: {progressToken: y, progress: 1}}",
            "- server: {method: notifications/progress, params: {progressToken: x, progress: 2}}",
            "- server: {id: 2, result: {content: []}}",
            "- server: {id: 1, result: {content: []}}",
        )
    )
    assert told(summary) == [
        "→ tools/call a",
        "  ← notifications/progress 2",
        '  ← {"content": []}',
        "→ tools/call b",
        "  ← notifications/progress 1",
        '  ← {"content": []}',
    ]


def test_equal_ids_of_both_directions_are_not_mixed_up() -> None:
    """PROTOCOL 5, trap 3."""
    (summary,) = summarize(
        cassette(
            "- client: {id: 1, method: tools/call, params: {name: a}}",
            "- server: {id: 1, method: sampling/createMessage, params: {messages: []}}",
            "- client: {id: 1, result: {model: m, content: {type: text, text: x}}}",
            "- server: {id: 1, result: {content: []}}",
            "- client: {id: 7, result: {}}",
        )
    )
    assert told(summary) == [
        "→ tools/call a",
        "  ← asks sampling/createMessage null",
        '    → m: "x"',
        '  ← {"content": []}',
        "→ answer 7 to no open request: ok",
    ]


@pytest.mark.parametrize("end", ["", "- server: {id: 1, result: {resultType: complete}}"])
def test_a_subscription_is_not_said_to_be_unanswered(end: str) -> None:
    """Spec (2026-07-28): it stays open, or is ended; neither is a fault."""
    (summary,) = summarize(
        cassette("- client: {id: 1, method: subscriptions/listen, params: {notifications: {}}}", *filter(None, [end]))
    )
    assert "never answered" not in "".join(told(summary))
    assert "unanswered" not in summary.totals.events


def test_a_client_that_never_comes_again_with_what_it_was_asked_is_told() -> None:
    """Spec (2026-07-28): nothing makes it; and of several rounds each but the last one went on."""
    asks = "result: {resultType: input_required, inputRequests: {a: {method: roots/list}}, requestState: s%d}"
    first = ["- client: {id: 1, method: tools/call, params: {name: t}}", f"- server: {{id: 1, {asks % 1}}}"]
    again = (
        "- client: {id: %d, method: tools/call, params: {name: t, requestState: s%d, inputResponses: {a: {roots: []}}}}"
    )
    second = [again % (2, 1), f"- server: {{id: 2, {asks % 2}}}"]
    third = [again % (3, 2), "- server: {id: 3, result: {resultType: complete, content: []}}"]
    note = "  (the client did not come again)"
    for entries, places in ((first, [2]), (first + second, [4]), (first + second + third, [])):
        (summary,) = summarize(cassette(*entries))
        assert [at for at, line in enumerate(told(summary)) if line == note] == places


def test_totals_of_several_sessions_add_up() -> None:
    """Ours (issue 2)."""
    session = "- url: https://h.example/mcp\n  entries:\n  - client: {id: 1, method: ping}\n  timing: [70000]\n"
    summaries = summarize(load((HEAD + session * 2).encode()))
    assert head_of(summaries[1], 80) == ["session 2 of 2: stdio, 1 min 10 s", "url: https://h.example/mcp"]
    totals = add_up(summary.totals for summary in summaries)
    assert totals.duration == 140_000
    assert list(totals_of(totals, 2, 100)) == [
        "2 sessions, 2 messages: 2 from the client, 0 from the server (80 B and 0 B)",
        "requests: ping 2",
        "also: unanswered 2",
    ]
    assert json.loads(json.dumps(totals.to_json()))["requests"] == {"ping": 2}


def test_sizes_are_told_in_units_of_a_thousand() -> None:
    """Ours."""
    text = "x" * 3_000_000
    (summary,) = summarize(cassette(f"- server: {{method: notifications/message, params: {{data: {text}}}}}"))
    assert "(0 B and 3.0 MB)" in next(totals_of(summary.totals, 1, 100))


def test_a_message_nested_beyond_measure_has_a_size() -> None:
    """Ours: depth is no matter."""
    deep: Json = []
    for _ in range(100_000):
        deep = [deep]
    totals = count([Event(Entry("client"), "client", Message({"method": "x", "params": deep}, "notification"))], [])
    assert totals.bytes["client"] > 200_000


def test_what_is_no_message_is_told_as_what_it_is() -> None:
    """Ours: a line that was too long to keep, bytes that are no text."""
    (summary,) = summarize(
        cassette('- raw: {base64: "/wp4"}', "- raw: {dropped: 70000000}", "- raw: hello", "  from: client", "- exit: 2")
    )
    assert told(summary) == [
        "(before any request)",
        r'  ← no message: "\\xff\nx"',
        "  ← no message: a line of 70000000 bytes, too long to keep",
        '→ no message: "hello"',
        "(the server ended: status 2)",
    ]
    assert summary.items[0].to_json()["items"]


def test_an_owner_that_is_not_there_is_an_error_of_the_cassette() -> None:
    """Ours (DESIGN 3, `in:`)."""
    with pytest.raises(CassetteError) as caught:
        summarize(cassette("- server: {method: notifications/message, params: {data: x}}", "  in: 5"))
    assert caught.value.line == 4
