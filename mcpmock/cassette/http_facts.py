"""`http:` in sessions and in entries, read and written. Imported only where a cassette has it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final, cast

from mcpmock.cassette import schema
from mcpmock.cassette.emit import emit
from mcpmock.cassette.model import NORM, HttpFact, HttpNorm
from mcpmock.cassette.schema import Table
from mcpmock.cassette.spelling import UnfitForYamlError
from mcpmock.cassette.tree import ENTRY, SESSION
from mcpmock.wire.message import MISSING, Json, Missing, Object

VERBS: Final = ("get", "post", "delete", "put", "patch", "head", "options")
KINDS: Final = (*VERBS, "closed", "aborted", "priming")
"""An entry of its own has exactly one of these."""

_is_token: Final = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+", re.ASCII).fullmatch
"""RFC 9110, 5.6.2, in lower case."""

FRAMING: Final = ("content-length", "transfer-encoding")
"""Headers that follow from the body."""

WITHOUT_BODY: Final = (204, 304)
"""The statuses of responses that have none (RFC 9110, 6.4.1)."""

BESIDE: Final = ("status", "answers", "headers", "sent")
"""What may stand beside a message."""


def fact_from(value: Any) -> HttpFact:
    """What an entry's `http:` says. Raises ValueError for what does not go together, CassetteError for the rest."""
    values = _take_fact(value)
    kinds = [key for key in KINDS if key in values]
    if len(kinds) > 1:
        raise ValueError(f"holds {' and '.join(f'`{kind}:`' for kind in kinds)}: each is an entry of its own")
    if not kinds:
        return _beside(values)
    for key in values:
        if key != kinds[0] and key not in COMPANY[kinds[0]]:
            raise ValueError(f"`{key}:` does not go with `{kinds[0]}:`")
    return _of_its_own(kinds[0], values)


def norm_from(value: Any) -> HttpNorm:
    """The norm that a session's `http:` tells."""
    return HttpNorm(**_take_norm(value))


def fact_members(fact: HttpFact) -> Object:
    """What stands in an entry's `http:`."""
    if fact.end:
        return {fact.end: fact.side}
    if fact.is_priming:
        return {"priming": fact.side}
    members: Object = {}
    if fact.verb:
        members[fact.verb.lower()] = "stream" if fact.is_stream else fact.status or 200
    elif fact.status:
        members["status"] = fact.status
    told: Object = {"path": fact.path, "answers": fact.answers, "type": fact.media}
    members.update({key: value for key, value in told.items() if value})
    if not isinstance(fact.resumes, Missing):
        members["resumes"] = fact.resumes
    if fact.headers:
        members["headers"] = dict(fact.headers)
    if fact.sent:
        members["sent"] = dict(fact.sent)
    if isinstance(fact.body, bytes):
        members["base64"] = base64.b64encode(fact.body).decode("ascii")
    elif not isinstance(fact.body, Missing):
        members["body"] = fact.body
    return members


def norm_members(norm: HttpNorm) -> Object:
    """What stands in a session's `http:`: what differs from the usual."""
    usual = NORM._asdict()
    return {key: value for key, value in norm._asdict().items() if value != usual[key]}


def in_words(fact: HttpFact) -> HttpFact:
    """The fact with its body as text where YAML cannot hold the JSON value."""
    if isinstance(fact.body, bytes | Missing):
        return fact
    try:
        emit([], fact.body, 0, 0)
    except UnfitForYamlError:
        return fact._replace(body=json.dumps(fact.body))
    return fact


def _beside(values: dict[str, Any]) -> HttpFact:
    for key in values:
        if key not in BESIDE:
            raise ValueError(f"`{key}:` wants one of {', '.join(f'`{kind}:`' for kind in KINDS)} beside it")
    return HttpFact(**values)


def _of_its_own(kind: str, values: dict[str, Any]) -> HttpFact:
    value = values[kind]
    if kind in ("closed", "aborted"):
        return HttpFact(end=cast("Any", kind), side=value)
    if kind == "priming":
        return HttpFact(is_priming=True)
    body = values.get("base64", values.get("body", MISSING))
    if value in WITHOUT_BODY and not isinstance(body, Missing):
        raise ValueError(f"`{kind}: {value}` does not go with a body: such a response has none")
    return HttpFact(
        kind.upper(),
        path=values.get("path", ""),
        status=0 if value == "stream" else value,
        is_stream=value == "stream",
        resumes=values.get("resumes", MISSING),
        media=values.get("type", ""),
        body=body,
        headers=values.get("headers", ()),
        sent=values.get("sent", ()),
    )


def stream_or_status(value: Json) -> int | str:
    """How a GET was answered."""
    if value == "stream":
        return "stream"
    if type(value) is int and 200 <= value <= 999:
        return value
    raise ValueError("wants a status, or `stream` where a stream was opened")


def status(value: Json) -> int:
    """The status of a response."""
    if type(value) is int and 200 <= value <= 999:
        return value
    raise ValueError("wants a status: a whole number from 200 to 999")


def status_of_message(value: Json) -> int:
    """The status of a response that holds a message."""
    if value in WITHOUT_BODY:
        raise ValueError(f"cannot be {value}: such a response has no body, so it holds no message")
    return status(value)


def headers(value: Json) -> tuple[tuple[str, str], ...]:
    """Names of headers, in lower case, and their values."""
    pairs = schema.string_pairs(value)
    _check_names(name for name, _ in pairs)
    for name, text in pairs:
        _check_value(text)
        if name in FRAMING:
            raise ValueError(f"holds `{name}`, which follows from the body: leave it out")
    return pairs


def media(value: Json) -> str:
    """A media type."""
    _check_value(schema.name(value))
    return schema.name(value)


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if not name or name != name.lower():
            raise ValueError(f"wants the names of headers in lower case: {name}")
        if not _is_token(name):
            raise ValueError(f"holds what cannot be the name of a header: {name!r}")


def _check_value(text: str) -> None:
    """What a header can hold (RFC 9110, 5.5)."""
    if text != text.strip(" \t") or any(sign in text for sign in "\0\r\n\v\f"):
        raise ValueError(f"wants what a header can hold, one line without blanks at its ends: {text!r}")


def sent(value: Json) -> tuple[tuple[str, str | None], ...]:
    """Names of headers, in lower case, and what a client sent in them; null: nothing."""
    told = value if isinstance(value, dict) else None
    if told is None or not all(item is None or isinstance(item, str) for item in told.values()):
        raise ValueError("wants a mapping of names to strings, or to null where a header was missing")
    _check_names(told)
    return tuple((name, item) for name, item in told.items() if item is None or isinstance(item, str))


_RESPONSE: Final = frozenset({"path", "type", "body", "base64", "headers", "sent"})

COMPANY: Final = {
    **dict.fromkeys(VERBS, _RESPONSE),
    "get": _RESPONSE | {"resumes"},
    "closed": frozenset[str](),
    "aborted": frozenset[str](),
    "priming": frozenset[str](),
}
"""What may stand beside what, in an entry of its own."""

FACT_KEYS: Final = Table(
    ENTRY.mappings["http"].what,
    {
        "get": stream_or_status,
        **dict.fromkeys(VERBS[1:], status),
        "closed": schema.one_of("server", "client"),
        "aborted": schema.one_of("server", "client"),
        "priming": schema.one_of("server"),
        "resumes": schema.reference,
        "path": schema.name,
        "type": media,
        "headers": headers,
        "sent": sent,
        "body": schema.anything,
        "base64": schema.base64,
        "status": status_of_message,
        "answers": schema.one_of("json", "stream"),
    },
)

NORM_KEYS: Final = Table(
    SESSION.mappings["http"].what,
    {
        "answers": schema.one_of("json", "stream"),
        "session": schema.boolean,
        "accepted": status,
        "get": stream_or_status,
        "delete": status,
        "ids": schema.boolean,
        "priming": schema.boolean,
        "retry": schema.whole_number(0),
    },
)

_take_fact: Final[Callable[[Any], dict[str, Any]]] = schema.within(FACT_KEYS)
_take_norm: Final[Callable[[Any], dict[str, Any]]] = schema.within(NORM_KEYS)
