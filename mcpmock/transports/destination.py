"""Where a recording goes."""

from __future__ import annotations

import os
from typing import NamedTuple

from mcpmock.cassette.layout import find_layout
from mcpmock.errors import UsageError


class Destination(NamedTuple):
    """Where a session is kept.

    path   the cassette's file
    run    what the recorder belongs to
    adds   what other runs have recorded stays
    """

    path: str
    run: str
    adds: bool = False


def check_destination(path: str) -> None:
    """See that a cassette may be written there, as far as that can be told quickly.

    Raises UsageError for a folder, CassetteError for a file that is something else.
    """
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder: --output names a file")
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return
    if text and find_layout(text) is None:
        from mcpmock.cassette.load import load_file  # takes longer than to start most servers

        load_file(path)
