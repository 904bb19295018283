"""Takes the secrets out of the file of a cassette, in place or into another file."""

from __future__ import annotations

import os

from mcpmock.cassette import files
from mcpmock.cassette.load import load_file
from mcpmock.cassette.redaction.mending import Mended, mend
from mcpmock.cassette.redaction.rules import NO_RULES, RedactionRules
from mcpmock.cassette.runs import Notes, remembered
from mcpmock.errors import CassetteError

__all__ = ["rewrite"]


def rewrite(path: str, *, output: str = "", rules: RedactionRules = NO_RULES, writes: bool = True) -> Mended:
    """What a cassette is without its secrets; it is written there, or to `output`, if it `writes`.

    A file in place is replaced from one moment to the next, and only if something changes. Raises
    CassetteNotFoundError, CassetteError and OSError, having changed nothing.
    """
    target = os.path.realpath(output or path)
    if not writes:
        return mend(_text_of(path), path=path, rules=rules)
    with remembered(target) as memory:
        text = _text_of(path)
        mended = mend(text, path=path, rules=rules)
        if output or mended.text != text:
            files.replace(target, [mended.text.encode()])
            # A run that goes on here adds to it as before. What was remembered of requests may hold what is masked now.
            memory.notes = Notes(memory.notes.runs, blocks=tuple(one for one in memory.notes.blocks if not one.size))
    return mended


def _text_of(path: str) -> str:
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise CassetteError("this is a device or a pipe", path=path, hint="name a file")
    load_file(path)  # says of what is no cassette what there is to be said
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()
