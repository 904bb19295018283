"""The pytest fixture with the official SDK 1.x and 2.x and with an agent framework, each in its own environment."""

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

pytestmark = [pytest.mark.real]

SUITE: Final = Path(__file__).parent / "fixture"


@pytest.fixture
def search_path(tmp_path: Path) -> str:
    """A folder that holds mcpmock and its plugin, as they are tested, and nothing else of this environment."""
    for package in (mcpmock, pytest_mcpmock):
        folder = Path(str(package.__file__)).parent
        (tmp_path / folder.name).symlink_to(folder)
    return str(tmp_path)


@pytest.mark.parametrize(
    ("part", "file", "least"),
    [
        pytest.param("sdk1", "over_both.py", 114, id="SDK 1.x, all transports and event loops"),
        pytest.param("sdk2", "over_both.py", 114, id="SDK 2.x, all transports and event loops"),
        pytest.param("sdk2", "stateless.py", 40, id="SDK 2.x, 2026-07-28"),
        pytest.param("sdk1", "with_asyncio.py", 9, id="SDK 1.x, pytest-asyncio"),
        pytest.param("sdk2", "with_asyncio.py", 9, id="SDK 2.x, pytest-asyncio"),
        pytest.param("langchain", "with_langchain.py", 2, id="LangChain"),
    ],
)
def test_the_fixture_works_with(part: str, file: str, least: int, search_path: str, tmp_path: Path) -> None:
    """Case TE-03, ours (issue 3, 2, 6, 8): the same over every transport; warnings are errors."""
    require(part)
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTHONSAFEPATH")}
    done = subprocess.run(
        [software.python_of(part), "-X", "dev", "-m", "pytest", "-p", "pytest_mcpmock.plugin", "-p", "no:cacheprovider",
         "-c", SUITE / "pytest.ini", "-q", SUITE / file],
        cwd=SUITE, env={**environment, "PYTHONPATH": search_path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True, timeout=4 * SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    counts = re.findall(r"(\d+) (passed|xfailed)", done.stdout.splitlines()[-1])
    assert sum(int(number) for number, _ in counts) >= least, done.stdout
