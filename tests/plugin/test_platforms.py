"""What differs from system to system, as far as it can be tried on Linux (case TE-04)."""

from __future__ import annotations

import sys

import pytest

from tests.mock.said import ADD, SERVER
from tests.plugin.conftest import Project


def test_te_04_a_cassette_that_was_checked_out_with_crlf_is_the_same(project: Project) -> None:
    """Case TE-04: autocrlf turns every LF of a text file into CR LF."""
    for name, ends in (("lf.yaml", b"\n"), ("crlf.yaml", b"\r\n")):
        text = ADD + "  - {client: {method: long}, server: {result: {text: one}}}\n"
        (project.path / "cassettes" / name).write_bytes(text.encode().replace(b"\n", ends))
    project.tests("""
@pytest.mark.parametrize("name", ["lf.yaml", "crlf.yaml"])
def test_it(mcpmock_factory, name):
    server = mcpmock_factory(name)
    answers = ask(server.command, add(1, 2), {"method": "long"})
    assert answers[:2] == [
        {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3"}]}},
        {"jsonrpc": "2.0", "id": 2, "result": {"text": "one"}},
    ]
""")
    project.run().assert_outcomes(passed=2)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_te_04_messages_are_utf_8_whatever_the_console_says(
    project: Project, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    """Case TE-04: no text mode anywhere on the way."""
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    monkeypatch.setenv("PYTHONUTF8", "0")
    monkeypatch.setenv("LC_ALL", "C")
    project.cassette("words.yaml", ADD.replace("who: Ann", "who: Zoë 漢 😀").replace("messages: []", "told: é 漢 😀"))
    project.tests("""
@pytest.mark.mcpmock("words.yaml", allow_unplayed=True)
def test_it(mcp_mock):
    who = "Zo\\u00eb \\u6f22 \\U0001f600"
    request = {"method": "prompts/get", "params": {"name": "greet", "arguments": {"who": who}}}
    assert ask(mcp_mock.command, request)[0]["result"] == {"told": "\\u00e9 \\u6f22 \\U0001f600"}
""")
    project.run_apart().assert_outcomes(passed=1)


def test_te_04_folders_and_arguments_with_blanks_and_other_letters(project: Project) -> None:
    """Case TE-04: in the way to the cassette, in the command of a real server, in what is recorded."""
    script = project.write("my sërver/the server.py", SERVER)
    project.tests(f"""
@pytest.mark.mcpmock("ä b/ç.yaml", command=[{sys.executable!r}, {str(script)!r}, "an argument", "é漢"])
def test_it(mcp_mock):
    assert ask(mcp_mock.command, {{"method": "one"}})[0]["result"]["asked"] == "one"
""")
    for mode in ("once", "none"):
        project.run(f"--mcpmock-mode={mode}").assert_outcomes(passed=1)
    assert "é漢" in (project.path / "cassettes" / "ä b" / "ç.yaml").read_text(encoding="utf-8")
