"""A cassette played through the pytest fixture to a client: by its command, by its URL and, for a Python one, in
process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

from tests.e2e.pair import SECONDS, Log, clean_environment
from tests.e2e.software import HERE, Client, fresh
from tests.program import ENVIRONMENT
from tests.real.software import python_of

SUITE: Final = HERE / "fixture"
OUTSIDE: Final = ("command", "url")
INSIDE: Final = ("streams", "httpx2")
ON_ONE_STREAM: Final = ("command", "streams")
"""Those through which all messages come in one order."""

_TELL: Final = "import mcpmock, pytest_mcpmock\nfor one in mcpmock, pytest_mcpmock: print(one.__path__[0])"


def see(client: Client, mode: str | None, cassette: Path, folder: Path) -> dict[str, Log]:
    """What the client sees of each form of the fixture, by name; `mode` is that of a client of the Python SDK 2.x,
    which is played in process, too. The steps are those that `drive` has left in the folder."""
    names = OUTSIDE if mode is None else OUTSIDE + INSIDE
    files = {name: folder / f"fixture-{name}.json" for name in names}
    for file in files.values():
        file.unlink(missing_ok=True)
    told = _run_pytest(_order(client, mode, cassette, folder), folder)
    return {
        name: json.loads(file.read_text()) if file.exists() and not told else [["failed", told]]
        for name, file in files.items()
    }


def _order(client: Client, mode: str | None, cassette: Path, folder: Path) -> Path:
    order = folder / "order.json"
    told = {"driver": client.command(), "mode": mode, "cassette": str(cassette), "out": str(folder)}
    order.write_text(json.dumps({**told, "scenario": str(folder / "scenario.json"), "seconds": SECONDS}))
    return order


def _run_pytest(order: Path, folder: Path) -> str:
    """What pytest says where a test fails, by itself or by the plugin; else nothing."""
    search = fresh(folder / "packages")  # what is tested, and nothing else of this environment
    for package in _packages():
        (search / package.name).symlink_to(package)
    done = subprocess.run(
        [python_of("sdk2"), "-m", "pytest", "-p", "pytest_mcpmock.plugin", "-p", "no:cacheprovider",
         "-c", SUITE / "pytest.ini", "-q", SUITE / "played.py"],
        cwd=folder, env={**_environment(), "PYTHONPATH": str(search), "E2E_ORDER": str(order)},
        capture_output=True, text=True, timeout=3 * SECONDS,
    )  # fmt: skip
    return done.stdout + done.stderr if done.returncode else ""


def _environment() -> dict[str, str]:
    return {
        **{name: value for name, value in clean_environment().items() if name != "CI"},
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@cache
def _packages() -> list[Path]:
    """The package and its plugin, as they are installed: where this is run as a module, the checkout comes first."""
    found = subprocess.run(
        [sys.executable, "-P", "-c", _TELL],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **ENVIRONMENT},
    )
    return [Path(line) for line in found.stdout.splitlines()]
