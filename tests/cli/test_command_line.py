"""The manners of the command line that all commands share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mcpmock import __version__
from mcpmock.cli.group import COMMANDS
from tests.program import ENVIRONMENT, MCPMOCK, SECONDS, run


def test_the_version_is_told() -> None:
    """Ours."""
    assert run("--version").stdout.decode() == f"mcpmock {__version__}\n"


def test_the_module_can_be_run_like_the_script() -> None:
    """Ours (issue 2): `python -m mcpmock`."""
    command = [sys.executable, "-m", "mcpmock", "--version"]
    done = subprocess.run(command, capture_output=True, env={**os.environ, **ENVIRONMENT}, timeout=SECONDS)
    assert done.stdout == run("--version").stdout


def test_help_names_every_command_and_gives_examples() -> None:
    """Ours (issue 2)."""
    done = run("--help")
    text = done.stdout.decode()
    assert done.returncode == 0
    assert not [name for name in COMMANDS if f"\n  {name}" not in text]
    assert "Examples:" in text
    assert "Exit codes:" in text


@pytest.mark.parametrize("words", ["replay {}", "record -o {} -- cat"])
def test_an_interrupt_before_the_session_ends_it_as_it_ends_any_program(tmp_path: Path, words: str) -> None:
    """Ours (DESIGN 5, signals): no traceback, and never lost, whatever is being imported or read."""
    path = tmp_path / "c.yaml"
    path.write_text("version: 1\nsessions: []\n")
    waits = "import os, signal, sys; sys.addaudithook(lambda name, rest: os.kill(os.getpid(), signal.SIGINT)"
    waits += f" if name == 'open' and rest[0] == {str(path)!r} else None)"
    command = [sys.executable, "-c", f"{waits}; from mcpmock.__main__ import main; sys.exit(main())"]
    command += [word.format(path) for word in words.split()]
    done = subprocess.run(command, capture_output=True, env={**os.environ, **ENVIRONMENT}, timeout=60)
    assert done.returncode == -signal.SIGINT
    assert done.stderr == b""


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str) -> None:
    """Ours (issue 2): `--help` everywhere, with an example."""
    done = run(name, "--help")
    assert done.returncode == 0, done.stderr
    assert f"Usage: mcpmock {name}" in done.stdout.decode()
    assert "Example" in done.stdout.decode()


def test_no_command_at_all_shows_the_help() -> None:
    """Ours: as click does."""
    done = run()
    assert done.returncode == 2
    assert "Commands:" in done.stderr.decode()


def test_a_word_that_is_no_command_is_an_error_with_a_suggestion() -> None:
    """Ours (FIELD): usage errors end with 2."""
    done = run("reply")
    assert done.returncode == 2
    assert "Did you mean 'replay'?" in done.stderr.decode()


@pytest.mark.parametrize(
    "arguments", [("replay", "--ordre", "any", "x.yaml"), ("show",), ("record", "--", "true"), ("salvage",)]
)
def test_wrong_usage_ends_with_2_and_without_a_traceback(arguments: tuple[str, ...]) -> None:
    """Ours (FIELD)."""
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Usage: mcpmock" in done.stderr


@pytest.mark.parametrize("name", ["replay", "show", "check"])
def test_a_cassette_that_is_not_there_ends_with_4_and_names_it(name: str, tmp_path: Path) -> None:
    """Ours (FIELD): a broken cassette is never taken for an empty one."""
    done = run(name, tmp_path / "nothing.yaml")
    assert done.returncode == 4, done.stderr
    assert b"nothing.yaml" in done.stderr + done.stdout
    assert b"Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    """Ours: `mcpmock … | head`."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*MCPMOCK, "--help"],
        stdout=writing,
        stderr=subprocess.PIPE,
        env={**os.environ, **ENVIRONMENT},
        timeout=SECONDS,
    )
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
def test_a_full_disk_is_told_with_its_place() -> None:
    """Ours: the system names no file for what is open already."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*MCPMOCK, "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, **ENVIRONMENT},
            timeout=SECONDS,
        )
    assert done.stderr == b"mcpmock: the output cannot be written: No space left on device\n"
    assert done.returncode == 1


@pytest.mark.parametrize("words", ["record -o c.yaml -- true", "redact c.yaml"])
def test_a_current_folder_that_has_been_deleted_is_told(words: str, tmp_path: Path) -> None:
    """Ours: "No such file or directory" names nothing that one could look for."""
    gone = tmp_path / "gone"
    gone.mkdir()
    script = ["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", *MCPMOCK, *words.split()]
    done = subprocess.run(script, cwd=gone, capture_output=True, env={**os.environ, **ENVIRONMENT}, timeout=SECONDS)
    assert done.stderr == b"mcpmock: the current folder has been deleted: change to one that is there\n"
    assert done.returncode == 1


def test_too_little_memory_is_told_without_a_traceback(tmp_path: Path) -> None:
    """Ours: a line of a client may be longer than there is room for."""
    (tmp_path / "c.yaml").write_text("version: 1\nsessions: []\n")
    done = subprocess.run(
        ["sh", "-c", 'ulimit -v 100000; exec "$@"', "sh", *MCPMOCK, "replay", "c.yaml"],
        cwd=tmp_path,
        input=b"x" * 60_000_000,
        capture_output=True,
        env={**os.environ, **ENVIRONMENT},
        timeout=SECONDS,
    )
    assert b"Traceback" not in done.stderr
    assert b"mcpmock: replay: there is too little memory" in done.stderr
    assert done.returncode == 1
