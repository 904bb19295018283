"""Whose message is it (DESIGN 3, rule 3), where several calls were open: what each tool brings shows elsewhere."""

from __future__ import annotations

import pytest

from mcpmock.cassette.reader import load
from mcpmock.session.grouping import group
from tests.session.dialogue import HANDSHAKE, dialogue, recorded

CHANGED = "< {method: notifications/tools/list_changed, params: {_meta: {io.modelcontextprotocol/subscriptionId: s}}}"
LISTEN = """
> {id: s, method: subscriptions/listen, params: {notifications: {toolsListChanged: true}}}
< {method: notifications/subscriptions/acknowledged, params: {_meta: {io.modelcontextprotocol/subscriptionId: s}, \
notifications: {toolsListChanged: true}}}
"""
ALONE = f"""
> {{id: 1, method: tools/call, params: {{name: add}}}}
< {{id: 1, result: {{}}}}
{CHANGED}
"""
BESIDE = f"""
> {{id: 3, method: tools/call, params: {{name: slow}}}}
> {{id: 2, method: tools/call, params: {{name: add}}}}
< {{id: 2, result: {{}}}}
{CHANGED}
< {{id: 3, result: {{}}}}
"""
BEHIND = f"""
> {{id: 2, method: tools/call, params: {{name: add}}}}
> {{id: 3, method: tools/call, params: {{name: slow}}}}
< {{id: 2, result: {{}}}}
< {{id: 3, result: {{}}}}
{CHANGED}
"""


def causes(talk: str) -> list[str]:
    """The tools that the changes of a recorded talk came of, in the order in which the tools were called."""
    timeline = group(load(recorded(talk).encode()).sessions[0])
    return [
        str(one.request.params["name"])
        for one in timeline.interactions
        for step in one.steps
        if one.change and one.request and isinstance(one.request.params, dict)
        if step.message and step.message.kind == "notification"
    ]


@pytest.mark.parametrize("together", [BESIDE, BEHIND])
def test_a_change_after_its_answer_belongs_to_the_call_that_brought_it_where_it_was_alone(together: str) -> None:
    """Ours (DESIGN 3, rule 3), seen in the conformance suite, six scenarios at once: the next client was not told."""
    assert causes(LISTEN + ALONE + together) == ["add", "add"]


@pytest.mark.parametrize("together", [BESIDE, BEHIND])
def test_what_a_tool_brings_may_show_later_in_the_session(together: str) -> None:
    """Ours (DESIGN 3, rule 3): a cassette is read as a whole."""
    assert causes(LISTEN + together + ALONE) == ["add", "add"]


def test_a_change_is_played_with_its_own_call_though_another_was_open_when_it_came() -> None:
    """Ours (DESIGN 3, rule 3): the same in a replay in which the calls are not made at once."""
    dialogue(
        recorded(LISTEN + ALONE + BESIDE),
        "> {id: 3, method: tools/call, params: {name: slow}}\n< {id: 3, result: {}}" + LISTEN + ALONE + ALONE,
    )


def test_an_answered_call_brings_the_same_once() -> None:
    """Ours (DESIGN 3, rule 3): what comes then is of the call that is open."""
    assert causes(LISTEN + ALONE + BESIDE.replace(CHANGED, CHANGED + "\n" + CHANGED)) == ["add", "slow", "add"]


def test_a_change_while_the_server_starts_tells_nothing_about_the_call_beside_it() -> None:
    """Ours (DESIGN 3, rule 3): it belongs to `initialized`."""
    changed = "< {method: notifications/tools/list_changed}"
    began = f"""
    > {{id: 1, method: tools/call, params: {{name: slow}}}}
    {changed}
    < {{id: 1, result: {{}}}}
    """
    together = BESIDE.replace(CHANGED, changed).replace("slow", "other").replace("add", "slow")
    assert causes(HANDSHAKE + began + together) == ["other"]


def test_an_update_belongs_to_the_call_that_is_known_to_bring_it() -> None:
    """Ours (DESIGN 3, rule 3): `resources/updated` likewise, each resource for itself."""
    updated = '< {method: notifications/resources/updated, params: {uri: "a:1"}}'
    other = updated.replace("a:1", "b:1")
    alone, behind = ALONE.replace(CHANGED, updated), BEHIND.replace(CHANGED, updated)
    assert causes(HANDSHAKE + alone + behind) == ["add", "add"]
    assert causes(HANDSHAKE + alone + behind.replace(updated, other)) == ["add", "slow"]
