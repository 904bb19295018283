"""Whose message is it (DESIGN 3): what an entry says itself (`in:`, `label:`)."""

from __future__ import annotations

import pytest

from mcpmock.errors import CassetteError
from tests.session.dialogue import HANDSHAKE, dialogue, library, recorded

LOG = "{method: notifications/message, params: {level: info, data: %s}}"
TWO_OPEN = """
    - {client: {id: 1, method: tools/call, params: {name: a}}, label: first}
    - {client: {id: 2, method: tools/call, params: {name: b}}, label: second}
"""
BOTH_ANSWERED = """
    < {id: 1, result: {a: 1}}
    < {id: 2, result: {b: 1}}
"""


@pytest.mark.parametrize("owner", ["2", "second"])
@pytest.mark.parametrize(
    "message",
    [
        LOG % "x",
        "{method: notifications/tools/list_changed}",
        "{method: notifications/resources/updated, params: {uri: 'a:1'}}",
        "{method: notifications/progress, params: {progressToken: 7, progress: 1}}",
        "{id: 0, method: sampling/createMessage, params: {}}",
        "{id: 0, method: roots/list}",
        "{error: {code: 1, message: what}}",
    ],
)
def test_an_entry_may_say_whose_it_is_by_id_or_label(owner: str, message: str) -> None:
    """Ours (DESIGN 3): `in:` goes before the rules."""
    answered = "> {id: 0, result: {}}" if "id: 0" in message else ""
    dialogue(
        recorded(HANDSHAKE + TWO_OPEN + f"- {{server: {message}, in: {owner}}}\n{answered}" + BOTH_ANSWERED),
        HANDSHAKE
        + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {{id: 1, result: {{a: 1}}}}
    > {{id: 2, method: tools/call, params: {{name: b}}}}
    < {message}
    {answered}
    < {{id: 2, result: {{b: 1}}}}
    """,
    )


def test_a_label_tells_which_of_two_requests_with_one_id_an_answer_is_for() -> None:
    """Ours (DESIGN 3): a label is written where an id would not tell; case RP-02."""
    dialogue(
        recorded(
            HANDSHAKE
            + """
    - {client: {id: 1, method: tools/call, params: {name: a}}, label: first}
    - {client: {id: 1, method: tools/call, params: {name: b}}, label: second}
    - {server: {method: notifications/message, params: {data: x}}, in: second}
    - {server: {id: 1, result: {b: 1}}, in: second}
    - {server: {id: 1, result: {a: 1}}, in: first}
    """
        ),
        HANDSHAKE
        + """
    > {id: 1, method: tools/call, params: {name: a}}
    < {id: 1, result: {a: 1}}
    > {id: 1, method: tools/call, params: {name: b}}
    < {method: notifications/message, params: {data: x}}
    < {id: 1, result: {b: 1}}
    """,
    )


def test_an_id_goes_by_its_type_and_names_the_request_that_is_open() -> None:
    """Ours (DESIGN 3): `in:` is the id of the open request, 1 is not "1", and an answered one is open no more."""
    dialogue(
        recorded(
            HANDSHAKE
            + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {{id: 1, result: {{a: 1}}}}
    > {{id: 1, method: tools/call, params: {{name: b}}}}
    > {{id: "1", method: tools/call, params: {{name: c}}}}
    - {{server: {LOG % "of-b"}, in: 1}}
    - {{server: {LOG % "of-c"}, in: "1"}}
    < {{id: "1", result: {{c: 1}}}}
    < {{id: 1, result: {{b: 1}}}}
    """
        ),
        HANDSHAKE
        + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {{id: 1, result: {{a: 1}}}}
    > {{id: 2, method: tools/call, params: {{name: c}}}}
    < {LOG % "of-c"}
    < {{id: 2, result: {{c: 1}}}}
    > {{id: 3, method: tools/call, params: {{name: b}}}}
    < {LOG % "of-b"}
    < {{id: 3, result: {{b: 1}}}}
    """,
    )


def test_a_label_may_stand_at_a_notification_and_at_a_short_form() -> None:
    """Ours (DESIGN 3): a label names any client entry."""
    dialogue(
        recorded(
            f"""
    - {{client: {{method: notifications/initialized}}, label: start}}
    - {{client: {{method: tools/call, params: {{name: a}}}}, server: {{result: {{a: 1}}}}, label: a}}
    - {{client: {{method: tools/call, params: {{name: b}}}}, server: {{result: {{b: 1}}}}}}
    - {{server: {LOG % "of-a"}, in: a}}
    - {{server: {LOG % "of-start"}, in: start}}
    """
        ),
        f"""
    > {{method: notifications/initialized}}
    < {LOG % "of-start"}
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {{id: 1, result: {{a: 1}}}}
    < {LOG % "of-a"}
    > {{id: 2, method: tools/call, params: {{name: b}}}}
    < {{id: 2, result: {{b: 1}}}}
    """,
    )


@pytest.mark.parametrize("owner", ["secnod", "3", '"1"'])
@pytest.mark.parametrize("message", [LOG % "x", "{id: 1, result: {}}"])
def test_an_owner_that_is_not_there_is_an_error_with_its_line(owner: str, message: str) -> None:
    """Ours (DESIGN 3): what cannot be meant is said, not guessed."""
    with pytest.raises(CassetteError, match="names nothing that was there before") as caught:
        library(recorded(TWO_OPEN + f"- {{server: {message}, in: {owner}}}" + BOTH_ANSWERED))
    assert (caught.value.path, caught.value.line) == ("test.yaml", 8)
