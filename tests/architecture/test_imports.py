"""What an import costs (DESIGN 5, 6): counted in modules, because seconds belong in `benchmarks/`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.source import ROOT, complaint
from tests.program import SECONDS

FORBIDDEN: Final = frozenset(
    ("click", "asyncio", "anyio", "dataclasses", "inspect", "threading", "hashlib", "pydantic", "httpx", "mcp")
)
BUDGET: Final = 90
"""Modules that `mcpmock replay` may import beyond what `python -c pass` does: json, yaml and ours."""

INITIALIZE: Final = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":'
    b'{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n'
)
ONE_CALL: Final = """\
version: 1
sessions:
- entries:
  - client: {method: tools/call, params: {name: add, arguments: {a: 1, b: 2}}}
    server: {result: {content: [{type: text, text: "3"}]}}
"""
MAIN: Final = "import sys; from mcpmock.__main__ import main; sys.exit(main())"


def imported(code: str, *arguments: str, stdin: bytes = b"") -> set[str]:
    """The modules that a fresh interpreter imports while it runs the code."""
    command: Sequence[str] = (sys.executable, "-X", "importtime", "-c", code, *arguments)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, input=stdin, capture_output=True, env=environment, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.decode().splitlines()
    return {line.rsplit("|", 1)[1].strip() for line in lines if line.startswith("import time:") and "us" not in line}


@pytest.fixture(scope="module")
def bare() -> set[str]:
    """What every interpreter imports, in this environment."""
    return imported("pass")


def test_replay_imports_no_event_loop_and_no_click(bare: set[str], tmp_path: Path) -> None:
    """Ours (DESIGN 5): a replay starts as fast as the interpreter, json and yaml allow."""
    cassette = tmp_path / "one.yaml"
    cassette.write_text(ONE_CALL)
    modules = imported(MAIN, "replay", str(cassette), stdin=INITIALIZE) - bare
    found = sorted(name for name in modules if name.split(".")[0] in FORBIDDEN)
    assert not found, complaint("`mcpmock replay` over stdio imports what it must not.", found)
    assert len(modules) <= BUDGET, complaint(f"More than {BUDGET} modules for one replay.", sorted(modules))
    assert "mcpmock.cassette.reader" in modules, "the measurement is broken: a replay reads a cassette"


def test_importing_mcpmock_costs_one_module(bare: set[str]) -> None:
    """Ours (STYLE, Public surface)."""
    assert imported("import mcpmock") - bare == {"mcpmock"}


def test_help_imports_no_command(bare: set[str]) -> None:
    """Ours (issue 2): the commands are imported only when called."""
    modules = imported(MAIN, "--help") - bare
    commands = {path.stem for path in (ROOT / "mcpmock" / "cli").glob("*.py")} - {"__init__", "group"}
    assert not [name for name in modules if name in {f"mcpmock.cli.{command}" for command in commands}]
