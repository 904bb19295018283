"""The README's examples do what they say."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Final

import pytest

from mcpmock.cassette.reader import load
from mcpmock.cli.group import COMMANDS
from tests.program import ENVIRONMENT, MCPMOCK, SECONDS, run

ROOT: Final = Path(__file__).parent.parent
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language, in their order."""
    return [text for found, text in BLOCK.findall(README) if found == language]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the reader works: the demo has run, the cassettes that were written by hand are there."""
    path = tmp_path_factory.mktemp("reader")
    done = run("demo", cwd=path)
    assert done.returncode == 0, done.stdout + done.stderr
    (path / "add.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    (path / "read.yaml").write_text(next(text for text in blocks("yaml") if "~var." in text), encoding="utf-8")
    script = path / "bin" / "mcpmock"
    script.parent.mkdir()
    script.write_text(f"""#!/bin/sh\nexec {shlex.join(MCPMOCK)} "$@"\n""")
    script.chmod(0o755)
    return path


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What the reader types."""
    environment = {**os.environ, **ENVIRONMENT, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS
    )


@pytest.mark.parametrize("block", blocks("console"))
def test_every_example_with_a_prompt_works_and_prints_what_it_says(block: str, folder: Path) -> None:
    """Ours (issue 2): a README that can be followed word by word."""
    commands = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    assert commands
    for text in commands:
        command, _, expected = text.partition("\n")
        done = shell(command, folder)
        assert done.returncode == 0, done.stderr
        assert expected.strip() in done.stdout


def test_the_page_about_a_miss_is_the_one_that_is_printed(folder: Path) -> None:
    """Ours: shown text is real text."""
    request = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":{"a":%d,"b":2}}}'
    stdin = "".join(request % pair + "\n" for pair in [(1, 1), (2, 40)])
    done = run("replay", "add.yaml", stdin=stdin.encode(), cwd=folder)
    assert done.returncode == 3
    assert blocks("text")[0].strip() in done.stderr.decode()


@pytest.mark.parametrize("block", blocks("yaml"))
def test_every_cassette_can_be_loaded(block: str) -> None:
    """Ours: the format is what the README shows."""
    assert load(block.encode()).sessions


@pytest.mark.parametrize("block", blocks("json"))
def test_every_configuration_is_json_and_its_commands_exist(block: str) -> None:
    """Ours: it can be pasted."""
    for server in json.loads(block)["mcpServers"].values():
        assert server["command"] != "mcpmock" or server["args"][0] in COMMANDS


def test_every_option_of_every_command_is_named() -> None:
    """Ours: the table of commands is complete, and names nothing that is not there."""
    for name in COMMANDS:
        rows = [line.split("|")[1] for line in README.splitlines() if line.startswith(f"| `mcpmock {name}")]
        told = {option for row in rows for option in re.findall(r"--[a-z-]+\w", row)} | {"--help"}
        offered = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+\w)", run(name, "--help").stdout.decode(), re.MULTILINE))
        assert told - {"--output"} == offered - {"--output"}, name


def test_the_set_up_for_tests_is_what_runs_in_ci() -> None:
    """Ours (issue 2): `.ci/run` calls the second command, to the letter."""
    demo, tests = blocks("sh")
    assert demo.strip().endswith("mcpmock demo")
    assert tests.strip() in (ROOT / ".ci" / "run").read_text()


def test_every_file_that_is_linked_exists() -> None:
    """Ours."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]
