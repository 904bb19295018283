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
        raise CassetteError(f"cannot be read: {error.strerror}", path=path) from error
    return load(data, path=path)


def unfinished_parts(path: str) -> list[str]:
    """The part files beside a cassette, sorted: recordings that are going on, or that were killed."""
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return []
    return sorted(os.path.join(folder, other) for other in names if other.startswith(name + PART_MARK))


def _how_to_make(path: str) -> str:
    if unfinished_parts(path):
        return f"a recording of it was cut short; try: mcpmock salvage {path}"
    return f"record it: mcpmock record -o {path} -- SERVER-COMMAND"
