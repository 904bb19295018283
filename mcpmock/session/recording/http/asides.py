"""What clients ask beside their POSTs: GETs that open no stream, DELETEs, and what is at other paths."""

from __future__ import annotations

from typing import Final

from mcpmock.session.guards import Minded
from mcpmock.session.recording.http import responses
from mcpmock.session.recording.http.exchange import Exchange
from mcpmock.session.recording.http.log import SessionLog
from mcpmock.wire.http import path_of

__all__ = ["Asides"]

_MOST: Final = 1024  # so many paths, verbs and statuses are told


class Asides:
    """Those of one session, which was begun at `path`. Each is told once: clients try again (case HT-03)."""

    def __init__(self, path: str, log: SessionLog) -> None:
        self._path = path
        self._log = log
        self._told: set[tuple[str, str, int, Minded]] = set()

    def note(self, exchange: Exchange) -> None:
        """One of them was answered."""
        path = "" if path_of(exchange.target) == self._path else exchange.target
        fact = responses.instead(exchange, self._log.notes, has_body=False)
        sent = () if path else fact.sent
        what = (exchange.method, path_of(path), exchange.status, sent)
        if what in self._told or len(self._told) >= _MOST:
            return
        self._told.add(what)
        is_told = exchange.method == "GET" or exchange.status >= responses.REFUSED or exchange.claims_stateless
        if path or is_told:
            fact = responses.instead(exchange, self._log.notes, has_body=True)
        self._log.add_fact(fact._replace(path=self._log.notes.mask(path), sent=sent))
