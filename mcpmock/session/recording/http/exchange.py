"""One HTTP exchange as it is seen by a recorder: a request and its response, as far as they have come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcpmock.cassette.model import Answers
from mcpmock.session.correlation import loose_id_key
from mcpmock.session.guards import NAMES, Minded
from mcpmock.session.headers.kept import is_looked_at
from mcpmock.session.headers.minded import all_of, minded
from mcpmock.session.headers.mirrored import Odd
from mcpmock.wire import http
from mcpmock.wire.authorization import MOST_METADATA, WELL_KNOWN
from mcpmock.wire.envelope import MODERN_REVISION, is_enveloped
from mcpmock.wire.framing import Frame, Oversize
from mcpmock.wire.http import Headers
from mcpmock.wire.message import MISSING, Batch, Json, Message, Missing
from mcpmock.wire.sse import Event, EventParser

_MINDED: Final = (b"host", b"origin", b"accept", b"content-type", http.PROTOCOL_VERSION, http.SESSION_ID)


class Body:
    """A body that comes in pieces; of one longer than `most` bytes only its size is kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, data: bytes) -> None:
        """More of it."""
        self._size += len(data)
        if self._size > self._most:
            self._parts.clear()
        elif data:
            self._parts.append(data)

    def forget(self) -> None:
        """Of what has come, only the size is kept: nobody will read the rest."""
        self._parts.clear()
        self._most = -1

    @property
    def size(self) -> int:
        """Its length in bytes, so far."""
        return self._size

    def whole(self) -> Frame:
        """All of it."""
        return b"".join(self._parts) if self._size <= self._most else Oversize(self._size)


class Exchange:
    """What is known of one exchange.

    method, target  of the request, as the client sent them
    session_id      what the client sent as `Mcp-Session-Id`; empty: nothing
    claims_stateless   whether its headers alone say that it speaks the stateless revision (2026-07-28)
    sent            the headers of the request that servers look at
    odd             what is odd about them, of a request of the stateless revision
    told_length     how long its body is, as its headers say; 0 where they do not
    is_known        whether the server knows the session that it names, if it names one
    is_legacy       whether it is of HTTP+SSE, where nobody minds more than names
    let_in          by which foreign names others were asked and answered before
    resumes_after   what it sent as `Last-Event-ID`
    connection      tells the connections of clients apart
    is_sent         whether the request is complete, and was recorded
    posted          the messages of a POST; none where it held no message
    is_batch        whether they came as a batch
    sent_at         when it was, in the time of its session
    label           of its entry, where that has one
    waiting         the keys of the ids of its requests that were not answered
    status, media, headers   of the response; 0 before it has come
    events          what parses the response, where it is an event stream
    first, has_ids, retry    of that stream: its first event, whether events have ids, what it asks for
    standing        the label of the stream that this GET has opened, once there is an entry of it
    is_told         whether it has one
    is_primed       whether an event without data has come on it, and was told
    origin          the exchange whose stream this GET resumes
    """

    def __init__(self, method: str, target: str, headers: Headers, connection: int, most: int) -> None:
        self.method = method.upper()
        self.target = target
        self.session_id = http.header_value(headers, http.SESSION_ID)
        is_modern = http.header_value(headers, http.PROTOCOL_VERSION) == MODERN_REVISION
        self.claims_stateless = is_modern and not self.session_id
        self.sent = [(name, value) for name, value in headers if is_looked_at(name)]
        length = http.header_value(headers, b"content-length")
        self.told_length = int(length) if length.isdecimal() and len(length) < 20 else 0
        self._headers = [(name, value) for name, value in headers if name.lower() in _MINDED]
        self.is_known = True
        self.is_legacy = False
        self.let_in: Minded = ()
        self.odd: Sequence[Odd] = ()
        self.resumes_after = http.header_value(headers, http.LAST_EVENT_ID)
        self.connection = connection
        self.request = Body(most)
        self.response = Body(min(most, MOST_METADATA) if self._is_of_metadata else most)
        self.is_sent = False
        self.posted: Sequence[Message] = ()
        self.is_batch = False
        self.sent_at = 0
        self.label: str | None = None
        self.waiting: list[str] = []
        self.status = 0
        self.media = ""
        self.headers: Headers = ()
        self.events: EventParser | None = None
        self.first: Event | None = None
        self.has_ids = False
        self.retry: int | None = None
        self.standing = ""
        self.is_told = False
        self.is_primed = False
        self.origin: Exchange | None = None

    @property
    def _is_of_metadata(self) -> bool:
        return not self.is_post and WELL_KNOWN.decode() in self.target

    @property
    def minded(self) -> Minded:
        """What of its head a server may refuse before it looks at what is asked."""
        found = all_of(self.method, self._headers, self.odd_head)
        return tuple(one for one in found if one not in self.let_in and (one[0] in NAMES or not self.is_legacy))

    @property
    def odd_head(self) -> Minded:
        """What of that is odd."""
        found = minded(self.method, self._headers, opens=self.is_initialize, is_known=self.is_known)
        return tuple(one for one in found if one not in self.let_in)

    @property
    def is_post(self) -> bool:
        """Whether the client sent something."""
        return self.method == "POST"

    @property
    def is_initialize(self) -> bool:
        """Whether it is the beginning of a session."""
        return any(message.method == "initialize" for message in self.posted)

    @property
    def is_opening(self) -> bool:
        """Whether it is that, or the probe by which a client finds out whether a handshake is needed."""
        return self.is_initialize or any(message.method == "server/discover" for message in self.posted)

    @property
    def is_ping(self) -> bool:
        """Whether it is one that the rules never take for an open request."""
        return any(message.method == "ping" for message in self.posted)

    @property
    def requests(self) -> list[Message]:
        """The requests that it holds."""
        return [message for message in self.posted if message.kind == "request"]

    @property
    def ids(self) -> list[Json | Missing]:
        """Those of its requests."""
        return [request.id for request in self.requests]

    @property
    def is_stateless(self) -> bool:
        """Whether it speaks the stateless revision (2026-07-28)."""
        return any(map(is_enveloped, self.posted))

    @property
    def name(self) -> Json | Missing:
        """What `in:` says of it: the label of its entry, or the id of its request; MISSING: it has no name."""
        if self.label is not None:
            return self.label
        return self.requests[0].id if self.requests else MISSING

    @property
    def shape(self) -> Answers:
        """How it is answered."""
        return "stream" if self.events is not None else "json"

    @property
    def speaks(self) -> Exchange:
        """The exchange for which it speaks: the POST whose stream it resumes, else itself."""
        return self.origin if self.origin is not None and self.origin.is_post else self

    def posts(self, messages: Sequence[Message], at: int) -> None:
        """The messages that it brings, and when."""
        self.posted, self.sent_at = messages, at
        self.waiting = [loose_id_key(message.id) for message in self.requests]

    def waits_for(self, answer: Message) -> bool:
        """Whether this answers one of its requests."""
        return loose_id_key(answer.id) in self.waiting

    def is_answered_by(self, parsed: Message | Batch) -> bool:
        """Whether this is what a client takes for the answer: an error under another id is not."""
        if isinstance(parsed, Batch):
            return bool(self.requests)
        if not self.posted:
            return parsed.kind == "response"
        return parsed.kind == "response" and self.waits_for(parsed)

    def begins_response(self, status: int, headers: Headers, most: int) -> None:
        """The head of the response has come."""
        self.status, self.headers, self.media = status, headers, http.content_media(headers)
        if self.media == http.EVENT_STREAM:
            self.events = EventParser(most)

    def heard(self, event: Event) -> None:
        """An event has come on it."""
        self.first = self.first or event
        self.has_ids = self.has_ids or bool(event.id)
        self.retry = event.retry if event.retry is not None else self.retry
