"""The linter, the formatter and the type checker, as tests: one closing line tells about everything."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.architecture.source import ROOT


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("ruff", "check", "--no-cache", "."), id="ruff check"),
        pytest.param(("ruff", "format", "--no-cache", "--check", "."), id="ruff format"),
        pytest.param(("mypy", "--strict"), id="mypy --strict"),
    ],
)
def test_the_tool_has_nothing_to_say(command: tuple[str, ...]) -> None:
    """Ours (issue 2): ruff and mypy in strict mode, with the settings in pyproject.toml."""
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
