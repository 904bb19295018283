"""Whatever a cassette holds, it can be checked, shown and salvaged; a terminal gets text and nothing else."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings

from mcpmock.cli.check import command as check
from mcpmock.cli.salvage import command as salvage
from mcpmock.cli.show import command as show
from mcpmock.errors import McpmockError
from tests.fuzz.hostile import EXAMPLES, spoilt_cassettes

COMMANDS = {"check": check, "show": show, "salvage": salvage}
TREACHEROUS = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"


def told(name: str, path: Path) -> str:
    """What a command prints about a file, or its error."""
    arguments = [str(path), "-o", str(path) + ".new"] if name == "salvage" else [str(path)]
    done = CliRunner().invoke(COMMANDS[name], arguments)
    if done.exception is None or isinstance(done.exception, SystemExit):
        return done.output
    assert isinstance(done.exception, McpmockError), done.exception
    return str(done.exception)


@settings(max_examples=60, deadline=None)
@given(spoilt_cassettes)
def test_what_is_told_of_a_spoilt_file_is_text(data: bytes) -> None:
    """Issue 4, item 5: by no command anything else, nor an error that is not ours."""
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(COMMANDS):
            path = Path(folder) / ("c.yaml.part-1-1" if name == "salvage" else f"c{number}.yaml")
            path.write_bytes(data)
            assert told(name, path).replace("\n", "").isprintable()


@pytest.mark.parametrize("name", ["check", "show"])
@pytest.mark.parametrize(
    "entry",
    [
        '- client: {id: 1, method: "M", params: {name: "M", arguments: {"M": "M"}}}',
        '- client: {id: "M", method: tools/call, params: {name: "M"}}\n  - server: {id: "M", result: {"M": "M"}}',
        '- server: {id: "M", error: {code: 1, message: "M"}}',
        '- server: {method: notifications/message, params: {level: "M", logger: "M", data: "M"}}\n    in: "M"',
        '- raw: "M"\n  - stderr: "M\\nM"',
        '- client: {method: "M"}\n    label: "M"\n    "M": 1',
    ],
)
def test_escapes_in_a_cassette_stay_in_it(name: str, entry: str, tmp_path: Path) -> None:
    """Issue 4, item 5: terminal escapes in whatever is shown, the name of the server and its command too."""
    mark = TREACHEROUS.encode("unicode_escape").decode().replace("\\x", "\\u00")
    head = 'version: 1\nsessions:\n- server: "M"\n  command: ["M"]\n  url: "M"\n  env: {"M": "M"}\n  entries:\n  '
    path = tmp_path / "c.yaml"
    path.write_text((head + entry + "\n").replace("M", mark).replace("u005cu", "u"), encoding="utf-8")
    output = told(name, path)
    assert output.replace("\n", "").isprintable()
    assert "owned" in output or "good" in output


def test_escapes_in_the_name_of_a_file_stay_in_it(tmp_path: Path) -> None:
    """Issue 4, item 5: a folder may hold what somebody else has named."""
    (tmp_path / "a\x1b[2J.yaml").write_bytes(EXAMPLES["handshake.yaml"])
    (tmp_path / "b\x1b[2J.yaml").write_bytes(b"version: 1\nsessions: 1\n")
    assert told("check", tmp_path).replace("\n", "").isprintable()
