"""What would be otherwise if a cassette were replayed to itself (`mcpmock check`)."""

from __future__ import annotations

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.showing.selfcheck import Problem, selfcheck
from tests.session.dialogue import HANDSHAKE, recorded


def swapped(played: str, lost: str) -> str:
    """A read while a change is open (line 11), and again after it.

    Live the change is answered at once, so that what was recorded after it is played for both.
    """
    read = "> {id: %s, method: resources/read, params: {uri: x, _meta: {progressToken: %s}}}"
    return recorded(
        HANDSHAKE
        + f"""
        > {{id: 1, method: tools/call, params: {{name: add}}}}
        {read % (2, 2)}
        {lost}
        < {{id: 1, result: {{}}}}
        {read % (3, 3)}
        {played}
        """
    )


BAD: dict[str, tuple[str, list[Problem]]] = {
    "a read between a change and its answer": (
        recorded(
            HANDSHAKE
            + """
            > {id: 1, method: tools/call, params: {name: add}}
            > {id: 2, method: resources/read, params: {uri: x}}
            < {id: 2, result: {n: 0}}
            < {id: 1, result: {}}
            > {id: 3, method: resources/read, params: {uri: x}}
            < {id: 3, result: {n: 1}}
            """
        ),
        [Problem(12, 'resources/read "x" would be answered otherwise: /result/n was 0, is 1')],
    ),
    "another answer": (
        swapped("< {id: 3, result: {x: 1}}", "< {id: 2, result: {x: 2, y: 1, z: 1, w: 1}}"),
        [
            Problem(
                12,
                'resources/read "x" would be answered otherwise: '
                "/result/x was 2, is 1; /result/y was 1, is (nothing); /result/z was 1, is (nothing)",
            )
        ],
    ),
    "an error instead": (
        swapped("< {id: 3, error: {code: 1, message: no}}", "< {id: 2, result: {x: 2}}"),
        [
            Problem(
                12,
                'resources/read "x" would be answered otherwise: '
                '/result was {"x": 2}, is (nothing); /error was (nothing), is {"code": 1, "message": "no"}',
            )
        ],
    ),
    "an answer instead of none": (
        swapped("< {id: 3, result: {x: 1}}", ""),
        [Problem(11, 'resources/read "x" would be answered, but was not')],
    ),
    "no answer instead of one": (
        swapped("", "< {id: 2, result: {x: 1}}"),
        [Problem(12, 'resources/read "x" would not be answered')],
    ),
    "too little progress": (
        swapped(
            "< {id: 3, result: {x: 1}}",
            "< {method: notifications/progress, params: {progressToken: 2, progress: 1}}\n< {id: 2, result: {x: 1}}",
        ),
        [Problem(12, "the notification notifications/progress would not be sent")],
    ),
    "a question too much": (
        swapped(
            "< {id: 1, method: roots/list}\n> {id: 1, result: {roots: []}}\n< {id: 3, result: {x: 1}}",
            "< {id: 2, result: {x: 1}}",
        ),
        [
            Problem(14, "the question roots/list would be sent after this once more"),
            Problem(17, 'resources/read "x" would not be answered'),
        ],
    ),
    "a batch that its revision does not allow": (
        recorded(
            HANDSHAKE
            + """
            > [{id: 1, method: tools/call, params: {name: a}}, {id: 2, method: tools/list}]
            < {error: {code: -32600, message: no batches}}
            """
        ),
        [Problem(10, 'tools/call "a" would never be played')],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_would_be_otherwise_is_told_with_its_line(name: str) -> None:
    """Ours (issue 2): `mcpmock check`."""
    text, expected = BAD[name]
    assert selfcheck(load(text.encode(), path="x.yaml")) == expected
