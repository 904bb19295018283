"""All that a cassette holds of one server: its recorded sessions as timelines, and what is derived from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mcpmock.cassette.model import Cassette, Entry, HttpFact, Session
from mcpmock.errors import CassetteError, UsageError
from mcpmock.session.events import read_only_tools
from mcpmock.session.grouping import group
from mcpmock.session.interaction import PROBES, Era, Interaction, Timeline
from mcpmock.wire.message import Object
from mcpmock.wire.methods import BATCH_REVISION, LEGACY_REVISIONS, method_row

if TYPE_CHECKING:
    from mcpmock.session.guards import Guards
    from mcpmock.session.versions import Versions

__all__ = [
    "Story", "capabilities_shown", "is_deserted", "last_that_began", "listed_servers", "opening_methods",
    "server_names",
]  # fmt: skip


def server_names(cassette: Cassette) -> list[str]:
    """The names of the servers in a cassette, in the order of their first session."""
    return list(dict.fromkeys(session.server for session in cassette.sessions))


def listed_servers(names: Sequence[str]) -> str:
    """Those names, for the message that none of them was meant."""
    if len(names) == 1 and not names[0]:
        return "one without a name, which is played where none is asked for"
    return ", ".join(name or "(unnamed)" for name in names) or "none"


class Story:
    """The recorded sessions of one server, as `timelines`; `revision` is that of MCP which they speak.

    `shows_stateless`: some of them need no handshake. `fell_back`: the places of those whose client gave up its probe,
    and shook hands, where others need none.

    Raises UsageError where `server` is not in the cassette, is needed to choose among several, or `session` (from 1,
    among that server's) does not exist; CassetteError where an `in:` names nothing. A cassette without sessions has a
    story without timelines.
    """

    def __init__(self, cassette: Cassette, *, server: str = "", session: int = 0) -> None:
        self.path = cassette.path
        self.rules = cassette.match
        self.server = _choose_server(cassette, server)
        self.is_alone = len(server_names(cassette)) < 2
        numbered = [(at, one) for at, one in enumerate(cassette.sessions) if one.server == self.server]
        self._numbers = {at: number for number, (at, _) in enumerate(numbered, 1)}
        self._is_recording = bool(cassette.recorded_with)
        self.read_only = read_only_tools(one for _, one in numbered)
        if session:
            numbered = [_choose_session(numbered, session, cassette.path)]
        timelines = [self._group(at, one) for at, one in numbered]
        real = [one for one in timelines if opening_methods(one)]  # one of probes only is data for `discover`
        late = [(one, probe) for one in real if one.era == "legacy" for probe in _came_too_late(one)]
        for _, probe in late:  # one that was cancelled would wait for that
            probe.is_late = probe.answer >= 0 and (_is_given_up(probe) or all(one.era == "legacy" for one in real))
        eras = {one.era for one in real}  # a server of both answers bare requests otherwise than enveloped ones
        is_of_one_era = len(eras) < 2 or "modern" not in eras
        self.is_joined = len(real) > 1 and is_of_one_era and all(map(_holds_one_request, real))
        self.timelines = [self._join(timelines)] if self.is_joined else timelines
        self.shows_stateless = any(one.era == "modern" for one in self.timelines)
        self.fell_back = frozenset(timelines.index(one) for one, _ in late if self.shows_stateless)
        self.revision = self._revision()
        self._recorded = [one for _, one in numbered]

    @property
    def is_legacy(self) -> bool:
        """Whether any of it was recorded over HTTP+SSE."""
        return any(session.transport == "sse" for session in self._recorded)

    @property
    def takes_batches(self) -> bool:
        """Whether any was sent over HTTP where the revision that was agreed on has none: what was refused is apart."""
        with_http = (one for one in self._recorded if one.transport == "streamable_http")
        return self.revision != BATCH_REVISION and any(entry.is_batch for one in with_http for entry in one.entries)

    def interactions(self) -> Iterator[Interaction]:
        """Every interaction of the server, in recorded order."""
        for timeline in self.timelines:
            yield from timeline.interactions

    @cached_property
    def versions(self) -> Versions:
        """The stateless revisions that the server speaks."""
        from mcpmock.session.versions import versions_in

        return versions_in(self.interactions())

    @property
    def url(self) -> str:
        """Where the server was reached when it was recorded; empty where nobody knows."""
        return next((session.url for session in self._recorded if session.url), "")

    def other_facts(self) -> list[HttpFact]:
        """What was recorded at other paths than the endpoint's."""
        from mcpmock.session.exchanges import other_facts

        return other_facts(self._recorded)

    def refusals_here(self, *, is_stateless: bool) -> dict[str, HttpFact]:
        """How GET and DELETE were refused at the endpoint, by the verb."""
        from mcpmock.session.exchanges import refusals_here

        return refusals_here(self._recorded, is_stateless=is_stateless)

    def guards(self) -> Guards:
        """What was refused, or let in, over HTTP before the server looked at what was asked."""
        from mcpmock.session.exchanges import recorded_guards

        return recorded_guards(self._recorded)

    def holds_era(self, era: Era) -> bool:
        """Whether a client of this era finds sessions of it, or such as show none."""
        eras = [one.era for one in self.timelines if opening_methods(one)]
        return not eras or era in eras or "" in eras

    def number_of(self, interaction: Interaction) -> int:
        """The number of its session, as `--session` counts: among those of the server, from 1."""
        return self._numbers[interaction.session]

    def _revision(self) -> str:
        """The revision that the first recorded handshake agreed on; without one the latest that all was legal in."""
        agreed = next((one.revision for one in self.timelines if one.revision), "")
        if agreed:
            return agreed
        return BATCH_REVISION if any(one.entry.is_batch for one in self.interactions()) else LEGACY_REVISIONS[-1]

    def _group(self, number: int, session: Session) -> Timeline:
        try:
            timeline = group(session, number=number, read_only=self.read_only)
        except CassetteError as error:
            raise CassetteError(error.problem, path=self.path, line=error.line, hint=error.hint) from None
        if self._is_recording and any(one.is_unanswered for one in timeline.interactions):
            from mcpmock.session.cut_short import note_cut_short  # who writes by hand means what is not there

            note_cut_short(session, timeline)
        return timeline

    def _join(self, timelines: list[Timeline]) -> Timeline:
        """One timeline out of sessions with one request each: numbers, changes and positions count on."""
        joined: list[Interaction] = []
        changes = 0
        for timeline in timelines:
            before, renumbered = changes, dict[int, int]()
            for interaction in timeline.interactions:
                interaction.number = len(joined)
                interaction.position += before
                if interaction.change:
                    changes += 1
                    renumbered[interaction.change] = changes
                    interaction.change = changes
                interaction.effect = renumbered.get(interaction.effect, 0)
                joined.append(interaction)
        revision = next((one.revision for one in timelines if one.revision), "")
        sessions = tuple(number for one in timelines for number in one.sessions)
        norm = timelines[0].norm
        if any(one.norm != norm for one in timelines):
            from mcpmock.session.exchanges import common_norm  # only what was recorded over HTTP differs

            norm = common_norm([one.norm for one in timelines])
        timeline = Timeline(joined, sessions=sessions, revision=revision, norm=norm)
        timeline.era = next((one.era for one in timelines if one.era), "")
        return timeline


def opening_methods(timeline: Timeline) -> tuple[str, ...]:
    """The methods that a recorded session can begin with: its own first one, probes aside.

    A session without a handshake gets one, so it can begin with `initialize` as well; one of probes only with nothing.
    """
    if timeline.openings is None:
        timeline.openings = _find_openings(timeline)
    return timeline.openings


def is_deserted(timeline: Timeline) -> bool:
    """Whether its client left before the handshake was answered; whoever stays would wait for that in vain."""
    first = next((one for one in timeline.interactions if one.method == "initialize"), None)
    ends = (
        [step.entry.http for step in first.steps if step.entry.http] if first is not None and first.answer < 0 else []
    )
    return any(fact.end and fact.side == "client" for fact in ends)


def last_that_began(timelines: Sequence[Timeline], numbers: Sequence[int]) -> int:
    """The last of these in which the handshake was not refused, if there is any, by its place; -1 of none."""
    began = (number for number in reversed(numbers) if not _is_refused_at_first(timelines[number]))
    return next(began, numbers[-1] if numbers else -1)


def _is_refused_at_first(timeline: Timeline) -> bool:
    shakes = [one for one in timeline.interactions if one.method == "initialize"]
    return bool(shakes) and all(one.has_failed or one.is_refused for one in shakes)


_FEATURES: Final = {
    "resources/subscribe": ("resources", "subscribe"),
    "notifications/resources/updated": ("resources", "subscribe"),
    **{f"notifications/{kind}/list_changed": (kind, "listChanged") for kind in ("tools", "prompts", "resources")},
    "notifications/message": ("logging", ""),
}
"""The server capabilities that methods of either side show, with the flag, beside what the table of methods says."""


def capabilities_shown(interactions: Iterable[Interaction]) -> Object:
    """The capabilities of a server that the methods in a recording show, of both sides."""
    flags: dict[str, Object] = {}
    for interaction in interactions:
        shown = [(method_row(interaction.method).capability, ""), _FEATURES.get(interaction.method)]
        shown += [_FEATURES.get(step.message.method) for step in interaction.steps if step.message is not None]
        for name, flag in filter(None, shown):
            if name:
                flags.setdefault(name, {}).update({flag: True} if flag else {})
    return dict(flags)


def _find_openings(timeline: Timeline) -> tuple[str, ...]:
    asked = [one for one in timeline.interactions if one.request is not None and not one.is_apart]
    if not asked and any(one.is_apart for one in timeline.interactions):
        return ()
    methods = [one.method for one in asked if not (timeline.era == "modern" and one.method == "initialize")]
    opening = [method for method in methods if method not in PROBES]
    if "initialize" in opening or (methods and not opening):
        return tuple(opening[:1])
    return ("initialize", *opening[:1])


def _came_too_late(timeline: Timeline) -> Iterator[Interaction]:
    """Discoveries for which a client did not wait: it had shaken hands before they came (a server that started slowly),
    if they ever did. Told in time, they would promise what its session cannot keep."""
    for probe in _probes_at_first(timeline):
        later = [one for one in timeline.interactions[probe.number + 1 :] if one.method == "initialize"]
        if _is_given_up(probe) or any(_is_answered_later(probe, one.entry) for one in later):
            yield probe


def _is_answered_later(probe: Interaction, entry: Entry) -> bool:
    return probe.answer < 0 or entry.line < probe.steps[probe.answer].entry.line


def _is_given_up(probe: Interaction) -> bool:
    return any(step.kind == "cancel" for step in probe.steps[: probe.answer])


def _probes_at_first(timeline: Timeline) -> Iterator[Interaction]:
    """The probes with which a session begins, as far as they were not answered with an error."""
    for one in timeline.interactions[1:]:
        if one.method not in PROBES:
            return
        if one.method == "server/discover" and not one.has_failed and not one.is_refused:
            yield one


def _choose_server(cassette: Cassette, server: str) -> str:
    names = server_names(cassette)
    if server and server not in names:
        raise UsageError(f"{cassette.path}: no server {server!r} here; it holds {listed_servers(names)}")
    if not server and len(names) > 1:
        raise UsageError(f"{cassette.path}: holds several servers; choose one with --server: {listed_servers(names)}")
    return server or (names[0] if names else "")


def _choose_session(numbered: list[tuple[int, Session]], session: int, path: str) -> tuple[int, Session]:
    if not 1 <= session <= len(numbered):
        raise UsageError(
            f"{path}: there is no session {session}: the server has {len(numbered)} recorded (--session counts from 1)"
        )
    return numbered[session - 1]


def _holds_one_request(timeline: Timeline) -> bool:
    """Whether a session has at most one request beside lists and handshake (clients that start one per call)."""
    others = [
        one
        for one in timeline.interactions
        if one.is_request
        and one.method != "initialize"
        and not one.method.endswith("/list")
        and not method_row(one.method).noise
        and one.first is None
    ]
    return len(others) <= 1
