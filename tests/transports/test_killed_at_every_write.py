"""A recorder that is killed at any of its steps on the file system loses nothing that it had kept."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.program import ENVIRONMENT, SECONDS, module
from tests.transports import killing


def test_pr_07_killed_at_every_write_a_recorder_loses_nothing_that_it_had_kept(tmp_path: Path) -> None:
    """PR-07, issue 4.3: before and in the middle of each; the old cassette is intact, and nothing is left behind."""
    (tmp_path / "tmp").mkdir()
    root = str(Path(killing.__file__).parents[2])
    environment = {**os.environ, **ENVIRONMENT, "TMPDIR": str(tmp_path / "tmp")}
    done = subprocess.run(
        [*module("tests.transports.killing"), tmp_path],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=2 * SECONDS,
    )
    *broken, kills = done.stdout.splitlines() or [""]
    assert done.returncode == 0, done.stderr
    assert not broken, "\n".join(broken)
    assert int(kills) > 200
