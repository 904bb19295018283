"""Which POST waits for which answer, and whose a server's message is by the stream that it came on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mcpmock.session.correlation import id_key, loose_id_key, progress_token, reported_token
from mcpmock.session.headers.mirrored import Odd, marks_in, odd_headers
from mcpmock.session.interaction import refuses_headers
from mcpmock.session.recording.http.exchange import Exchange
from mcpmock.wire.envelope import SUBSCRIPTION_KEY, meta_of
from mcpmock.wire.message import MISSING, Message, Missing
from mcpmock.wire.methods import LIST_CHANGED, STAYS_OPEN

_MOVED_BY_RULE = LIST_CHANGED | {"notifications/resources/updated", "notifications/tasks/status"}

_MOST: Final = 1024  # oddities are remembered


class Asking:
    """The exchanges of a session whose requests wait for their answers."""

    def __init__(self) -> None:
        self._by_id: dict[str, list[Exchange]] = {}
        self._by_token: dict[tuple[str, object], Exchange] = {}
        self.listening: set[Exchange] = set()
        """Those that stay open until somebody ends them (`subscriptions/listen`)."""
        self._tolerated: set[Odd] = set()
        self._mirrored: dict[str, Mapping[tuple[str, ...], str]] = {}  # by what the lists of tools said so far

    def __iter__(self) -> Iterator[Exchange]:
        return (exchange for waiting in self._by_id.values() for exchange in waiting)

    def asks(self, exchange: Exchange) -> None:
        """A POST has brought requests."""
        is_bare = exchange.claims_stateless and not exchange.requests  # a notification needs no `_meta`
        if (exchange.is_stateless or is_bare) and not exchange.is_batch:
            exchange.odd = odd_headers(exchange.posted[0], exchange.sent, self._mirrored)
        for request in exchange.requests:
            self._by_id.setdefault(loose_id_key(request.id), []).append(exchange)
            if request.method in STAYS_OPEN:
                self.listening.add(exchange)
            token = progress_token(request)
            if not isinstance(token, Missing):
                self._by_token[id_key(token)] = exchange

    def answered(self, heard_on: Exchange, answer: Message) -> bool:
        """Note an answer: to a request of the exchange it came on, else to the oldest that waits (SS-06).

        Whether anybody waited for it.
        """
        key = loose_id_key(answer.id)
        waiting = self._by_id.get(key)
        if not waiting:
            return False
        asked = heard_on.speaks if heard_on.speaks in waiting else waiting[0]
        self._remove(asked, key)
        asked.waiting.remove(key)
        if asked.odd and asked.status < 300 and not refuses_headers(answer):
            self._lets_pass(asked)
        if asked.is_stateless and asked.posted[0].method == "tools/list":
            self._mirrored.update(marks_in(answer))
        if not asked.waiting:
            self.forget(asked)
        return True

    def _lets_pass(self, exchange: Exchange) -> None:
        """What the server tolerates is told once: clients that leave headers out do so always."""
        exchange.odd = [odd for odd in exchange.odd if odd not in self._tolerated]
        if len(self._tolerated) < _MOST:
            self._tolerated.update(exchange.odd)

    def forget(self, exchange: Exchange) -> None:
        """Nothing more is expected for its requests."""
        self.listening.discard(exchange)
        for key in exchange.waiting:
            self._remove(exchange, key)
        for request in exchange.requests:
            token = id_key(progress_token(request))
            if self._by_token.get(token) is exchange:
                del self._by_token[token]

    def _remove(self, exchange: Exchange, key: str) -> None:
        waiting = [one for one in self._by_id.get(key, ()) if one is not exchange]
        if waiting:
            self._by_id[key] = waiting
        else:
            self._by_id.pop(key, None)

    def is_plain(self, exchange: Exchange, message: Message, *, is_alone: bool) -> bool:
        """Whether the rules of "Whose message is it" find, knowing nothing of streams, that this message is of the
        exchange that it came on; `is_alone`: nothing else is open."""
        if message.kind == "response":
            return exchange.label is None and exchange.waits_for(message)
        if message.method == "notifications/progress":
            return self._by_token.get(id_key(reported_token(message))) is exchange
        if exchange in self.listening:
            is_told = id_key(meta_of(message).get(SUBSCRIPTION_KEY, MISSING)) in map(id_key, exchange.ids)
            return is_told and exchange.label is None and all(len(self._by_id[key]) == 1 for key in exchange.waiting)
        return is_alone and message.method not in _MOVED_BY_RULE and not meta_of(message)
