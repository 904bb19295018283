"""Real software in tests: what lacks it is skipped, or fails where MCPMOCK_REQUIRE_REAL is set."""

from __future__ import annotations

import os

import pytest

from tests.real import software


def require(part: str) -> None:
    """Skip or fail, with the reason, where a part of the real software is missing."""
    if software.PARTS[part].is_installed() and (part != "npm" or software.node() is not None):
        return
    reason = f"the part {part!r} is not installed: python tests/real/software.py"
    if os.environ.get("MCPMOCK_REQUIRE_REAL"):
        pytest.fail(reason)
    pytest.skip(reason)
