"""Whose message is it (DESIGN 3, rule 5): anything else, log messages above all."""

from __future__ import annotations

import pytest

from tests.session.dialogue import HANDSHAKE, dialogue, recorded

ADD = """
    > {id: 2, method: tools/call, params: {name: add}}
    < {id: 2, result: {}}
"""
READ = """
    > {id: 3, method: resources/read, params: {uri: "b:2"}}
    < {id: 3, result: {}}
"""
LOG = "{method: notifications/message, params: {level: info, data: %s}}"


def test_a_log_message_belongs_to_the_only_open_request() -> None:
    """Ours (DESIGN 3, rule 5)."""
    dialogue(
        recorded(
            HANDSHAKE
            + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    > {{method: notifications/roots/list_changed}}
    < {LOG % "one"}
    < {{id: 1, result: {{a: 1}}}}
    """
        ),
        HANDSHAKE
        + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {LOG % "one"}
    < {{id: 1, result: {{a: 1}}}}
    """,
    )


def test_of_several_open_requests_a_log_message_belongs_to_the_one_that_is_answered_next() -> None:
    """Ours (DESIGN 3, rule 5): the order of sending does not matter; one that is never answered comes last."""
    dialogue(
        recorded(
            HANDSHAKE
            + f"""
    > {{id: 1, method: tools/call, params: {{name: never}}}}
    > {{id: 2, method: tools/call, params: {{name: a}}}}
    > {{id: 3, method: tools/call, params: {{name: b}}}}
    < {LOG % "of-b"}
    < {{id: 3, result: {{b: 1}}}}
    < {LOG % "of-a"}
    < {{id: 2, result: {{a: 1}}}}
    """
        ),
        HANDSHAKE
        + f"""
    > {{id: 1, method: tools/call, params: {{name: never}}}}
    > {{id: 2, method: tools/call, params: {{name: a}}}}
    < {LOG % "of-a"}
    < {{id: 2, result: {{a: 1}}}}
    > {{id: 3, method: tools/call, params: {{name: b}}}}
    < {LOG % "of-b"}
    < {{id: 3, result: {{b: 1}}}}
    """,
    )


@pytest.mark.parametrize("before", [READ, "> {method: notifications/roots/list_changed}"])
def test_with_nothing_open_a_log_message_belongs_to_the_client_message_before_it(before: str) -> None:
    """Ours (DESIGN 3, rule 5)."""
    recording = recorded(HANDSHAKE + ADD + before + f"\n< {LOG % 'late'}")
    dialogue(recording, HANDSHAKE + before + f"\n< {LOG % 'late'}" + ADD)


def test_with_nothing_open_the_message_before_may_be_an_answer() -> None:
    """Ours (DESIGN 3, rule 5): what follows the client's answer to a question waits for it."""
    dialogue(
        recorded(
            HANDSHAKE
            + f"""
    < {{id: 0, method: roots/list}}
    > {{id: 0, result: {{roots: []}}}}
    < {LOG % "thanks"}
    """
        ),
        HANDSHAKE
        + f"""
    < {{id: 0, method: roots/list}}
    > {{id: 1, method: ping}}
    < {{id: 1, result: {{}}}}
    > {{id: 0, result: {{roots: []}}}}
    < {LOG % "thanks"}
    """,
    )


def test_with_nothing_open_the_message_before_may_be_a_cancel() -> None:
    """Ours (DESIGN 3, rule 5; DESIGN 4, "A cancel is a step"): a cancelled request is open no more."""
    dialogue(
        recorded(
            HANDSHAKE
            + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    > {{method: notifications/cancelled, params: {{requestId: 1}}}}
    < {LOG % "stopped"}
    """
        ),
        HANDSHAKE
        + f"""
    > {{id: 7, method: tools/call, params: {{name: a}}}}
    > {{method: notifications/cancelled, params: {{requestId: 7}}}}
    < {LOG % "stopped"}
    """,
    )


def test_a_cancel_that_came_too_late_is_no_message_before() -> None:
    """PROTOCOL 2.1: cancels race with answers; a client that is answered at once sends none."""
    dialogue(
        recorded(
            HANDSHAKE
            + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {{id: 1, result: {{a: 1}}}}
    > {{method: notifications/cancelled, params: {{requestId: 1}}}}
    < {LOG % "late"}
    """
        ),
        HANDSHAKE
        + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {{id: 1, result: {{a: 1}}}}
    < {LOG % "late"}
    """,
    )


def test_the_clients_progress_is_no_message_before() -> None:
    """Ours (DESIGN 3): how often a client reports varies, with nobody listening."""
    report = "\n> {method: notifications/progress, params: {progressToken: 1, progress: 1}}"
    recording = recorded(HANDSHAKE + READ + report + f"\n< {LOG % 'one'}")
    dialogue(recording, HANDSHAKE + READ + f"\n< {LOG % 'one'}" + report + report)


def test_a_ping_is_nobodys_cause_while_something_else_is_open() -> None:
    """Ours (DESIGN 4, "Noise"): clients send pings by the clock, so the next one may send none."""
    dialogue(
        recorded(
            HANDSHAKE
            + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    > {{id: 2, method: ping}}
    < {LOG % "one"}
    < {{id: 2, result: {{}}}}
    < {{id: 1, result: {{a: 1}}}}
    """
        ),
        HANDSHAKE
        + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {LOG % "one"}
    < {{id: 1, result: {{a: 1}}}}
    """,
    )


def test_with_nothing_else_open_the_message_before_may_be_a_ping() -> None:
    """Ours (DESIGN 3, rule 5)."""
    ping = "\n> {id: 1, method: ping}\n< {id: 1, result: {}}"
    dialogue(recorded(HANDSHAKE + ping + f"\n< {LOG % 'one'}"), HANDSHAKE + ping + f"\n< {LOG % 'one'}")


def test_an_error_without_an_id_is_played_at_its_place() -> None:
    """Case RP-04: it answers nothing, and is unsolicited."""
    error = "{%serror: {code: -32700, message: Parse error}}"
    recording = recorded(
        HANDSHAKE
        + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {error % "id: null, "}
    < {error % ""}
    < {{id: 1, result: {{a: 1}}}}
    """
    )
    dialogue(
        recording,
        HANDSHAKE
        + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {error % "id: null, "}
    < {error % ""}
    < {{id: 1, result: {{a: 1}}}}
    """,
    )
