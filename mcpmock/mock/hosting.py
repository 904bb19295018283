"""A recorded server for clients over HTTP. See `HttpHost`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from typing import Final, cast
from urllib.parse import urlsplit

from mcpmock.cassette.model import HttpFact, HttpNorm
from mcpmock.matching.clipping import within
from mcpmock.matching.veil import conceal, veiled
from mcpmock.mock.played import PlayedPart
from mcpmock.mock.played_session import PlayedSession
from mcpmock.session.exchanges import common_norm
from mcpmock.session.guards import Guards
from mcpmock.session.headers.mirrored import Mirrored, mirrored_arguments
from mcpmock.session.headers.oddities import Oddities
from mcpmock.session.playing.report import unplayed_json
from mcpmock.transports.http.session import HttpMachine
from mcpmock.wire.message import Json, Message, Object

__all__ = ["PlayedHost"]

_ROOM: Final = 1_000_000
"""Characters of a report: who asks for it makes all other clients wait, and a megabyte takes a part of a second."""

_LISTS: Final = ("calls", "misses", "different_answers", "unplayed")


class PlayedHost:
    """See `HttpHost`."""

    def __init__(self, part: PlayedPart) -> None:
        self._part = part
        story = part.library.story
        with_handshake = [one for one in story.timelines if one.era != "modern"]
        self._norm = common_norm([one.norm for one in with_handshake or story.timelines])
        self._mirrored = mirrored_arguments(story.interactions()) if story.holds_era("modern") else None
        self._refused = {flag: story.refusals_here(is_stateless=flag) for flag in (False, True)}
        self._guards = story.guards()
        self._facts = story.other_facts()
        self._origin = _origin_of(story.url)
        self._secrets: dict[tuple[str, str], None] = {}

    @property
    def norm(self) -> HttpNorm:
        """See `HttpHost`."""
        return self._norm

    @property
    def mirrored(self) -> Mirrored | None:
        """See `HttpHost`."""
        return self._mirrored

    def knows(self, message: Message, oddities: Oddities) -> bool:
        """See `HttpHost`."""
        library = self._part.library
        return bool(library.refused(message, oddities)) or (bool(oddities.faults) and library.lets_pass(oddities))

    def refused(self, verb: str, *, is_stateless: bool) -> HttpFact | None:
        """See `HttpHost`."""
        return self._refused[is_stateless].get(verb)

    @property
    def guards(self) -> Guards:
        """See `HttpHost`."""
        return self._guards

    @property
    def facts(self) -> Sequence[HttpFact]:
        """See `HttpHost`."""
        return self._facts

    @property
    def strict_path(self) -> str:
        """See `HttpHost`."""
        if not self._part.options.strict_http:
            return ""
        return _path_of(self._part.library.story.url) or "/mcp"

    @property
    def recorded_origin(self) -> str:
        """See `HttpHost`."""
        return self._origin

    def open(self, transport: str) -> PlayedSession:
        """See `HttpHost`."""
        return self._part.open(transport)

    def leave(self, machine: HttpMachine) -> None:
        """See `HttpHost`."""
        assert isinstance(machine, PlayedSession)
        self._note_secrets(machine)
        self._part.leave(machine)

    def report(self) -> Object:
        """See `HttpHost`. Secrets of the clients stand as their placeholders: reports are published by CI."""
        for session in self._part.sessions:
            if isinstance(session, PlayedSession):
                self._note_secrets(session)
        content: dict[str, Json] = self._part.report.to_json()
        content["cassette"] = self._part.library.story.path
        content["unplayed"] = unplayed_json(self._part.found_unplayed())
        text = json.dumps(_bounded(content))
        for name, value in self._secrets:
            text = conceal(text, {name: value})
        return cast("Object", veiled(json.loads(text)))

    def reset(self) -> None:
        """See `HttpHost`."""
        self._part.reset()

    def _note_secrets(self, session: PlayedSession) -> None:
        self._secrets.update(dict.fromkeys(session.secrets.items()))


def _bounded(content: Object) -> Object:
    """The report with the longest of what was said cut where there is very much."""
    found = {name: cast("list[Object]", content[name]) for name in _LISTS}
    short = iter(within([item for items in found.values() for item in items], _ROOM))
    return {**content, **{name: list(islice(short, len(items))) for name, items in found.items()}}


def _path_of(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:  # no URL, though a cassette says so
        return ""


def _origin_of(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:  # whoever wrote the cassette may have written anything
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
