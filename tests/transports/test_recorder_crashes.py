"""What is left when a recorder is killed, or has nowhere to write; and how it becomes a cassette."""

from __future__ import annotations

import os
import resource
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mcpmock.cassette.load import load_file
from tests.cli.test_record import unprivileged
from tests.program import MCPMOCK, run
from tests.transports.recorder_client import SERVER, Studio, shape, wait_until


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    """A folder to record in."""
    return Studio(tmp_path)


def salvage(studio: Studio, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Run `mcpmock salvage`."""
    return run("salvage", *arguments, env={"TMPDIR": studio.environment["TMPDIR"]})


def holds(part: Path, text: bytes) -> bool:
    """Whether a part file holds a text, and no append is under way."""
    written = part.read_bytes()
    return text in written and b"\0" not in written


def record_and_kill(studio: Studio, calls: int = 5, options: tuple[str, ...] = ()) -> None:
    """Record some calls, wait until the line has been quiet, and kill the recorder."""
    with studio.record("echo", options=options) as client:
        for number in range(calls):
            client.ask(number, note="ü" * number)
        last = b"- server: {id: %d," % (calls - 1)
        wait_until(lambda: any(holds(part, last) for part in studio.parts()), "the last answer")
        client.kill()
        assert client.wait() == -signal.SIGKILL


def test_pr_07_a_killed_recorder_leaves_all_complete_exchanges(studio: Studio) -> None:
    """PR-07: the part file is a cassette as it is."""
    record_and_kill(studio)
    (part,) = studio.parts()
    (session,) = load_file(str(part)).sessions
    assert len([entry for entry in session.entries if entry.messages]) >= 9
    assert not studio.path.exists()


def test_pr_07_salvage_makes_a_cassette_of_it(studio: Studio) -> None:
    """PR-07: and the part file is gone."""
    record_and_kill(studio)
    (part,) = studio.parts()
    done = salvage(studio, studio.path)
    assert done.returncode == 0, done.stderr
    assert f"{part}: 10 entries are now in {studio.path}" in done.stdout.decode()
    assert not studio.parts()
    assert shape(studio.entries())[-1] == "server 4"


def test_pr_07_a_torn_part_file_is_salvaged_up_to_the_tear(studio: Studio) -> None:
    """PR-07: a kill in the middle of an append."""
    record_and_kill(studio)
    (part,) = studio.parts()
    with part.open("ab") as file:
        file.write(b"\0 - client:\n      id: 9\n")
    done = salvage(studio, part, "-o", studio.folder / "other.yaml")
    assert done.returncode == 0, done.stderr
    (session,) = load_file(str(studio.folder / "other.yaml")).sessions
    assert shape(session.entries)[-1] == "server 4"
    assert not studio.path.exists()


def test_pr_07_where_a_cassette_cannot_be_written_salvage_says_what_to_type(studio: Studio) -> None:
    """PR-07: it said `[Errno 13]`, or the like, and no more."""
    record_and_kill(studio)
    studio.path.mkdir()
    (part,) = studio.parts()
    done = salvage(studio, part)
    assert done.returncode == 1
    assert f"; to write it elsewhere: mcpmock salvage {part} -o OTHER.yaml" in done.stderr.decode()
    assert part.exists()


def test_pr_07_what_is_in_a_folder_that_is_write_protected_is_salvaged_to_another(studio: Studio) -> None:
    """PR-07: the cassette was written, and then `[Errno 13]` was all that was said."""
    guarded = studio.folder / "guarded"
    record_and_kill(studio)
    guarded.mkdir()
    (part,) = (path.rename(guarded / path.name) for path in studio.parts())
    guarded.chmod(0o555)
    command = [*unprivileged(), *MCPMOCK, "salvage", part, "-o", studio.path]
    done = subprocess.run(command, env={**os.environ, **studio.environment}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"now in {studio.path}; the file could not be deleted" in done.stdout
    assert shape(studio.entries())[-1] == "server 4"


@pytest.mark.parametrize("begun", [b"", b"\0ersion: 1\nsess"])
def test_pr_07_a_part_file_that_was_never_begun_is_cleared_away(studio: Studio, begun: bytes) -> None:
    """PR-07: a kill in the middle of the very first write."""
    record_and_kill(studio)
    studio.path.with_name("cassette.yaml.part-1-1").write_bytes(begun)
    assert len(studio.parts()) == 2
    done = salvage(studio, studio.path)
    assert done.returncode == 0, done.stderr
    assert "cassette.yaml.part-1-1: nothing had been recorded yet; the file is deleted" in done.stdout.decode()
    assert not studio.parts()
    assert shape(studio.entries())[-1] == "server 4"


def test_pr_07_salvage_says_what_it_did_where_there_was_nothing(studio: Studio) -> None:
    """PR-07: a recorder that was killed before anything was said."""
    studio.path.with_name("cassette.yaml.part-1-1").write_bytes(b"")
    done = salvage(studio, studio.path)
    assert done.returncode == 0, done.stderr
    assert "nothing had been recorded yet" in done.stdout.decode()
    assert not studio.parts()
    assert not studio.path.exists()


def test_pr_07_replay_names_the_way_out(studio: Studio) -> None:
    """PR-07: never served silently, never silently missing."""
    record_and_kill(studio)
    done = run("replay", studio.path)
    assert done.returncode == 4
    assert b"mcpmock salvage" in done.stderr


def test_pr_07_the_next_recorder_of_the_run_takes_it_in(studio: Studio) -> None:
    """PR-07 (DESIGN 3): the run is the client process, which is this one."""
    record_and_kill(studio, calls=2)
    with studio.record("echo") as client:
        client.ask("b")
        client.finish()
    first, second = studio.cassette().sessions
    assert shape(first.entries)[-1] == "server 1"
    assert shape(second.entries)[0] == "client tools/call"
    assert not studio.parts()


def test_salvage_does_not_put_two_recordings_into_one_cassette_unasked(studio: Studio) -> None:
    """CA-07: a good old cassette is not touched by what another run has left."""
    with studio.record("echo", options=["--run", "good"]) as client:
        client.ask(1)
        client.finish()
    before = studio.path.read_bytes()
    record_and_kill(studio, options=("--run", "bad"))
    done = salvage(studio, studio.path)
    assert done.returncode == 4
    assert b"--append" in done.stderr
    assert studio.path.read_bytes() == before
    assert salvage(studio, studio.path, "--append").returncode == 0
    assert len(studio.cassette().sessions) == 2


def test_salvage_leaves_what_is_being_recorded(studio: Studio) -> None:
    """Ours (DESIGN 3): a locked part file has a living recorder."""
    with studio.record("echo") as client:
        client.ask(1)
        wait_until(studio.parts, "the part file")
        done = salvage(studio, studio.path)
        assert done.returncode == 1
        assert b"still being recorded" in done.stderr
        assert studio.parts()
        assert client.finish() == 0
    assert len(studio.entries()) == 3


def test_salvage_says_when_there_is_nothing(studio: Studio) -> None:
    """Ours: a usage error that says what was looked for."""
    done = salvage(studio, studio.path)
    assert done.returncode == 2
    assert b"nothing to salvage" in done.stderr


def test_a_term_is_an_orderly_end(studio: Studio) -> None:
    """Ours (DESIGN 3): TERM, INT and HUP finish the cassette, whatever the server then does."""
    with studio.record("stays") as client:
        client.ask(1)
        client.kill(signal.SIGTERM)
        assert client.wait() == -signal.SIGTERM
    assert shape(studio.entries()) == ["client tools/call", "server 1", "exit SIGTERM"]
    assert not studio.parts()


def test_a_kill_soon_after_the_clients_end_loses_only_the_last_end(studio: Studio) -> None:
    """Ours (DESIGN 3): clients wait two seconds, then kill; the cassette is there by then."""
    with studio.record("stubborn") as client:
        client.ask(1)
        client.close()
        wait_until(studio.path.exists, "the cassette")
        client.kill()
        client.wait()
    assert shape(studio.entries()) == ["client tools/call", "server 1"]
    assert salvage(studio, studio.path).returncode == 0
    assert shape(studio.entries()) == ["client tools/call", "server 1"]
    assert not studio.parts()


def test_pr_07_a_full_disk_does_not_stop_the_session(studio: Studio) -> None:
    """PR-07: it goes on, and a person is told once."""

    def fill_the_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    with studio.record("echo", preexec_fn=fill_the_disk) as client:
        for number in range(50):
            assert client.ask(number, note="x" * 100)["id"] == number
            if number == 25:
                client.wait_for_stderr("not recorded from here on")
        assert client.finish() == 0
        assert client.stderr().count("mcpmock:") == 1
    (part,) = studio.parts()
    assert load_file(str(part)).sessions
    assert not studio.path.exists()


def test_pr_07_a_folder_that_cannot_be_written_does_not_stop_the_session(studio: Studio) -> None:
    """PR-07, CA-07: where that comes up after the start the recorder goes on forwarding, and says so once."""
    folder = studio.path.with_name("folder")
    words = studio.recorder()
    words[words.index(str(studio.path))] = str(folder / "cassette.yaml")
    spoils = ["sh", "-c", 'touch "$0" && exec "$@"', str(folder)]
    with studio.start([*words, "--", *spoils, sys.executable, SERVER, "echo"]) as client:
        assert client.ask(1)["id"] == 1
        client.wait_for_stderr("not recorded")
        assert client.ask(2)["id"] == 2
        assert client.finish() == 0
        assert client.stderr().count("mcpmock:") == 1


def test_clients_that_start_servers_at_once_get_all_of_them_recorded(studio: Studio) -> None:
    """Ours (DESIGN 3): several processes, one cassette."""
    with studio.record("echo") as one, studio.record("echo") as two, studio.record("echo") as three:
        for name, client in (("a", one), ("b", two), ("c", three)):
            client.ask(name)
        for client in (three, one, two):
            client.close()
        assert [client.finish() for client in (one, two, three)] == [0, 0, 0]
    asked = [session.entries[0].messages[0].id for session in studio.cassette().sessions]
    assert sorted(map(str, asked)) == ["a", "b", "c"]
    assert not studio.parts()


def test_a_shell_between_client_and_recorder_is_no_run_of_its_own(studio: Studio) -> None:
    """Ours (DESIGN 3): a run is the client, not what it starts servers with."""
    for name in "ab":
        command = shlex.join([*studio.recorder(), "--", sys.executable, SERVER, "echo"])
        with studio.start(["sh", "-c", f"{command}; exit $?"]) as client:
            client.ask(name)
            assert client.finish() == 0
    assert [session.entries[0].messages[0].id for session in studio.cassette().sessions] == ["a", "b"]


def test_the_next_run_replaces_the_one_before(studio: Studio) -> None:
    """Ours (DESIGN 3): `--run`, and `--append` to keep."""
    for options in (["--run", "1"], ["--run", "1"], ["--run", "2"], ["--run", "3", "--append"]):
        with studio.record("echo", options=options) as client:
            client.ask(options[1])
            client.finish()
    assert [session.entries[0].messages[0].id for session in studio.cassette().sessions] == ["2", "3"]


def test_no_secret_reaches_the_disk(studio: Studio) -> None:
    """Ours (DESIGN 3, No secrets): not in the part file either; forwarded bytes are untouched."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    options = ["--env", f"GITHUB_TOKEN={token}"]
    with studio.record("echo", "--token", token, options=options) as client:
        params = {"token": token, "stderr": f"token is {token}\n", "raw": f"raw {token}\n"}
        client.send({"id": 1, "method": "tools/call", "params": params})
        assert client.read_line() == f"raw {token}\n".encode()
        assert client.receive()["result"]["size"] > 150
        wait_until(studio.parts, "the part file")
        wait_until(lambda: b"id: 1" in studio.parts()[0].read_bytes(), "the call")
        assert token.encode() not in studio.parts()[0].read_bytes()
        client.finish()
    assert token not in studio.path.read_text()
    assert studio.path.read_text().count("~secret.") >= 5
    assert os.stat(studio.path).st_mode & 0o077 == 0


def test_secrets_are_kept_if_one_insists(studio: Studio) -> None:
    """Ours (issue 2): `--no-redact`."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with studio.record("echo", options=["--no-redact"]) as client:
        client.ask(1, token=token)
        client.finish()
    assert token in studio.path.read_text()
