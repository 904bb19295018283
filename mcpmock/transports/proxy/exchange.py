"""One request of a client and the server's response, on their way through a proxy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import h11

from mcpmock.transports.proxy.form import Form
from mcpmock.transports.proxy.outgoing import Outgoing
from mcpmock.transports.proxy.relay import Relay
from mcpmock.transports.proxy.response import Response
from mcpmock.transports.proxy.rest import Rest, is_answered_anyway
from mcpmock.transports.proxy.tape import Began, Head
from mcpmock.transports.proxy.upstream import Asker
from mcpmock.wire.http import Headers
from mcpmock.wire.naming import restored
from mcpmock.wire.relaying import first

if TYPE_CHECKING:
    from mcpmock.transports.proxy.client import ClientConnection

_MOST_REDIRECTS: Final = 10
_MOST_KEPT: Final = 16 << 20
"""Bytes of a request's body that are kept until the server has begun to answer, in case that it redirects."""

_MOST_UNSENT: Final = 1 << 20


class Exchange(Asker):
    """One exchange. The ticket comes first: whatever is passed on has been noted on the tape before.

    It ends in one of four ways: the response is complete, the server breaks off, the client leaves, or we answer
    ourselves because the server cannot be reached.
    """

    def __init__(self, client: ClientConnection, relay: Relay, request: h11.Request) -> None:
        self._number: Final = relay.next_exchange()
        self._client = client
        self._relay = relay
        self._request = request
        self._raw: Headers = tuple(request.headers.raw_items())
        self._place = relay.upstream.place(request.target)
        self._sent = self._place.sent
        self._form: Form | None = None  # what is held back until it can be restored
        self._outgoing = Outgoing(self, client, relay.queues)
        self._body: list[bytes] = []
        self._size = 0
        self._is_complete = False  # the request
        self._redirects = 0
        self._goal: bytes | None = None  # where a redirect leads that is just being read
        self._response: Response | None = None
        self._is_over = False

    # -- the client's side

    def begin(self) -> None:
        """Pass the head of the request on."""
        method = self._request.method.decode()
        headers = self._relay.seen_by_server(self._raw)
        began = Began(self._client.number, method, self._place.shown.decode("latin-1"), headers)
        self._relay.tape.put("began", self._number, began)
        if self._relay.relaying.rewrites_auth:
            path, mark, query = self._sent.partition(b"?")
            self._sent = path + mark + restored(self._relay.names(self._own_origin()), query)
            self._form = Form.of(self._raw)
        link, self._client.link = self._client.link, None
        if link is not None and link.is_usable:
            self._outgoing.use(link)
        if self._form is None:
            self._outgoing.join(first(self._raw, b"mcp-session-id") or b"")
            self._send_head()

    def request_data(self, data: bytes) -> None:
        """Pass a piece of the body on."""
        self._relay.tape.put("request", self._number, data)
        if self._form is not None:
            self._form.add(data)
            return
        self._send_body(data)

    def _send_body(self, data: bytes) -> None:
        self._size += len(data)
        if self._response is None and self._size <= _MOST_KEPT:
            self._body.append(data)
        self._outgoing.send(h11.Data(data=data))
        if self._outgoing.holds_back and self._size > _MOST_UNSENT:
            self._client.valve.shut("not connected")

    def request_ended(self) -> None:
        """The request is complete."""
        self._is_complete = True
        self._relay.tape.put("requested", self._number)
        if self._form is not None:
            body = self._form.restored(self._relay.names(self._own_origin()))
            self._raw = self._form.headers
            self._send_head()
            self._send_body(body)
        self._outgoing.send(h11.EndOfMessage())

    def client_gone(self) -> None:
        """The client has left; the server is told so in the same way, and in no other."""
        if self._is_over:
            return
        has_begun = self._is_complete and self._response is not None
        link = self._outgoing.release() if has_begun and is_answered_anyway(self._request) else None
        if link is not None:
            Rest(self._relay, self._number, link)
        else:
            self._relay.tape.put("aborted", self._number, "client")
        self._end()

    def client_is_slow(self) -> None:
        """The client reads more slowly than the server sends, or no longer so."""
        if (link := self._outgoing.link) is not None:
            (link.valve.shut if self._client.is_slow else link.valve.open)("peer is slow")

    # -- the server's side, see `Asker`

    def response_informed(self, event: h11.InformationalResponse) -> None:
        """See `Asker`."""
        if self._request.http_version >= b"1.1" and event.status_code != 101:
            headers = list(event.headers.raw_items())
            reason = event.reason or b""
            self._client.send(h11.InformationalResponse(status_code=event.status_code, headers=headers, reason=reason))

    def response_began(self, event: h11.Response) -> None:
        """See `Asker`."""
        headers = list(event.headers.raw_items())
        self._relay.untell()
        self._goal = self._relay.followed(self._sent, event.status_code, headers)
        if self._goal is not None and self._size <= _MOST_KEPT:
            return
        self._goal = None
        self._body.clear()
        self._relay.tape.put("head", self._number, Head(event.status_code, headers))
        self._response = Response(self._client, self._relay, self._sent, own=self._own_origin())
        self._response.begin(event, is_get=self._request.method == b"GET")

    def response_data(self, data: bytes) -> None:
        """See `Asker`."""
        if self._response is not None:
            noted, passed = self._response.filter(data)
            self._relay.tape.put("response", self._number, noted)
            self._response.send(passed)

    def response_ended(self) -> None:
        """See `Asker`."""
        if self._goal is not None:
            self._follow(self._goal)
            return
        response = self._response
        assert response is not None
        if held := response.end():
            self._relay.tape.put("response", self._number, held)
        self._relay.tape.put("responded", self._number)
        link = self._outgoing.release()
        self._end()
        if link is not None and link.renew():
            self._client.link = link
        response.conclude(self._raw)

    def response_flushed(self) -> None:
        """See `Asker`."""
        self._client.flush()
        if (link := self._outgoing.link) is not None:
            self._relay.wait_for_tape(link.valve)

    def response_broken(self, reason: str) -> None:
        """See `Asker`."""
        if self._is_over:
            return
        link = self._outgoing.link
        was_reused = link is not None and link.is_reused and not link.has_heard
        self._relay.tape.put("aborted", self._number, "server")
        is_unanswered = self._response is None
        self._end()
        if is_unanswered and not was_reused:
            self._fail(reason)
        else:  # a client knows what to do when a connection that it has used before is closed
            self._client.break_off()

    def slow_down(self, *, is_full: bool) -> None:
        """See `Asker`."""
        (self._client.valve.shut if is_full else self._client.valve.open)("peer is slow")

    def connection_idle_lost(self) -> None:
        """See `Asker`."""
        self._client.link_lost()

    def server_unreachable(self, reason: str) -> None:
        """There is no connection to the server, and will be none."""
        self._relay.tape.put("aborted", self._number, "server")
        self._end()
        self._fail(reason)

    # --

    def _own_origin(self) -> str:
        """This proxy, by the name that the client has used."""
        return "http://" + (first(self._raw, b"host") or b"127.0.0.1").decode("latin-1")

    def _send_head(self) -> None:
        headers = self._relay.changes.request(self._raw)
        self._outgoing.send(h11.Request(method=self._request.method, target=self._sent, headers=headers))

    def _fail(self, reason: str) -> None:
        self._relay.tell(text := f"no answer from {self._relay.upstream.origin}: {reason}")
        self._client.answer(502, text)

    def _follow(self, goal: bytes) -> None:
        """Send the same request again, to where the server has told."""
        self._goal = None
        self._redirects += 1
        if self._redirects > _MOST_REDIRECTS:
            self._relay.tape.put("aborted", self._number, "server")
            self._end()
            self._fail(f"it redirects in a circle, {_MOST_REDIRECTS} times and more, at last to {goal.decode()}")
            return
        self._sent = goal
        link = self._outgoing.release()
        if link is not None and link.renew():
            self._outgoing.use(link)
        self._send_head()
        for data in self._body:
            self._outgoing.send(h11.Data(data=data))
        if self._is_complete:
            self._outgoing.send(h11.EndOfMessage())

    def _end(self) -> None:
        """Let go of the connection to the server, if it is still ours, and hold the client back no longer."""
        self._is_over = True
        self._outgoing.close()
        self._client.valve.open("peer is slow")
        self._client.valve.open("not connected")
