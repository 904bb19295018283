"""A recorder that is ended at any moment, in any way; and several at once. The moments are drawn from fixed seeds."""

from __future__ import annotations

import random
import resource
import select
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from mcpmock.cassette.load import load_file
from tests.program import run
from tests.transports.client import replay
from tests.transports.recorder_client import SERVER, Client, Studio, wait_until

WAYS = ("SIGTERM", "SIGINT", "SIGHUP", "end of file", "SIGKILL")
SEEDS = range(3)


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    """A folder to record in."""
    return Studio(tmp_path)


def answered(path: Path) -> set[Any]:
    """The ids of all answers in a cassette, or a part file."""
    entries = [entry for session in load_file(str(path)).sessions for entry in session.entries]
    return {entry.messages[0].id for entry in entries if entry.kind == "server" and entry.messages}


def end(client: Client, way: str) -> None:
    """End the recorder in that way, and wait until it has ended."""
    if way == "end of file":
        client.close()
    else:
        client.kill(signal.Signals[way])
    client.read_rest()
    client.wait()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("way", WAYS)
def test_pr_07_whenever_and_however_a_recorder_ends_what_the_client_got_is_recorded(
    studio: Studio, way: str, seed: int
) -> None:
    """PR-07, issue 4.3: an orderly end gives a cassette; a kill leaves the old one, and a file to salvage."""
    chance = random.Random(f"{way} {seed}")
    with studio.record("echo", options=["--run", "old"]) as client:
        client.ask("old")
        assert client.finish() == 0
    old = studio.path.read_bytes()
    calls = chance.randrange(40)
    with studio.record("echo", options=["--run", "new"]) as client:
        for number in range(calls):
            client.ask(number, note="x" * chance.choice([0, 10, 5000]))
        if way == "SIGKILL":
            select.select([], [], [], 0.3)  # ten times what may be lost
        elif not calls:
            select.select([], [], [], chance.random() / 10)  # it may not even have started
        end(client, way)
    wanted = set(range(calls))
    if not calls:
        assert studio.path.read_bytes() == old
    elif way == "SIGKILL":
        assert studio.path.read_bytes() == old
        wait_until(lambda: studio.parts() and is_salvaged(studio), "what was handed over is kept, and then unlocked")
        assert answered(studio.path) == {"old", *wanted}
    else:
        assert answered(studio.path) == wanted
    assert not [part for part in studio.parts() if calls]


def is_salvaged(studio: Studio) -> bool:
    """Try it; whatever is still being written stays where it is."""
    done = run("salvage", studio.path, "--append", env={"TMPDIR": studio.environment["TMPDIR"]})
    return done.returncode == 0


def test_pr_07_two_recorders_and_a_replay_on_one_cassette_at_once(studio: Studio) -> None:
    """Issue 4.3: who replays reads a whole cassette, whatever others do to it meanwhile."""
    for name in ("before", "while"):
        with studio.record("echo") as one, studio.record("echo") as two:
            if name == "while":
                with replay(studio.path) as player:
                    asked = {"id": 1, "method": "tools/call", "params": {"note": "before 1"}}
                    one.ask("a", note="while 1")
                    assert player.ask(asked)["id"] == 1
                    two.ask("b", note="while 2")
                    one.close()
                    one.read_rest()
                    assert one.wait() == 0
                    assert player.finish() == (0, b"")
            else:
                one.ask(1, note="before 1")
                two.ask(1, note="before 2")
            assert [client.finish() for client in (two, one)] == [0, 0]
        load_file(str(studio.path))
    notes = [session.entries[0].messages[0].params for session in studio.cassette().sessions]
    shown = sorted(params["note"] for params in notes)  # type: ignore[call-overload,index]
    assert shown == ["before 1", "before 2", "while 1", "while 2"]
    assert not studio.parts()


@pytest.mark.parametrize("room", [0, 100, 700, 1500])
def test_pr_07_a_disk_that_is_full_at_any_point_harms_no_old_cassette(studio: Studio, room: int) -> None:
    """PR-07, issue 4.3: from the first byte on, or in the middle, or when the cassette is put together."""
    with studio.record("echo", options=["--run", "old"]) as client:
        client.ask("old")
        client.finish()
    old = studio.path.read_bytes()

    def fill_the_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    with studio.record("echo", options=["--run", "new", "--append"], preexec_fn=fill_the_disk) as client:
        for number in range(20):
            assert client.ask(number, note="x" * 50)["id"] == number
        assert client.finish() == 0
        told = client.stderr()
    assert studio.path.read_bytes() == old
    assert told.count("mcpmock: not recorded from here on") == 1
    assert ("mcpmock salvage" in told) == bool(studio.parts())
    assert str(studio.folder) in told, "it says where there is no room"


def test_pr_07_in_a_folder_that_is_read_only_the_server_is_not_even_started(studio: Studio) -> None:
    """PR-07: what is certain to fail is told before anything is moved, with what to do."""
    if not _is_refused(studio.folder / "closed"):
        pytest.skip("who may do everything is refused nothing")
    done = run("record", "-o", studio.folder / "closed" / "c.yaml", "--", sys.executable, SERVER, "echo")
    assert done.returncode == 2
    assert b"write-protected: change that, or choose another --output" in done.stderr


def _is_refused(folder: Path) -> bool:
    folder.mkdir(mode=0o500)
    try:
        (folder / "probe").touch()
    except PermissionError:
        return True
    return False
