"""What a fixture adds to a run of pytest: modules when it is not used, milliseconds for each test that uses it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.cassettes import with_calls
from benchmarks.measure import Row, medians

ROOT: Final = Path(__file__).parent.parent
MODULES: Final = 8
MILLISECONDS: Final = 3.0
TESTS: Final = 200
BIG: Final = 10_000  # about 2 MB

USED: Final = f"""
import json
import pytest
from mcpmock.transports.memory import Codec, memory_streams

@pytest.mark.parametrize("number", range({TESTS}))
@pytest.mark.mcpmock("big.yaml", allow_unplayed=True)
def test_it(mcp_mock, number):
    session = mcp_mock._engine.parts["bench"].open("memory")
    frame = {{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
             "params": {{"name": "echo", "arguments": {{"message": f"message {{number}}"}}}}}}
    assert session.receive(json.dumps(frame).encode(), 0.0)
"""
EMPTY: Final = f"""
import pytest

@pytest.mark.parametrize("number", range({TESTS}))
def test_it(number): pass
"""
COUNTING: Final = """
import json, sys
def pytest_sessionfinish():
    with open("modules.json", "w") as file:
        json.dump(sorted(sys.modules), file)
"""
PLUGIN: Final = ("-p", "pytest_mcpmock.plugin")


def run(rounds: int) -> list[Row]:
    """Modules are counted; the time of a test is that of a call phase with its fixtures, as pytest measures it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cassettes").mkdir()
        (folder / "cassettes" / "big.yaml").write_text(with_calls(BIG))
        (folder / "conftest.py").write_text(COUNTING)
        (folder / "test_used.py").write_text(USED)
        (folder / "test_empty.py").write_text(EMPTY)
        modules = _modules(folder, *PLUGIN) - _modules(folder)
        seconds = medians(
            {"used": lambda: _seconds(folder, "test_used.py"), "empty": lambda: _seconds(folder, "test_empty.py")},
            rounds,
        )
    added = (seconds["used"] - seconds["empty"]) * 1000
    return [
        Row("plugin loaded but unused: modules", "pytest without it", float(len(modules)), MODULES),
        Row("one in-process fixture test: ms more", "an empty test", added, MILLISECONDS),
    ]


def _modules(folder: Path, *options: str) -> set[str]:
    _pytest(folder, "test_empty.py", *options)
    return set(json.loads((folder / "modules.json").read_text()))


def _seconds(folder: Path, tests: str) -> float:
    """Seconds of a test: the median over all of them, so that loading the cassette for the first one does not count."""
    _pytest(folder, tests, *PLUGIN, "--junit-xml=times.xml")
    import re
    import statistics

    times = re.findall(r'<testcase [^>]*time="([0-9.]+)"', (folder / "times.xml").read_text())
    return statistics.median(map(float, times))


def _pytest(folder: Path, *arguments: str) -> None:
    path = os.pathsep.join(map(str, (ROOT, ROOT / "pytest_plugin")))
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
