"""Recording under a test's own rules: `redact` and `before_record`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

import mcpmock
from mcpmock.cassette.load import load_file
from mcpmock.errors import UsageError
from tests.mock.said import SERVER

COMMAND = [sys.executable, "-c", SERVER]
LINES = [
    {"id": 1, "method": "initialize",
     "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}},
    {"id": 2, "method": "ping"},
    {"id": 3, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1, "b": 2, "password": "s3same1"}}},
]  # fmt: skip


def talk(command: list[str]) -> list[dict[str, Any]]:
    """What a client is answered that says all this."""
    stdin = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in LINES).encode()
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=60)
    return [json.loads(line) for line in done.stdout.splitlines()]


def without_pings(message: dict[str, Any]) -> dict[str, Any] | None:
    """Leaves pings out, and makes every `a` 7."""
    if message.get("method") == "ping":
        return None
    if message.get("method") == "tools/call":
        message["params"]["arguments"]["a"] = 7
    return message


def test_a_function_decides_what_is_recorded(tmp_path: Path) -> None:
    """Issue 4 (vcrpy's `before_record`): the client gets what the server says; it is asked last."""
    path = tmp_path / "a.yaml"
    with mcpmock.record(path, COMMAND, before_record=without_pings, redact="key:b") as server:
        assert [answer["id"] for answer in talk(server.command)] == [1, 2, 3]
    (session,) = load_file(str(path)).sessions
    said = [message for entry in session.entries for message in entry.messages]
    assert [message.method for message in said if message.method] == ["initialize", "tools/call"]
    assert [message.id for message in said if not message.method] == [1, 3]
    (call,) = [one for entry in session.entries for one in entry.messages if one.method == "tools/call"]
    assert call.params["arguments"] == {"a": 7, "b": "~secret.b.1~", "password": "~secret.password.1~"}  # type: ignore[index, call-overload]
    assert dict(session.redacted)["key:b"] == 1
    assert path.stat().st_mode & 0o077 == 0


def test_rules_alone_go_to_the_recorder(tmp_path: Path) -> None:
    """Issue 4."""
    path = tmp_path / "a.yaml"
    with mcpmock.use_cassette(path, mode="all", command=COMMAND, redact=["pointer:/params/arguments/a"]) as server:
        talk(server.command)
    assert dict(load_file(str(path)).sessions[0].redacted)["pointer:/params/arguments/a"] == 1


@pytest.mark.skipif(not hasattr(signal, "SIGRTMIN"), reason="there are no real-time signals")
def test_a_server_that_a_signal_without_a_name_ends_is_recorded(tmp_path: Path) -> None:
    """Ours: a cassette spells such an end as `mcpmock record` does, as shells do."""
    path, number = tmp_path / "a.yaml", signal.SIGRTMIN + 1
    dies = f"{SERVER}\nimport os; os.kill(os.getpid(), {number})\n"
    with mcpmock.record(path, [sys.executable, "-c", dies], before_record=without_pings) as server:
        assert len(talk(server.command)) == 3
    assert f"- exit: {128 + number}\n" in path.read_text()


@pytest.mark.parametrize("fault", [lambda message: 1 / 0, lambda message: "nonsense"])
def test_a_function_that_fails_fails_the_block_and_leaves_the_old_cassette(tmp_path: Path, fault: Any) -> None:
    """Issue 4: "must never leak nor lose silently"."""
    path = tmp_path / "a.yaml"
    path.write_text("version: 1\nsessions: []\n")
    with (
        pytest.raises(UsageError, match="nothing is recorded from there on"),
        mcpmock.record(path, COMMAND, before_record=fault) as server,
    ):
        assert len(talk(server.command)) == 3
    assert path.read_text() == "version: 1\nsessions: []\n"
    assert os.listdir(tmp_path) == ["a.yaml"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"redact": ["pin"]}, "a rule of redaction has a colon"),
        ({"redact": 7}, "a rule or a list"),
        ({"before_record": 7}, "a function"),
    ],
)
def test_wrong_settings_are_told_at_once_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], told: str
) -> None:
    """Ours."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(UsageError, match=told):
        mcpmock.use_cassette(tmp_path / "a.yaml", mode="all", command=COMMAND, **settings)
    assert not os.listdir(tmp_path)
