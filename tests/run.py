"""All tests: `python tests/run.py [PYTEST OPTIONS]`.

Installs the real servers and clients that some tests need (once; they are kept in `.real/`), then runs
pytest once: linter, formatter, type checker, architecture, unit tests and sessions with real software. What is tested
is the installed package, not the checkout, unless it was installed with `pip install -e`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKERS = ["-n", "auto", "--maxprocesses", "8", "--dist", "worksteal"]


def main() -> int:
    """Install, test, and return pytest's exit code."""
    installed = subprocess.run([sys.executable, str(ROOT / "tests" / "real" / "software.py")], stdin=subprocess.DEVNULL)
    if installed.returncode and os.environ.get("MCPMOCK_REQUIRE_REAL"):
        return installed.returncode
    # Without this, Python would look for the package in the checkout first.
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *WORKERS, *sys.argv[1:]], cwd=ROOT, env=environment
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
