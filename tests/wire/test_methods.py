"""The table of MCP methods."""

from __future__ import annotations

from mcpmock.wire.methods import (
    BATCH_REVISION,
    CLIENT_METHODS,
    LEGACY_REVISIONS,
    LIST_CHANGED,
    SERVER_QUESTIONS,
    UNKNOWN,
    method_row,
)


def rows(column: str) -> set[str]:
    """The client's methods for which a column says yes."""
    return {method for method, row in CLIENT_METHODS.items() if getattr(row, column)}


def test_what_changes_the_state_is_what_the_design_says() -> None:
    """DESIGN 4, `stateful`: a change is …, and nothing else."""
    assert rows("changes") == {"tools/call", "tasks/update", "tasks/cancel", "notifications/roots/list_changed"}
    assert method_row("vendor/anything") is UNKNOWN
    assert UNKNOWN.changes
    assert not UNKNOWN.counts


def test_what_counts_as_unplayed_is_what_the_design_says() -> None:
    """DESIGN 4: for `tools/call`, `prompts/get`, `resources/read`."""
    assert rows("counts") == {"tools/call", "prompts/get", "resources/read"}


def test_what_can_ask_is_what_the_design_says() -> None:
    """DESIGN 3, Whose message is it, (4)."""
    assert rows("asks") == {"tools/call", "prompts/get", "resources/read", "completion/complete", "tasks/result"}


def test_noise_uses_up_nothing_and_changes_nothing() -> None:
    """DESIGN 4, Noise."""
    assert rows("noise") >= {"ping", "logging/setLevel", "server/discover", "notifications/initialized"}
    assert not rows("noise") & (rows("changes") | rows("counts") | rows("asks"))


def test_the_methods_of_all_revisions_are_there() -> None:
    """PROTOCOL 1.2 and 1.3."""
    assert rows("capability") > {"tools/list", "resources/templates/list", "resources/subscribe", "prompts/list"}
    assert set(SERVER_QUESTIONS) >= {"ping", "roots/list", "sampling/createMessage", "elicitation/create"}
    assert method_row("tools/call") is CLIENT_METHODS["tools/call"]
    assert "notifications/tools/list_changed" in LIST_CHANGED
    assert "notifications/resources/updated" not in LIST_CHANGED
    assert list(LEGACY_REVISIONS) == sorted(LEGACY_REVISIONS)
    assert BATCH_REVISION in LEGACY_REVISIONS
