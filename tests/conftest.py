"""What all tests share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hypothesis import settings

ROOT = Path(__file__).parent.parent

# Tests import their own support modules as `tests.…`. The checkout comes last, so that an installed wheel is what is
# tested, where there is one.
for folder in (ROOT, ROOT / "pytest_plugin"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))

pytest_plugins = ["pytester"]

# Deterministic: the same examples in every run, and no deadline, which a busy machine would miss.
settings.register_profile("suite", derandomize=True, deadline=None, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
