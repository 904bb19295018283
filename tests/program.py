"""How tests start the program: as it is installed, else from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import mcpmock

_SCRIPT: Final = Path(sys.executable).with_name("mcpmock")
_IS_INSTALLED: Final = _SCRIPT.is_file()

_IS_STARTED_ITSELF: Final = _IS_INSTALLED and " " not in str(_SCRIPT)
"""Where there is a blank in its path, pip lets a shell start it, which adds to the environment."""

MCPMOCK: Final = (str(_SCRIPT),) if _IS_STARTED_ITSELF else (sys.executable, "-P", "-m", "mcpmock")
"""The command of the program: the console script where the package is installed."""

ENVIRONMENT: Final[Mapping[str, str]] = (
    {} if _IS_INSTALLED else {"PYTHONPATH": str(Path(mcpmock.__file__).parent.parent)}
)
"""What that command needs in its environment, beside what a clean one has."""

SECONDS: Final = 60

_RUN_MODULE: Final = """
import runpy, sys
sys.path.append(sys.argv.pop(1))
runpy.run_module(sys.argv.pop(1), {}, "__main__")
"""


def module(name: str) -> list[str]:
    """The command that runs a module of these tests, with the package that is under test."""
    return [sys.executable, "-c", _RUN_MODULE, str(Path(__file__).parent.parent), name]


def run(
    *arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run `mcpmock ARGUMENTS` to its end; `env` is added to the environment."""
    command: Sequence[str | Path] = (*MCPMOCK, *arguments)
    environment = {**os.environ, **ENVIRONMENT, **(env or {})}
    return subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, env=environment, timeout=SECONDS)
