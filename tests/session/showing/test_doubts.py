"""What is allowed in a cassette and seldom meant (`mcpmock check` warns of it)."""

from __future__ import annotations

import pytest

from mcpmock.cassette.reader import load
from mcpmock.matching.miss import error_object, hints
from mcpmock.session.showing.doubts import doubts
from tests.session.dialogue import library, playback

HEAD = "version: 1\nsessions:\n- entries:\n"
ASK = "  - client: {id: 1, method: tools/call, params: {name: a}}\n"
UNANSWERED = '4: tools/call "a" is never answered'


def doubted(entries: str) -> list[str]:
    """The warnings, with their lines."""
    return [f"{doubt.line}: {doubt.text}" for doubt in doubts(load((HEAD + entries).encode()))]


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ("  - server: {id: 1, result: {}}\n", []),
        ("  - server: {id: '1', result: {}}\n", []),
        ("  - server: {id: 2, result: {}}\n", [UNANSWERED, "5: answer 2 belongs to no open request"]),
        (
            "  - server: {id: 1, result: {}}\n  - server: {id: 1, result: {}}\n",
            ["6: answer 1 belongs to no open request"],
        ),
        ("  - client: {method: notifications/cancelled, params: {requestId: 1}}\n", []),
        ("  - eof: server\n", []),
    ],
)
def test_an_answer_to_nothing_and_a_request_without_one_are_told(entries: str, told: list[str]) -> None:
    """Ours: a mistyped id is both; cancels and servers that leave are what they are (RP-07 allows strays)."""
    assert doubted(ASK + entries) == told


def test_a_stream_that_stays_open_is_not_expected_to_be_answered() -> None:
    """Spec (2026-07-28): `subscriptions/listen`."""
    assert not doubted("  - client: {id: 1, method: subscriptions/listen}\n")


def test_a_request_without_an_id_is_a_notification() -> None:
    """Ours: request and answer as two entries without ids are neither."""
    (told,) = doubted("  - client: {method: tools/list}\n  - server: {result: {tools: []}}\n")
    assert told.startswith("4: tools/list: without an id this is a notification; write request and answer in one entry")
    assert not doubted("  - client: {method: notifications/initialized}\n  - client: {method: vendor/any}\n")
    assert not doubted("  - client: {method: tools/list}\n    server: {result: {tools: []}}\n")


@pytest.mark.parametrize(
    ("method", "needed"),
    [
        ("tools/call", "name"),
        ("prompts/get", "name"),
        ("resources/read", "uri"),
        ("resources/unsubscribe", "uri"),
        ("completion/complete", "ref"),
        ("logging/setLevel", "level"),
        ("tasks/get", "taskId"),
    ],
)
def test_a_request_about_nothing_that_has_a_result_is_told(method: str, needed: str) -> None:
    """Ours: no server would have answered it so; that one refused it may well be what was recorded."""
    told = f"4: {method} has no {needed} in its params; a real server would refuse it"
    assert doubted(f"  - client: {{method: {method}}}\n    server: {{result: {{}}}}\n") == [told]
    other = f"  - client: {{id: 1, method: {method}, params: {{other: 1}}}}\n"
    assert doubted(f"{other}  - server: {{id: 1, result: {{}}}}\n") == [told]
    assert not doubted(f"{other}  - server: {{id: 1, error: {{code: -32602, message: no}}}}\n")
    assert not doubted(f"  - client: {{method: {method}, params: {{{needed}: a}}}}\n    server: {{result: {{}}}}\n")


@pytest.mark.parametrize(
    ("value", "told"),
    [("3", "is a number, quote it"), ("yes", ""), ("true", "is true, quote it"), ("[]", "is no string")],
)
def test_the_text_of_a_content_block_is_a_text(value: str, told: str) -> None:
    """Spec (content blocks): not what YAML takes for a number."""
    answer = f"    server: {{result: {{content: [{{type: text, text: {value}}}]}}}}\n"
    found = doubted(f"  - client: {{method: tools/call, params: {{name: a}}}}\n{answer}")
    assert found == ([f"4: /result/content/0/text: the text {told}"] if told else [])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tea, hot", ['5: /result/content/0: "hot" is a member without a value; a text with a comma goes in quotes']),
        ('"tea, hot"', []),
        ("tea, annotations: null, _meta: null", []),
        ("tea, vendor: 1", []),
    ],
)
def test_a_text_with_a_comma_that_stands_without_quotes_is_told(text: str, told: list[str]) -> None:
    """Ours: within braces YAML ends a text at the comma, and takes the rest for a key."""
    answer = f"  - server: {{id: 1, result: {{content: [{{type: text, text: {text}}}]}}}}\n"
    assert doubted(ASK + answer) == told


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("tool/call", ["4: tool/call is no method of MCP; did you mean tools/call?"]),
        ("tools/cal", ["4: tools/cal is no method of MCP; did you mean tools/call?"]),
        ("vendor/call", []),
        ("x" * 100_000, []),
    ],
)
def test_a_method_that_is_one_but_for_a_letter_is_told(method: str, told: list[str]) -> None:
    """Ours: whoever writes a cassette by hand mistypes; methods of vendors are theirs."""
    assert doubted(f"  - client: {{method: {method}, params: {{name: a}}}}\n    server: {{result: {{}}}}\n") == told


def test_what_is_an_argument_may_look_like_a_content_block() -> None:
    """Ours: arguments belong to the tool."""
    params = "{name: a, arguments: {type: text, text: 3}}"
    assert not doubted(f"  - client: {{method: tools/call, params: {params}}}\n    server: {{result: {{}}}}\n")


def test_the_miss_of_what_was_recorded_without_an_id_says_so() -> None:
    """Ours: not that nothing was recorded; and the hint names the cassette."""
    live = playback(library(HEAD + ASK.replace("id: 1, ", "") + "  - server: {result: {}}\n"))
    live.receive(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}')
    live.receive(b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}')
    first, other = live.report.misses
    told = 'mcpmock: tools/call "a" was recorded as a notification, without an id (test.yaml:4)'
    assert error_object(first)["message"] == told
    assert [hint.text for hint in hints(first)] == ["id: 1", "mcpmock record -o test.yaml -- COMMAND..."]
    assert error_object(other)["message"] == 'mcpmock: nothing was recorded for tools/call "b"'
    assert hints(other)[-1].text == "mcpmock record -o test.yaml -- COMMAND..."
