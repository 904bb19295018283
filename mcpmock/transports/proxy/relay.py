"""What all connections of a proxy share: where it leads, what it changes, what it notes."""

from __future__ import annotations

import asyncio
import itertools
import ssl
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from mcpmock.transports.proxy.queues import Queues
from mcpmock.transports.proxy.tape import ProxyTape
from mcpmock.transports.proxy.upstream import Asker, UpstreamConnection
from mcpmock.transports.proxy.valve import Valve
from mcpmock.wire.authorization import WELL_KNOWN
from mcpmock.wire.http import Headers
from mcpmock.wire.naming import Named
from mcpmock.wire.relaying import Changes, Upstream, followed, is_local, is_local_origin

if TYPE_CHECKING:
    from mcpmock.transports.proxy.client import ClientConnection
    from mcpmock.transports.proxy.rest import Rest
    from mcpmock.transports.proxy.standing import StandIn, Standing

_LOOK_AGAIN: Final = 0.005  # seconds


class Relaying(NamedTuple):
    """What a proxy does.

    changes        the server behind it, and what becomes of the headers of a request
    rewrites_auth  OAuth metadata and challenges that name the server name the proxy instead, and authorization servers
                   are stood in for
    origins        pages of other machines that may use it, as the value of `Origin`; `*` lets all in
    any_host       it may be called by any name, for it is meant to be reached from elsewhere
    verifies       the server has to show a certificate that is good for its name
    patience       seconds for which a request that is not connected yet holds back later ones of its session
    moment         seconds for which a response is heard out whose client has left. One that looks at no more than the
                   head leaves while the answer is on its way; SDKs come back for the rest after a second
    """

    changes: Changes
    rewrites_auth: bool = False
    origins: Sequence[str] = ()
    any_host: bool = False
    verifies: bool = True
    patience: float = 0.25
    moment: float = 0.5

    @property
    def leaves_judging(self) -> bool:
        """Whether the server judges itself by which name, and for whose pages, it is asked.

        It can be reached by whoever can reach the proxy, which opens no door then: the server is on this machine, so is
        the proxy alone, and nothing is added that lets a client in (`-H`, a password in the URL), or changes who asks.
        """
        changes, upstream = self.changes, self.changes.upstream
        is_alone = is_local(upstream.authority.encode()) and not self.any_host
        adds = bool(changes.added or upstream.credentials) or changes.origin != "pass" or self.rewrites_auth
        return is_alone and not adds


class Relay:
    """What the connections of one proxy have in common. All of it belongs to the thread of one event loop."""

    def __init__(self, relaying: Relaying, tape: ProxyTape, say: Callable[[str], None]) -> None:
        self.relaying: Final = relaying
        self.changes: Final = relaying.changes._replace(keeps_names=relaying.leaves_judging)
        self.upstream: Final[Upstream] = relaying.changes.upstream
        self.tape: Final = tape
        self.metadata: Final[set[bytes]] = set()  # where challenges said that there is some, beside /.well-known/
        self.standing: Standing | None = None
        self.stand_in: StandIn | None = None
        """As which this proxy stands in for an authorization server, if it does."""
        self.clients: Final[set[ClientConnection]] = set()
        self.rests: Final[set[Rest]] = set()
        self.queues: Final = Queues(relaying.patience)
        self.next_connection: Final = itertools.count(1).__next__
        self.next_exchange: Final = itertools.count(1).__next__
        self._say = say
        self._told: set[str] = set()
        self._tls = _tls(verifies=relaying.verifies) if self.upstream.scheme == "https" else None

    async def connect(self, asker: Asker) -> UpstreamConnection:
        """A new connection to the server. Raises OSError."""
        upstream = self.upstream
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(
            lambda: UpstreamConnection(asker), upstream.host, upstream.port, ssl=self._tls
        )
        return connection

    def names(self, own: str) -> Sequence[Named]:
        """Whom a client knows by another name, that knows this proxy as `own`."""
        return [Named(self.upstream, own)] if self.standing is None else self.standing.names(self, own)

    def followed(self, sent: bytes, status: int, headers: Headers) -> bytes | None:
        """Where a redirect leads that is followed here. A browser has to follow those of an authorization server."""
        if self.stand_in is not None and WELL_KNOWN not in sent:
            return None
        return followed(self.upstream, sent, status, headers)

    def tell(self, text: str) -> None:
        """Tell a person something, once until `untell`."""
        if text not in self._told:
            self._told.add(text)
            self._say(text)

    def untell(self) -> None:
        """The server answers: what was told of it is news again when it happens again."""
        if self._told:
            self._told.clear()

    def refusal(self, hosts: Sequence[bytes], origins: Sequence[bytes]) -> tuple[int, str] | None:
        """Why a request with these `Host` and `Origin` fields is refused: status and reason; None if it is not.

        Any page in a browser can send requests to this machine, also under a name of its own that leads here.
        """
        if self.changes.keeps_names:
            return None
        for host in hosts:
            if not self.relaying.any_host and not is_local(host):
                return 421, f"this proxy is 127.0.0.1 or localhost, not {host.decode(errors='replace')!r} (header Host)"
        allowed = self.relaying.origins
        for origin in origins:
            text = origin.decode(errors="replace")
            if not is_local_origin(origin) and text not in allowed and "*" not in allowed:
                return 403, f"pages of {text} may not use this proxy (header Origin); --allow-origin {text} lets them"
        return None

    def seen_by_server(self, headers: Headers) -> Headers:
        """The fields of a request without the names that the server never sees, or that it did not judge."""
        if self.changes.keeps_names:
            return headers
        return [field for field in headers if field[0].lower() not in (b"host", b"origin")]

    def wait_for_tape(self, valve: Valve) -> None:
        """Let nothing more be read there until less waits to be thought about."""
        if self.tape.is_full:
            valve.shut("tape is full")
            asyncio.get_running_loop().call_later(_LOOK_AGAIN, self._look_again, valve)

    def _look_again(self, valve: Valve) -> None:
        if self.tape.is_full:
            asyncio.get_running_loop().call_later(_LOOK_AGAIN, self._look_again, valve)
        else:
            valve.open("tape is full")


def _tls(*, verifies: bool) -> ssl.SSLContext:
    """What OpenSSL trusts: the system's certificates, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if not verifies:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
