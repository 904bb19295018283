"""mcpmock without pytest: its public names (issue 3, 7)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import mcpmock
from tests.program import SECONDS


def test_every_public_name_is_there_typed_and_documented() -> None:
    """Ours (STYLE, "Public surface")."""
    assert len(mcpmock.__all__) <= 25
    assert set(mcpmock.__all__) <= set(dir(mcpmock))
    for name in mcpmock.__all__:
        found = getattr(mcpmock, name)
        assert name in ("__version__", "Mode") or found.__doc__, name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = mcpmock.nothing  # type: ignore[attr-defined]


def test_the_names_of_functions_are_not_those_of_modules() -> None:
    """Ours: importing a module of ours never hides a function."""
    code = "import mcpmock.replaying, mcpmock.recording, mcpmock; assert callable(mcpmock.replay)"
    done = subprocess.run(
        [sys.executable, "-c", code + "; assert callable(mcpmock.record)"], capture_output=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr
    for name in mcpmock.__all__:
        assert not (Path(mcpmock.__file__).parent / f"{name}.py").exists(), name
