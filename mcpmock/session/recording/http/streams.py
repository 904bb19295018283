"""The streams that GETs have opened: their labels, and what a `Last-Event-ID` goes on with."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from mcpmock.cassette.model import HttpFact
from mcpmock.session.recording.http.exchange import Exchange
from mcpmock.session.recording.http.log import Names
from mcpmock.wire.message import MISSING

_MOST: Final = 1024  # event ids are remembered: a client resumes after one of the last


class Streams:
    """The streams of one session.

    The first is told when it is opened; later ones when something comes on them, because clients open them again and
    again (HT-03), and what resumes an unanswered request at once.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._by_event: OrderedDict[str, Exchange] = OrderedDict()
        self._is_told = False

    def remember(self, event_id: str | None, exchange: Exchange) -> None:
        """An event with this id has come on the stream of an exchange."""
        if event_id:
            self._by_event[event_id] = exchange
            if len(self._by_event) > _MOST:
                self._by_event.popitem(last=False)

    def opens(self, exchange: Exchange) -> HttpFact | None:
        """A GET is answered by a stream: what is to be told of it now."""
        exchange.origin = self._by_event.get(exchange.resumes_after)
        if exchange.speaks is not exchange:
            return self.speaks(exchange) if exchange.speaks.waiting else None
        return None if self._is_told else self.speaks(exchange)

    def is_primed(self, exchange: Exchange) -> bool:
        """An event without data has come: whether a stream that owes an answer goes on with it. Told once of each GET,
        for it may be a heartbeat (SS-04)."""
        is_news = exchange.speaks is not exchange and bool(exchange.speaks.waiting) and not exchange.is_primed
        exchange.is_primed = exchange.is_primed or is_news
        return is_news

    def speaks(self, exchange: Exchange) -> HttpFact | None:
        """A message comes on the stream of a GET: what is to be told of it before, if that was not told yet."""
        if exchange.is_told:
            return None
        exchange.is_told = True
        if exchange.speaks is not exchange:
            return HttpFact("GET", is_stream=True, resumes=exchange.speaks.name)
        self._is_told = True
        exchange.standing = self._names.new("get")
        resumed = exchange.origin.standing if exchange.origin is not None else ""
        return HttpFact("GET", is_stream=True, resumes=resumed or MISSING)
