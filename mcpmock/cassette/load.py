"""Loads a cassette from its file. Apart from `files.py`, because a replay needs to read and never writes."""

from __future__ import annotations

import os

from mcpmock.cassette.model import Cassette
from mcpmock.cassette.reader import load
from mcpmock.errors import CassetteError, CassetteNotFoundError

__all__ = ["PART_MARK", "load_file", "unfinished_parts"]

PART_MARK = ".part-"
"""What stands in the name of a part file behind the cassette's own: `NAME.yaml.part-PID-N`."""


def load_file(path: str) -> Cassette:
    """The cassette in a file. Raises CassetteNotFoundError and CassetteError."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise CassetteNotFoundError(path, hint=_how_to_make(path)) from None
    except OSError as error:
        if os.path.isdir(path):
            raise CassetteError("this is a folder", path=path, hint=f"name a file in it{_as_one_in(path)}") from None
        raise CassetteError(f"cannot be read: {error.strerror}", path=path) from error
    try:
        return load(data, path=path)
    except CassetteError as error:
        if error.is_torn and (salvage := _how_to_salvage(path)):
            hint = f"{error.hint}; {salvage}" if error.hint else salvage
            raise CassetteError(error.problem, path=path, line=error.line, hint=hint, is_torn=True) from None
        raise


def unfinished_parts(path: str) -> list[str]:
    """The part files beside a cassette, sorted: recordings that are going on, or that were killed."""
    folder, name = os.path.split(os.path.realpath(path) if os.path.islink(path) else path)
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return []
    return sorted(os.path.join(folder, other) for other in names if other.startswith(name + PART_MARK))


def _how_to_make(path: str) -> str:
    if unfinished_parts(path):
        return f"a recording of it was cut short, or saw no answer; try: mcpmock salvage {path}"
    record = f"record it: mcpmock record -o {path} -- SERVER-COMMAND"
    meant = _like(path)
    return f"did you mean {meant}? Or {record}" if meant else record


def _how_to_salvage(path: str) -> str:
    """The command that saves what is whole of a torn file; empty where there is nothing to take it from."""
    if PART_MARK in os.path.basename(path):
        return f"it is a recording that was cut short; try: mcpmock salvage {path}"
    if unfinished_parts(path):
        return f"an unfinished recording is beside it; try: mcpmock salvage {path} -o NEW.yaml"
    return ""


def _like(path: str) -> str:
    """The cassette beside the one that is not there whose name is most like it; empty where none is like it."""
    import difflib  # only for who has mistyped

    folder, name = os.path.split(path)
    beside = {os.path.splitext(one)[0]: one for one in _names_in(folder)}  # all end alike, which would count
    kept = [stem for stem in beside if not stem.endswith(".failed")]
    near = difflib.get_close_matches(os.path.splitext(name)[0], kept, 1)
    return os.path.join(folder, beside[near[0]]) if near else ""


def _as_one_in(folder: str) -> str:
    first = next(iter(_names_in(folder)), "")
    return f", as {os.path.join(folder, first)}" if first else ""


def _names_in(folder: str) -> list[str]:
    """The names in a folder that a cassette may have, sorted."""
    try:
        return sorted(name for name in os.listdir(folder or ".") if name.endswith((".yaml", ".yml")))
    except OSError:
        return []
