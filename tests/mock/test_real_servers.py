"""Real servers through a mock: passed through, or recorded (issue 3, 3)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import mcpmock
from tests.golden import check_golden
from tests.mock.said import ADD, GOLDEN, SERVER, ask, call, written
from tests.program import SECONDS


def test_a_real_server_is_passed_through_with_the_folder_and_environment_of_its_client(
    tmp_path: Path, real: list[str]
) -> None:
    """Ours (issue 3, 3): mode passthrough; nothing is recorded, `calls` works all the same."""
    with mcpmock.use_cassette(tmp_path / "none.yaml", mode="passthrough", command=real) as server:
        answer, code = ask(server.command, {"method": "who"}, cwd=tmp_path, env={"MINE": "yes"})
        assert answer["result"] == {"asked": "who", "folder": str(tmp_path), "mine": "yes"}
        assert code == 0
        assert [(one.method, one.outcome, one.answer["mine"]) for one in server.calls()] == [("who", "live", "yes")]
    assert not (tmp_path / "none.yaml").exists()


def test_a_real_server_is_recorded_and_then_replayed(tmp_path: Path, real: list[str]) -> None:
    """Ours (issue 3, 7): `mcpmock.record`, by the recorder of the command line."""
    path = tmp_path / "cassettes" / "new.yaml"
    with mcpmock.record(path, real, server="mine") as server:
        assert ask(server.command, call(a=1))[-1] == 0
        assert ask(server.command, call(a=2))[-1] == 0
        assert not path.exists(), "it is kept apart until the end"
    assert server.recording == str(path)
    with mcpmock.use_cassette(path, mode="once", command=["no", "such", "program"]) as server:
        assert server.servers == ("mine",)
        assert ask(server.command, call(a=1))[0]["result"]["asked"] == "tools/call"
        assert ask(server.command, call(a=2))[0]["result"]["asked"] == "tools/call"
        assert [one.outcome for one in server.calls()] == ["played", "played"]


def test_a_recording_that_fails_is_kept_beside_the_cassette(tmp_path: Path, real: list[str]) -> None:
    """Ours (issue 3, 3): the old cassette stays as it is, byte by byte."""
    path = written(tmp_path / "old.yaml", ADD)
    with pytest.raises(ZeroDivisionError), mcpmock.record(path, real) as server:
        ask(server.command, call(a=1))
        raise ZeroDivisionError
    assert path.read_text() == ADD
    assert server.recording == str(tmp_path / "old.failed.yaml")
    assert "asked: tools/call" in (tmp_path / "old.failed.yaml").read_text()


def test_rules_and_comments_of_the_head_survive_a_new_recording(tmp_path: Path, real: list[str]) -> None:
    """Ours (DESIGN 3): what changes how a cassette is played lives in it."""
    head = "# ours\nversion: 1\nmatch:\n- {method: tools/call, ignore: [/arguments/at]}\nsessions:\n"
    path = written(tmp_path / "old.yaml", head + "- entries: []\n")
    with mcpmock.record(path, real) as server:
        ask(server.command, call(a=1, at=5))
    assert path.read_text().startswith(head)
    with mcpmock.replay(path) as server:
        assert "result" in ask(server.command, call(a=1, at=6))[0]


def test_a_command_that_cannot_be_started_is_told_to_the_client_and_raised(tmp_path: Path) -> None:
    """Ours: the client sees a server that ends at once, the test why."""
    with (
        pytest.raises(mcpmock.CommandError, match="/no/such/program: cannot be started"),
        mcpmock.use_cassette(tmp_path / "x.yaml", mode="passthrough", command=["/no/such/program"]) as server,
    ):
        assert ask(server.command, {"method": "ping"}) == [1]


@pytest.mark.parametrize("mode", ["once", "all", "passthrough"])
def test_a_mode_that_needs_a_command_says_so(tmp_path: Path, mode: mcpmock.Mode) -> None:
    """Ours (issue 3, 3)."""
    with pytest.raises(mcpmock.UsageError, match=rf"mode '{mode}' needs the server's command"):
        mcpmock.use_cassette(tmp_path / "x.yaml", mode=mode)


def test_a_mistyped_cassette_is_thought_of_where_nothing_was_recorded(tmp_path: Path) -> None:
    """Ours: `once` records what is not there, and so hid that another name was meant."""
    (tmp_path / "weather.yaml").write_text("version: 1\nsessions: []\n")
    meant = "weather.yaml?"
    with pytest.raises(mcpmock.UsageError) as refused:
        mcpmock.use_cassette(tmp_path / "wether.yaml", mode="once")
    assert str(refused.value).endswith(meant)
    with (
        pytest.raises(mcpmock.McpmockError, match="nothing was recorded") as failed,
        mcpmock.use_cassette(tmp_path / "wether.yaml", mode="once", command=["true"]),
    ):
        pass
    assert meant in str(failed.value)
    with pytest.raises(mcpmock.UsageError) as other:
        mcpmock.use_cassette(tmp_path / "calculator.yaml", mode="once")
    assert "did you mean" not in str(other.value)


def test_an_unknown_mode_is_an_error_that_lists_them(tmp_path: Path) -> None:
    """Ours (FIELD): a typo records nothing."""
    with pytest.raises(mcpmock.UsageError) as refused:
        mcpmock.use_cassette(tmp_path / "x.yaml", mode="onec")  # type: ignore[arg-type]
    check_golden(f"{refused.value}\n", GOLDEN / "unknown_mode.txt")


def test_a_server_has_the_same_name_while_it_is_recorded_and_ever_after(tmp_path: Path, real: list[str]) -> None:
    """Ours (issue 3): an agent that looks for its server in `config` finds it in every mode."""
    path = tmp_path / "named.yaml"
    names = []
    for mode in ("passthrough", "once", "none"):
        with mcpmock.use_cassette(path, mode=mode, command=real) as server:  # type: ignore[arg-type]
            ask(server.command, call(a=1))
            names.append([*server.config["mcpServers"], *server.servers])
    assert names == [names[0]] * 3


def test_a_recording_without_an_answer_is_no_recording(tmp_path: Path) -> None:
    """Ours (issue 3, 3): a server that ends at once leaves the cassette as it was, and the test is told."""
    path = written(tmp_path / "old.yaml", ADD)
    with (
        pytest.raises(mcpmock.McpmockError, match=r"old\.yaml: nothing was recorded"),
        mcpmock.record(path, [sys.executable, "-c", "pass"]) as server,
    ):
        ask(server.command, call(a=1))
    assert path.read_text() == ADD


def test_a_recording_to_which_no_client_came_is_none_either(tmp_path: Path, real: list[str]) -> None:
    """Ours (issue 3, 3): the client starts another server than it should."""
    with pytest.raises(mcpmock.McpmockError, match="nothing was recorded, because no client has connected"):
        mcpmock.record(tmp_path / "new.yaml", real).__exit__(None, None, None)


def test_the_own_failure_of_a_block_is_not_hidden_by_its_empty_recording(tmp_path: Path, real: list[str]) -> None:
    """Ours (issue 3, 4): the body's own failure comes first."""
    with pytest.raises(ZeroDivisionError), mcpmock.record(tmp_path / "new.yaml", real):
        raise ZeroDivisionError


def test_a_server_that_does_not_end_by_itself_is_ended(tmp_path: Path) -> None:
    """Ours (issue 3, 6): what it said until then is recorded."""
    stubborn = SERVER + "\nimport time\nwhile True: time.sleep(1)\n"
    command = [sys.executable, str(written(tmp_path / "stubborn.py", stubborn))]
    path = tmp_path / "new.yaml"
    with mcpmock.record(path, command) as server:
        process = subprocess.Popen(server.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"one"}\n')
        process.stdin.flush()
        assert b"asked" in process.stdout.readline()
    process.communicate(timeout=SECONDS)
    assert "method: one" in path.read_text()
