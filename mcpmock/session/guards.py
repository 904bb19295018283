"""What a recorded server refused, or let in, by the head of a request alone: before it looked at what it was asked.

Such a refusal answers no other request: a replay tells it to those of the same head, whatever they ask for. So it is no
part of a conversation, and is kept apart from the machine that plays those.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from mcpmock.cassette.model import Entry, HttpFact, Session
from mcpmock.wire.envelope import MODERN_REVISION, is_enveloped
from mcpmock.wire.http import PROTOCOL_VERSION, SESSION_ID
from mcpmock.wire.message import Batch, Json, Message, Missing, NotAMessage, Parsed, is_valid_id

__all__ = [
    "NAMES", "SESSION", "VERSION", "Asked", "Guards", "Minded", "Recorded", "Subject", "asked_of", "guards_in",
    "taken_in",
]  # fmt: skip

Minded: TypeAlias = "tuple[tuple[str, str | None], ...]"
"""Names of headers, in lower case, and what they hold; None where one is missing."""

NAMES: Final = ("host", "origin")
"""The headers by which a server tells who asks, and by which name."""

SESSION: Final = SESSION_ID.decode()
VERSION: Final = PROTOCOL_VERSION.decode()

Subject: TypeAlias = Literal["", "initialize", "request", "notification", "answer", "batch", "raw"]
"""What was posted; empty for another verb than POST."""

_REFUSED: Final = 400
_TOO_LARGE: Final = 413
_LENGTH: Final = "content-length"
_MOST_DIGITS: Final = 18
_MIRRORS: Final = ("mcp-method", "mcp-name")
_UNNAMED: Final = frozenset[tuple[str, str | None]](((SESSION, None), (SESSION, "")))
_OF_ANY_MESSAGE: Final = frozenset(("initialize", "request", "notification"))


class Asked(NamedTuple):
    """A request, as far as it matters here.

    verb      of HTTP
    subject   what it posts
    text      of a line that is no message: that line; of a batch and of an answer its messages as JSON
    shape     of a batch: the kinds of its messages
    sent      what is odd about its head
    is_modern  whether it speaks the stateless revision (2026-07-28)
    length    of its body, in bytes
    """

    verb: str = "POST"
    subject: Subject = ""
    text: str | bytes = ""
    shape: tuple[str, ...] = ()
    sent: Minded = ()
    is_modern: bool = False
    length: int = 0


class Recorded(NamedTuple):
    """One that was recorded, and its response; `echoes`: the body is an error under the id of the request."""

    asked: Asked
    fact: HttpFact
    echoes: bool = False


class Guards:
    """Those of one server. `taken`: what else it took, of what may be refused for what it says (`taken_in`)."""

    def __init__(self, recorded: Sequence[Recorded], taken: Sequence[Asked] = ()) -> None:
        self._taken = {(one.subject, one.shape) for one in taken}
        self._texts = {one.text for one in taken}
        self._refused = [one for one in recorded if one.fact.status >= _REFUSED or _is_told(one.asked)]
        self._let_in = frozenset(_plain(name) for one in recorded if _lets_in(one) for name in _names(one.asked.sent))

    def __bool__(self) -> bool:
        return bool(self._refused)

    def let_in(self, names: Minded) -> bool:
        """Whether the server answered those who named it, or themselves, so (`host`, `origin`)."""
        return bool(names) and all(_plain(name) in self._let_in for name in names)

    def find(self, asked: Asked) -> Recorded | None:
        """The recorded one that is told a live request; of several the one that is most like it."""
        fitting = [
            one
            for one in self._refused
            if _fits(one.asked, asked) and not _lets_in(one) and not self._says_other(one.asked, asked)
        ]
        return max(fitting, key=lambda one: _likeness(one.asked, asked), default=None)

    def _says_other(self, recorded: Asked, live: Asked) -> bool:
        """Whether one was refused for what it said, for its like was taken, and a live one says something else."""
        is_for_its_text = not recorded.sent and (recorded.subject, recorded.shape) in self._taken
        return is_for_its_text and (recorded.text != live.text or live.text in self._texts)

    def refusal_of_names(self, asked: Asked) -> Recorded | None:
        """How a request was refused for its names alone; whatever verb, if none of that verb was."""
        wanted = _names(asked.sent)
        found = [one for one in self._refused if _names(one.asked.sent) and not _lets_in(one)]
        fitting = [one for one in found if _kinds(one.asked.sent) <= _kinds(wanted)]
        return max(
            fitting,
            key=lambda one: (
                _kinds(one.asked.sent) == _kinds(wanted),
                set(_names(one.asked.sent)) == set(wanted),
                one.asked.verb == asked.verb,
            ),
            default=None,
        )


def asked_of(parsed: Parsed, body: bytes | str, sent: Minded, *, is_modern: bool) -> Asked:
    """What a POST asks."""
    length = len(body)
    if isinstance(parsed, NotAMessage):
        return Asked("POST", "raw", _text(body), sent=sent, is_modern=is_modern, length=length)
    return _asked_by(
        parsed.messages if isinstance(parsed, Batch) else (parsed,), sent, is_batch=isinstance(parsed, Batch)
    )._replace(is_modern=is_modern, length=length)


def guards_in(session: Session, *, is_modern: bool) -> list[tuple[Entry, Recorded]]:
    """Those of one recorded session, each with the entry of the client's message, or of what was asked without one."""
    return [
        (entry, recorded)
        for entry, fact, answer in _responses(session.entries)
        if (recorded := _recorded(entry, fact, answer, is_modern=is_modern)) is not None
    ]


def taken_in(session: Session) -> list[Asked]:
    """The answers and batches of one recorded session that were not refused."""
    refused = {id(entry) for entry, fact, _ in _responses(session.entries) if fact.status >= _REFUSED}
    posted = [entry for entry in session.entries if entry.kind == "client" and id(entry) not in refused]
    return [asked for entry in posted if (asked := _asked_in(entry, ())).subject in ("answer", "batch")]


def _recorded(entry: Entry, fact: HttpFact, answer: Message | None, *, is_modern: bool) -> Recorded | None:
    sent = tuple(one for one in fact.sent if one[0] != _LENGTH)
    if entry.kind == "http":
        is_of_now = (VERSION, MODERN_REVISION) in sent
        is_told = bool(sent) or fact.verb not in ("GET", "DELETE")
        return Recorded(Asked(fact.verb, sent=sent, is_modern=is_of_now), fact) if is_told else None
    asked = _asked_in(entry, sent)
    is_of_now = any(map(is_enveloped, entry.messages)) or (VERSION, MODERN_REVISION) in sent
    asked = asked._replace(
        is_modern=is_of_now or (is_modern and asked.subject in ("raw", "answer", "batch") and not _UNNAMED & set(sent))
    )
    asked = asked._replace(length=_length(fact))
    if not _is_apart(asked, fact):
        return None
    echoes = answer is not None and not isinstance(answer.id, Missing) and answer.id is not None
    if answer is not None:
        body: Json = {"jsonrpc": "2.0", **answer.body}
        fact = fact._replace(verb="POST", media="application/json", body=body)
    return Recorded(asked, fact, echoes=echoes)


def _length(fact: HttpFact) -> int:
    """That from which on bodies are too long; 0 where it was not for its length that one was refused."""
    told = dict(fact.sent).get(_LENGTH) or ""
    return int(told) if fact.status == _TOO_LARGE and told.isdecimal() and len(told) <= _MOST_DIGITS else 0


def _is_apart(asked: Asked, fact: HttpFact) -> bool:
    """Whether a response says nothing of what was asked, but of how."""
    if _names(fact.sent) or asked.length:
        return True
    if asked.subject in ("raw", "answer", "batch"):
        return fact.status >= _REFUSED or (bool(fact.verb) and (asked.is_modern or asked.subject == "raw"))
    is_of_heads = not any(name in _MIRRORS for name, _ in asked.sent)
    return bool(asked.sent) and fact.status >= _REFUSED and is_of_heads and not asked.is_modern


def _responses(entries: Iterable[Entry]) -> Iterator[tuple[Entry, HttpFact, Message | None]]:
    """What was asked, with what HTTP showed of the response, and the error that it brought."""
    latest: Entry | None = None
    by_name: dict[Json, Entry] = {}
    for entry in entries:
        fact = entry.http
        if entry.kind == "client" or (entry.kind == "raw" and entry.side == "client"):
            latest = entry
            by_name.update({one.id: entry for one in entry.messages if isinstance(one.id, str | int)})
            if entry.label:
                by_name[entry.label] = entry
        elif fact is None or fact.path or fact.end or fact.is_priming:
            continue
        elif fact.verb and fact.verb != "POST":
            yield entry, fact, None
        else:
            answer = entry.messages[0] if len(entry.messages) == 1 else None
            asked = by_name.get(entry.owner) if isinstance(entry.owner, str | int) else None
            if asked is None and answer is not None and isinstance(answer.id, str | int):
                asked = by_name.get(answer.id)
            if (asked := asked or latest) is not None:
                yield asked, fact, answer


def _asked_in(entry: Entry, sent: Minded) -> Asked:
    if entry.kind == "raw":
        return Asked("POST", "raw", entry.text, sent=sent)
    return _asked_by(entry.messages, sent, is_batch=entry.is_batch)


def _asked_by(messages: Sequence[Message | NotAMessage], sent: Minded, *, is_batch: bool) -> Asked:
    if is_batch:
        shape = tuple(_subject(one) if isinstance(one, Message) else "raw" for one in messages)
        return Asked("POST", "batch", _said(messages), shape, sent)
    first = messages[0]
    assert isinstance(first, Message)
    if _is_malformed(first):
        return Asked("POST", "raw", _said(messages), sent=sent)
    subject = _subject(first)
    return Asked("POST", subject, _said(messages) if subject == "answer" else "", sent=sent)


def _said(messages: Sequence[Message | NotAMessage]) -> str:
    """What the messages say, to be compared; a live one may hold a number that no other JSON has (`1e400`)."""
    return "\n".join(json.dumps(one.body) for one in messages if isinstance(one, Message))


def _subject(message: Message) -> Subject:
    if message.kind == "response":
        return "answer"
    return "initialize" if message.method == "initialize" else message.kind


def _is_malformed(message: Message) -> bool:
    """Whether it is JSON-RPC, but no message of MCP: servers refuse it unread, as they do what is no JSON."""
    body = message.body
    if not isinstance(body.get("params", {}), dict) or ("method" in body and ("result" in body or "error" in body)):
        return True
    return message.kind == "request" and (not is_valid_id(message.id) or type(message.id) is float)


def _fits(recorded: Asked, live: Asked) -> bool:
    """Whether all that was odd about a recorded request is so about a live one."""
    if recorded.length:
        return live.length >= recorded.length
    if recorded.verb != live.verb or recorded.is_modern != live.is_modern or not set(recorded.sent) <= set(live.sent):
        return False
    if recorded.subject in _OF_ANY_MESSAGE:
        is_of_sessions = any(name in (SESSION, VERSION) for name, _ in recorded.sent)
        is_opening = [one.subject == "initialize" for one in (recorded, live)]
        return live.subject in _OF_ANY_MESSAGE and (not is_of_sessions or is_opening[0] == is_opening[1])
    if recorded.subject == "batch" and recorded.text != live.text and recorded.shape != live.shape:
        return False
    return recorded.subject == live.subject and (recorded.subject != "raw" or recorded.text == live.text)


def _likeness(recorded: Asked, live: Asked) -> tuple[bool, int, bool, bool]:
    is_same = recorded.subject == live.subject
    return bool(recorded.length), len(recorded.sent), is_same, is_same and recorded.text == live.text


def _is_told(asked: Asked) -> bool:
    """Whether it is told what was answered, though that was no refusal."""
    return bool(asked.subject) or asked.verb not in ("GET", "DELETE")


def _lets_in(recorded: Recorded) -> bool:
    return bool(_names(recorded.asked.sent)) and recorded.fact.status < _REFUSED


def _names(sent: Minded) -> Minded:
    return tuple(one for one in sent if one[0] in NAMES)


def _kinds(sent: Minded) -> set[str]:
    return {name for name, _ in _names(sent)}


def _plain(name: tuple[str, str | None]) -> tuple[str, str | None]:
    """A name without the port, where that is no part of it."""
    kind, value = name
    return (kind, value.rpartition(":")[0] or value) if kind == "host" and value and not value.endswith("]") else name


def _text(body: bytes | str) -> str | bytes:
    if isinstance(body, str):
        return body
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body
