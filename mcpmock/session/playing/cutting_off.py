"""HTTP ended a request without an answer: what becomes of it, also where a live client speaks something else."""

from __future__ import annotations

from mcpmock.cassette.model import HttpFact
from mcpmock.session.interaction import Step
from mcpmock.session.playing.actions import Action, Close, Prime, Respond, Send
from mcpmock.session.playing.answers import error_text
from mcpmock.session.playing.performance import Performance
from mcpmock.wire.message import INTERNAL_ERROR, Json, Missing, Object

__all__ = ["cut_off", "cut_off_error", "ended"]


def cut_off_error(fact: HttpFact) -> Object:
    """The JSON-RPC error for a client that cannot be answered as HTTP answered."""
    if fact.end:
        happened = "broke" if fact.end == "aborted" else "was closed"
        return {"code": INTERNAL_ERROR, "message": f"the recorded stream {happened} before the answer"}
    kind = f" with {fact.media}" if fact.media else ""
    return {"code": INTERNAL_ERROR, "message": f"the recorded server answered with HTTP status {fact.status}{kind}"}


def cut_off(performance: Performance, step: Step, *, speaks_http: bool) -> list[Action]:
    """HTTP ended a request without an answer; a client that does not speak it is told by an error."""
    fact, interaction = step.entry.http, performance.interaction
    if fact is None:
        return []
    if fact.is_priming:
        return [Prime(performance.ticket)] if speaks_http else []
    if fact.end and performance.at < interaction.answer:  # the answer came when the client had asked for the rest
        is_pause = speaks_http and fact.side == "server"
        return [Close(performance.ticket, fact.end == "aborted", is_pause=True)] if is_pause else []
    performance.played.answered(interaction)
    if not speaks_http and not interaction.is_request:
        return []
    return [ended(fact, performance.live_id, performance.ticket, speaks_http=speaks_http)]


def ended(fact: HttpFact, live_id: Json | Missing, ticket: object, *, speaks_http: bool) -> Action:
    """How the exchange of a request ends that HTTP has ended."""
    if not speaks_http:
        return Send(error_text(live_id, cut_off_error(fact)), ticket=ticket, is_answer=True)
    if fact.end:
        return Close(ticket, is_abort=fact.end == "aborted", has_begun=fact.side == "client")
    return Respond(fact, ticket)
