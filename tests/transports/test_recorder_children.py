"""What a recorder starts: the server's process, its surroundings, its children."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Final

import pytest

from tests.transports.recorder_client import SMALL, Studio, in_shell, is_alive, shape, wait_until


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    """A folder to record in."""
    return Studio(tmp_path)


FAMILY: Final = f"{SMALL} family"


@pytest.mark.parametrize("command", [in_shell(FAMILY), in_shell(in_shell(FAMILY)), f"env A=b {FAMILY}"])
def test_wrappers_end_with_the_client(studio: Studio, command: str) -> None:
    """Ours (issue 2): `sh -c` and its like, however deep."""
    with studio.start(studio.words(command)) as client:
        child = client.receive()["params"]["pid"]
        assert client.ask(1)["id"] == 1
        assert client.finish() == 0
    wait_until(lambda: not is_alive(child), "the server's own child ends")


def test_a_term_ends_the_whole_family(studio: Studio) -> None:
    """Ours (DESIGN 5): signals go to the child's group."""
    with studio.start(studio.words(in_shell(FAMILY))) as client:
        child = client.receive()["params"]["pid"]
        client.kill(signal.SIGTERM)
        assert client.wait() == -signal.SIGTERM
    wait_until(lambda: not is_alive(child), "the server's own child ends")


def test_if_the_recorder_is_killed_the_whole_family_ends(studio: Studio) -> None:
    """Ours (DESIGN 5): children that do not read their input too."""
    with studio.start(studio.words(in_shell(FAMILY))) as client:
        child = client.receive()["params"]["pid"]
        client.kill(signal.SIGKILL)
        assert client.wait() == -signal.SIGKILL
        wait_until(lambda: not is_alive(child), "the server's own child ends")


def test_a_launcher_may_end_before_the_server_that_it_has_started(studio: Studio) -> None:
    """Ours: as without a recorder, the session lasts as long as the pipes."""
    with studio.record("launcher") as client:
        assert client.ask(1)["id"] == 1
        assert client.ask(2)["id"] == 2
        assert client.finish() == 0
    assert shape(studio.entries())[-1] == "exit 0"


def test_pr_05_a_child_that_a_server_has_left_behind_is_not_waited_for(studio: Studio) -> None:
    """PR-05, PR-03: nobody will answer what is still open, and nothing is left soon after the client has gone."""
    with studio.record("leaves_a_child") as client:
        assert client.ask(1)["id"] == 1
        client.send({"id": 2, "method": "tools/call"})
        child = client.receive()["params"]["pid"]
        client.close()
        begun = time.monotonic()
        client.read_rest()
        assert client.wait() == 0
        assert time.monotonic() - begun < 10, "less than a server gets that still may answer"
        assert not is_alive(child)


def test_a_server_that_is_told_to_end_has_ended_though_its_daemon_holds_the_pipes(studio: Studio) -> None:
    """Issue 4: without a recorder the client sees its server die of the signal, also if it has not closed the pipes."""
    with studio.record("leaves_a_daemon") as client:
        daemon = client.receive()["params"]["pid"]
        assert client.ask(1)["id"] == 1
        client.kill(signal.SIGTERM)
        assert client.wait() == -signal.SIGTERM
        os.kill(daemon, signal.SIGKILL)
    assert shape(studio.entries())[-1] == "exit SIGTERM"


def test_pr_06_the_server_is_started_as_without_a_recorder(studio: Studio, tmp_path: Path) -> None:
    """PR-06: environment merged, folder, words that look like options of ours."""
    words = ["-o", "--help", "--", "two words", "", "--run", "ü"]
    environment = {**studio.environment, "HOME": "/nowhere"}
    with studio.record("tells", *words, options=["--env", "FOO=a=b"], env=environment, cwd=tmp_path) as client:
        told = client.receive()["params"]
        client.finish()
    assert told["argv"] == words
    assert told["cwd"] == str(tmp_path)
    assert told["env"] == {"FOO": "a=b", "PATH": os.environ["PATH"], "HOME": "/nowhere"}


def test_pr_06_not_one_variable_is_added_or_lost(studio: Studio) -> None:
    """PR-06: also in the C locale, where Python adds one to its own environment."""

    def told(words: list[str], environment: dict[str, str]) -> list[bytes]:
        with studio.start(words, env=environment) as client:
            client.close()
            return sorted(client.read_rest().splitlines())

    for locale in ({}, {"LC_CTYPE": "C.UTF-8"}, {"LANG": "C"}):
        names = ("PATH", "TMPDIR", "PYTHONPATH")
        environment = {name: value for name, value in studio.environment.items() if name in names} | locale
        assert told(studio.words("env"), environment) == told(["env"], environment)
