"""An exchange with a proxy that stands in for an authorization server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import h11

from mcpmock.transports.proxy.exchange import Exchange
from mcpmock.wire.authorization import is_login, is_signed, leads_back
from mcpmock.wire.relaying import first

if TYPE_CHECKING:
    from mcpmock.transports.proxy.client import ClientConnection
    from mcpmock.transports.proxy.discovery import Found
    from mcpmock.transports.proxy.relay import Relay
    from mcpmock.transports.proxy.standing import StandIn


class StandInExchange(Exchange):
    """Passes on what clients ask for tokens, but for two things: metadata that was asked for already is told, and a
    person who has to log in does so at the real server, whose pages would not work under another name."""

    def __init__(self, client: ClientConnection, relay: Relay, request: h11.Request, stand_in: StandIn) -> None:
        super().__init__(client, relay, request)
        self._stand_in = stand_in
        self._found: Found | None = None

    def begin(self) -> None:
        """See `Exchange`."""
        if self._request.method == b"GET":
            self._found = self._stand_in.take(self._request.target)
        if self._found is None:
            super().begin()

    def request_ended(self) -> None:
        """See `Exchange`."""
        if self._found is None:
            self._heed_form()
            super().request_ended()
            return
        found = self._found
        self.response_began(h11.Response(status_code=found.status, headers=list(found.headers)))
        self.response_data(found.body)
        self.response_ended()

    def response_began(self, event: h11.Response) -> None:
        """See `Asker`."""
        if not self._is_handed_over(event):
            super().response_began(event)
            return
        self._stand_in.hand_over()
        self._end()
        self._client.send_on((self._relay.upstream.origin.encode()) + self._sent)

    def _heed_form(self) -> None:
        if self._form is None:
            return
        if is_signed(self._form.body) or first(self._raw, b"dpop") is not None:
            self._stand_in.leave_alone()
        if b"grant_type=" in self._form.body:
            self._stand_in.come_back()

    def _is_handed_over(self, event: h11.Response) -> bool:
        if self._request.method != b"GET" or event.status_code >= 400 or not is_login(self._sent):
            return False
        location = first(list(event.headers.raw_items()), b"location")
        return location is None or not leads_back(self._sent, location)
