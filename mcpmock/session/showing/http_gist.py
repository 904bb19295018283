"""What HTTP showed, in one line for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mcpmock.cassette.http_facts import norm_members
from mcpmock.cassette.model import HttpFact, HttpNorm
from mcpmock.matching.shown import harmless, shorten, spelt
from mcpmock.session.showing.gist import gist_of_text
from mcpmock.wire.message import MISSING, Json, Missing, dumps

__all__ = ["gist_of_fact", "gist_of_norm"]

_LONGEST: Final = 60
_STREAM_ENDS: Final = {"closed": "the {side} ended the stream", "aborted": "the {side} broke off the stream"}


def gist_of_fact(fact: HttpFact, owner: Json | Missing = MISSING) -> str:
    """What an `http:` entry tells, or what stands beside a message; `owner` is its `in:`."""
    return harmless(", ".join(_parts(fact, owner)))


def _parts(fact: HttpFact, owner: Json | Missing) -> Iterator[str]:
    of = "" if isinstance(owner, Missing) else f" of {shorten(spelt(owner), _LONGEST)}"
    if fact.end:
        yield _STREAM_ENDS[fact.end].format(side=fact.side) + of
        return
    if fact.is_priming:
        yield "the server primed the stream" + of
        return
    if fact.verb:
        yield f"{fact.verb} {fact.path}".rstrip() + of + f": {'a stream' if fact.is_stream else fact.status}"
    elif fact.status:
        yield f"HTTP {fact.status}"
    if not isinstance(fact.resumes, Missing):
        yield f"which resumes {shorten(spelt(fact.resumes), _LONGEST)}"
    if fact.answers:
        yield "as a stream" if fact.answers == "stream" else "as JSON"
    for name, value in fact.headers:
        yield f"{name} {value}"
    for name, asked in fact.sent:
        yield f"sent no {name}" if asked is None else f"sent {name} {asked}"
    if fact.media:
        yield fact.media
    if not isinstance(fact.body, Missing):
        yield _gist_of_body(fact.body)


def _gist_of_body(body: Json | bytes) -> str:
    if isinstance(body, bytes):
        return f"{len(body)} bytes"
    return gist_of_text(body if isinstance(body, str) else dumps(body))


def gist_of_norm(norm: HttpNorm) -> str:
    """What a session's `http:` tells."""
    return ", ".join(f"{key} {dumps(value).strip(chr(34))}" for key, value in norm_members(norm).items())
