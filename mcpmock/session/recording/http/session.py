"""One session over HTTP while it is recorded: what its exchanges say becomes entries (cassettes/README.md, HTTP)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcpmock.cassette.model import NORM, Entry, HttpFact, HttpNorm, Transport
from mcpmock.cassette.variables import Masking
from mcpmock.session.guards import NAMES
from mcpmock.session.recording.http import responses
from mcpmock.session.recording.http.asides import Asides
from mcpmock.session.recording.http.asking import Asking
from mcpmock.session.recording.http.exchange import Exchange
from mcpmock.session.recording.http.log import PATIENCE, SessionLog
from mcpmock.session.recording.http.streams import Streams
from mcpmock.wire.framing import Oversize
from mcpmock.wire.message import MISSING, Batch, Json, Message, Missing, NotAMessage, Parsed, parse_exact
from mcpmock.wire.sse import Event

_LOST: Final = 404  # what a server says of a session that it does not know


class HttpSession:
    """What a keeper keeps of one session. It is asked like a recording of pipes; what `transport` and `norm` say
    belongs into the head, and no entry is given before the norm is known.

    `at` is in milliseconds of the recorder's own clock; the session's time begins with it.
    """

    def __init__(self, key: str, at: int, *, path: str, redactor: Masking | None) -> None:
        self.key = key
        """Its `Mcp-Session-Id`; empty as long as it has none."""
        self.path = path
        """The path at which it was begun, without query and without a slash at the end."""
        self.transport: Transport = "streamable_http"
        self.is_over = False
        """Whether the client has ended it, or the server has; something may come late all the same."""
        self.is_refused = False
        """Whether nothing has happened but that an `initialize`, or a probe, was refused: the next goes on with it."""
        self._log = SessionLog(at, redactor)
        self._notes = self._log.notes
        self._asking = Asking()
        self._streams = Streams(self._log.names)
        self._latest: Exchange | None = None  # which brought the client's message before what comes now
        self._asides = Asides(path, self._log)
        self._let_in: dict[tuple[str, str | None], None] = {}  # foreign names by which the server was asked
        self.is_met = False  # whether a request was answered, and not refused
        self._is_ended = False  # whether the client has ended it

    # -- what the keeper asks for

    @property
    def norm(self) -> HttpNorm | None:
        """How the server answers; None before that is known."""
        return self._log.norm

    @property
    def answers(self) -> int:
        """How many answers of the server were seen."""
        return self._notes.answers

    @property
    def open_requests(self) -> int:
        """How many requests of the client have neither been answered nor cancelled."""
        return self._notes.requests.count

    @property
    def open_entry(self) -> Entry | None:
        """The entry that still grows: none does."""
        return None

    @property
    def is_waiting(self) -> bool:
        """Whether there may be more to take though nothing moves: something is held back, for some time only."""
        return self._log.is_waiting

    def take_entries(self) -> list[Entry]:
        """The entries that were finished since the last call."""
        return self._log.take_entries()

    def all_times(self) -> Sequence[int]:
        """The time of every entry that was given since the beginning."""
        return self._log.all_times()

    def take_warnings(self) -> list[str]:
        """What a person should be told, since the last call: each cause once, in sentences."""
        return self._notes.take_warnings()

    def advance(self, at: int) -> None:
        """Now it is `at`. A first request whose answer takes too long shows no norm but what its head tells."""
        self._notes.advance(at)
        first = next(iter(self._asking), None) if self.norm is None else None
        if first is not None and self._notes.now - first.sent_at >= PATIENCE:
            self._show_norm(first)
        self._log.show_no_norm()

    def _show_norm(self, exchange: Exchange) -> None:
        """How the server answers, by the head of a response, if there is one."""
        self._log.norm = responses.norm_shown(exchange, has_key=bool(self.key)) if exchange.status else NORM

    def turns_legacy(self) -> None:
        """An `endpoint` event has come: this session speaks HTTP+SSE, where there is no norm to be seen."""
        self.transport = "sse"
        self._log.norm = NORM
        self.is_refused = False

    def close(self) -> None:
        """Nothing more comes: what was held back goes as it is."""
        self._log.close()

    # -- what the client sends

    def posted(self, exchange: Exchange, parsed: Parsed | Oversize, body: bytes) -> None:
        """A POST is complete."""
        exchange.is_legacy = self.transport == "sse"
        if isinstance(parsed, Oversize):
            self._log.add(self._notes.read("client", parsed))
        elif isinstance(parsed, NotAMessage):
            self._log.add(self._notes.noise("client", body))
        else:
            self._post(exchange, parsed)
        self._latest = exchange

    def _post(self, exchange: Exchange, parsed: Message | Batch) -> None:
        exchange.posts((parsed,) if isinstance(parsed, Message) else parsed.messages, self._notes.now)
        exchange.is_batch = isinstance(parsed, Batch)
        exchange.label = self._label(exchange)
        self._asking.asks(exchange)
        entry = self._notes.said("client", parsed)
        if exchange.label is not None:
            entry = entry._replace(label=exchange.label)
        self._log.add(entry, waits_for=None if exchange.requests else exchange)

    def _label(self, exchange: Exchange) -> str | None:
        """A name that the entry of a request needs, because its id does not tell which it is."""
        for request in exchange.requests:
            if type(request.id) not in (str, int, float):
                return self._log.names.new(responses.label_for(exchange))
            if self._notes.requests.wait(request.id) and self.transport == "streamable_http":
                return self._log.names.new(str(request.id), number=2)
        return None

    # -- how the server answers

    def responds(self, exchange: Exchange) -> None:
        """The head of a response has come."""
        if exchange.status == NORM.accepted:
            self._log.close_entry(exchange)
        if exchange.method == "GET" and exchange.events is not None:
            self._tell_stream(self._streams.opens(exchange), exchange)

    def event(self, exchange: Exchange, event: Event) -> None:
        """An event has come on a stream."""
        exchange.heard(event)
        self._streams.remember(event.id, exchange.speaks)
        if event.size:
            self._log.add(self._notes.read("server", Oversize(event.size)))
        elif event.data:
            parsed = parse_exact(event.data)
            if event.name == "message" and not isinstance(parsed, NotAMessage):
                self._said(exchange, parsed)
            elif not event.is_unterminated:
                self._log.add_noise(event.data)
        elif event.is_priming and not event.is_unterminated and self._streams.is_primed(exchange):
            self._log.add_fact(HttpFact(is_priming=True), owner=exchange.speaks.name)

    def _said(self, exchange: Exchange, parsed: Message | Batch) -> None:
        messages = (parsed,) if isinstance(parsed, Message) else parsed.messages
        if exchange.method == "GET" and self.transport == "streamable_http":
            self._tell_stream(self._streams.speaks(exchange), exchange)
        owner = self._owner(exchange, messages)
        answers = [message for message in messages if message.kind == "response"]
        is_answer = bool([answer for answer in answers if self._asking.answered(exchange, answer)])
        if is_answer and exchange.status < responses.REFUSED:
            self.is_met = True
            exchange.let_in = tuple(self._let_in)
            self._let_in.update(dict.fromkeys(one for one in exchange.odd_head if one[0] in NAMES))
            self._log.norm = self.norm or responses.norm_shown(exchange, has_key=bool(self.key))
        is_told = exchange.is_post and self.transport == "streamable_http" and (is_answer or not exchange.posted)
        fact = responses.beside(exchange, self.norm or NORM, self._notes, answers) if is_told else None
        self._log.add(self._notes.said("server", parsed)._replace(owner=owner, http=fact))

    def _owner(self, exchange: Exchange, messages: Sequence[Message]) -> Json | Missing:
        """What `in:` says: the stream, wherever the rules of "Whose message is it" might say otherwise."""
        speaks = exchange.speaks
        if self.transport == "sse":
            return MISSING
        if not speaks.is_post:
            return (speaks.standing or MISSING) if self.open_requests else MISSING
        is_one = self.open_requests - len(self._asking.listening) == 1
        is_alone = is_one and any(map(self._waits, speaks.requests)) and not speaks.is_ping
        is_plain = all(self._asking.is_plain(speaks, message, is_alone=is_alone) for message in messages)
        return MISSING if is_plain else speaks.name

    def _waits(self, request: Message) -> bool:
        return self._notes.requests.wait(request.id)

    # -- how an exchange ends

    def completed(self, exchange: Exchange) -> None:
        """A response has come to its end."""
        if exchange.events is not None:
            self._end_stream(exchange, HttpFact(end="closed", side="server"))
        elif exchange.is_post:
            self._answered_at_once(exchange)
        else:
            self.asked(exchange)
        self._settle(exchange)

    def aborted(self, exchange: Exchange, fact: HttpFact) -> None:
        """The client has left, or the connection to the server broke: a handshake begins anew in another session."""
        self._end_stream(exchange, fact)
        if exchange.is_initialize and self.norm is None and not any(self._asking):
            self._show_norm(exchange)
        self._settle(exchange)

    def asked(self, exchange: Exchange) -> None:
        """A GET has opened no stream, a DELETE was answered, or something was asked for at another path."""
        self._asides.note(exchange)

    def _settle(self, exchange: Exchange) -> None:
        self._log.close_entry(exchange)
        is_refused = exchange.status >= responses.MOVED
        if exchange.is_opening:
            self.is_refused = is_refused and not self.key and not self.is_met
        if exchange.method == "DELETE" and not is_refused:
            self.is_over = self._is_ended = True
        elif exchange.is_post and exchange.session_id and exchange.status and not self._is_ended:
            self.is_over = exchange.status == _LOST  # a server that answers later meant something else

    def _answered_at_once(self, exchange: Exchange) -> None:
        """A POST was answered by a body: the answer, or what is none."""
        body = exchange.response.whole()
        if isinstance(body, Oversize):
            self._log.add(self._notes.read("server", body))
        parsed = parse_exact(body) if isinstance(body, bytes) else None
        is_refused = exchange.status >= responses.REFUSED
        if isinstance(parsed, Message | Batch) and exchange.is_answered_by(parsed):
            self._said(exchange, parsed)
        elif self.transport == "sse" and not is_refused:
            pass  # what a POST of the legacy transport answers tells nothing: the answer comes on the stream
        elif exchange.requests or exchange.status != NORM.accepted or self._is_out_of_place(exchange):
            self._tell_response(exchange)
            self._give_up(exchange)

    def _is_out_of_place(self, exchange: Exchange) -> bool:
        """Whether it is no message at all, or the answer to a question, or a batch, where there are none."""
        is_no_asking = exchange.is_batch or any(message.kind == "response" for message in exchange.posted)
        return not exchange.posted or (exchange.claims_stateless and is_no_asking)

    def _tell_response(self, exchange: Exchange) -> None:
        """What answered a POST was no message: said of the client's message before it, or of one that has a name."""
        if exchange.requests and exchange.status < responses.MOVED:
            self._notes.unanswered(exchange.requests[0], exchange.status)
        fact = responses.instead(exchange, self._notes, has_body=True)
        if self._latest is exchange:
            self._log.add_fact(fact)
            return
        self._log.name(exchange, responses.label_for(exchange))
        if not isinstance(exchange.name, Missing):
            self._log.add_fact(fact, owner=exchange.name)

    def _give_up(self, exchange: Exchange) -> None:
        self._asking.forget(exchange)
        for request in filter(exchange.waits_for, exchange.requests):  # another client's may have the id of the others
            self._notes.requests.ended(request.id)
        exchange.waiting.clear()

    def _end_stream(self, exchange: Exchange, fact: HttpFact) -> None:
        """The stream of an exchange has ended: told where it owes an answer, or where it was to stand."""
        for event in exchange.events.end() if exchange.events is not None else ():
            self.event(exchange, event)
        speaks = exchange.speaks
        if self.transport == "sse":
            self._end_legacy(exchange, fact)
        elif speaks.is_post:
            self._end_owing(speaks, fact)
        elif speaks.standing and fact.side == "server" and not self.is_over:
            self._log.add_fact(fact, owner=speaks.standing)

    def _end_owing(self, exchange: Exchange, fact: HttpFact) -> None:
        if exchange.waiting and any(map(self._waits, exchange.requests)):
            self._log.add_fact(fact, owner=exchange.name)
        if exchange.is_stateless:
            self._give_up(exchange)  # its client has cancelled it, or has lost it
        elif not exchange.has_ids:
            self._asking.forget(exchange)  # nothing can resume it

    def _end_legacy(self, exchange: Exchange, fact: HttpFact) -> None:
        """The one stream of the legacy transport is what stdout is on pipes."""
        if exchange.method == "GET":
            if fact.side == "server" and not self.is_over:
                self._log.add(Entry("eof", side="server", at=self._notes.now))
            self.is_over = True

    def _tell_stream(self, fact: HttpFact | None, exchange: Exchange) -> None:
        if fact is not None:
            self._log.add_fact(fact, label=exchange.standing)
