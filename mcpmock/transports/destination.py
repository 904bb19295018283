"""Where a recording goes."""

from __future__ import annotations

import errno
import os
from typing import Final, NamedTuple

from mcpmock.cassette.layout import find_layout
from mcpmock.errors import CassetteError, UsageError
from mcpmock.transports.processes import client_process

_WAY_OUT: Final = "what is no sound cassette is not recorded over: choose another --output, or delete the file first"


class Destination(NamedTuple):
    """Where a session is kept.

    path   the cassette's file
    run    what the recorder belongs to
    adds   what other runs have recorded stays
    """

    path: str
    run: str
    adds: bool = False


def run_named(name: str) -> str:
    """What tells this run from others: its name, or else the client that has started us."""
    return f"named {name}" if name else f"process {client_process()}"


def check_destination(path: str) -> None:
    """See that a cassette may be written there, as far as that can be told quickly.

    Raises UsageError for a folder, a device or a pipe, and for what is certain to be refused by the system,
    CassetteError for a file that is something else.
    """
    if not path:
        raise UsageError("--output names a file")
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder: --output names a file")
    if os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"{path} is a device or a pipe: --output names a file")  # opening a pipe may last for ever
    if obstacle := _obstacle(os.path.realpath(path)):
        raise UsageError(f"{path} cannot be written, for {obstacle}: change that, or choose another --output")
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return
    if text and find_layout(text) is None:
        from mcpmock.cassette.load import load_file  # takes longer than to start most servers

        try:
            load_file(path)
        except CassetteError as error:
            raise CassetteError(error.problem, path=path, line=error.line, hint=_WAY_OUT) from None


def _obstacle(path: str) -> str:
    """What keeps us from writing there; the empty string if nothing is known."""
    try:
        os.stat(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENAMETOOLONG):
            return f"the system refuses this name ({error.strerror})"
    else:
        if not os.access(path, os.W_OK):
            return "it is write-protected"
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):  # it will be made
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        return f"{folder} is no folder"
    return "" if os.access(folder, os.W_OK | os.X_OK) else f"the folder {folder} is write-protected"
