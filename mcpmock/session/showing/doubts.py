"""What is allowed in a cassette and yet seldom meant: answers to nothing, requests without one, a number as text.

Recordings of real servers may hold all of it, so it is told and is no fault (`mcpmock check`).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Final

from mcpmock.cassette.model import Cassette, Session
from mcpmock.cassette.placeholders import ENCODED, MACHINE_VARIABLES, REAL
from mcpmock.cassette.variables import variables_of
from mcpmock.matching.shown import harmless, shorten, spelt
from mcpmock.matching.words import describe
from mcpmock.session.events import Event, pair_answers, unfold
from mcpmock.session.grouping import group
from mcpmock.session.interaction import Interaction
from mcpmock.session.pages import IN_A_CIRCLE, Pages
from mcpmock.session.showing.selfcheck import Problem
from mcpmock.wire.envelope import log_level_of
from mcpmock.wire.message import Json, Message, Object
from mcpmock.wire.methods import CLIENT_METHODS, SERVER_QUESTIONS, STAYS_OPEN

__all__ = ["doubts"]

_NOT_LOOKED_INTO: Final = frozenset({"arguments", "structuredContent", "_meta"})
"""Members that hold what a tool likes."""

_NEEDED: Final = {
    "tools/call": "name",
    "prompts/get": "name",
    "completion/complete": "ref",
    "logging/setLevel": "level",
    **dict.fromkeys(("resources/read", "resources/subscribe", "resources/unsubscribe"), "uri"),
    **dict.fromkeys(("tasks/get", "tasks/result", "tasks/update", "tasks/cancel"), "taskId"),
}
"""The member of its params without which a request means nothing."""

_OF_A_TEXT: Final = frozenset({"text", "annotations", "_meta"})
_LONGEST_METHOD: Final = 60


def doubts(cassette: Cassette) -> list[Problem]:
    """What is probably a slip, in the order of the file. Raises CassetteError where an `in:` names nothing."""
    found: list[Problem] = []
    for session in cassette.sessions:
        events, interactions = list(unfold(session.entries)), group(session).interactions
        found += [
            *_strays(events),
            *_never_answered(session, interactions),
            *_logs_for_nobody(interactions),
            *_without_id(events),
            *_misspelt(events),
            *_about_nothing(events),
            *_no_texts(events),
            *_never_bound(events),
            *_in_circles(events),
        ]
    return sorted(found, key=lambda problem: problem.line)


def _strays(events: Sequence[Event]) -> Iterator[Problem]:
    pairs = pair_answers(events)
    for at, (entry, _, message) in enumerate(events):
        if message is None or message.kind != "response" or at in pairs:
            continue
        if message.body.get("id") is not None:  # without one it says that a line could not be read
            yield Problem(entry.line, f"answer {shorten(spelt(message.id), 60)} belongs to no open request")


def _never_answered(session: Session, interactions: Sequence[Interaction]) -> Iterator[Problem]:
    """Requests that were neither answered nor cancelled, while the server was there."""
    if any(entry.kind == "eof" and entry.side == "server" for entry in session.entries):
        return
    for interaction in interactions:
        request = interaction.request
        if request is not None and interaction.is_unanswered and request.method not in STAYS_OPEN:
            yield Problem(interaction.entry.line, f"{describe(request)} is never answered")


def _logs_for_nobody(interactions: Sequence[Interaction]) -> Iterator[Problem]:
    """Log messages for a request that asked for none (PROTOCOL 3.5): some servers send them all the same."""
    for interaction in interactions:
        request, steps = interaction.request, interaction.steps
        if request is None or not interaction.is_stateless or log_level_of(request) is not None:
            continue
        logs = [step for step in steps if step.message is not None and step.message.method == "notifications/message"]
        for step in logs[:1]:
            told = f"a log message for {describe(request)}, which asked for none by a logLevel in its _meta"
            yield Problem(step.entry.line, f"{told}: a replay sends it to those that ask")


def _without_id(events: Sequence[Event]) -> Iterator[Problem]:
    for entry, side, message in events:
        if side != "client" or message is None or message.kind != "notification" or entry.answer is not None:
            continue
        if message.method in CLIENT_METHODS and not message.method.startswith("notifications/"):
            way_out = "write request and answer in one entry (short form), or give both an id"
            yield Problem(entry.line, f"{describe(message)}: without an id this is a notification; {way_out}")


def _misspelt(events: Sequence[Event]) -> Iterator[Problem]:
    """Methods that nobody knows, and that one letter or two would make a known one; others are a vendor's."""
    known = {"client": CLIENT_METHODS, "server": SERVER_QUESTIONS}
    for entry, side, message in events:
        if message is None or message.kind != "request" or message.method in known[side]:
            continue
        for near in difflib.get_close_matches(message.method[:_LONGEST_METHOD], known[side], 1, 0.85):
            yield Problem(entry.line, f"{describe(message)} is no method of MCP; did you mean {near}?")


def _about_nothing(events: Sequence[Event]) -> Iterator[Problem]:
    """Requests that do not say what they are about, and have a result all the same; a refusal may well be recorded."""
    pairs = pair_answers(events)
    for at, asked in pairs.items():
        answer, (entry, side, request) = events[at].message, events[asked]
        needed = _NEEDED.get(request.method) if request is not None and side == "client" else None
        if request is None or answer is None or answer.is_error or needed is None:
            continue
        params = request.params if isinstance(request.params, dict) else {}
        if needed not in params:
            yield Problem(entry.line, f"{request.method} has no {needed} in its params; a real server would refuse it")


def _never_bound(events: Sequence[Event]) -> Iterator[Problem]:
    """Variables that the server names, and neither the client before it nor the machine that replays can fill."""
    known = {name + spelling for name in MACHINE_VARIABLES for spelling in ("", REAL, ENCODED)}
    for entry, side, message in events:
        for name in variables_of(message) if message is not None else ():
            if name not in known and side == "server":
                yield Problem(entry.line, f"the variable {name} stays as it is, unless it is given: --var {name}=VALUE")
            known.add(name)


def _in_circles(events: Sequence[Event]) -> Iterator[Problem]:
    """Lists without an end, each told once (case SC-01)."""
    pages, told, pairs = Pages(), set[str](), pair_answers(events)
    for at, (entry, side, answer) in enumerate(events):
        request = events[pairs[at]].message if at in pairs and side == "server" else None
        if request is None or answer is None or answer.kind != "response":
            continue
        if pages.turned(request, answer) and request.method not in told:
            told.add(request.method)
            yield Problem(entry.line, f"the pages of {request.method} {IN_A_CIRCLE}")


def _no_texts(events: Sequence[Event]) -> Iterator[Problem]:
    for entry, _, message in events:
        for pointer, block in _blocks(message) if message is not None else ():
            if not isinstance(text := block.get("text", ""), str):
                yield Problem(entry.line, f"{shorten(harmless(pointer), 60)}/text: the text {_what_is(text)}")
            for key in (key for key, value in block.items() if value is None and key not in _OF_A_TEXT):
                told = f"{shorten(spelt(key), 60)} is a member without a value; a text with a comma goes in quotes"
                yield Problem(entry.line, f"{shorten(harmless(pointer), 60)}: {told}")


def _blocks(message: Message) -> Iterator[tuple[str, Object]]:
    """Each content block of type text, with its pointer into the message."""
    waiting = [(f"/{key}", message.body[key]) for key in ("result", "params") if key in message.body]
    while waiting:
        pointer, value = waiting.pop()
        if isinstance(value, dict):
            if value.get("type") == "text":
                yield pointer, value
            waiting += [(f"{pointer}/{key}", inner) for key, inner in value.items() if key not in _NOT_LOOKED_INTO]
        elif isinstance(value, list):
            waiting += [(f"{pointer}/{at}", inner) for at, inner in enumerate(value)]


def _what_is(value: Json) -> str:
    if isinstance(value, bool) or value is None:
        return f"is {spelt(value)}, quote it"
    return "is a number, quote it" if isinstance(value, int | float) else "is no string"
