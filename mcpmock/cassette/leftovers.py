"""What recorders that were killed have left: part files, mended and taken in."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from mcpmock.cassette import files
from mcpmock.cassette.finishing import Finished
from mcpmock.cassette.joining import mend, session_text
from mcpmock.cassette.runs import Block, Notes
from mcpmock.errors import CassetteError

AT_ONCE: Final = 128
"""So many part files that were left are open, and in memory, at a time: a proxy may have left thousands."""


class Leftover(NamedTuple):
    """An abandoned part file: its path, its run as far as it is remembered, its session's text."""

    path: str
    run: str
    text: bytes

    @property
    def part(self) -> str:
        """Its name."""
        return os.path.basename(self.path)

    @property
    def finished(self) -> Finished:
        """What to put into a cassette."""
        return Finished(self.part, self.run, (self.text,))


@contextlib.contextmanager
def taken(paths: Iterable[str], notes: Notes) -> Iterator[list[Leftover]]:
    """Those of some part files that are abandoned and hold a session, locked meanwhile.

    What holds no entry is deleted. Files that are no part files, or are still being written, are passed over.
    """
    runs = {block.part: block.run for block in notes.blocks}
    found: list[Leftover] = []
    with contextlib.ExitStack() as locks:
        for path in paths:
            descriptor = locks.enter_context(files.abandoned(path))
            if descriptor is None:
                continue
            part = files.read_all(descriptor)
            try:
                text = b"" if part[:1] in (b"", b"\0") else session_text(mend(part))
            except CassetteError:
                continue
            if text:
                found.append(Leftover(path, runs.get(os.path.basename(path), ""), text))
            else:
                with contextlib.suppress(OSError):  # it does no harm where it is
                    os.unlink(path)
        yield found


def clear_never_begun(cassette: str) -> None:
    """Delete the part files beside a cassette in which there is nothing, and whose recorders are no more.

    Only for who holds the lock on what is remembered of it: others make their part files under it.
    """
    for path in files.parts_of(cassette):
        with files.abandoned(path) as descriptor:
            if descriptor is not None and os.pread(descriptor, 1, 0) in (b"", b"\0"):
                os.unlink(path)


def parts_of_run(cassette: str, notes: Notes, run: str) -> list[str]:
    """The part files that this run is remembered to have made, those there are."""
    there = {os.path.basename(path): path for path in files.parts_of(cassette)}
    return [there[block.part] for block in notes.blocks if block.run == run and block.part in there]


def without_lost(cassette: str, notes: Notes) -> Notes:
    """The notes without sessions that were never finished and whose part files are gone."""
    folder = os.path.dirname(cassette)

    def is_there(block: Block) -> bool:
        return bool(block.size) or os.path.exists(os.path.join(folder, block.part))

    return notes._replace(blocks=tuple(filter(is_there, notes.blocks)))
