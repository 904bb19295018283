"""Rounds of input (2026-07-28) in a few words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.session.showing.rounds_gist import gist_of_reply, gist_of_round
from mcpmock.wire.message import Json, Message, Object, message_from

ELICIT: Object = {"method": "elicitation/create", "params": {"message": "who?", "requestedSchema": {}}}
SAMPLE: Object = {
    "method": "sampling/createMessage",
    "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "a poem"}}]},
}


def made(body: Object) -> Message:
    """The message that a body is."""
    message = message_from(body)
    assert isinstance(message, Message)
    return message


def replied(questions: Json) -> str:
    """The gist of an answer that asks these questions."""
    result: Object = {"resultType": "input_required", "inputRequests": questions, "requestState": "long and opaque"}
    return gist_of_reply(made({"id": 1, "result": result}), "tools/call")


def came_again(responses: Json) -> str:
    """The gist of a request that comes again with these answers."""
    params: Object = {"name": "book", "arguments": {"seat": "1a"}, "inputResponses": responses, "requestState": "s"}
    return gist_of_round(made({"id": 2, "method": "tools/call", "params": params}))


@pytest.mark.parametrize(
    ("questions", "gist"),
    [
        ({"a": ELICIT}, "asks elicitation/create who?"),
        ({"a": ELICIT, "b": SAMPLE}, 'asks elicitation/create who?; sampling/createMessage "a poem"'),
        ({"a": {"method": "roots/list"}}, "asks roots/list"),
        ({"a": 3}, "asks 3"),
        ({}, "asks to come again"),
    ],
)
def test_a_round_says_what_is_asked(questions: Json, gist: str) -> None:
    """Ours (issue 2): not the JSON of the questions, of which a screen shows the beginning only."""
    assert replied(questions) == gist


@pytest.mark.parametrize(
    ("responses", "gist"),
    [
        ({"a": {"action": "accept", "content": {"name": "Ann"}}}, 'with accept {"name": "Ann"}'),
        ({"a": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "roses"}}}, 'with m: "roses"'),
        ({"a": {"action": "decline"}, "b": {"roots": []}}, "with decline; 0 roots"),
        ({"a": {}}, "with ok"),
        ({"a": None}, "with null"),
        ({}, ""),
    ],
)
def test_the_next_round_says_what_was_answered(responses: Json, gist: str) -> None:
    """Ours (issue 2): else it looked like the same request twice."""
    assert came_again(responses) == f'book {{"seat": "1a"}} {gist}'.strip()


@given(
    st.dictionaries(
        st.text(), st.none() | st.text() | st.dictionaries(st.sampled_from(["action", "method"]), st.text())
    )
)
def test_any_rounds_have_a_gist_on_one_printable_line(values: dict[str, Json]) -> None:
    """Ours: a cassette may hold anything, and a terminal obeys what it is sent."""
    assert replied(values).isprintable()
    assert came_again(values).isprintable()
