"""Makes cassettes of what recorders that were killed have left."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcpmock.cassette import files, finishing, joining, leftovers
from mcpmock.cassette.leftovers import Leftover
from mcpmock.cassette.runs import Memory, Notes, remembered
from mcpmock.errors import CassetteError, UsageError


class Salvaged(NamedTuple):
    """A part file that is now a session of a cassette; `entries` is how many were saved. It is deleted if it may be.

    One that held none (its recorder was killed before anything was said) is in no cassette: 0 entries.
    """

    part: str
    cassette: str
    entries: int


def parts_at(path: str) -> list[str]:
    """The part files that a path stands for: itself, or those beside the cassette of that name.

    Raises UsageError if there are none.
    """
    if files.cassette_of(path):
        if os.path.exists(path):
            return [path]
        raise UsageError(f"there is no part file {path}")
    if os.path.isdir(path):
        raise UsageError(f"{path}: this is a folder; name the cassette, or the part files in it (NAME.part-PID-N)")
    parts = files.parts_of(path)
    if not parts:
        raise UsageError(f"nothing to salvage: no part file ({path}.part-…) is there")
    return parts


def salvage(parts: Sequence[str], *, output: str = "", appends: bool = False) -> list[Salvaged]:
    """Put the sessions of part files of one cassette into that cassette, or into `output`, and delete the files.

    Those that are still being written are passed over. An existing cassette is only added to: if it is what the same
    run has recorded, or if it `appends`; else CassetteError is raised. Raises OSError.
    """
    shown = output or files.cassette_of(parts[0])
    source, target = os.path.realpath(files.cassette_of(parts[0])), os.path.realpath(shown)
    appends = appends or not os.path.exists(target)
    done: list[Salvaged] = []
    with remembered(source) as memory:
        waiting = _in_order(parts, memory.notes)
        while waiting:
            with leftovers.taken(waiting[: leftovers.AT_ONCE], memory.notes) as found:
                if target == source:
                    done += _take_in(shown, memory, found, appends=appends)
                else:
                    with remembered(target) as other:
                        done += _take_in(shown, other, found, appends=appends)
            waiting = waiting[leftovers.AT_ONCE :]
    taken = {salvaged.part for salvaged in done}
    return done + [Salvaged(part, "", 0) for part in parts if part not in taken and not os.path.exists(part)]


def _take_in(cassette: str, memory: Memory, found: Sequence[Leftover], *, appends: bool) -> Iterator[Salvaged]:
    """Those of one run that stand together are put in at once: each time the whole cassette is copied."""
    path = os.path.realpath(cassette)
    for run, group in itertools.groupby(found, key=lambda left: left.run):
        together = list(group)
        lost = finishing.not_held(path, memory.notes, [left.finished for left in together])
        if lost and not appends and run not in memory.notes.runs:
            part = os.path.join(os.path.dirname(together[0].path), lost[0].part)
            hint = "--append adds the session to it, -o FILE puts it elsewhere"
            raise CassetteError(f"holds another recording than {part}", path=cassette, hint=hint)
        if lost:
            finishing.put(path, memory, lost, adds=True)
        for left in together:
            with contextlib.suppress(OSError):  # others may read it, and not change its folder
                os.unlink(left.path)
            yield Salvaged(left.path, cassette, joining.count_entries(left.text))


def _in_order(parts: Sequence[str], notes: Notes) -> list[str]:
    """Part files in the order of starting, as far as it is remembered; the others behind them, by name."""
    places = {block.part: place for place, block in enumerate(notes.blocks)}
    return sorted(parts, key=lambda path: (places.get(os.path.basename(path), len(places)), path))
