"""A project of a user, in which pytest is run with the plugin."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.mock.said import ADD, SERVER

IS_INSTALLED: Final = any(one.name == "mcpmock" for one in importlib.metadata.entry_points(group="pytest11"))
PLUGIN: Final = () if IS_INSTALLED else ("-p", "pytest_mcpmock.plugin")
"""What loads the plugin where the package is not installed."""

INI: Final = "[pytest]\naddopts = --strict-markers --strict-config\nfilterwarnings = error\npythonpath = .\n"

TALK: Final = '''
import json, subprocess

def ask(command, *messages, **options):
    """One process of a server: its answers, and its exit code."""
    lines = [json.dumps({"jsonrpc": "2.0", "id": number, **one}) for number, one in enumerate(messages, 1)]
    text = "\\n".join([*lines, ""])
    done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, timeout=60, **options)
    return [*map(json.loads, done.stdout.splitlines()), done.returncode]

def add(a, b):
    return {"method": "tools/call", "params": {"name": "add", "arguments": {"a": a, "b": b}}}
'''


class Project:
    """The project: its folder, its files, and how pytest is run in it."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.server = [sys.executable, str(self.path / "server.py")]
        self.write("pytest.ini", INI)
        self.write("talk.py", TALK)
        self.write("server.py", SERVER)

    def write(self, name: str, text: str) -> Path:
        """A file of the project."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def cassette(self, name: str, text: str = ADD) -> Path:
        """A cassette of the project."""
        return self.write(f"cassettes/{name}", text)

    def tests(self, text: str, name: str = "test_it.py") -> None:
        """A module of tests, with what they need."""
        self.write(name, f"import pytest\nfrom talk import add, ask\nSERVER = {self.server!r}\n{text}")

    def run(self, *options: str) -> pytest.RunResult:
        """Pytest, in this process."""
        return self.pytester.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider", *options)

    def run_apart(self, *options: str) -> pytest.RunResult:
        """Pytest, in a process of its own."""
        return self.pytester.runpytest_subprocess(*PLUGIN, "-p", "no:cacheprovider", *options, timeout=100)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """An empty project with one cassette, `add.yaml`, in which 1 and 2 are added."""
    for name in ("CI", "MCPMOCK_MODE", "MCPMOCK_CASSETTE_DIR", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    made = Project(pytester)
    made.cassette("add.yaml")
    return made
