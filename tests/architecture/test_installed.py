"""What is installed: the wheel holds the package whole, and nothing else."""

from __future__ import annotations

import importlib.metadata
import os
from pathlib import Path
from typing import Final

import pytest

import mcpmock
from tests.architecture.source import ROOT

PACKAGE_FOLDER: Final = Path(mcpmock.__file__).parent
IS_CHECKOUT: Final = PACKAGE_FOLDER == ROOT / "mcpmock"


def test_in_ci_the_wheel_is_tested_and_not_the_checkout() -> None:
    """Ours (STYLE, Habits): every sentence holds for the installed wheel."""
    if not os.environ.get("MCPMOCK_REQUIRE_REAL"):
        pytest.skip("MCPMOCK_REQUIRE_REAL is not set: a checkout may be tested as it is")
    assert not IS_CHECKOUT


@pytest.mark.skipif(IS_CHECKOUT, reason="the package is not installed from a wheel")
def test_the_wheel_holds_the_package_and_nothing_else() -> None:
    """Ours (DESIGN 5): every file of the package, the types' marker, the licence; no tests."""
    files = importlib.metadata.files("mcpmock") or []
    held = {str(file) for file in files if "__pycache__" not in str(file)}
    source = {str(path.relative_to(ROOT)) for path in (ROOT / "mcpmock").rglob("*.py")}
    source |= {str(path.relative_to(ROOT / "pytest_plugin")) for path in (ROOT / "pytest_plugin").rglob("*.py")}
    assert source <= held, "stale: install the package again"
    assert {"mcpmock/py.typed", "pytest_mcpmock/py.typed"} <= held
    assert any(file.endswith("licenses/LICENSE") for file in held)
    others = {file.split("/")[0] for file in held} - {"mcpmock", "pytest_mcpmock", ".."}
    assert others == {f"mcpmock-{mcpmock.__version__}.dist-info"}


def test_the_version_is_said_once() -> None:
    """Ours: `pyproject.toml` and `mcpmock.__version__` agree."""
    assert f'version = "{mcpmock.__version__}"' in (ROOT / "pyproject.toml").read_text()
