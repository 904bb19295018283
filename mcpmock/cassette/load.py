"""Loads a cassette from its file. Apart from `files.py`, because a replay needs to read and never writes."""

from __future__ import annotations

import os
import stat
from typing import Final

from mcpmock.cassette.model import Cassette
from mcpmock.cassette.reader import load
from mcpmock.errors import CassetteError, CassetteNotFoundError

__all__ = ["PART_MARK", "cassette_like", "load_file", "unfinished_parts"]

PART_MARK = ".part-"
"""What stands in the name of a part file behind the cassette's own: `NAME.yaml.part-PID-N`."""

_PATIENCE: Final = 5.0
"""Seconds that a pipe may be silent."""


def load_file(path: str) -> Cassette:
    """The cassette in a file, or in a pipe that somebody writes to. Raises CassetteNotFoundError and CassetteError."""
    try:
        with open(path, "rb", opener=_at_once) as file:
            kind = os.fstat(file.fileno()).st_mode
            if stat.S_ISCHR(kind):
                raise CassetteError("this is a device", path=path, hint="name a file")
            data = file.read() if stat.S_ISREG(kind) else _all_of_pipe(file.fileno(), path)
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


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # else a pipe waits for somebody who writes to it


def _all_of_pipe(descriptor: int, path: str) -> bytes:
    import select  # few cassettes come through a pipe

    data = bytearray()
    while select.select([descriptor], [], [], _PATIENCE)[0]:
        chunk = os.read(descriptor, 1 << 20)
        if not chunk:
            return bytes(data)
        data += chunk
    raise CassetteError("this is a pipe, and nobody writes to it", path=path, hint="name a file")


def unfinished_parts(path: str) -> list[str]:
    """The part files beside a cassette, sorted: recordings that are going on, or that were killed."""
    folder, name = os.path.split(os.path.realpath(path) if os.path.islink(path) else path)
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return []
    return sorted(os.path.join(folder, other) for other in names if other.startswith(name + PART_MARK))


def _how_to_make(path: str) -> str:
    import shlex  # only for who is told what to type

    if unfinished_parts(path):
        return f"a recording of it was cut short, or saw no answer; try: mcpmock salvage {shlex.quote(path)}"
    if not path:
        return "name a file"
    record = f"record it: mcpmock record -o {shlex.quote(path)} -- SERVER-COMMAND"
    meant = cassette_like(path)
    return f"did you mean {meant}? Or {record}" if meant else record


def _how_to_salvage(path: str) -> str:
    """The command that saves what is whole of a torn file; empty where there is nothing to take it from."""
    import shlex  # only for who is told what to type

    if PART_MARK in os.path.basename(path):
        return f"it is a recording that was cut short; try: mcpmock salvage {shlex.quote(path)}"
    if unfinished_parts(path):
        return f"an unfinished recording is beside it; try: mcpmock salvage {shlex.quote(path)} -o NEW.yaml"
    return ""


def cassette_like(path: str) -> str:
    """The cassette beside the one that is not there whose name is most like it; empty where none is like it."""
    import difflib  # only for who has mistyped

    folder, name = os.path.split(path)
    # All end alike, which would count as a likeness.
    beside = {os.path.splitext(one)[0]: one for one in _names_in(folder) if one != name}
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
