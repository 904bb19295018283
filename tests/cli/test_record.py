"""`mcpmock record` on the command line: its options, and what goes wrong before the server is started."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.cassette.load import load_file
from mcpmock.cli.record import command
from mcpmock.cli.record_options import byte_size, read_request
from tests.program import ENVIRONMENT, MCPMOCK, SECONDS, run

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
SERVER = (
    "import sys, json\n"
    "for line in sys.stdin:\n"
    "    print(json.dumps({'jsonrpc': '2.0', 'id': 1, 'result': {'argv': sys.argv[1:]}}), flush=True)\n"
)


@pytest.fixture
def server(tmp_path: Path) -> str:
    """A server in a file."""
    path = tmp_path / "weather-server.py"
    path.write_text(SERVER)
    return str(path)


def test_pr_06_without_a_separator_the_first_word_that_is_no_option_begins_the_command(
    tmp_path: Path, server: str
) -> None:
    """PR-06 (issue 2): some clients swallow `--`; the server's own options are not ours."""
    output = tmp_path / "c.yaml"
    words = ("-o", "x", "--help", "--", "--server=y")
    done = run("record", "-o", output, "--no-vars", sys.executable, server, *words, stdin=PING)
    assert done.returncode == 0, done.stderr
    assert b'["-o", "x", "--help", "--", "--server=y"]' in done.stdout
    assert load_file(str(output)).sessions[0].command == (sys.executable, server, *words)


def test_pr_06_a_missing_command_is_named(tmp_path: Path) -> None:
    """PR-06: the command, not something else, and where it was looked for."""
    done = run("record", "-o", tmp_path / "c.yaml", "--", "no-such-command-anywhere", env={"PATH": "/nowhere"})
    assert done.returncode == 1
    assert done.stderr.decode() == "mcpmock: there is no command 'no-such-command-anywhere' in the PATH\n"
    assert not list(tmp_path.iterdir())


def test_pr_06_a_url_behind_two_dashes_is_told_from_a_missing_command(tmp_path: Path) -> None:
    """PR-06: what is wrong is the dashes, behind which everything is a command."""
    done = run("record", "-o", tmp_path / "c.yaml", "--", "http://127.0.0.1:9/mcp")
    assert done.returncode == 1
    assert done.stderr.decode().endswith("; a URL stands in place of the command, without -- before it\n")


@pytest.mark.parametrize("url", ["localhost:9", "127.0.0.1:9/mcp"])
def test_pr_06_a_url_without_its_beginning_is_told_from_a_missing_command(tmp_path: Path, url: str) -> None:
    """PR-06: what is wrong is that nothing says that it is one."""
    done = run("record", "-o", tmp_path / "c.yaml", url)
    assert done.returncode == 1
    assert done.stderr.decode().endswith(f"; did you mean http://{url}?\n")


@pytest.mark.parametrize("program", ["python3", "/bin/sh"])
def test_pr_06_a_command_in_quotes_is_told_from_a_missing_one(tmp_path: Path, program: str) -> None:
    """PR-06: what is wrong is the quotes; of a word that is no command without them, nothing is said."""
    done = run("record", "-o", tmp_path / "c.yaml", "--", f"{program} -m server")
    assert done.returncode == 1
    assert f"there is no command '{program} -m server'" in done.stderr.decode()
    assert done.stderr.decode().endswith(f"; write it without the quotes: {program} -m server\n")
    done = run("record", "-o", tmp_path / "c.yaml", "--", "no-such-command -m server")
    assert b"quotes" not in done.stderr


def test_pr_06_a_missing_folder_is_named(tmp_path: Path, server: str) -> None:
    """PR-06: a missing folder is no missing command."""
    done = run("record", "-o", tmp_path / "c.yaml", "--cwd", "/does/not/exist", "--", sys.executable, server)
    assert done.returncode == 1
    assert done.stderr == b"mcpmock: the working folder '/does/not/exist' is no folder (--cwd)\n"


def test_pr_06_a_file_that_may_not_be_executed_is_named(tmp_path: Path, server: str) -> None:
    """PR-06: there is such a file, but it is no program."""
    done = run("record", "-o", tmp_path / "c.yaml", "--", server)
    assert done.returncode == 1
    assert f"the command '{server}' may not be executed" in done.stderr.decode()


def test_pr_06_a_missing_interpreter_is_told_from_a_missing_command(tmp_path: Path) -> None:
    """PR-06: the system's error is the same for both."""
    script = tmp_path / "server"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    done = run("record", "-o", tmp_path / "c.yaml", "--", script)
    assert done.returncode == 1
    assert b"the interpreter in its first line is missing" in done.stderr


def test_the_server_runs_in_the_folder_that_is_given(tmp_path: Path) -> None:
    """Ours (issue 2): `--cwd` is the server's; the cassette's path is relative to ours."""
    (tmp_path / "inner").mkdir()
    code = "import os, json; print(json.dumps({'jsonrpc': '2.0', 'id': 1, 'result': {'cwd': os.getcwd()}}))"
    done = run("record", "-o", "c.yaml", "--cwd", "inner", "--", sys.executable, "-c", code, stdin=PING, cwd=tmp_path)
    assert str(tmp_path / "inner").encode() in done.stdout
    assert (tmp_path / "c.yaml").is_file()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--", "x"], "Missing option '-o'"),
        (["cat", "-o", "x.yaml"], "write it before the command"),
        (["--", "cat", "--output=x.yaml"], "write it before the command"),
        (["-o", "c.yaml"], "Missing argument"),
        (["-o", "c.yaml", "--env", "FOO", "--", "x"], "write KEY=VALUE"),
        (["-o", "c.yaml", "--max-message", "many", "--", "x"], "'many' is no size"),
        (["-o", "c.yaml", "--unknown", "--", "x"], "No such option"),
        (["-o", ".", "--", "x"], "is a folder"),
    ],
)
def test_usage_errors_come_before_the_server_is_started(tmp_path: Path, arguments: list[str], complaint: str) -> None:
    """Ours (DESIGN 4, The end): code 2, and what is wrong."""
    done = run("record", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr.decode()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["--env", "--var", "--redact", "-H"])
def test_a_usage_error_does_not_repeat_what_may_be_a_secret(tmp_path: Path, option: str) -> None:
    """Ours: `--env TOKEN` for `--env NAME=TOKEN` told the token on stderr, which logs keep."""
    words = ["http://127.0.0.1:9/"] if option == "-H" else ["--", "x"]
    done = run("record", "-o", "c.yaml", option, "sw0rdfish", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert b"sw0rdfish" not in done.stderr
    assert b"write" in done.stderr


@pytest.mark.parametrize("name", ["loop.yaml", "x" * 300 + ".yaml", ""])
def test_pr_07_a_name_that_the_system_refuses_is_told_before_the_server_is_started(tmp_path: Path, name: str) -> None:
    """PR-07, ours: the server ran, and nothing of it was recorded."""
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    done = run("record", "-o", name, "--", "touch", "started", cwd=tmp_path)
    assert done.returncode == 2
    assert b"--output" in done.stderr
    assert not (tmp_path / "started").exists()


def test_pr_07_a_folder_that_is_a_file_is_named_before_the_server_is_started(tmp_path: Path) -> None:
    """PR-07: nothing can ever be written there."""
    (tmp_path / "file").touch()
    output = tmp_path / "file" / "deep" / "c.yaml"
    done = run("record", "-o", output, "--", "no-such-command")
    assert done.returncode == 2
    assert f"{output} cannot be written, for {tmp_path / 'file'} is no folder" in done.stderr.decode()
    assert "choose another --output" in done.stderr.decode()


@pytest.mark.parametrize(("guarded", "mode"), [("folder", 0o555), ("folder/c.yaml", 0o444)])
def test_pr_07_what_is_write_protected_is_named_before_the_server_is_started(
    tmp_path: Path, guarded: str, mode: int
) -> None:
    """PR-07: a session whose recording is lost for certain is not begun; new folders in it are not made either."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "c.yaml").touch()
    (tmp_path / guarded).chmod(mode)
    for output in {folder / "c.yaml", tmp_path / guarded if mode == 0o444 else folder / "new" / "c.yaml"}:
        command = [*unprivileged(), *MCPMOCK, "record", "-o", output, "--", "no-such-command"]
        done = subprocess.run(command, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2, done.stderr
        assert f"{output} cannot be written, for " in done.stderr
        assert "write-protected: change that, or choose another --output" in done.stderr


def unprivileged() -> list[str]:
    """What takes from a command what only root may; nothing for others."""
    if os.geteuid():
        return []
    words = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    if (
        not shutil.which(words[0])
        or subprocess.run([*words, "true"], capture_output=True, check=False, timeout=SECONDS).returncode
    ):
        pytest.skip("root can write everywhere, and there is no setpriv that makes it less")
    return words


def test_ca_07_a_file_that_is_no_cassette_is_refused_before_the_server_is_started(tmp_path: Path) -> None:
    """CA-07: `-o server.py` is a slip."""
    slip = tmp_path / "server.py"
    slip.write_text("print('mine')\n")
    done = run("record", "-o", slip, "--", "no-such-command")
    assert done.returncode == 4
    assert done.stderr.decode().startswith(f"mcpmock: {slip}:1: ")
    assert "choose another --output, or delete the file first" in done.stderr.decode()
    assert slip.read_text() == "print('mine')\n"


def test_a_server_gets_the_name_that_is_given(tmp_path: Path, server: str) -> None:
    """Ours (issue 2): `--server`; else what the command suggests."""
    for options, name in (((), "weather"), (("--server", "sun"), "sun")):
        output = tmp_path / f"{name}.yaml"
        assert run("record", "-o", output, *options, "--", sys.executable, server, stdin=PING).returncode == 0
        assert load_file(str(output)).sessions[0].server == name


def test_what_is_added_to_the_environment_is_in_the_cassette(tmp_path: Path, server: str) -> None:
    """Ours (format): `env` holds what `--env` added, and nothing of the rest."""
    output = tmp_path / "c.yaml"
    options = ["--env", "TZ=UTC", "--env", "API_KEY=3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"]
    run("record", "-o", output, *options, "--", sys.executable, server, stdin=PING)
    (zone, key) = load_file(str(output)).sessions[0].env
    assert zone == ("TZ", "UTC")
    assert key[0] == "API_KEY"
    assert key[1].startswith("~secret.")


def test_help_shows_an_example() -> None:
    """Ours (issue 2): `--help` everywhere, with an example."""
    for name in ("record", "salvage"):
        done = run(name, "--help")
        assert done.returncode == 0
        assert "Example" in done.stdout.decode()


@pytest.mark.parametrize(
    ("text", "size"), [("500000", 500000), ("64K", 65536), ("20m", 20 * 1024**2), ("1GiB", 1024**3)]
)
def test_sizes_may_have_units(text: str, size: int) -> None:
    """Ours (issue 2): `--max-message`."""
    assert byte_size(text) == size


WORDS = st.lists(
    st.sampled_from(
        shlex.split(
            "-o c.yaml --output --output=d.yaml --server --server=s --server= --env A=b --env=C=d=e --cwd . --run "
            "--run=7 --append --no-redact --redact key:a --redact=regex:b --var a=/b --var=c=d --var x "
            "--no-vars --max-message 1K --max-message=2M -- python x -x --help -ofile --nothing ''"
        )
    ),
    max_size=9,
)


@given(WORDS)
def test_options_are_read_as_click_reads_them(words: list[str]) -> None:
    """Ours: the quick way and the one with explanations; where the quick one is not sure it leaves it to the other."""
    quick = read_request(words)
    if quick is None:
        return
    told = command.make_context("record", list(words)).params
    assert {**quick.keeping._asdict(), "command": quick.command, "env": quick.env, "cwd": quick.cwd} == {
        **{name: told[name] for name in ("output", "server", "cwd", "run", "max_message")},
        "command": list(told["command"]),
        "env": dict(told["env"]),
        "vars": dict(told["vars_"]),
        "folders": not told["no_vars"],
        "appends": told["append"],
        "redacts": not told["no_redact"],
        "redact": told["redact"],
    }


def test_what_clients_write_is_read_the_quick_way() -> None:
    """Ours: it is started for every session."""
    quick = read_request(["-o", "c.yaml", "--env", "A=b", "--append", "npx", "-y", "x"])
    assert quick is not None
    assert (quick.keeping.output, quick.keeping.appends) == ("c.yaml", True)
    assert (quick.env, quick.command) == ({"A": "b"}, ["npx", "-y", "x"])
