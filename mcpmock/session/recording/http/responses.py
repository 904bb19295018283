"""What is kept of a response: beside the message that it brought, or instead of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcpmock.cassette.model import NORM, HttpFact, HttpNorm
from mcpmock.session.guards import NAMES
from mcpmock.session.headers.kept import kept_of
from mcpmock.session.headers.minded import kept_minded
from mcpmock.session.interaction import refuses_headers
from mcpmock.session.recording.entry_log import EntryLog
from mcpmock.session.recording.http.exchange import Exchange
from mcpmock.wire import http
from mcpmock.wire.message import MISSING, Json, Message, Missing, json_value
from mcpmock.wire.methods import STAYS_OPEN

OK: Final = 200
MOVED: Final = 300
"""From here on a status says that nothing was done here."""
REFUSED: Final = 400
"""From here on a status says that something was not done."""


def norm_shown(exchange: Exchange, *, has_key: bool) -> HttpNorm:
    """The norm that an answered request shows."""
    return HttpNorm(
        answers=exchange.shape,
        session=has_key,
        ids=exchange.has_ids,
        priming=exchange.first is not None and exchange.first.is_priming,
        retry=exchange.retry,
    )


def beside(exchange: Exchange, norm: HttpNorm, log: EntryLog, answers: Sequence[Message]) -> HttpFact | None:
    """What of the response to a POST, which brought answers, differs from the norm."""
    stays_open = any(message.method in STAYS_OPEN for message in exchange.posted)  # by a stream, always
    is_usual = exchange.status < REFUSED and exchange.speaks is exchange and not stays_open
    fact = HttpFact(
        status=exchange.status if exchange.status != OK else 0,
        answers=exchange.shape if is_usual and exchange.shape != norm.answers else "",
        headers=_headers(exchange, log),
        sent=_sent(exchange, log, answers),
    )
    return None if fact == HttpFact() else fact


def instead(exchange: Exchange, log: EntryLog, *, has_body: bool) -> HttpFact:
    """What is told of a response that is no message. The body of a usual 202 tells nothing."""
    told, sent = _headers(exchange, log), _sent(exchange, log)
    fact = HttpFact(exchange.method, status=exchange.status, headers=told, sent=sent)
    body = _body(exchange, log) if has_body and exchange.status != NORM.accepted else MISSING
    return fact if isinstance(body, Missing) else fact._replace(media=exchange.media, body=body)


def label_for(exchange: Exchange) -> str:
    """A name for what has no id of its own: a notification's, or `answer`."""
    method = exchange.posted[0].method if exchange.posted else ""
    return method.rpartition("/")[2] or "answer"


def _headers(exchange: Exchange, log: EntryLog) -> tuple[tuple[str, str], ...]:
    return tuple((name, log.mask(value)) for name, value in http.kept(exchange.headers))


def _sent(exchange: Exchange, log: EntryLog, answers: Sequence[Message] = ()) -> tuple[tuple[str, str | None], ...]:
    """The headers of the request that were refused, or let pass though they are not as they must be."""
    places = {odd.name: odd.place for odd in exchange.odd}
    kept = _kept_of(exchange, answers)
    return tuple((name, value and log.mask_header(name, value, places.get(name, ()))) for name, value in kept)


def _kept_of(exchange: Exchange, answers: Sequence[Message]) -> Sequence[tuple[str, str | None]]:
    found = kept_minded(
        exchange.minded, exchange.odd_head, exchange.status, length=exchange.told_length or exchange.request.size
    )
    is_asking = not exchange.is_batch and any(one.kind != "response" for one in exchange.posted)
    if not (exchange.is_stateless or exchange.claims_stateless) or not is_asking:
        return found
    is_minded = any(map(refuses_headers, answers))
    kept = kept_of(exchange.sent, exchange.odd, exchange.status, is_minded=is_minded)
    return [*kept, *_not_heeded(exchange), *(one for one in found if one[0] in NAMES)]


def _not_heeded(exchange: Exchange) -> list[tuple[str, str]]:
    """`Accept`, where the client was answered in a way that it does not take."""
    accept = http.header_value(exchange.sent, b"accept")
    media = http.JSON_TYPE if exchange.shape == "json" else http.EVENT_STREAM
    is_heeded = not accept or http.accepts(accept, media) or exchange.status >= MOVED
    return [] if is_heeded or not exchange.requests else [("accept", accept)]


def _body(exchange: Exchange, log: EntryLog) -> Json | bytes | Missing:
    """The body: as a value where it is JSON, as text where it is text; nothing where there is none, or too much."""
    body = exchange.response.whole()
    if not isinstance(body, bytes) or not body:
        return MISSING
    text = log.mask_data(body)
    if isinstance(text, bytes) or not http.is_json(exchange.media):
        return text
    value = json_value(text)
    return text if isinstance(value, Missing | str) else value
