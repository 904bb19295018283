"""A recording made by a test: kept apart until the test has passed, then put in the place of the cassette.

The recorder works on a copy in a folder of its own, so that a test that fails, or is killed, leaves the cassette as it
was. Recordings of one run of tests add to each other, those of an earlier run are replaced.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Final

from mcpmock.cassette import finishing
from mcpmock.cassette.finishing import Finished
from mcpmock.cassette.layout import find_layout
from mcpmock.cassette.load import unfinished_parts
from mcpmock.cassette.reader import load
from mcpmock.cassette.runs import remembered
from mcpmock.mock.shelf import shown_path
from mcpmock.session.recording.aligning import aligned_sessions

__all__ = ["Take", "failed_path"]

_RUN: Final = "take"


class Take:
    """What one mock records. `path` is where the recorder writes; `run` names the run of tests."""

    def __init__(self, cassette: str, run: str = "") -> None:
        self.cassette = cassette
        self.run = run or uuid.uuid4().hex
        self._folder = tempfile.mkdtemp(prefix="mcpmock-take-")
        self.path = os.path.join(self._folder, os.path.basename(cassette))
        self._old = _bytes_of(cassette)
        if self._old:
            Path(self.path).write_bytes(self._old)  # the recorder carries its rules and its comments over
        self._stamp = _stamp(self.path)

    @property
    def shown_if_failed(self) -> str:
        """Where it is kept if the test fails, as people read it."""
        return shown_path(failed_path(self.cassette))

    def keep(self, *, passed: bool) -> str:
        """Puts what was recorded in the place of the cassette, or beside it where the test has failed.

        Returns the path that it has now; empty where nothing was recorded. Raises CassetteError and OSError.
        """
        try:
            new = _bytes_of(self.path)
            if not new or _stamp(self.path) == self._stamp:
                return ""
            os.makedirs(os.path.dirname(self.cassette), exist_ok=True)
            if passed:
                self._put(new)
                return self.cassette
            beside = failed_path(self.cassette)
            shutil.copyfile(self.path, beside)
            return beside
        finally:
            if not unfinished_parts(self.path):  # of these the recorder has said where they are
                self.discard()

    def discard(self) -> None:
        """Nothing will be recorded."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _put(self, new: bytes) -> None:
        layout = find_layout(new)
        assert layout is not None, "the recorder has one layout"
        text = new[layout.head : layout.tail]
        sessions = Finished(os.path.basename(self._folder), f"tests {self.run}", (self._aligned(new, text),))
        with remembered(self.cassette) as memory:
            finishing.put(self.cassette, memory, [sessions], adds=False)

    def _aligned(self, new: bytes, text: bytes) -> bytes:
        """The new sessions, with what has not changed as it is written in the old cassette."""
        if not self._old:
            return text
        recorded = load(new)
        starts = [session.line - 1 for session in recorded.sessions]
        lines = new.decode().splitlines(keepends=True)
        stops = [*starts[1:], new[: new.index(text) + len(text)].count(b"\n")] if text else []
        texts = ["".join(lines[start:stop]) for start, stop in zip(starts, stops, strict=True)]
        return "".join(aligned_sessions(load(self._old), self._old.decode(), recorded, texts)).encode()


def failed_path(cassette: str) -> str:
    """Where the recording of a failed test is kept."""
    path = Path(cassette)
    return str(path.with_name(f"{path.stem}.failed{path.suffix}"))


def _stamp(path: str) -> tuple[int, int]:
    """What changes when the recorder puts another file in its place."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return (0, 0)
    return (found.st_ino, found.st_mtime_ns)


def _bytes_of(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        return b""
