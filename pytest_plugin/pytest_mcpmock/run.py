"""What is told about a whole run: the report, and the cassettes that no test used."""

from __future__ import annotations

import pytest

__all__ = ["finish"]


def finish(session: pytest.Session) -> None:
    """The run has ended in this process."""
