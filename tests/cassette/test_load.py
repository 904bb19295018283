"""What is told of a cassette that is not there, or is torn: the command that gets one further."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mcpmock.cassette.load import load_file
from mcpmock.cassette.salvaging import parts_at
from mcpmock.errors import CassetteError, CassetteNotFoundError, UsageError

TORN = "version: 1\nsessions:\n- entries:\n  - client: {method: 'x"


def told(path: str) -> str:
    """What is wrong with the file."""
    with pytest.raises(CassetteError) as caught:
        load_file(path)
    return str(caught.value)


def test_a_torn_cassette_without_part_files_is_not_sent_to_salvage(tmp_path: Path) -> None:
    """Ours: no hint that ends in "nothing to salvage"."""
    file = tmp_path / "torn.yaml"
    file.write_text(TORN)
    assert "salvage" not in told(str(file))


def test_a_torn_cassette_beside_its_part_file_is_told_the_command_that_works(tmp_path: Path) -> None:
    """Ours: as salvage would not put the session into a file that it cannot read."""
    file = tmp_path / "torn.yaml"
    file.write_text(TORN)
    (tmp_path / "torn.yaml.part-1-1").write_text(TORN)
    assert told(str(file)).endswith(f"try: mcpmock salvage {file} -o NEW.yaml")
    file.write_text("version: 1\nsessions:\n- entries:\n  - clint: {method: x}\n")
    assert "salvage" not in told(str(file)), "it is wrong, and not torn"


def test_a_torn_part_file_is_salvaged_by_its_own_name(tmp_path: Path) -> None:
    """Ours."""
    part = tmp_path / "torn.yaml.part-1-1"
    part.write_text(TORN)
    assert told(str(part)).endswith(f"try: mcpmock salvage {part}")


def test_a_folder_is_no_cassette_but_may_hold_one(tmp_path: Path) -> None:
    """Ours: what to do."""
    assert told(str(tmp_path)) == f"{tmp_path}: this is a folder\n  name a file in it"
    (tmp_path / "b.yaml").touch()
    assert told(str(tmp_path)).endswith(f"name a file in it, as {tmp_path / 'b.yaml'}")
    with pytest.raises(UsageError, match="this is a folder; name the cassette"):
        parts_at(str(tmp_path))


def test_a_mistyped_name_is_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: beside the file that was meant."""
    (tmp_path / "add.yaml").touch()
    (tmp_path / "add.py").touch()
    monkeypatch.chdir(tmp_path)
    for name, meant in (("add.yml", "add.yaml"), (os.path.join(".", "ad.yaml"), os.path.join(".", "add.yaml"))):
        with pytest.raises(CassetteNotFoundError, match=r"did you mean") as caught:
            load_file(name)
        assert f"did you mean {meant}? Or record it: mcpmock record -o {name} --" in str(caught.value)
    (tmp_path / "harbours.failed.yaml").touch()
    for name in ("quite-another-name.yaml", "harbour.yaml", "harbours.yaml"):
        assert "did you mean" not in told(name)


def test_a_pipe_that_nobody_writes_to_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: `check`, `replay` and all others hung where a cassette was a named pipe."""
    monkeypatch.setattr("mcpmock.cassette.load._PATIENCE", 0.01)
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    assert told(str(pipe)) == f"{pipe}: this is a pipe, and nobody writes to it\n  name a file"


def test_a_cassette_may_come_through_a_pipe() -> None:
    """Ours: `mcpmock check <(unzip -p it.zip)`."""
    ours, theirs = os.pipe()
    try:
        os.write(theirs, b"version: 1\nsessions: []\n")
        os.close(theirs)
        assert load_file(f"/dev/fd/{ours}").sessions == ()
    finally:
        os.close(ours)


def test_a_device_is_no_cassette() -> None:
    """Ours: of some devices there is no end."""
    assert told("/dev/zero") == "/dev/zero: this is a device\n  name a file"


def test_a_link_that_leads_nowhere_is_not_what_may_have_been_meant(tmp_path: Path) -> None:
    """Ours: the error named the path that was just found missing; and what is to be typed can be pasted."""
    path = tmp_path / "a b.yaml"
    path.symlink_to("nowhere")
    assert told(str(path)) == f"{path}: no such cassette\n  record it: mcpmock record -o '{path}' -- SERVER-COMMAND"
