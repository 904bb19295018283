"""Cassettes and a real server as fixtures."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.mock.said import ADD, SERVER, TWO, written


@pytest.fixture(autouse=True)
def _working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages tell paths from the working folder on, so their texts do not depend on where tests keep their files."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def add(tmp_path: Path) -> Path:
    """A cassette in which 1 and 2 are added, once."""
    return written(tmp_path / "add.yaml", ADD)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A cassette of two servers."""
    return written(tmp_path / "two.yaml", TWO)


@pytest.fixture
def real(tmp_path: Path) -> list[str]:
    """The command of a real server."""
    return [sys.executable, str(written(tmp_path / "server.py", SERVER))]
