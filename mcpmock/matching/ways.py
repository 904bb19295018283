"""What to type next, in the words of who reads it: the options of a command, or the settings of a call or a marker."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from json import dumps
from typing import NamedTuple

__all__ = ["COMMAND_LINE", "Ways", "command_line", "ways_in_python"]

_LONGEST = 100
"""Characters of a URL that is shown."""


class Ways(NamedTuple):
    """The ways out of a miss, ready to be typed.

    ignore      places that do not count; braces for the pointers
    variables   what a variable stands for; braces for it
    repeats     the last answer again
    any_order   the best match at any time
    record      to record anew; `{path}` for that of the cassette
    unplayed    what was not played is no failure
    is_python   whether the pointers are written as a list
    mock        what the mock is called
    """

    ignore: str
    variables: str
    repeats: str
    any_order: str
    record: str
    unplayed: str
    is_python: bool = False
    mock: str = "mock"

    def ignoring(self, pointers: Sequence[str]) -> str:
        """How these places are ignored."""
        if self.is_python:
            return self.ignore.format(dumps(list(pointers), ensure_ascii=False))
        return " ".join(self.ignore.format(shlex.quote(pointer)) for pointer in pointers)

    def setting(self, name: str, text: str) -> str:
        """How it is said what a variable stands for."""
        return self.variables.format(dumps({name: text}) if self.is_python else shlex.quote(f"{name}={text}"))

    def recording(self, path: str) -> str:
        """How the cassette is recorded anew; `path` is ready to be typed."""
        return self.record.replace("{path}", path)


COMMAND_LINE = Ways(
    ignore="--ignore {}",
    variables="--var {}",
    repeats="--allow-playback-repeats",
    any_order="--order any",
    record="mcpmock record -o {path} -- COMMAND...",
    unplayed="replay without --fail-unplayed",
)
"""For `mcpmock replay`."""


def command_line(url: str) -> Ways:
    """The same for a cassette whose server was reached by this URL, if by any."""
    if not url:
        return COMMAND_LINE
    is_plain = url.isprintable() and len(url) <= _LONGEST and "~" not in url
    return COMMAND_LINE._replace(record=f"mcpmock record -o {{path}} {shlex.quote(url) if is_plain else 'URL'}")


def ways_in_python(call: str, record: str = COMMAND_LINE.record, mock: str = "mock") -> Ways:
    """For who writes Python: `call` is what takes settings, with braces for them, as `replay(…, {})`."""
    head, tail = call.split("{}")
    return Ways(
        ignore=f"{head}ignore={{}}{tail}",
        variables=f"{head}vars={{}}{tail}",
        repeats=f"{head}allow_playback_repeats=True{tail}",
        any_order=f'{head}order="any"{tail}',
        record=record,
        unplayed=f"{head}allow_unplayed=True{tail}",
        is_python=True,
        mock=mock,
    )
