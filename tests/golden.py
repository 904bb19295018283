"""Golden texts: what people read, kept as files beside the tests, so that a change of wording is a diff to review."""

from __future__ import annotations

import os
from pathlib import Path


def check_golden(text: str, path: Path) -> None:
    """Asserts that the text is what the file holds; with MCPMOCK_GOLDEN=write it becomes that instead."""
    if os.environ.get("MCPMOCK_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.exists(), f"no golden text {path.name}; MCPMOCK_GOLDEN=write makes it"
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; MCPMOCK_GOLDEN=write accepts the new text"
