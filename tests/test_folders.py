"""The folders of the machine that are recorded as variables (DESIGN 3, "Placeholders are variables")."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mcpmock.folders import machine_folders, read_variable, recorded_folders


def test_home_temporary_and_working_folder_have_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours (DESIGN 3): the folders of the process whose environment and working folder these are."""
    monkeypatch.chdir(tmp_path)
    here = os.path.realpath(tmp_path)
    assert machine_folders({"HOME": "/home/ann/"}) == {"home": "/home/ann", "temp": "/tmp", "work": here}
    assert machine_folders({"HOME": "/h", "TMPDIR": "/t/"}, "/w") == {"home": "/h", "temp": "/t", "work": "/w"}
    assert machine_folders({}, "/w") == {"temp": "/tmp", "work": "/w"}
    assert machine_folders({"HOME": "here", "TMPDIR": ""}, "/w") == {"temp": "/tmp", "work": "/w"}


def test_symbolic_links_make_two_folders_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours (issue 4): servers tell the one or the other, as on a Mac with /tmp and /private/tmp."""
    real, link = tmp_path.resolve() / "real", tmp_path.resolve() / "link"
    real.mkdir()
    link.symlink_to(real)
    found = machine_folders({"HOME": str(link), "TMPDIR": str(real)}, str(link))
    assert found == {
        "home": str(link),
        "home_real": str(real),
        "temp": str(real),
        "work": str(link),
        "work_real": str(real),
    }
    monkeypatch.chdir(link)
    assert machine_folders({"PWD": str(link)})["work"] == str(link)
    assert machine_folders({"PWD": str(tmp_path)})["work"] == str(real)
    assert machine_folders({"PWD": "/nowhere/at/all"})["work"] == str(real)
    assert recorded_folders({}, str(real), {"x": str(link)})["x_real"] == str(real)


def test_a_working_folder_that_is_gone_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a client may remove it."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "work" not in machine_folders({})


@pytest.mark.parametrize("folder", ["/", "/usr", "/home", "/etc", "/usr/local/bin"])
def test_folders_of_the_system_are_not_recorded_as_variables(folder: str) -> None:
    """Ours (issue 4): they would turn up everywhere; to be filled in they will do."""
    assert recorded_folders({"HOME": folder}, folder, {}) == {"temp": "/tmp"}
    assert machine_folders({"HOME": folder}, folder)["home"] == folder
    assert recorded_folders({"HOME": "/root"}, "/app", {}) == {"home": "/root", "temp": "/tmp", "work": "/app"}


def test_what_is_given_comes_first_and_takes_the_place_of_its_name() -> None:
    """Ours (issue 4): `--var` wins over the folders of the machine."""
    found = recorded_folders({"HOME": "/h"}, "/w", {"work": "/mine", "project": "/h"})
    assert list(found.items()) == [("work", "/mine"), ("project", "/h"), ("home", "/h"), ("temp", "/tmp")]


def test_a_variable_is_read_as_name_and_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours (issue 4): `--var NAME=VALUE`; a folder may be told from here, and with a slash at its end."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/ann")
    here = str(tmp_path.resolve())
    assert read_variable("work=/a=b/") == ("work", "/a=b")
    assert read_variable("w=.") == ("w", here)
    assert read_variable("w=./x/") == ("w", f"{here}/x")
    assert read_variable("w=~/x") == ("w", "/home/ann/x")
    assert read_variable("user=ann") == ("user", "ann")
    assert read_variable("root=/") == ("root", "/")


@pytest.mark.parametrize(
    "text", ["work", "=x", "a-b=x", "1=x", "é=x", "work=", "tilde=/x", "work_real=/x", "p_encoded=x"]
)
def test_what_is_no_variable_is_refused(text: str) -> None:
    """Ours (issue 4): with a sentence."""
    with pytest.raises(ValueError, match=r".{20}"):
        read_variable(text)
