"""Real servers that work on folders, recorded in one place by one user, replayed in another for another (issue 4)."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.program import ENVIRONMENT, MCPMOCK
from tests.real.conftest import require
from tests.real.software import npm_server, python_of

pytestmark = [pytest.mark.real]
SECONDS = 60.0


class Place(NamedTuple):
    """Somebody's home, with a project in it."""

    home: Path

    @property
    def work(self) -> Path:
        """The project."""
        return self.home / "my project"

    @staticmethod
    def of(folder: Path) -> Place:
        """A home with files and a repository that are the same everywhere."""
        place = Place(folder.resolve())
        (place.work / "sub").mkdir(parents=True)
        (place.work / "a.txt").write_text("alpha\n")
        (place.work / "sub" / "b.json").write_text('{"n": 1}\n')
        return place

    def environment(self) -> dict[str, str]:
        """What a server of this user finds."""
        date = "2026-01-01T00:00:00"
        who = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.invalid"}
        committer = {"GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.invalid"}
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        return {**os.environ, **ENVIRONMENT, **who, **committer, **dates, "HOME": str(self.home)}

    def talk(self, command: Sequence[str], calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
        """What a client gets that makes these calls, one after another; PLACE in an argument is the project."""
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.work, env=self.environment()
        )
        with process:
            client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
            answers = [_ask(process, 0, "initialize", client)]
            _say(process, {"method": "notifications/initialized"})
            for number, (tool, arguments) in enumerate(calls, 1):
                there = json.loads(json.dumps(arguments).replace("PLACE", str(self.work)))
                answers.append(_ask(process, number, "tools/call", {"name": tool, "arguments": there}))
            assert process.stdin is not None
            process.stdin.close()
            process.wait(SECONDS)
        return [*answers, process.returncode]


def _say(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    process.stdin.flush()


def _ask(process: subprocess.Popen[bytes], number: int, method: str, params: dict[str, Any]) -> Any:
    assert process.stdout is not None
    _say(process, {"id": number, "method": method, "params": params})
    while True:
        assert select.select([process.stdout], [], [], SECONDS)[0], f"no answer to {method}"
        answer = json.loads(process.stdout.readline())
        if answer.get("id") == number:
            return answer


FILES = [
    ("list_allowed_directories", {}),
    ("read_text_file", {"path": "PLACE/a.txt"}),
    ("list_directory", {"path": "PLACE"}),
    ("directory_tree", {"path": "PLACE/sub"}),
    ("search_files", {"path": "PLACE", "pattern": "*.json"}),
    ("write_file", {"path": "PLACE/c.txt", "content": "PLACE/a.txt is read"}),
    ("read_multiple_files", {"paths": ["PLACE/c.txt", "PLACE/sub/b.json", "PLACE/none"]}),
    ("move_file", {"source": "PLACE/c.txt", "destination": "PLACE/d.txt"}),
    ("read_text_file", {"path": "PLACE/../../outside"}),
]
REPOSITORY = [
    ("git_status", {"repo_path": "PLACE"}),
    ("git_add", {"repo_path": "PLACE", "files": ["a.txt"]}),
    ("git_commit", {"repo_path": "PLACE", "message": "first"}),
    ("git_log", {"repo_path": "PLACE"}),
    ("git_status", {"repo_path": "PLACE"}),
    ("git_status", {"repo_path": "PLACE/none"}),
]


def _files(place: Place) -> list[str]:
    require("npm")
    return [*npm_server("server-filesystem"), str(place.work)]


def _git(place: Place) -> list[str]:
    require("git")
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    subprocess.run(["git", "init", "-q", "-b", "main", str(place.work)], env=place.environment(), check=True)
    return [str(python_of("git")), "-m", "mcp_server_git"]


@pytest.mark.parametrize(("server", "calls"), [(_files, FILES), (_git, REPOSITORY)], ids=["filesystem", "git"])
def test_it_replays_in_another_folder_for_another_user(tmp_path: Path, server: Any, calls: Any) -> None:
    """Issue 4, item 2: the answers are the recorded ones but for the folders, and nothing misses."""
    ann, bob = Place.of(tmp_path / "x" / "ann"), Place.of(tmp_path / "y" / "else where" / "bob")
    cassette = str(tmp_path / "c.yaml")
    recorded = ann.talk([*MCPMOCK, "record", "-o", cassette, "--", *server(ann)], calls)
    text = Path(cassette).read_text()
    assert "x/ann" not in text
    assert not any(answer["result"].get("isError") for answer in recorded[1:-2]), recorded  # the last call goes astray
    assert "~var.work~" in text
    assert ann.talk([*MCPMOCK, "replay", cassette], calls) == recorded
    shutil.rmtree(ann.home)
    replayed = bob.talk([*MCPMOCK, "replay", cassette], calls)
    assert replayed == json.loads(json.dumps(recorded).replace(str(ann.work), str(bob.work)))
    assert replayed[-1] == 0
