"""What a recording says of HTTP: how the server answers there, and what it has at other paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from mcpmock.cassette.model import NORM, HttpFact, HttpNorm, Session
from mcpmock.session.interaction import Interaction, Timeline, era_of, era_shown
from mcpmock.wire.envelope import is_enveloped
from mcpmock.wire.methods import LEGACY_REVISIONS

if TYPE_CHECKING:
    from mcpmock.session.guards import Guards

__all__ = ["common_norm", "heed_http", "norm_of", "other_facts", "recorded_guards", "refusals_here"]

_NO_SUCH_VERB: Final = 405


def norm_of(session: Session) -> HttpNorm:
    """How a recorded server answers over HTTP: what the session's head says, else what its entries show first.

    A server that opened a stream once opens one: what it refused before was that one request (no session, no `Accept`).
    A redirect tells nothing: here nobody is sent elsewhere (case HT-05).
    """
    norm = session.http
    told = [entry.http for entry in session.entries if entry.kind == "http" and entry.http is not None]
    facts = [fact for fact in told if not 300 <= fact.status < 400 and not fact.sent]
    gets = [fact for fact in facts if fact.verb == "GET" and not fact.path]
    if gets and not norm.get:
        norm = norm._replace(get="stream" if any(fact.is_stream for fact in gets) else gets[0].status)
    delete = next((fact for fact in facts if fact.verb == "DELETE" and not fact.path), None)
    return norm._replace(delete=delete.status or norm.delete) if delete is not None else norm


def heed_http(session: Session, timeline: Timeline) -> None:
    """What the entries of a session over HTTP tell of it: how it answers, and what came too late."""
    timeline.norm = norm_of(session)
    _mark_late(session, timeline.interactions)
    if any(entry.http is not None and (entry.http.status >= 400 or entry.http.sent) for entry in session.entries):
        _set_apart(session, timeline)


def recorded_guards(sessions: Sequence[Session]) -> Guards:
    """What was refused, or let in, before the server looked at what was asked."""
    from mcpmock.session.guards import Guards, guards_in, taken_in

    found = [one for session in sessions for _, one in guards_in(session, is_modern=_holds_stateless(session))]
    return Guards(found, [one for session in sessions for one in taken_in(session)])


def _set_apart(session: Session, timeline: Timeline) -> None:
    """What was refused by its head alone, or unread, is played to no other, and shows no era; neither is a request with
    an envelope that was served for its headers, which name a revision with a handshake."""
    from mcpmock.session.guards import VERSION, guards_in

    found = guards_in(session, is_modern=_holds_stateless(session))
    unread = ((entry, one) for entry, one in found if one.fact.status >= 400 or one.asked.subject == "raw")
    apart = {id(entry) for entry, _ in unread if entry.kind == "client"}
    for interaction in timeline.interactions:
        is_contrary = interaction.is_stateless and dict(interaction.sent).get(VERSION) in LEGACY_REVISIONS
        if id(interaction.entry) in apart or (is_contrary and not interaction.is_refused):
            interaction.is_late = interaction.is_apart = True
    if any(one.is_apart for one in timeline.interactions):
        kept = [one for one in timeline.interactions if not one.is_apart]
        timeline.era = era_of(kept) or era_shown(kept)


def _mark_late(session: Session, interactions: Iterable[Interaction]) -> None:
    """What HTTP refused because the client had ended its session: a replay refuses that by itself, and it says nothing
    of the same request in any other session."""
    for at, entry in enumerate(session.entries):
        fact = entry.http
        if fact is not None and fact.verb == "DELETE" and not fact.path and fact.status < 300:
            late = {id(one) for one in session.entries[at:]}
            for interaction in interactions:
                interaction.is_late = id(interaction.entry) in late and interaction.is_refused
            return


def common_norm(norms: Sequence[HttpNorm]) -> HttpNorm:
    """That of the first session; but not every client asks for a stream, and those that did show what becomes of it."""
    gets = [norm.get for norm in norms if norm.get]
    get = "stream" if "stream" in gets else next(iter(gets), NORM.get)
    if not norms:
        return NORM
    # who gives out no ids cannot have ended a session: what was refused once is refused always
    refused = next((norm.delete for norm in norms if norm.delete >= 400 and not norms[0].session), norms[0].delete)
    return norms[0]._replace(get=get, delete=refused)


def other_facts(sessions: Iterable[Session]) -> list[HttpFact]:
    """What was recorded at other paths than the endpoint's: metadata for authorization and the like."""
    entries = (entry for session in sessions for entry in session.entries)
    return [entry.http for entry in entries if entry.http is not None and entry.http.path]


def refusals_here(sessions: Iterable[Session], *, is_stateless: bool) -> dict[str, HttpFact]:
    """How GET and DELETE were refused at the endpoint, by the verb: in the stateless revision, or else.

    There is no other refusal than 405 in the former; what else a server said, it said to who named no revision, and
    that 405 too where it has shown no other revision.
    """
    found: dict[str, HttpFact] = {}
    unnamed: dict[str, HttpFact] = {}
    always: dict[str, HttpFact] = {}
    for session in sessions:
        is_other = _holds_stateless(session) != is_stateless
        for fact in (entry.http for entry in session.entries if entry.http is not None):
            if fact.verb not in ("GET", "DELETE") or fact.path or fact.status < 400 or fact.sent:
                continue
            if is_other and not is_stateless:
                (unnamed if fact.status != _NO_SUCH_VERB else always).setdefault(fact.verb, fact)
            elif not is_other and (fact.verb not in found or (is_stateless and fact.status == _NO_SUCH_VERB)):
                found[fact.verb] = fact
    return {**always, **unnamed, **found}


def _holds_stateless(session: Session) -> bool:
    return any(is_enveloped(message) for entry in session.entries for message in entry.messages)
