"""Whose message is it (DESIGN 3, rule 3): `list_changed` and `resources/updated`."""

from __future__ import annotations

import pytest

from tests.session.dialogue import HANDSHAKE, dialogue, recorded

CHANGED = ["tools", "prompts", "resources"]


@pytest.mark.parametrize("kind", CHANGED)
def test_list_changed_belongs_to_initialized_while_no_later_request_has_been_answered(kind: str) -> None:
    """Ours (DESIGN 3, rule 3): servers register their tools once they are initialized."""
    changed = f"{{method: notifications/{kind}/list_changed}}"
    dialogue(
        recorded(
            HANDSHAKE
            + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    > {{id: 2, method: resources/list}}
    < {changed}
    < {{id: 1, result: {{a: 1}}}}
    < {{id: 2, result: {{resources: []}}}}
    """
        ),
        HANDSHAKE
        + f"""
    < {changed}
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {{id: 1, result: {{a: 1}}}}
    """,
    )


@pytest.mark.parametrize("kind", CHANGED)
def test_list_changed_belongs_to_the_latest_open_call_once_a_request_has_been_answered(kind: str) -> None:
    """Ours (DESIGN 3, rule 3)."""
    changed = f"{{method: notifications/{kind}/list_changed}}"
    dialogue(
        recorded(
            HANDSHAKE
            + f"""
    > {{id: 1, method: tools/list}}
    < {{id: 1, result: {{tools: []}}}}
    > {{id: 2, method: tools/call, params: {{name: a}}}}
    > {{id: 3, method: tools/call, params: {{name: b}}}}
    > {{id: 4, method: resources/list}}
    < {changed}
    < {{id: 4, result: {{resources: []}}}}
    < {{id: 3, result: {{b: 1}}}}
    < {{id: 2, result: {{a: 1}}}}
    """
        ),
        HANDSHAKE
        + f"""
    > {{id: 1, method: tools/list}}
    < {{id: 1, result: {{tools: []}}}}
    > {{id: 4, method: resources/list}}
    < {{id: 4, result: {{resources: []}}}}
    > {{id: 2, method: tools/call, params: {{name: a}}}}
    < {{id: 2, result: {{a: 1}}}}
    > {{id: 3, method: tools/call, params: {{name: b}}}}
    < {changed}
    < {{id: 3, result: {{b: 1}}}}
    """,
    )


@pytest.mark.parametrize("kind", CHANGED)
def test_list_changed_belongs_to_the_client_message_before_it_where_no_call_is_open(kind: str) -> None:
    """Ours (DESIGN 3, rule 3): other open requests are not its cause."""
    changed = f"{{method: notifications/{kind}/list_changed}}"
    dialogue(
        recorded(
            HANDSHAKE
            + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {{id: 1, result: {{a: 1}}}}
    > {{id: 2, method: resources/read, params: {{uri: "a:1"}}}}
    > {{id: 3, method: prompts/list}}
    < {changed}
    < {{id: 2, result: {{contents: []}}}}
    < {{id: 3, result: {{prompts: []}}}}
    """
        ),
        HANDSHAKE
        + f"""
    > {{id: 1, method: tools/call, params: {{name: a}}}}
    < {{id: 1, result: {{a: 1}}}}
    > {{id: 2, method: resources/read, params: {{uri: "a:1"}}}}
    < {{id: 2, result: {{contents: []}}}}
    > {{id: 3, method: prompts/list}}
    < {changed}
    < {{id: 3, result: {{prompts: []}}}}
    """,
    )


@pytest.mark.parametrize("method", ["resources/unsubscribe", "resources/subscribe", "logging/setLevel", "ping"])
def test_list_changed_belongs_to_no_message_that_changes_no_list(method: str) -> None:
    """Ours: tmcp tells of a change a moment after its answer; the client had unsubscribed, and another order came."""
    ask, done = f"> {{id: 2, method: {method}, params: {{uri: a}}}}", "< {id: 2, result: {}}"
    called = "> {id: 1, method: tools/call, params: {name: a}}\n< {id: 1, result: {a: 1}}\n"
    changed = "< {method: notifications/tools/list_changed}\n"
    dialogue(recorded(f"{HANDSHAKE}{called}{ask}\n{changed}{done}"), f"{HANDSHAKE}{called}{changed}{ask}\n{done}")


def test_a_request_that_was_sent_before_initialized_is_no_later_one() -> None:
    """Ours (DESIGN 3, rule 3): what its answer says is not that the server has started."""
    dialogue(
        recorded("""
    > {id: 0, method: initialize, params: {protocolVersion: "2025-06-18", capabilities: {}}}
    < {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
    > {id: 1, method: tools/list}
    > {method: notifications/initialized}
    < {id: 1, result: {tools: []}}
    < {method: notifications/tools/list_changed}
    """),
        """
    > {id: 0, method: initialize, params: {protocolVersion: "2025-06-18", capabilities: {}}}
    < {id: 0, result: {protocolVersion: "2025-06-18", capabilities: {}}}
    > {method: notifications/initialized}
    < {method: notifications/tools/list_changed}
    > {id: 1, method: tools/list}
    < {id: 1, result: {tools: []}}
    """,
    )


def test_without_initialized_list_changed_belongs_to_the_open_call_or_the_message_before() -> None:
    """PROTOCOL 5, trap 31: sloppy clients never send `initialized`."""
    dialogue(
        recorded("""
    > {id: 1, method: tools/call, params: {name: a}}
    < {method: notifications/tools/list_changed}
    < {id: 1, result: {a: 1}}
    > {id: 2, method: prompts/list}
    < {id: 2, result: {prompts: []}}
    < {method: notifications/prompts/list_changed}
    """),
        """
    > {id: 1, method: tools/call, params: {name: a}}
    < {method: notifications/tools/list_changed}
    < {id: 1, result: {a: 1}}
    > {id: 2, method: prompts/list}
    < {id: 2, result: {prompts: []}}
    < {method: notifications/prompts/list_changed}
    """,
    )


UPDATED = '{method: notifications/resources/updated, params: {uri: "a:1/x"}}'
ADD = """
    > {id: 2, method: tools/call, params: {name: add}}
    < {id: 2, result: {}}
"""
READ = """
    > {id: 3, method: resources/read, params: {uri: "b:2"}}
    < {id: 3, result: {}}
"""
SUBSCRIBE = """
    > {id: 4, method: resources/subscribe, params: {uri: "a:1"}}
    < {id: 4, result: {}}
"""


def test_updated_belongs_to_the_last_change_before_it() -> None:
    """Ours (DESIGN 3, rule 3): reads and open requests are not its cause."""
    dialogue(
        recorded(HANDSHAKE + SUBSCRIBE + ADD + READ + f"< {UPDATED}"),
        HANDSHAKE + SUBSCRIBE + READ + ADD + f"< {UPDATED}",
    )


def test_updated_belongs_to_a_change_that_is_still_open() -> None:
    """Ours (DESIGN 3, rule 3)."""
    dialogue(
        recorded(
            HANDSHAKE
            + SUBSCRIBE
            + f"""
    > {{id: 2, method: tools/call, params: {{name: add}}}}
    > {{id: 3, method: resources/read, params: {{uri: "b:2"}}}}
    < {UPDATED}
    < {{id: 3, result: {{}}}}
    < {{id: 2, result: {{}}}}
    """
        ),
        HANDSHAKE
        + SUBSCRIBE
        + READ
        + f"""
    > {{id: 2, method: tools/call, params: {{name: add}}}}
    < {UPDATED}
    < {{id: 2, result: {{}}}}
    """,
    )


def test_updated_belongs_to_a_subscription_that_came_after_the_last_change() -> None:
    """Ours (a nearer cause than DESIGN 3 names); PROTOCOL 3.2: no update is legal before its subscription."""
    dialogue(
        recorded(HANDSHAKE + ADD + SUBSCRIBE + READ + f"< {UPDATED}"),
        HANDSHAKE + ADD + READ + SUBSCRIBE + f"< {UPDATED}",
    )


def test_a_subscription_to_something_else_is_no_cause_of_an_update() -> None:
    """PROTOCOL 3.2: the update is of what was subscribed, or of a part of it."""
    other = SUBSCRIBE.replace("a:1", "b:1").replace("id: 4", "id: 5")
    dialogue(
        recorded(HANDSHAKE + SUBSCRIBE + other + f"< {UPDATED}"),
        HANDSHAKE + other + SUBSCRIBE + f"< {UPDATED}",
    )


def test_updated_without_change_or_subscription_is_like_list_changed() -> None:
    """Ours (DESIGN 3, rule 3): it belongs to `initialized`, or else to the message before it."""
    dialogue(recorded(HANDSHAKE + f"< {UPDATED}"), HANDSHAKE + f"< {UPDATED}")
    dialogue(recorded(HANDSHAKE + READ + f"< {UPDATED}"), HANDSHAKE + READ + f"< {UPDATED}")
