"""What tests of recorders without a server share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the cassette will be; what is remembered of it stays in the test's folder."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "c").mkdir()
    return tmp_path / "c" / "cassette.yaml"
