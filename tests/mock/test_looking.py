"""What tests can see of a mock (issue 3, 5)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import mcpmock
from tests.golden import check_golden
from tests.mock.said import GOLDEN, ask, call, written
from tests.program import SECONDS


def test_calls_tell_method_params_answer_order_and_times(add: Path) -> None:
    """Ours (issue 3, 5)."""
    server = mcpmock.replay(add)
    ask(server.command, {"method": "ping"}, call(a=1, b=2), call(a=9))
    server.close()  # what was seen can be looked at after the end
    ping, played, missed = server.calls()
    assert [one.order for one in (ping, played, missed)] == [0, 1, 2]
    assert (ping.method, ping.params, ping.answer, ping.outcome) == ("ping", None, {}, "made up")
    assert (played.name, played.arguments, played.outcome, played.line) == ("add", {"a": 1, "b": 2}, "played", 4)
    assert played.answer == {"content": [{"type": "text", "text": "3"}]}
    assert played.answered_at is not None
    assert 0 <= ping.at <= played.at <= played.answered_at < SECONDS
    assert (missed.outcome, missed.answer, missed.error["code"]) == ("missed", None, -31404)
    assert server.calls("ping") == [ping]
    assert [(one.kind, one.method) for one in server.misses] == [("near miss", "tools/call")]


def test_sessions_tell_who_was_there(add: Path) -> None:
    """Ours (issue 3, 5)."""
    with mcpmock.replay(add, allow_unplayed=True) as server:
        ask(server.command, {"method": "ping"})
        with subprocess.Popen(server.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            process.stdin.flush()
            process.stdout.readline()
            first, second = server.sessions
            assert (first.number, first.transport, first.is_open, first.missed) == (1, "stdio", False, False)
            assert (second.number, second.is_open, [one.method for one in second.calls]) == (2, True, ["ping"])
            server.close()
            assert process.wait(SECONDS) == 0
        assert not server.sessions[1].is_open


def test_played_and_unplayed_tell_what_of_the_recording_was_used(add: Path) -> None:
    """Ours (issue 3, 5): in recorded order, with the place in the file; what is optional does not count."""
    with mcpmock.replay(add, allow_playback_repeats=True) as server:
        assert [(one.method, one.line, one.played) for one in server.unplayed] == [("tools/call", 4, 0)]
        ask(server.command, {"method": "resources/read", "params": {"uri": "a://b"}}, call(a=1, b=2), call(a=1, b=2))
        assert [(one.method, one.line, one.played) for one in server.played] == [
            ("tools/call", 4, 2),
            ("resources/read", 9, 1),
        ]
        assert server.unplayed == []


def test_assertions_about_calls_go_by_name_and_some_arguments(add: Path) -> None:
    """Ours (issue 3, 5): tools, prompts, resources and methods; the calls are returned."""
    with mcpmock.replay(add) as server:
        prompt = {"method": "prompts/get", "params": {"name": "greet", "arguments": {"who": "Ann"}}}
        ask(server.command, call(a=1, b=2), prompt, {"method": "resources/read", "params": {"uri": "a://b"}})
        assert [one.arguments for one in server.assert_called("add", b=2)] == [{"a": 1, "b": 2}]
        assert len(server.assert_called("greet", who="Ann")) == 1
        assert len(server.assert_called("a://b")) == 1
        assert len(server.assert_called("tools/call")) == 1
        server.assert_not_called("add", b=3)
        server.assert_not_called("subtract")
        with pytest.raises(AssertionError) as called:
            server.assert_called("add", a=1, b=3)
        with pytest.raises(AssertionError) as not_called:
            server.assert_not_called("add", a=1)
    check_golden(f"{called.value}\n\n{not_called.value}\n", GOLDEN / "assertions.txt")


def test_an_assertion_tells_no_secret_in_the_place_of_a_name(add: Path) -> None:
    """Ours: names and addresses were told as they came, to logs of CI that others read."""
    token = "ghp_" + "a1B2" * 9
    server = mcpmock.replay(add)
    ask(server.command, {"method": "resources/read", "params": {"uri": f"https://h/?token={token}"}}, call(token))
    with pytest.raises(AssertionError, match="resources/read") as raised:
        server.assert_called("add")
    server.close()
    assert token not in str(raised.value)


def test_an_assertion_about_nothing_at_all_says_so(add: Path) -> None:
    """Ours (issue 3, 5)."""
    with (
        mcpmock.replay(add, allow_unplayed=True) as server,
        pytest.raises(AssertionError, match=r"^add\(\) was not called; nothing was called$"),
    ):
        server.assert_called("add")


def test_remarks_tell_what_fails_no_test(tmp_path: Path) -> None:
    """Ours (DESIGN 4, "Answering"): an answer that differs from the recorded one, and what nobody had asked for."""
    entries = [
        {"client": {"id": 1, **call("ask")}},
        {"server": {"id": 5, "method": "roots/list"}},
        {"client": {"id": 5, "result": {"roots": []}}},
        {"server": {"id": 1, "result": {}}},
    ]
    path = written(tmp_path / "ask.yaml", json.dumps({"version": 1, "sessions": [{"entries": entries}]}))
    with mcpmock.replay(path) as server:
        answers = [{"id": 5, "result": {"roots": [1]}}, {"id": 99, "result": {}}]
        question, result, code = ask(server.command, call("ask"), *answers)
        assert (question["method"], result["result"], code) == ("roots/list", {}, 0)
        remarks = server.remarks[""]
    assert [(one["recorded"], one["live"]) for one in remarks["different_answers"]] == [({"roots": []}, {"roots": [1]})]
    assert len(remarks["notes"]) == 1
    assert remarks["gates"] == []
