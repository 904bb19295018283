"""The README's example for clients over HTTP, typed word by word."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.plugin.conftest import PLUGIN
from tests.program import SECONDS

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_example_over_http_passes(tmp_path: Path) -> None:
    """Ours (issue 2): a README that can be followed word by word."""
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    (example,) = [text for language, text in blocks if language == "python" and "httpx_transport" in text]
    cassette = next(text for language, text in blocks if language == "yaml")
    (tmp_path / "cassettes").mkdir()
    (tmp_path / "cassettes" / "add.yaml").write_text(cassette, encoding="utf-8")
    (tmp_path / "test_add_over_http.py").write_text(example, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    path = [str(ROOT), str(ROOT / "pytest_plugin")]
    command = [
        sys.executable,
        "-m",
        "pytest",
        *PLUGIN,
        "-q",
        "-p",
        "no:asyncio",
        "-p",
        "no:cacheprovider",
        "-k",
        "asyncio",
    ]
    code = f"import sys; sys.path += {path!r}; import pytest; sys.exit(pytest.main({command[3:]!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
