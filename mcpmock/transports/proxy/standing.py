"""Where a recorder stands in for the authorization servers that its server names: one port for each of their origins.

A client takes a server's metadata only if it names the URL that it has asked, the proxy's, and then asks for a token
for that. So somebody has to stand between the two who says which server is meant. Nothing of it is noted on the tape.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from mcpmock.errors import UsageError
from mcpmock.transports.proxy.discovery import Found, discover
from mcpmock.transports.proxy.relay import Relay
from mcpmock.transports.proxy.server import LOCAL, HttpProxy
from mcpmock.transports.proxy.tape import ProxyTape
from mcpmock.wire.authorization import endpoints, is_bound, issuers_for, parse_document, tells_issuer
from mcpmock.wire.http import Headers
from mcpmock.wire.naming import Named
from mcpmock.wire.relaying import Changes, Upstream, is_local, parse_origin

_MOST: Final = 8
"""So many origins a server may name; one that names more has its clients ask the others by themselves."""

_FRESH: Final = 30.0  # seconds

_PATIENCE: Final = 6.0
"""Seconds for which a client waits for its server's metadata because of all this, however many the server names."""


class StandIn:
    """One port, and the authorization server that it stands in for."""

    def __init__(self, relay: Relay, say: Callable[[str], None]) -> None:
        self.relay: Final = relay
        self._say = say
        self.proxy: Final = HttpProxy(relay)
        self.port = 0
        self.tells_issuer = False
        self.has_handed_over = False
        """Whether a person was sent on to the real one, and no client has come back from there."""
        self.is_left_alone = False
        """Whether clients are told of the real one: what they have to say names it, and is signed."""
        self._found: dict[bytes, tuple[float, Found]] = {}

    @property
    def origin(self) -> str:
        """Whom it stands in for."""
        return self.relay.upstream.origin

    @property
    def is_offered(self) -> bool:
        """Whether clients are told of it."""
        return bool(self.port) and not self.is_left_alone and not self.has_handed_over

    def leave_alone(self) -> None:
        """Tell clients of the real one from here on, for what they say to it is signed."""
        if not self.is_left_alone:
            self.is_left_alone = True
            self._say(
                f"{self.origin} is asked with what is signed for it alone, and left alone from here on: try again"
            )

    def hand_over(self) -> None:
        """A person is sent on to the real one. A client that is told its name then may not come back to us: until one
        does, clients are told of the real one."""
        self.has_handed_over = self.tells_issuer
        if self.has_handed_over:
            self._say(f"a person logs in at {self.origin}, which tells its name: if the client refuses that, try again")

    def come_back(self) -> None:
        """A client has got on to ask for its token."""
        self.has_handed_over = False

    def keep(self, target: bytes, found: Found) -> None:
        """Keep an answer for the next client that asks for it soon."""
        self._found[target] = (asyncio.get_running_loop().time(), found)

    def take(self, target: bytes) -> Found | None:
        """The answer that was kept for that, once."""
        at, found = self._found.pop(target, (0.0, None))
        return found if at + _FRESH > asyncio.get_running_loop().time() else None


class Standing:
    """All of those that one recorder has, from its start to its end."""

    def __init__(self, main: Relay, say: Callable[[str], None]) -> None:
        self._main: Final = main
        self._say = say
        self._host, self._port, self._main_port = LOCAL, 0, 0
        self._owns: list[str] = []  # the origins by which clients know the recorder, the latest last
        self._all: dict[str, StandIn] = {}
        self._asked: set[str] = set()
        self._one_at_a_time = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def listen_beside(self, host: str, port: int, url: str) -> None:
        """Where the recorder was told to listen, and its URL; they do at the ports after its own, if it was given one,
        so that clients find them there another time."""
        self._host, self._port, self._main_port = host, port, urlsplit(url).port or 0

    def names(self, relay: Relay, own: str) -> list[Named]:
        """Whom clients know by another name, when that client knows this proxy as `own`."""
        host = re.sub(r":\d*$", "", own)
        others = [
            Named(one.relay.upstream, f"{host}:{one.port}")
            for one in self._all.values()
            if one.relay is not relay and (one.is_offered if relay is self._main else one.port)
        ]
        main = [Named(self._main.upstream, known) for known in reversed(self._owns) if relay is not self._main]
        return [Named(relay.upstream, own), *main, *others]

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """See that it is done, unless the recorder ends before."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def prepare(self, relay: Relay, own: str, headers: Headers, text: bytes) -> None:
        """A client that has asked a proxy with these headers is about to get this document: open what it will need."""
        document = parse_document(text)
        issuers = issuers_for(Named(relay.upstream, own), document)[:_MOST] if relay is self._main else []
        places = endpoints(document)
        if issuers or places:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE), self._one_at_a_time:
                    await self._open_all(issuers, places, headers)
        if relay is self._main:
            self._owns = [*(known for known in self._owns if known != own), own][-_MOST:]
        if relay.stand_in is not None and "issuer" in document:
            relay.stand_in.tells_issuer = tells_issuer(document)

    async def _open_all(self, issuers: Sequence[str], places: Sequence[str], headers: Headers) -> None:
        for issuer in issuers:
            await self._heed(issuer, headers)
        for url in places:
            await self._open(self._stand_in(url))

    async def stop(self) -> None:
        """Close all of it."""
        for task in list(self._tasks):
            task.cancel()
        for one in self._all.values():
            await one.proxy.stop()

    async def _heed(self, issuer: str, headers: Headers) -> None:
        """Stand in for an authorization server, unless it is plain that this cannot be done."""
        one = self._stand_in(issuer)
        if one is None:
            return
        if issuer not in self._asked:
            document, answers = await discover(one.relay, issuer, headers)
            if not answers:  # the client may have other ways to get there
                return
            self._asked.add(issuer)
            one.is_left_alone = one.is_left_alone or is_bound(document)
            for target, found in answers.items():
                one.keep(target, found)
        if not one.is_left_alone:
            await self._open(one)

    def _stand_in(self, url: str) -> StandIn | None:
        """Who stands in for the origin of a URL; None for one that has no need of it, or is too much."""
        try:
            upstream = parse_origin(url)
        except UsageError:
            return None
        one = self._all.get(upstream.origin)
        if is_local(upstream.authority.encode()) and upstream.port in self._ports():
            return None  # a server that names the proxy: who asks there waits for who asks
        if one is None and upstream.origin != self._main.upstream.origin and len(self._all) < _MOST:
            one = self._all[upstream.origin] = StandIn(self._relay(upstream), self._say)
            one.relay.stand_in = one
        return one

    def _ports(self) -> list[int]:
        """Those of the recorder, and of all that stand in for others."""
        return [self._main_port, *(one.port for one in self._all.values())]

    def _relay(self, upstream: Upstream) -> Relay:
        tape = ProxyTape()
        tape.close()  # who asks for tokens tells and is told nothing but secrets
        relay = Relay(self._main.relaying._replace(changes=Changes(upstream)), tape, self._say)
        relay.standing = self
        return relay

    async def _open(self, one: StandIn | None) -> None:
        if one is None or one.port:
            return
        at = 1 + list(self._all.values()).index(one)
        try:
            url = await self._listen(one, (self._port + at, 0) if self._port else (0,))
        except UsageError as error:
            self._main.tell(f"nobody stands in for {one.origin}: {error}")
            return
        one.port = urlsplit(url).port or 0
        self._say(f"{url.rstrip('/')} stands in for {one.origin}; what clients say there is not recorded")

    async def _listen(self, one: StandIn, ports: Sequence[int]) -> str:
        """The URL at the first of these ports that is free. Raises UsageError."""
        for port in ports[:-1]:
            with contextlib.suppress(UsageError, OverflowError):
                return await one.proxy.start(self._host, port)
        return await one.proxy.start(self._host, ports[-1])
