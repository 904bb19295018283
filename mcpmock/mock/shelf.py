"""Cassettes that this process has loaded: many tests that play one file read it once."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Final, NamedTuple, TypeAlias

from mcpmock.cassette.load import cassette_like, load_file
from mcpmock.cassette.model import Cassette
from mcpmock.session.playing.casting import Library
from mcpmock.session.story import Story, server_names

__all__ = ["SHELF", "Shelf", "Want", "mistyped", "shown_path"]

ROOM: Final = 16
"""How many cassettes are kept: those that were used last."""

_Stamp: TypeAlias = tuple[int, int, int]


class Want(NamedTuple):
    """What is played of a cassette: one server (by name, the empty string where there is only one without a name),
    one session or all, and which places do not count."""

    server: str = ""
    session: int = 0
    ignore: tuple[str, ...] = ()


class _Volume(NamedTuple):
    stamp: _Stamp
    cassette: Cassette
    libraries: dict[Want, Library]


class Shelf:
    """Loads each file once, and again when it has changed. May be used by several threads. Paths are absolute; people
    are told the shorter ones of `shown_path`."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._volumes: OrderedDict[str, _Volume] = OrderedDict()
        self._lock = threading.Lock()
        self.loads = 0

    def servers(self, path: str) -> list[str]:
        """The names of the servers in a cassette. Raises CassetteNotFoundError and CassetteError."""
        with self._lock:
            return server_names(self._volume(path).cassette)

    def library(self, path: str, want: Want) -> Library:
        """What is wanted of a cassette, ready to be played. Raises CassetteError and UsageError."""
        with self._lock:
            volume = self._volume(path)
            if want not in volume.libraries:
                story = Story(volume.cassette, server=want.server, session=want.session)
                volume.libraries[want] = Library(story, want.ignore)
            return volume.libraries[want]

    def _volume(self, path: str) -> _Volume:
        stamp = _stamp(path)
        volume = self._volumes.get(path)
        if volume is None or volume.stamp != stamp:
            self.loads += 1
            volume = self._volumes[path] = _Volume(stamp, load_file(shown_path(path)), {})
        self._volumes.move_to_end(path)
        while len(self._volumes) > self._room:
            self._volumes.popitem(last=False)
        return volume


SHELF: Final = Shelf()
"""The shelf of this process."""


def shown_path(path: str) -> str:
    """A path as people read it: from the working folder on, where it is below it."""
    here = os.getcwd() + os.sep
    return path[len(here) :] if path.startswith(here) else path


def mistyped(path: str, mode: str) -> str:
    """What is said of a recording that could not be made: that another cassette may have been meant; else nothing."""
    meant = cassette_like(path) if mode == "once" and not os.path.exists(path) else ""
    return f"\n  There is no such cassette; did you mean {shown_path(meant)}?" if meant else ""


def _stamp(path: str) -> _Stamp:
    """What changes when a file does; whether it can be read at all is told by reading it."""
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)
