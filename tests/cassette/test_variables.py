"""Folders become variables in a recording (DESIGN 3, "Placeholders are variables"): where, and where not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpmock.cassette.model import Session
from mcpmock.cassette.placeholders import bind, fill_text
from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.cassette.variables import MaskChain, VariableMask
from mcpmock.wire.message import Message, parse, parse_exact

FOLDERS = {"home": "/home/ann", "temp": "/tmp", "work": "/home/ann/my dir"}
MASK = VariableMask(FOLDERS)


def masked(message: dict[str, object], mask: VariableMask = MASK) -> object:
    """What is kept of a message."""
    parsed = parse(json.dumps({"jsonrpc": "2.0", **message}).encode())
    assert isinstance(parsed, Message)
    return mask.message(parsed).body


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("/home/ann", "~var.home~"),
        ("/home/ann/", "~var.home~/"),
        ("/home/ann/x.py:3: see /home/ann.", "~var.home~/x.py:3: see ~var.home~."),
        ("/home/ann/my dir/a", "~var.work~/a"),
        ("/home/ann/my directory/a", "~var.home~/my directory/a"),
        ("PATH=/home/ann/bin:/tmp", "PATH=~var.home~/bin:~var.temp~"),
        ("-I/home/ann/include", "-I~var.home~/include"),
        ("--- a/home/ann/x\n+/tmp", "--- a~var.home~/x\n+~var.temp~"),
        ('{"a":"1\\n/home/ann/x"}', '{"a":"1\\n~var.home~/x"}'),
        ("\x1b[32m/home/ann\x1b[0m", "\x1b[32m~var.home~\x1b[0m"),
        ("file:///home/ann/my%20dir/a", "file://~var.work~/a"),
        ("file://localhost/home/ann/my%20dirt", "file://localhost~var.home~/my%20dirt"),
        ("x?p=%2Fhome%2Fann%2Fx&q=%2ftmp", "x?p=~var.home_encoded~%2Fx&q=~var.temp_encoded~"),
        ("{\\/home\\/ann\\/x}", "{~var.home~\\/x}"),
    ],
)
def test_a_folder_is_found_wherever_it_is_spelt(text: str, kept: str) -> None:
    """Ours (DESIGN 3): recorded as `~var.NAME~`, the longest folder first."""
    assert MASK.text(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        *(
            "/home/annette",
            "/home/ann-old",
            "/home/ann_x",
            "/home/ann.bak",
            "/home/anné",
            "/home/ann%20x",
            "/home/ann~",
        ),
        *("/mnt/home/ann", "./home/ann", "~/home/ann", "//home/ann", "C/tmp", "https://host/tmp/x"),
        *("/tmpfs", "/home", "/home/an", "home/ann", "", "/"),
    ],
)
def test_a_path_that_only_begins_or_ends_like_a_folder_stays(text: str) -> None:
    """Ours (issue 4): at borders of path segments only."""
    assert MASK.text(text) == text


def test_strings_at_any_depth_are_looked_at_and_what_the_protocol_needs_is_not() -> None:
    """Ours (issue 4): the same places as for secrets: no method, tool name, id, cursor or version."""
    params = {
        "name": "/tmp",
        "cursor": "/tmp",
        "arguments": {"name": "/tmp", "deep": [{"n": 1, "list": ["/tmp/x", None, "see /tmp/y."]}]},
        "_meta": {"progressToken": "/tmp", "root": "/tmp"},
    }
    assert masked({"id": "/tmp", "method": "tools/call", "params": params}) == {
        "id": "/tmp",
        "method": "tools/call",
        "params": {
            "name": "/tmp",
            "cursor": "/tmp",
            "arguments": {
                "name": "~var.temp~",
                "deep": [{"n": 1, "list": ["~var.temp~/x", None, "see ~var.temp~/y."]}],
            },
            "_meta": {"progressToken": "/tmp", "root": "~var.temp~"},
        },
    }


def test_names_of_members_are_looked_at_in_answers_only() -> None:
    """Ours: an answer is filled as a text; in a request the name of a member has to be what the client sends."""
    assert masked({"id": 1, "result": {"structuredContent": {"/tmp/x": 1}}}) == {
        "id": 1,
        "result": {"structuredContent": {"~var.temp~/x": 1}},
    }
    request = {"id": 1, "method": "tools/call", "params": {"arguments": {"/tmp/x": "/tmp"}}}
    assert masked(request) == {**request, "params": {"arguments": {"/tmp/x": "~var.temp~"}}}


def test_a_message_without_folders_is_left_alone() -> None:
    """Ours: most messages name none."""
    message = Message({"id": 1, "result": {"text": "no folder here"}}, "response")
    assert MASK.message(message) is message


def test_an_exact_text_is_looked_at_too() -> None:
    """Ours (DESIGN 3): what YAML cannot hold stays to the letter but for the folder."""
    parsed = parse_exact(b'{"jsonrpc":"2.0","id":1,"result":{"n":1e400,"path":"\\/tmp/x"}}')
    assert isinstance(parsed, Message)
    kept = MASK.message(parsed)
    assert kept.text == '{"jsonrpc":"2.0","id":1,"result":{"n":1e400,"path":"~var.temp~/x"}}'


def test_of_equal_folders_the_first_name_is_used() -> None:
    """Ours (issue 4): `--var` wins over the folders of the machine."""
    assert VariableMask({"project": "/x", "home": "/x"}).text("/x/y") == "~var.project~/y"


def test_a_variable_need_not_be_a_folder() -> None:
    """Ours (DESIGN 3): `--var NAME=VALUE`; within words it is not looked for."""
    mask = VariableMask({"user": "ann", "host": "db.example.com"})
    assert mask.text("ann at db.example.com:5432, ann_x, annette, joann") == (
        "~var.user~ at ~var.host~:5432, ann_x, annette, joann"
    )


@pytest.mark.parametrize("text", ["~var.home~", "see ~var.x~ and ~var.home~/a", "~~var.a~var.b~", "/tmp/~var.temp~"])
def test_what_looks_like_a_variable_survives(text: str) -> None:
    """Ours (issue 4): somebody may read a cassette with a server of files."""
    kept = MASK.text(text)
    assert fill_text(kept, {"~var.tilde~": "~", "~var.home~": "/other", "~var.temp~": "/tmp"}) == text
    assert bind(kept, text, {"~var.tilde~": "~"}) is not None


def test_bytes_that_are_no_text_are_looked_at() -> None:
    """Ours (issue 4): `raw:`."""
    assert VariableMask({"home": "/home/zoë"}).data(b"\xff /home/zo\xc3\xab/x") == b"\xff ~var.home~/x"


def test_the_head_of_a_session_is_looked_at() -> None:
    """Ours (issue 4): command and environment."""
    session = Session(command=("/home/ann/bin/node", "--root=/tmp"), env=(("CACHE", "/tmp/c"),))
    head = MASK.head(session)
    assert head.command == ("~var.home~/bin/node", "--root=~var.temp~")
    assert head.env == (("CACHE", "~var.temp~/c"),)


def test_secrets_come_first_so_that_a_folder_hides_none_of_them() -> None:
    """Ours: a secret with a folder in it is known only as long as that is there; a folder may hold one."""
    secret = "k3y9f8=/home/ann/a7b6c5d4e3"
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    mask = MaskChain(
        Redactor(environment={"APP_SECRET": secret}), VariableMask({"home": "/home/ann", "work": f"/srv/{token}"})
    )
    kept = mask.text(f"{secret} /srv/{token}/x /home/ann/y")
    assert "k3y9" not in kept
    assert token not in kept
    assert kept.endswith("~var.home~/y")
    assert mask.data(b"\xff/home/ann") == b"\xff~var.home~"


segments = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0~"), min_size=1, max_size=6)
folders = st.lists(segments, min_size=2, max_size=4).map(lambda parts: "/" + "/".join(parts))


@given(folders, segments)
def test_whatever_a_folder_is_called_its_recording_fits_and_fills(folder: str, name: str) -> None:
    """Ours (issue 4): regular expressions, blanks, percent signs, any script."""
    mask = VariableMask({"work": folder})
    text = f"{folder}/{name}"
    kept = mask.text(text)
    assert kept == f"~var.work~/{name}"
    assert fill_text(kept, {"~var.work~": folder}) == text
    assert bind(kept, text, {}) == {"~var.work~": folder}
