"""Taking the secrets out of a cassette that exists, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.redaction.mending import mend
from mcpmock.cassette.redaction.remains import Remains, remains_in
from mcpmock.cassette.redaction.rewriting import rewrite
from mcpmock.cassette.redaction.rules import read_rules
from mcpmock.cassette.redaction.secrets import find_secrets
from mcpmock.cassette.writer import dump
from mcpmock.errors import CassetteError
from tests.cassette.encodings_planted import ENCODINGS, traces
from tests.cassette.secrets_planted import GITHUB, PEM, PLACES, answered, made, planted

WRITTEN = f"""\
version: 1   # by hand
# seen with {GITHUB}
sessions:
- server: x
  command: [srv, --token, "abcdefg1"]
  entries:
  # the first
  - client: {{method: tools/call, params: {{name: add, arguments: {{password: "hunter22", n: 1}}}}}}  # why
    server: {{result: {{content: [{{type: text, text: "b64 dXNlcjpodW50ZXIyMg=="}}]}}}}
  # the second
  - client: {{method: tools/call, params: {{name: add, arguments: {{a: 1}}}}}}
    server: {{result: {{content: [{{type: text, text: "3"}}]}}}}
  timing: [0, 1]
"""


def test_what_holds_no_secret_stays_as_it_is_written() -> None:
    """Issue 4: comments and layout."""
    mended = mend(WRITTEN)
    assert mended.text == (
        WRITTEN.replace(GITHUB, "~secret.github_token.1~")
        .replace("abcdefg1", "~secret.token.1~")
        .replace("hunter22", "~secret.password.1~")
        .replace("dXNlcjpodW50ZXIyMg==", "dXNlcjp+c2VjcmV0LnBhc3N3b3JkLjF+")
        .replace("  timing", "  redacted: {password: 2, token: 1}\n  timing")
    )
    assert (mended.changed, mended.keeps_layout) == (2, True)
    assert find_secrets(load(mended.text.encode())) == []
    assert mend(mended.text).text == mended.text


def test_a_cassette_without_secrets_is_not_touched() -> None:
    """Issue 4."""
    text = (Path(__file__).parents[2] / "cassettes" / "handshake.yaml").read_text()
    assert mend(text).text == text


@pytest.mark.parametrize("how", ENCODINGS)
def test_a_secret_is_taken_out_of_every_place_of_a_recording(how: str) -> None:
    """Issue 4: as our writer lays it out, literal blocks and all."""
    entries = [Entry("server", (planted(place, f"see {ENCODINGS[how](GITHUB)} there"),)) for place in PLACES]
    entries.append(Entry("stderr", text=f"one\n{ENCODINGS[how](GITHUB)}\ntwo\n"))
    text = dump(Cassette((Session(tuple(entries), server="x"),)))
    mended = mend(text)
    assert mended.keeps_layout
    assert not [trace for trace in traces(GITHUB) if trace in mended.text]
    assert len(load(mended.text.encode()).sessions[0].entries) == len(entries)


def test_a_key_of_many_lines_and_a_layout_of_others_are_no_matter() -> None:
    """Issue 4: what cannot be replaced in its place is written anew, or all of it is."""
    block = dump(Cassette((Session((Entry("server", (answered(f"key:\n{PEM}\nend\n"),)),)),)))
    assert "MIIE" not in mend(block).text
    folded = f'{{"version": 1, "sessions": [{{"entries": [{{"stderr": {json.dumps(PEM)}}}]}}]}}'
    mended = mend(folded)
    assert "MIIE" not in mended.text
    assert load(mended.text.encode()).sessions[0].entries[0].text == "~secret.private_key.1~"


def test_the_line_ends_of_a_checkout_stay() -> None:
    """Issue 4: CRLF in every line, also in those that are written anew."""
    entries = (Entry("stderr", text=f"one\n{GITHUB}\n"), Entry("server", (answered(f"key:\n{PEM}\nend\n"),)))
    text = dump(Cassette((Session(entries, server="x"),)))
    mended = mend(text.replace("\n", "\r\n"))
    assert mended.text == mend(text).text.replace("\n", "\r\n")
    assert "\n" not in mended.text.replace("\r\n", "")


def test_rules_are_heeded_and_counts_added_up() -> None:
    """Issue 4."""
    once = mend(WRITTEN, rules=read_rules(["pointer:/params/arguments/n"])).text
    twice = load(mend(once, rules=read_rules(["key:a"])).text.encode())
    assert twice.sessions[0].redacted == (
        ("key:a", 1), ("password", 2), ("pointer:/params/arguments/n", 1), ("token", 1),
    )  # fmt: skip


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    """Issue 4: in place, under the lock; a new one is private."""
    path, other = tmp_path / "old.yaml", tmp_path / "new.yaml"
    path.write_text(WRITTEN)
    path.chmod(0o600)
    rewrite(str(path), writes=False)
    assert path.read_text() == WRITTEN
    rewrite(str(path), output=str(other))
    assert path.read_text() == WRITTEN
    rewrite(str(path))
    assert path.read_text() == other.read_text() == mend(WRITTEN).text
    assert [one.stat().st_mode & 0o777 for one in (path, other)] == [0o600, 0o600]
    assert sorted(tmp_path.iterdir()) == [other, path]


def test_an_error_of_a_cassette_tells_no_secret() -> None:
    """Issue 4: the reader quotes what it does not understand."""
    for text in (f"version: 1\n{GITHUB}: 1\n", f"version: 1\nsessions:\n- transport: {GITHUB}\n"):
        with pytest.raises(CassetteError) as raised:
            load(text.encode())
        assert GITHUB not in str(raised.value)


def test_what_remains_is_told_by_its_place() -> None:
    """Issue 4: a warning where a token shape remains."""
    session = Session(command=("x", GITHUB))
    remains = Remains(session)
    page = Entry("server", (made({"id": 1, "result": {"nextCursor": GITHUB}}),))
    remains.look([Entry("stderr", text="x\n"), page], f"- x\n- {GITHUB}")
    assert remains.warning("a.yaml") == (
        "a.yaml: what looks like a secret remains: github_token in the head of the session, at /command/1, and 1 more; "
        "before you share it: mcpmock redact a.yaml"
    )
    (told,) = remains_in(Cassette((Session((page._replace(line=7),)),)))
    assert told == "what looks like a secret remains: github_token in line 7, at /server/result/nextCursor"
    assert Remains(Session()).warning("a.yaml") == ""
