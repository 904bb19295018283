"""The README's examples for pytest, typed word by word in an empty project with the official SDK."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Final

import pytest
import pytest_mcpmock

import mcpmock
from tests.program import SECONDS
from tests.real import software
from tests.real.conftest import require

README: Final = (Path(__file__).parent.parent.parent / "README.md").read_text(encoding="utf-8")
BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTION: Final = README.partition("\n## Test with pytest\n")[2].partition("\n## ")[0]

pytestmark = [pytest.mark.real]


def blocks(language: str) -> list[str]:
    """The fenced blocks of the section, in their order."""
    return [text for found, text in BLOCK.findall(SECTION) if found == language]


class Reader:
    """An empty project with the cassette, into which the examples are typed."""

    def __init__(self, folder: Path, part: str) -> None:
        self.folder = folder
        self._python = str(software.python_of(part))
        packages = folder / "packages"
        packages.mkdir()
        for package in (mcpmock, pytest_mcpmock):
            source = Path(str(package.__file__)).parent
            (packages / source.name).symlink_to(source)
        hidden = ("CI", "PYTHONSAFEPATH", "MCPMOCK_MODE")
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        self._environment = {**environment, "PYTHONPATH": str(packages), "PYTHONDONTWRITEBYTECODE": "1"}
        (folder / "cassettes").mkdir()
        (folder / "cassettes" / "add.yaml").write_text(blocks("yaml")[0])
        for text in blocks("python"):
            name = re.findall(r"^# (\w+\.py)$", text, re.MULTILINE)[0]
            (folder / name).write_text(text)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Runs Python in the project."""
        return subprocess.run(
            [self._python, *command],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )

    def pytest(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs pytest, with the plugin."""
        ini = ("-o", "asyncio_default_fixture_loop_scope=function")
        return self.run("-m", "pytest", "-p", "pytest_mcpmock.plugin", "-p", "no:cacheprovider", *ini, *words)


@pytest.fixture(params=["sdk1", "sdk2"])
def reader(request: pytest.FixtureRequest, tmp_path: Path) -> Reader:
    """With either version of the SDK."""
    require(request.param)
    return Reader(tmp_path, request.param)


def test_the_first_test_passes(reader: Reader) -> None:
    """Ours (issue 3, 8): "first test in two minutes"."""
    done = reader.pytest("test_add.py")
    assert done.returncode == 0, done.stdout
    assert "`pytest test_add.py` passes" in SECTION


def test_it_is_recorded_once(reader: Reader) -> None:
    """Ours (issue 3, 8): "record once": the first command records, the second one replays."""
    for number, line in enumerate(blocks("text")[0].splitlines()):
        done = reader.pytest(*line.removeprefix("$ pytest ").split())
        assert done.returncode == 0, done.stdout
        assert (reader.folder / "cassettes" / "test_brew" / "test_adds.yaml").exists(), number


def test_it_fails_as_it_is_shown(reader: Reader) -> None:
    """Ours (issue 3, 8): "when it fails": shown text is real text."""
    command, _, shown = blocks("text")[1].partition("\n")
    done = reader.pytest(*command.removeprefix("$ pytest ").split())
    assert done.returncode == 1, done.stdout
    assert shown in done.stdout


def test_the_script_runs(reader: Reader) -> None:
    """Ours (issue 3, 7): without pytest."""
    done = reader.run("script.py")
    assert done.returncode == 0, done.stderr


def test_every_option_and_argument_is_named(reader: Reader) -> None:
    """Ours: the tables are complete, and name nothing that is not there."""
    told = set(re.findall(r"--mcpmock-[a-z-]+\w", SECTION))
    offered = set(re.findall(r"--mcpmock-[a-z-]+\w", reader.pytest("--help").stdout))
    assert told == offered
    for argument in [*mcpmock.Settings.__annotations__, *mcpmock.Playing.__annotations__]:
        assert f"`{argument}`" in SECTION, argument
