"""Replay on a port, wired up: a cassette, its server over HTTP, what is told meanwhile, the report, the exit code."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from contextlib import suppress
from typing import NamedTuple

from mcpmock.matching.pages import page, summary, unplayed_page
from mcpmock.matching.ways import command_line
from mcpmock.mock.hosting import PlayedHost
from mcpmock.mock.log import NO_LOG
from mcpmock.mock.part import Clock, LiveSession
from mcpmock.mock.played import PlayedPart
from mcpmock.mock.played_session import PlayedSession
from mcpmock.replaying import MISSED, ReplayRequest, ledger_for, open_library, write_report
from mcpmock.transports.ending import end_on_signals, end_undisturbed
from mcpmock.transports.http.asgi import asgi_application
from mcpmock.transports.http.guard import Guarded
from mcpmock.transports.http.service import HttpService
from mcpmock.transports.http.serving import LOCAL, HttpServing, guard_for, listen

__all__ = ["LOCAL", "Address", "ServedPart", "replay_http"]


class Address(NamedTuple):
    """Where to serve, and whom: `origins` are the web pages that are let in beside those of this machine."""

    port: int = 0
    host: str = LOCAL
    origins: tuple[str, ...] = ()


def replay_http(request: ReplayRequest, address: Address) -> int:
    """Serves a cassette on a port until a signal ends it.

    Both URLs are printed on stdout, one in a line, once connections are accepted; what clients miss is told on stderr.
    Returns the exit code: 3 after a miss, else 0. Raises CassetteError and UsageError.
    """
    library = open_library(request)
    part = ServedPart(library.story.server, library, request.options, Clock())
    part.ledger = ledger_for(request, library.story)
    return asyncio.run(_Run(request, address, part).run())


class ServedPart(PlayedPart):
    """A server that may run for long: what its clients did is summed up once they have gone."""

    most_calls = 2_000
    """Calls that are kept for the report, and at least half as many."""

    missed_before = 0
    """Misses that a reset has taken from the report. The exit code tells of them all the same."""

    def reset(self) -> None:
        """See `PlayedPart`."""
        self.missed_before += self.report.missed
        super().reset()

    def open(self, transport: str) -> PlayedSession:
        """See `PlayedPart`."""
        session = super().open(transport)
        session.log = NO_LOG
        return session

    def leave(self, session: LiveSession) -> None:
        """See `PlayedPart`."""
        super().leave(session)
        self.sessions.remove(session)

    def bound(self) -> None:
        """Keeps the latest calls, and the first misses."""
        self.report.bound()
        calls = self.report.calls
        if len(calls) > self.most_calls:
            del calls[: -self.most_calls // 2]


class _Run:
    def __init__(self, request: ReplayRequest, address: Address, part: ServedPart) -> None:
        self._request = request
        self._part = part
        self._host = PlayedHost(part)
        self._explained = 0
        service = HttpService(self._host, tell=_say, explain=self._explain)
        self._path = service.path
        guarded = Guarded(service, guard_for(address.host, address.origins))
        listener = listen(address.host, address.port)
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # its warnings advise to install something
        self._serving = HttpServing(asgi_application(guarded), listener, service.close)

    async def run(self) -> int:
        stopping = asyncio.Event()
        end_on_signals(stopping.set)
        await self._serving.start()
        for path in (self._path, "/sse"):
            print(f"{self._serving.base}{path}", flush=True)
        await stopping.wait()
        waiting = self._part.report.left_waiting  # to whom the end of this server is that of their exchanges
        await self._serving.stop()
        for one in waiting:
            _say(f"mcpmock: {one.told(self._request.cassette)} (mcpmock check)\n")
        if told := self._part.report.turned_away:
            _say(f"mcpmock: {told}\n")
        code = self._close()
        end_undisturbed()
        return code

    def _explain(self) -> None:
        """Tells of misses as soon as they happen."""
        part = self._part
        known = max(0, self._explained - part.missed_before)
        if known < len(part.report.misses):
            ways = command_line(part.library.story.url)
            for miss in part.misses_since(known):
                _say(page(miss, ways))
        part.bound()
        self._explained = part.missed_before + len(part.report.misses)

    def _close(self) -> int:
        """The closing words, the report, and the exit code."""
        part, request = self._part, self._request
        misses = part.misses
        unplayed = part.unplayed() if request.fail_unplayed else []
        if request.report:
            write_report(request.report, json.dumps(self._host.report(), indent=1))
        if not misses and not unplayed and not part.missed_before:
            return 0
        if part.missed_before:
            _say(f"mcpmock: {part.missed_before} missed before the last reset\n")
        if unplayed:
            _say(unplayed_page(unplayed, len(part.recorded())))
        if misses or unplayed:
            report = part.report
            _say(summary(report.requests - report.missed, misses, len(unplayed), report.forgotten))
        return MISSED


def _say(text: str) -> None:
    with suppress(OSError):  # where nobody reads it, nobody misses it
        os.write(2, text.encode("utf-8", "replace"))
