"""Secrets in forty places and in every encoding, recorded for real; then every file and every word is searched."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest

from mcpmock.cassette.load import load_file
from mcpmock.cassette.redaction.secrets import find_secrets
from tests.cassette.encodings_planted import ENCODINGS, base64, traces
from tests.cassette.secrets_planted import GITHUB, PLACES
from tests.program import MCPMOCK, SECONDS, run
from tests.transports.recorder_client import Client, Studio

ECHO: Final = """
import json, sys
for line in sys.stdin:
    try: message = json.loads(line)
    except ValueError: continue
    for target, text in message.get("params", {}).get("say", []) if isinstance(message, dict) else []:
        print(text, file=sys.stdout if target == 1 else sys.stderr, flush=True)
    if isinstance(message, dict) and "id" in message and "method" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}), flush=True)
"""
INITIALIZE: Final = {
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
}


def argv(secret: str) -> list[str]:
    """Words of a command line, seven of which hold the secret."""
    return [
        "--token", secret, f"--api-key={secret}", "-H", f"Authorization: Bearer {secret}", "-e", f"API_KEY={secret}",
        f"https://bob:{secret}@h.example/", f"https://h.example/x?api_key={secret}", base64(f"bob:{secret}"),
    ]  # fmt: skip


def lines(secret: str) -> Iterator[tuple[int, str]]:
    """What the server says: to stdout (1) or stderr (2)."""
    for how, encoded in ENCODINGS.items():
        text = f"see {encoded(secret)} there"
        for place in PLACES:
            body = json.loads(PLACES[place].replace("$SECRET", json.dumps(text)))
            body.pop("id", None) if "method" in body else body.update(id=f"{how}/{place}")
            yield 1, json.dumps({"jsonrpc": "2.0", **body})
        yield from ((2, line) for line in text.splitlines())
        yield 1, f"a banner: {text}".replace("\n", " ")
        exact = {"jsonrpc": "2.0", "method": "x", "params": [text, "LONE"]}
        yield 1, json.dumps(exact).replace("LONE", "\\ud800")
        yield 1, json.dumps([{"jsonrpc": "2.0", "method": "x", "params": [text]}])
    yield 2, f"GET https://h.example/{quote(secret)}?sig={secret}#access_token={secret}"
    yield 2, f"Cookie: sid={secret}; theme=dark"
    yield 2, f"password={secret} <token>{secret}</token> Server=db;Password={secret};x"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Studio, str, bytes]:
    """A recording, all that the recorder has said, and all that was on the disk while it ran."""
    folder = tmp_path_factory.mktemp("leaks")
    studio = Studio(folder)
    echo = tmp_path_factory.mktemp("server") / "echo.py"
    echo.write_text(ECHO)
    options = ["--env", f"GITHUB_TOKEN={GITHUB}"]
    with studio.run(sys.executable, str(echo), *argv(GITHUB), options=options) as client:
        client.send(INITIALIZE)
        client.receive()
        client.send(f"no message, but {GITHUB}\n".encode())
        for number, (target, text) in enumerate(lines(GITHUB), 1):
            said = {"say": [[target, text]], "arguments": {"q": text, "n": number}, "name": "echo"}
            client.send({"id": number, "method": "tools/call", "params": said})
            _receive_answer(client, number)
        meanwhile = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
        assert client.finish() == 0
        return studio, client.stderr(), meanwhile


def _receive_answer(client: Client, number: int) -> None:
    while True:
        line = client.read_line()
        if b'"id": %d,' % number in line and b'"result": {}' in line:
            return


def found_in(text: str) -> list[str]:
    """What of the secret stands in a text."""
    return [trace for trace in traces(GITHUB) if trace in text]


def test_no_file_ever_holds_a_secret(recorded: tuple[Studio, str, bytes]) -> None:
    """Issue 4: "secrets planted in forty places and six encodings, then grep": the part file and what is
    remembered, too."""
    studio, _, meanwhile = recorded
    assert not found_in(meanwhile.decode())
    for path in studio.folder.rglob("*"):
        if path.is_file():
            assert not found_in(path.read_text()), path.name
            assert not path.stat().st_mode & 0o077, path.name
    assert find_secrets(load_file(str(studio.path))) == []
    (session,) = load_file(str(studio.path)).sessions
    assert dict(session.redacted)["github_token"] > len(ENCODINGS) * len(PLACES)


def test_the_recorder_says_no_secret_of_its_own(recorded: tuple[Studio, str, bytes]) -> None:
    """Issue 4: what the server writes to stderr passes; what is ours begins with `mcpmock:`."""
    _, said, _ = recorded
    assert not found_in("".join(line for line in said.splitlines() if line.startswith("mcpmock:")))


def test_a_replay_with_misses_says_no_secret(recorded: tuple[Studio, str, bytes], tmp_path: Path) -> None:
    """Issue 4: neither the page, nor the error that the client gets, nor the report, be the secret where a placeholder
    was recorded or in a place of its own."""
    studio, _, _ = recorded
    calls: list[dict[str, Any]] = [INITIALIZE]
    for number, encoded in enumerate(ENCODINGS.values(), 1):
        text = f"see {encoded(GITHUB)} there"
        for params in ({"name": "echo", "arguments": {"q": text, "n": -1}}, {"name": "echo", "other": text}):
            calls.append({"id": number, "method": "tools/call", "params": params})
        calls.append({"id": number, "method": "unknown/method", "params": {GITHUB: text}})
    stdin = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in calls).encode()
    report = tmp_path / "report.json"
    done = run("replay", studio.path, "--report", report, "--fail-unplayed", stdin=stdin)
    assert done.returncode == 3
    for told in (done.stdout, done.stderr, report.read_bytes(), run("show", studio.path).stdout):
        assert not found_in(told.decode())


def test_an_old_cassette_with_all_of_them_is_mended(recorded: tuple[Studio, str, bytes], tmp_path: Path) -> None:
    """Issue 4: `check` finds them (5) and does not tell them, `redact` takes them out; then it is good and replays."""
    old = Studio(tmp_path)
    echo = tmp_path.parent / f"{tmp_path.name}.py"
    echo.write_text(ECHO)
    words = [*MCPMOCK, "record", "-o", str(old.path), "--no-redact", "--", sys.executable, str(echo), "--token", GITHUB]
    texts = [f"see {encoded(GITHUB)} there" for encoded in ENCODINGS.values()]
    calls = [{"id": n, "method": "tools/call", "params": {"name": "echo", "arguments": {"q": text}}}
             for n, text in enumerate(texts, 1)]  # fmt: skip
    stdin = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in (INITIALIZE, *calls)).encode()
    done = subprocess.run(words, input=stdin, capture_output=True, env=old.environment, check=True, timeout=SECONDS)
    assert b"mcpmock redact" in done.stderr
    assert found_in(old.path.read_text())
    for command, code in (("check", 5), ("show", 0), ("redact", 0), ("check", 0)):
        told = run(command, old.path, env={"TMPDIR": old.environment["TMPDIR"]})
        assert (told.returncode, found_in((told.stdout + told.stderr).decode())) == (code, [])
    assert not found_in(old.path.read_text())
    played = run("replay", old.path, stdin=stdin)
    assert played.returncode == 0, played.stderr
