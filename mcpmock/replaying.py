"""Replay over stdio, wired up: a cassette, the playback machine, the blocking shell, the report, the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from mcpmock.cassette.load import load_file, unfinished_parts
from mcpmock.cassette.model import Session
from mcpmock.errors import UsageError
from mcpmock.session.playing.casting import Library
from mcpmock.session.playing.ledger import Ledger, MemoryLedger
from mcpmock.session.playing.live import Options
from mcpmock.session.playing.playback import Playback
from mcpmock.session.playing.report import Report, Unplayed, unplayed_json
from mcpmock.session.story import Story
from mcpmock.transports.shell import Shell
from mcpmock.transports.stderr import open_standard_descriptors
from mcpmock.transports.stdio_replay import StdioWire, Stopped

__all__ = ["MISSED", "ReplayRequest", "ledger_for", "open_library", "replay_stdio", "tell", "write_report"]

MISSED: Final = 3
"""The exit code after a miss (and after unplayed interactions, where they are asked for)."""


class ReplayRequest(NamedTuple):
    """What to replay, and how. `session` counts from 1 among the sessions of `server`; 0 takes the next one."""

    cassette: str
    server: str = ""
    session: int = 0
    state: str = ""
    ignore: tuple[str, ...] = ()
    options: Options = Options()
    fail_unplayed: bool = False
    report: str = ""


def replay_stdio(request: ReplayRequest) -> int:
    """Serves a cassette on stdin and stdout until the client leaves, or the recorded server did.

    Returns the exit code (DESIGN 4, "The end"): the recorded one where the server left first, 3 after a miss, else 0.
    A server that was recorded to die by a signal makes this process die by it. Raises CassetteError and UsageError.
    """
    open_standard_descriptors()
    library = open_library(request)
    report = Report(keep_calls=bool(request.report))
    playback = Playback(library, request.options, ledger_for(request, library.story), report)
    return _Run(request, playback, library.story.url).run()


def open_library(request: ReplayRequest) -> Library:
    """What is to be replayed, loaded; the rest of the request is checked first. Raises CassetteError and UsageError."""
    folder = os.path.dirname(request.report)
    if folder and not os.path.isdir(folder):
        raise UsageError(f"--report {request.report}: there is no folder {folder}")
    if os.path.isdir(request.report):
        raise UsageError(f"--report {request.report}: this is a folder; name a file")
    cassette = load_file(request.cassette)
    _mention_parts(request.cassette)
    if request.options.vars:
        _mention_unknown_variables(request, cassette.sessions)
    story = Story(cassette, server=request.server, session=request.session)
    if not story.timelines:
        tell(f"{request.cassette} holds no session yet: every request but the handshake's will miss")
    return Library(story, request.ignore)


class _Run:
    def __init__(self, request: ReplayRequest, playback: Playback, url: str) -> None:
        self._request = request
        self._url = url
        self._playback = playback
        self._wire = StdioWire()
        self._explained = 0

    def run(self) -> int:
        shell = Shell(self._playback, self._wire, explain=self._explain)
        end: int | str | None = None
        stopped: Stopped | None = None
        self._wire.interrupts.watch()
        try:
            end = shell.serve()
        except ConnectionError:
            pass  # the client has gone, as it may: a pipe breaks, a socket is reset
        except Stopped as signal:
            stopped = signal
        code = self._close()
        if end is None:  # a server that has left answers nothing: its client knows
            for waiting in self._playback.report.left_waiting:
                tell(f"{waiting.told(self._request.cassette)} (mcpmock check)")
        if told := self._playback.report.turned_away:
            tell(told)
        if isinstance(end, str):
            _die_by(end)
        elif end:
            return end  # a recorded failure is what the client has to see, misses or not
        if stopped is not None and not code:
            _die_by(stopped.name)
        return code

    def _explain(self) -> None:
        report = self._playback.report
        misses = report.misses
        if self._explained < len(misses):
            from mcpmock.matching.pages import page
            from mcpmock.matching.ways import command_line

            for miss in misses[self._explained :]:
                self._say(page(miss, command_line(self._url)))
        if not self._request.report:  # which tells all
            report.bound()
        self._explained = len(misses)

    def _say(self, text: str) -> None:
        self._wire.write_stderr(text.encode("utf-8", "replace"))

    def _close(self) -> int:
        """The closing words, the report, and the exit code."""
        report = self._playback.report
        self._explain()
        unplayed = self._playback.unplayed() if self._request.fail_unplayed or self._request.report else []
        failed = bool(report.misses) or (self._request.fail_unplayed and bool(unplayed))
        if self._request.report:
            self._write_report(unplayed)
        if failed:
            self._sum_up(unplayed if self._request.fail_unplayed else [])
        return MISSED if failed else 0

    def _sum_up(self, unplayed: list[Unplayed]) -> None:
        from mcpmock.matching.pages import summary

        report = self._playback.report
        if unplayed:
            self._say(self._playback.unplayed_page(unplayed))
        self._say(summary(report.requests - report.missed, report.misses, len(unplayed), report.forgotten))

    def _write_report(self, unplayed: list[Unplayed]) -> None:
        import json

        from mcpmock.matching.veil import veiled

        content = self._playback.report.to_json()
        content["cassette"] = self._request.cassette
        content["variables"] = self._playback.variables.told()
        content["unplayed"] = unplayed_json(unplayed)
        # reports are published by CI
        write_report(self._request.report, json.dumps(veiled(content, self._playback.variables.secrets()), indent=1))


def write_report(target: str, text: str) -> None:
    """Writes a report to a file, whole or not at all; says so on stderr where that cannot be."""
    is_special = os.path.exists(target) and not os.path.isfile(target)  # /dev/stderr: root would replace it
    path = target if is_special else os.path.realpath(target)
    temporary = path if is_special else f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            file.write(f"{text}\n")
        if not is_special:
            os.replace(temporary, path)
    except OSError as error:
        tell(f"--report {target}: {error.strerror}")


def folders_here() -> Mapping[str, str]:
    """What this machine has in the place of variables that nobody has given."""
    from mcpmock import folders  # needed by nobody whose cassette names none

    return folders.folders_here()


def ledger_for(request: ReplayRequest, story: Story) -> Ledger:
    """What this process shares with others about the server, if anything."""
    if not request.state:
        return MemoryLedger()
    from mcpmock.transports.state_dir import FolderLedger

    return FolderLedger(request.state, request.cassette, story.server)


def _mention_unknown_variables(request: ReplayRequest, sessions: Iterable[Session]) -> None:
    from mcpmock.cassette.variables import variables_in  # seldom needed

    known = variables_in(sessions)
    for name in request.options.vars:
        if name not in known:
            there = f"it has {', '.join(known)}" if known else "it has no variables"
            tell(f"--var {name}: there is no ~var.{name}~ in {request.cassette}; {there}")


def _mention_parts(path: str) -> None:
    parts = unfinished_parts(path)
    if parts:
        import shlex  # only for who is told what to type

        typed = f"mcpmock salvage {shlex.quote(path)}"
        tell(f"{path} has {len(parts)} unfinished recording(s) beside it; `{typed}` takes them in")


def tell(text: str) -> None:
    """Says something on stderr, in mcpmock's own name."""
    with suppress(OSError):  # where nobody reads it, nobody misses it
        os.write(2, f"mcpmock: {text}\n".encode("utf-8", "replace"))


def _die_by(name: str) -> None:
    """Ends this process by a signal, as the recorded server ended; returns only where that cannot be."""
    import signal

    number = getattr(signal, name, None)
    if number is None:
        return
    sys.stderr.flush()
    if number != getattr(signal, "SIGKILL", None):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
