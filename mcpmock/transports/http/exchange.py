"""One POST of a client: from its messages to the end of its response. The ticket of a playback machine.

What the response is, is decided by what the machine says first: an answer alone can be JSON, anything before it makes
it an event stream (where the client takes one). Whatever is not decided yet can be waited for.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from mcpmock.cassette.model import HttpFact, HttpNorm
from mcpmock.session.headers.oddities import Oddities
from mcpmock.session.playing.actions import Send
from mcpmock.transports.http.messages import JSON_HEADERS, ConnectionBroken, Response
from mcpmock.transports.http.streams import Events, Outlet, Reading, Waiting, wait_for
from mcpmock.transports.http.turns import Turn
from mcpmock.wire.http import EVENT_STREAM, JSON_TYPE, Headers, accepts
from mcpmock.wire.message import METHOD_NOT_FOUND, Json, Missing, dumps

__all__ = ["STREAM_HEADERS", "Exchange", "Pending", "Takes", "Way", "fact_response", "started", "takes_of"]

Takes: TypeAlias = Literal["any", "json", "stream"]
"""Which kinds of answers a client takes."""

STREAM_HEADERS: Final[Headers] = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)

_PATIENCE: Final = 1.0
"""Seconds after which a stream begins though nothing is there yet that shows whether it will be one."""

_UNKNOWN: Final = f'"error":{{"code":{METHOD_NOT_FOUND},'


class Way(NamedTuple):
    """How an exchange is answered, as far as that is known from its request.

    reading       how a stream will be read
    takes         what the client takes
    headers       what every response to it carries
    is_request    whether it holds a request, or what is no message: something that gets an answer
    is_enveloped  whether it speaks the stateless revision: an unknown method is "not found" then (PROTOCOL 2.4)
    primes        whether the client understands a priming event
    rewrite       puts our own address where a recorded text names the recorded server's
    sent          the headers of the request
    oddities      what is odd about them; None where they mirror nothing
    stays_open    whether what comes on its stream, but for the first, comes unasked
    """

    reading: Reading = Reading()
    takes: Takes = "any"
    headers: Headers = ()
    is_request: bool = True
    is_enveloped: bool = False
    primes: bool = False
    rewrite: Callable[[str], str] = str
    sent: Mapping[bytes, bytes] = {}
    oddities: Oddities | None = None
    stays_open: bool = False


@lru_cache(maxsize=64)
def takes_of(accept: str) -> Takes:
    """What a client takes by its `Accept`. Who says nothing that we know takes what was recorded (case HT-08)."""
    takes_json, takes_stream = accepts(accept, JSON_TYPE), accepts(accept, EVENT_STREAM)
    if takes_json == takes_stream:
        return "any"
    return "json" if takes_json else "stream"


class Exchange:
    """One POST. `norm` is how the recorded server answers, `name` that of its stream."""

    def __init__(self, session: Waiting, norm: Callable[[], HttpNorm], way: Way, name: str) -> None:
        self.response: Response | None = None
        self.outlet: Outlet | None = None
        self.is_over = not way.is_request
        self.turn: Turn | None = None
        self._session = session
        self._norm = norm
        self._way = way
        self._name = name
        self._has_left = False

    @property
    def sent(self) -> Mapping[bytes, bytes]:
        """The headers of its request, names in lower case."""
        return self._way.sent

    # -- what the machine says

    def say(self, action: Send) -> bool:
        """Sends a message on this exchange; False where that must go on the standing stream."""
        if self._has_left and not self.is_over:
            self.is_over = action.is_answer
            return True  # nobody hears it
        if self.is_over or (not action.is_answer and self._way.takes == "json" and self.outlet is None):
            return False
        if action.is_answer and self.outlet is None and self._is_json(action):
            self.response = self._json(action)
            self.turn = self._session.turns.next(is_unasked=False)
            self.is_over = True
            return True
        is_unasked = self._way.stays_open and self.outlet is not None
        outlet = self.outlet or self.open_stream(action.fact)
        turn = self._session.turns.next(outlet.carrier, is_unasked=is_unasked)
        outlet.put(action.text, is_apart=action.is_after_progress, turn=turn)
        if action.is_answer:
            self.is_over = True
            outlet.end()
        return True

    def refuse(self, action: Send) -> bool:
        """Answers a POST that asked for nothing and was refused all the same; False for any other (case RP-06)."""
        is_refusal = action.is_answer and action.fact is not None and action.fact.status >= 400
        if self._way.is_request or self.response is not None or not is_refusal:
            return False
        self.response = self._json(action)
        return True

    def respond(self, fact: HttpFact) -> None:
        """The answer is no message."""
        if self.response is None:
            self.response = fact_response(fact, self._way.rewrite).with_headers(self._way.headers)
        elif self.outlet is not None:
            self.outlet.end()
        self.is_over = True

    def accept(self) -> None:
        """Nothing was to be answered."""
        if self.response is None:
            self.response = Response(self._norm().accepted, self._way.headers)

    def pause(self, *, is_abort: bool) -> None:
        """The stream ends, or the connection breaks; what still comes waits until the client asks for it, if it can."""
        if self.is_over or (self.outlet is None and not self.begins_at_once):
            return
        outlet = self.outlet or self.open_stream(None)
        outlet.cut(is_abort=is_abort)

    def prime(self) -> None:
        """The stream goes on with an event that brings nothing but its id."""
        if not self.is_over and self.outlet is not None and self.begins_at_once:
            self.outlet.prime()

    def close(self, *, is_abort: bool, has_begun: bool = False) -> None:
        """No answer will come: the stream ends, or the connection breaks; see `Close`."""
        if self.is_over:
            return
        self.is_over = True
        outlet = self.outlet or self.open_stream(None)
        if is_abort:
            outlet.break_off(has_begun=has_begun and self.can_stream)
        else:
            outlet.end()

    # -- the response

    @property
    def has_its_turn(self) -> bool:
        """Whether the response may go out: what was said before it, on another stream, has been read."""
        return self.turn is None or self._session.turns.has_come(self.turn, self._way.reading.link)

    async def await_turn(self) -> None:
        """Waits for that, for a bounded time."""
        if self.turn is not None:
            await self._session.turns.wait(self.turn, self._way.reading.link)

    def goes_out(self) -> None:
        """The response is sent."""
        if self.turn is not None:
            self.turn.sent(self._way.reading.link)

    @property
    def can_stream(self) -> bool:
        """Whether an event stream is what the client expects."""
        return self._way.takes == "stream" or (self._way.takes == "any" and self._norm().answers != "json")

    @property
    def begins_at_once(self) -> bool:
        """Whether its stream begins with an event that waits for nothing."""
        return self.can_stream and self._way.primes and self._norm().priming

    def open_stream(self, fact: HttpFact | None) -> Outlet:
        """The response is an event stream."""
        norm = self._norm()
        retry = norm.retry if self.begins_at_once or not norm.priming else None  # goes with what primes
        outlet = Outlet(self._name, has_ids=norm.ids or self.begins_at_once, retry=retry)
        if self.begins_at_once:
            outlet.prime()
        self.outlet = outlet
        body = Events(self._session, outlet, self.leave, self._way.reading)
        headers = (*STREAM_HEADERS, *self._way.headers, *self._own_headers(fact))
        self.response = Response(fact.status or 200 if fact else 200, headers, body)
        return outlet

    def leave(self) -> None:
        """The client reads no more. What still comes is kept only where it could be asked for again."""
        if self.turn is not None:
            self.turn.carrier.is_read = False
        if not self.is_over and (self.outlet is None or not self.outlet.has_ids):
            self._has_left = True
            self._session.left(self)

    def _is_json(self, action: Send) -> bool:
        fact, text = action.fact, action.text
        if self._way.takes != "any" and not (fact is not None and self._was_asked_so(fact)):
            return self._way.takes == "json"
        if fact is not None and (fact.answers or fact.status >= 400):
            return fact.answers != "stream"
        return self._norm().answers == "json" or self._is_unknown(text)

    def _was_asked_so(self, fact: HttpFact) -> bool:
        """Whether the recorded client took the same kinds of answers only, whatever it got."""
        return ("accept", self._way.sent.get(b"accept", b"").decode("latin-1")) in fact.sent

    def _json(self, action: Send) -> Response:
        fact = action.fact
        status = (fact.status if fact else 0) or (404 if self._is_unknown(action.text) else 200)
        headers = (*JSON_HEADERS, *self._way.headers, *self._own_headers(fact))
        return Response(status, headers, action.text.encode("ascii"))

    def _is_unknown(self, text: str) -> bool:
        return self._way.is_enveloped and _UNKNOWN in text

    def _own_headers(self, fact: HttpFact | None) -> Headers:
        return _headers(fact, self._way.rewrite) if fact is not None else ()


class Pending:
    """A response that is not decided yet; it will have these `headers` too."""

    def __init__(self, session: Waiting, exchange: Exchange) -> None:
        self.headers: Headers = ()
        self._session = session
        self.exchange = exchange

    async def wait(self) -> Response:
        """Waits for the response. Raises ConnectionBroken where the recorded server breaks the connection instead."""
        exchange = self.exchange
        patience = time.monotonic() + (0 if exchange.begins_at_once else _PATIENCE) if exchange.can_stream else math.inf
        try:
            while exchange.response is None:
                if time.monotonic() >= patience:
                    exchange.open_stream(None)
                else:
                    await wait_for(self._session, patience)
            await exchange.await_turn()
        except BaseException:  # whatever ends the waiting: nobody reads what is still to come
            exchange.leave()
            raise
        return started(exchange).with_headers(self.headers)


def started(exchange: Exchange) -> Response:
    """The response of an exchange that is decided. Raises ConnectionBroken where nothing of it would arrive."""
    assert exchange.response is not None
    outlet = exchange.outlet
    exchange.goes_out()
    if outlet is not None and outlet.is_broken and outlet.is_empty and not outlet.is_apart:
        raise ConnectionBroken
    return exchange.response


def fact_response(fact: HttpFact, rewrite: Callable[[str], str] = str) -> Response:
    """What was recorded instead of a message. `rewrite` changes the texts in which a server names itself."""
    headers = [(b"content-type", _header(fact.media))] if fact.media else []
    return Response(fact.status or 200, (*headers, *_headers(fact, rewrite)), _body(fact.body, rewrite))


def _body(body: Json | bytes | Missing, rewrite: Callable[[str], str]) -> bytes:
    if isinstance(body, Missing):
        return b""
    if isinstance(body, bytes):
        return body
    return rewrite(body if isinstance(body, str) else dumps(body)).encode()  # as most servers spell it


def _headers(fact: HttpFact, rewrite: Callable[[str], str]) -> Headers:
    return [(name.encode(), _header(rewrite(value))) for name, value in fact.headers]


def _header(text: str) -> bytes:
    """As the recorder has read it; what that cannot have been was written by hand, in UTF-8."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")
