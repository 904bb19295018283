"""`mcpmock redact`, and `--redact` of `mcpmock record`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from mcpmock.cassette.load import load_file
from tests.cassette.secrets_planted import GITHUB
from tests.program import run

OLD = f"""\
version: 1
sessions:
- entries:
  - client: {{method: tools/call, params: {{name: t, arguments: {{q: {GITHUB}, pin: 4711}}}}}}
    server: {{result: {{content: [{{type: text, text: ok}}], nextCursor: {GITHUB}}}}}
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A cassette with secrets, alone in its folder."""
    path = tmp_path / "old.yaml"
    path.write_text(OLD)
    return path


def test_redact_tells_what_it_did_and_what_it_never_touches(old: Path) -> None:
    """Issue 4: and afterwards `check` is clean."""
    done = run("redact", old.parent)
    assert done.returncode == 0
    assert done.stdout.decode() == (
        f"{old}: masked 1 in 1 entry (github_token 1)\n"
        "  what looks like a secret remains: github_token in line 4, at /server/result/nextCursor; "
        "no rule of ours masks that place, --redact pointer:POINTER does\n"
    )
    assert run("check", old).returncode == 0
    done = run("redact", old, "--redact", "pointer:/result/nextCursor", "--redact", "key:pin")
    assert GITHUB not in old.read_text()
    assert "4711" not in old.read_text()
    assert run("redact", old).stdout.decode() == f"{old}: no secret in it\n"


def test_redact_can_look_only_and_write_elsewhere(old: Path) -> None:
    """Issue 4: --check, --dry-run, -o."""
    for option in ("--check", "--dry-run"):
        done = run("redact", old, option)
        assert (done.returncode, done.stdout.decode()) == (5, f"{old}: would mask 1 in 1 entry (github_token 1)\n")
    run("redact", old, "-o", old.parent / "new.yaml")
    assert old.read_text() == OLD
    assert load_file(str(old.parent / "new.yaml")).sessions[0].redacted == (("github_token", 1),)
    assert run("redact", old.parent / "new.yaml", "--check").returncode == 0


def test_rules_are_looked_for_in_a_cassette_that_exists(old: Path) -> None:
    """Issue 4: "`check` finds secrets in old cassettes (exit 5)", also those that only a rule tells of."""
    run("redact", old)
    assert run("check", old).returncode == 0
    done = run("check", old, "--redact", "key:pin")
    assert done.returncode == 5
    assert done.stdout.decode().startswith(f"{old}:4: a secret (pin) at /client/params/arguments/pin\n")


def test_a_variable_has_the_value_that_it_has_now(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: `env:NAME` in an old cassette; one that is not set is told, for nothing would be found."""
    old.write_text(OLD.replace("text: ok", "text: it is bluebird now"))
    monkeypatch.setenv("MY_THING", "bluebird")
    assert run("check", old, "--redact", "env:MY_THING").returncode == 5
    assert run("redact", old, "--redact", "env:MY_THING").returncode == 0
    assert "it is ~secret.my_thing.1~ now" in old.read_text()
    for command in ("check", "redact"):
        done = run(command, old, "--redact", "env:NO_SUCH_THING")
        assert done.returncode == 2
        assert b"the variable NO_SUCH_THING is not set" in done.stderr


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (["--redact", "regex:["], 2, "'regex:…' (number 1): unterminated"),
        (["-o", "x.yaml", "old.yaml"], 2, "--output is for one cassette"),
        (["nothing.yaml"], 4, "nothing.yaml"),
    ],
)
def test_redact_says_what_is_wrong(old: Path, options: list[str], code: int, told: str) -> None:
    """Ours: exit codes as everywhere."""
    (old.parent / "b.yaml").write_text(OLD)
    done = run("redact", "b.yaml", *options, cwd=old.parent)
    assert done.returncode in (code, 1 if code == 4 else code)
    assert told in done.stderr.decode()
    assert not (old.parent / "x.yaml").exists()


def test_record_takes_rules_and_tells_them_in_the_cassette(tmp_path: Path) -> None:
    """Issue 4: the manifest stands beside `timing:`."""
    server = tmp_path / "server.py"
    server.write_text(
        'import sys\nfor line in sys.stdin: print(\'{"jsonrpc":"2.0","id":1,"result":{}}\', flush=True)\n'
    )
    asked = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"pin": 4711, "note": "customer 12"}}
    rules = ["--redact", "key:pin", r"--redact=regex:customer (\d+)"]
    path = tmp_path / "a.yaml"
    run("record", "-o", path, *rules, "--", sys.executable, server, stdin=json.dumps(asked).encode() + b"\n")
    (session,) = load_file(str(path)).sessions
    assert session.entries[0].messages[0].params == {"pin": "~secret.pin.1~", "note": "customer ~secret.match.1~"}
    assert session.redacted == (("key:pin", 1), ("regex:1", 1))
    assert '  redacted: {"key:pin": 1, "regex:1": 1}\n  timing: [' in path.read_text()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--redact", "nonsense"], "a rule of redaction has a colon"),
        (["--redact", "key:a", "--no-redact"], "leave one of them out"),
    ],
)
def test_record_refuses_wrong_rules_before_it_starts(tmp_path: Path, options: list[str], told: str) -> None:
    """Ours: its own codes occur only before the server is started."""
    done = run("record", "-o", tmp_path / "a.yaml", *options, "--", sys.executable, "-c", "print('started')")
    assert (done.returncode, done.stdout) == (2, b"")
    assert told in done.stderr.decode()
