"""`mcpmock salvage`: make a cassette of what a recording that was killed has left."""

from __future__ import annotations

import os
import shlex
import time
from itertools import groupby
from typing import Final

import click

from mcpmock.cassette import files
from mcpmock.cassette.files import cassette_of
from mcpmock.cassette.salvaging import Salvaged, parts_at, salvage
from mcpmock.errors import McpmockError, printable

EPILOG: Final = """\
\b
Examples:
  mcpmock salvage everything.yaml
  mcpmock salvage everything.yaml.part-4711-1 -o crashed.yaml
"""

_PATIENCE: Final = 1.0
_PAUSE: Final = 0.02
_EMPTY: Final = "nothing had been recorded yet; the file is deleted"


@click.command("salvage", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "-o", "--output", metavar="FILE", default="", help="The cassette to write.  [default: the recording's own]"
)
@click.option("--append", is_flag=True, help="Add to a cassette that holds another recording.")
def command(paths: tuple[str, ...], output: str, append: bool) -> None:
    """Make a cassette of what a recording that was killed has left.

    While it is recorded, a session is kept in a file beside its cassette, NAME.part-PID-N. Name the cassette, or the
    part files themselves. What was seen up to the last moments is saved, and the part files are deleted.
    """
    parts = sorted({part for path in paths for part in parts_at(path)})
    _await_thinkers(parts)
    saved: set[str] = set()
    for number, (_, group) in enumerate(groupby(sorted(parts, key=cassette_of), key=cassette_of)):
        appends = append or (number > 0 and bool(output))
        for part, cassette, entries in _salvaged(list(group), output, appends=appends):
            saved.add(part)
            told = f"{part}: {_count(entries)} now in {cassette}" if entries else f"{part}: {_EMPTY}"
            kept = "; the file could not be deleted" if os.path.exists(part) else ""
            click.echo(printable(f"{told}{kept}"))
    if left := [part for part in parts if part not in saved and os.path.exists(part)]:
        raise McpmockError(f"not salvaged, because it is still being recorded, or is no cassette: {', '.join(left)}")


def _salvaged(parts: list[str], output: str, *, appends: bool) -> list[Salvaged]:
    try:
        return salvage(parts, output=output, appends=appends)
    except OSError as error:
        if output:
            raise
        cassette = cassette_of(parts[0])
        taken = parts[0] if len(parts) == 1 else cassette
        way_out = f"to write it elsewhere: mcpmock salvage {shlex.quote(taken)} -o OTHER.yaml"
        raise McpmockError(f"{cassette} cannot be written: {error.strerror}; {way_out}") from error


def _await_thinkers(parts: list[str]) -> None:
    """What a recorder that was killed just now had handed over is still being written down, for a moment."""
    end = time.monotonic() + _PATIENCE
    while any(files.is_locked(part) for part in parts) and time.monotonic() < end:
        time.sleep(_PAUSE)


def _count(entries: int) -> str:
    return "1 entry is" if entries == 1 else f"{entries} entries are"
