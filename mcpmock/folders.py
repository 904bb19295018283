"""The folders of this machine that recordings name by variables: home, the working and the temporary one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mcpmock.cassette.placeholders import ENCODED, REAL, TILDE, VARIABLE_NAME, variable_placeholder

if TYPE_CHECKING:
    from mcpmock.cassette.variables import VariableMask

__all__ = ["folders_here", "machine_folders", "read_variable", "recorded_folders", "variable", "variable_mask"]

_TEMPORARY: Final = ("TMPDIR", "TEMP", "TMP")
_SYSTEM: Final = frozenset((
    "/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/media", "/mnt", "/opt", "/proc", "/run", "/sbin",
    "/sys", "/usr", "/usr/bin", "/usr/local", "/usr/local/bin", "/var", "/Applications", "/Library", "/System",
    "/Users", "/Volumes", "/private",
))  # fmt: skip
"""Folders that are nobody's own: as variables they would turn up all over a recording."""


def machine_folders(environment: Mapping[str, str], cwd: str | None = None) -> dict[str, str]:
    """The folders by the names of their variables. Those without symbolic links are there where they differ.

    `environment` is that of the process whose folders they are, `cwd` its working folder; None: ours.
    """
    folders = {"home": _home(environment), "temp": _temporary(environment), "work": _working(environment, cwd)}
    found: dict[str, str] = {}
    for name, folder in folders.items():
        if os.path.isabs(folder):
            found[name] = _tidy(folder)
            real = os.path.realpath(folder)
            if real != os.path.normpath(found[name]):
                found[name + REAL] = _tidy(real)
    return found


def folders_here() -> dict[str, str]:
    """The folders of this very process."""
    return machine_folders(os.environ)


def variable_mask(
    given: Mapping[str, str], environment: Mapping[str, str], cwd: str | None = None, *, folders: bool = True
) -> VariableMask:
    """What replaces `given` texts in a recording and, with `folders`, those of the machine. See `machine_folders`."""
    from mcpmock.cassette.variables import VariableMask  # who replays needs none

    return VariableMask(recorded_folders(environment, cwd, given) if folders else given)


def recorded_folders(environment: Mapping[str, str], cwd: str | None, given: Mapping[str, str]) -> dict[str, str]:
    """What a recorder replaces, by the names of the variables: what was given, then the folders of the machine.

    Of those none that is the system's.
    """
    found = dict(given)
    for name, text in given.items():
        real = os.path.realpath(text) if os.path.isabs(text) else text
        if real != text:
            found.setdefault(name + REAL, real)
    for name, folder in machine_folders(environment, cwd).items():
        if folder not in _SYSTEM and name.removesuffix(REAL) not in given:
            found[name] = folder
    return found


def read_variable(text: str) -> tuple[str, str]:
    """The name and the text of a variable, from `NAME=VALUE`. Raises ValueError, with what is wanted.

    What has no name is not repeated, here and in its like: it may be a secret.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError("there is no '=' in it; write NAME=VALUE, as work=/home/ann/project")
    return variable(name, value)


def variable(name: str, text: str) -> tuple[str, str]:
    """A variable as it is looked for in messages: folders in full, without a slash at their end. Raises ValueError."""
    if not VARIABLE_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for a variable: it takes letters, digits and underscores, as work")
    if variable_placeholder(name) == TILDE:
        raise ValueError(f"the variable {name!r} stands for ~ at all times; choose another name")
    if name.endswith((REAL, ENCODED)):
        raise ValueError(f"the variable {name!r} follows from {name.rpartition('_')[0]!r}; give that")
    if text in (".", "..", "~") or text.startswith(("./", "../", "~/")):
        text = os.path.abspath(os.path.expanduser(text))
    if not text:
        raise ValueError(f"the variable {name!r} has no value")
    return name, _tidy(text)


def _home(environment: Mapping[str, str]) -> str:
    return environment.get("HOME") or environment.get("USERPROFILE") or ""


def _temporary(environment: Mapping[str, str]) -> str:
    return next((environment[name] for name in _TEMPORARY if environment.get(name)), "/tmp" if os.sep == "/" else "")


def _working(environment: Mapping[str, str], cwd: str | None) -> str:
    """The working folder as people know it: a shell tells it with its symbolic links."""
    if cwd is not None:
        return os.path.abspath(cwd)
    here, told = _here(), environment.get("PWD", "")
    return told if told != here and _is_same(told, here) else here


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # it is gone
        return ""


def _is_same(told: str, here: str) -> bool:
    try:
        return os.path.isabs(told) and os.path.samefile(told, here)
    except OSError:
        return False


def _tidy(folder: str) -> str:
    """Without a slash at the end; with slashes everywhere, which every system understands."""
    if os.sep == "\\" and os.path.isabs(folder):
        folder = folder.replace("\\", "/")
    return folder[:-1] if folder.endswith("/") and len(folder) > 1 and os.path.isabs(folder) else folder
