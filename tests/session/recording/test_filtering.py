"""`before_record`: what a user's own function leaves of a recording."""

from __future__ import annotations

from typing import Any

import pytest

from mcpmock.cassette.model import Entry
from mcpmock.errors import UsageError
from mcpmock.session.recording.filtering import RecordFilter
from tests.cassette.secrets_planted import made


def entries(*bodies: dict[str, Any]) -> list[Entry]:
    """Entries of the client (those with a method) and of the server."""
    return [Entry("client" if "method" in body else "server", (made(body),)) for body in bodies]


TALK = entries(
    {"id": 1, "method": "ping"},
    {"id": 2, "method": "tools/call", "params": {"name": "t"}},
    {"id": 1, "result": {}},
    {"id": 2, "result": {"x": "secret"}},
)


def test_a_message_is_kept_as_the_function_gives_it() -> None:
    """Issue 4: it may change what it was given, which is its own."""

    def change(body: dict[str, Any]) -> dict[str, Any]:
        if "result" in body:
            body["result"]["x"] = "-"
        return body

    kept = RecordFilter(change).entries([*TALK, Entry("stderr", text="x\n")])
    assert [entry.messages[0].body for entry in kept if entry.messages][-1] == {"id": 2, "result": {"x": "-"}}
    assert TALK[3].messages[0].body["result"] == {"x": "secret"}
    assert kept[-1].text == "x\n"


def test_a_message_that_is_left_out_takes_its_answer_with_it() -> None:
    """Issue 4: as in vcrpy, None is not recorded."""
    kept = RecordFilter(lambda body: None if body.get("method") == "ping" else body).entries(TALK)
    assert kept == [TALK[1], TALK[3]]


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda body: body["nothing"], "raised KeyError"),
        (lambda body: 7, "returned a int"),
        (lambda body: {"x": 1}, "what is no request"),
        (lambda body: {**body, "id": 9}, "changed the id"),
        (lambda body: {**body, "params": {1, 2}}, "what is no JSON"),
    ],
)
def test_a_function_that_fails_ends_the_recording_with_a_word(function: Any, told: str) -> None:
    """Issue 4: "must never leak nor lose silently"; what it raises may hold what it should have masked."""
    with pytest.raises(UsageError) as raised:
        RecordFilter(function).entries(TALK)
    assert told in str(raised.value)
    assert "test_filtering.py" in str(raised.value)
    assert "nothing'" not in str(raised.value)
