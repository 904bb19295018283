"""What all tests share."""

from __future__ import annotations

import os
import signal
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

# Who starts the tests in the background may have made them deaf to Ctrl-C, and with them all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Deterministic: the same examples in every run, and no deadline, which a busy machine would miss.
settings.register_profile("suite", derandomize=True, deadline=None, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
