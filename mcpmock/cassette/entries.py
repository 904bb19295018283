"""One entry: which keys go together, and what they make of it."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from yaml.events import MappingStartEvent, ScalarEvent, SequenceStartEvent

from mcpmock.cassette import fields
from mcpmock.cassette.fields import Fields, Table, plain_node, read_fields, reading
from mcpmock.cassette.model import NO_RULES, Entry, EntryKind, Rules
from mcpmock.cassette.values import read_mapping
from mcpmock.cassette.yaml_events import Document, Next
from mcpmock.wire.message import MISSING, Batch, Json, Message, Object, message_from, parse_exact


class Said(NamedTuple):
    """What stands behind `client:` or `server:`."""

    messages: tuple[Message, ...]
    is_batch: bool


def read_entry(document: Document, event: Any, following: Next) -> Entry:
    """The entry that begins with `event`. Raises CassetteError with the line of what is wrong."""
    found = read_fields(document, event, following, _ENTRY)
    kinds = [key for key in _KINDS if key in found.values]
    if len(kinds) == 1:
        _check_company(document, found, kinds[0])
        return _entry(kinds[0], found)
    if kinds == ["client", "server"]:
        _check_company(document, found, "client")
        return _short_form(document, found)
    raise _unclear(document, found, kinds)


def _entry(kind: EntryKind, found: Fields) -> Entry:
    if kind == "client" or kind == "server":
        return _said(kind, found)
    value = found.values[kind]
    if kind == "raw":
        return Entry("raw", text=value[0], size=value[1], side=found.values.get("from", "server"), line=found.line)
    if kind == "stderr":
        return Entry("stderr", text=value, line=found.line)
    return Entry("eof", side=value, line=found.line) if kind == "eof" else Entry("exit", status=value, line=found.line)


def _check_company(document: Document, found: Fields, kind: str) -> None:
    if len(found.values) == 1:
        return
    for key in found.values:
        if key != kind and key not in _COMPANY[kind]:
            problem = f"`{key}:` does not belong in an entry with `{kind}:`"
            owners = [f"`{other}:`" for other, keys in _COMPANY.items() if key in keys]
            raise document.error(problem, line=found.lines[key], hint=f"it goes with {' and '.join(owners)}")


def _unclear(document: Document, found: Fields, kinds: Sequence[str]) -> Exception:
    if not kinds:
        problem = f"an entry needs one of {', '.join(f'`{kind}:`' for kind in _KINDS)}"
        return document.error(problem, line=found.line)
    names = " and ".join(f"`{kind}:`" for kind in kinds)
    hint = "write each as an entry of its own; only `client:` and its answer in `server:` may share one"
    return document.error(f"{names} do not go together in one entry", line=found.lines[kinds[1]], hint=hint)


def _short_form(document: Document, found: Fields) -> Entry:
    """A request and its answer in one entry; the ids are left out, so the request looks like a notification."""
    asked, answered = found.values["client"], found.values["server"]
    for key, said in (("client", asked), ("server", answered)):
        hint = "write `client:` and `server:` as two entries, each with its `- `"
        if said.is_batch:
            raise document.error("a batch cannot be in the short form", line=found.lines[key], hint=hint)
        if said.messages[0].id is not MISSING:
            raise document.error("the short form has no ids", line=found.lines[key], hint=f"leave out `id:`, or {hint}")
    request, answer = asked.messages[0], answered.messages[0]
    if request.kind == "response" or answer.kind != "response":
        key = "client" if request.kind == "response" else "server"
        wanted = "a request in `client:`" if key == "client" else "the answer in `server:`, a `result:` or an `error:`"
        raise document.error(f"the short form wants {wanted}", line=found.lines[key])
    return _said("client", found)._replace(messages=(request._replace(kind="request"),), answer=answer)


def _said(kind: EntryKind, found: Fields) -> Entry:
    values = found.values
    messages, is_batch = values[kind]
    if len(values) == 1:
        return Entry(kind, messages, is_batch, line=found.line)
    owner, label = values.get("in", MISSING), values.get("label", "")
    return Entry(kind, messages, is_batch, rules=_rules(values), owner=owner, label=label, line=found.line)


def _rules(values: dict[str, Any]) -> Rules:
    ignore = values["match"].values.get("ignore", ()) if "match" in values else ()
    rules = Rules(values.get("times", 1), values.get("optional", False), values.get("delay", 0), ignore)
    return NO_RULES if rules == NO_RULES else rules


def read_said(document: Document, event: Any, following: Next) -> Said:
    """A message, a batch, or the exact JSON text of either."""
    event, following = plain_node(document, event, following)
    if event.__class__ is MappingStartEvent:
        return Said((_from_mapping(document, event, following),), is_batch=False)
    if event.__class__ is ScalarEvent:
        return _from_text(document, event)
    members = fields.read_items(document, event, following, _read_member, "a batch")
    if not members:
        raise document.error("an empty batch is no message", event)
    return Said(tuple(members), is_batch=True)


def _read_member(document: Document, event: Any, following: Next) -> Message:
    said = read_said(document, event, following) if event.__class__ is not SequenceStartEvent else None
    if said is None or said.is_batch:
        raise document.error("a batch within a batch", event)
    return said.messages[0]


def _from_mapping(document: Document, event: Any, following: Next) -> Message:
    body = read_mapping(document, event, following)
    message = message_from(body)
    if isinstance(message, Message):
        return message
    raise document.error(f"this is no message: {message.reason}", event, hint=_what_is_missing(body))


def _what_is_missing(body: Object) -> str:
    import difflib

    for key in body:
        if near := difflib.get_close_matches(key, ("method", "result", "error"), n=1):
            return f"did you mean `{near[0]}:` for {key!r}?"
    return "a message has a `method:`, or a `result:` or an `error:`"


def _from_text(document: Document, event: Any) -> Said:
    if not event.style and not event.value:
        raise document.error("a message is missing here", event)
    parsed = parse_exact(event.value.encode())
    if isinstance(parsed, Message):
        return Said((parsed,), is_batch=False)
    if isinstance(parsed, Batch):
        return Said(parsed.messages, is_batch=True)
    hint = "a string must be the exact JSON text of a message; what is none is `raw:`"
    raise document.error(f"this string is no message: {parsed.reason}", event, hint=hint)


def _read_match(document: Document, event: Any, following: Next) -> Fields:
    """The `match:` of an entry; pointers as its keys are matchers, which are to come."""
    return read_fields(document, event, following, _MATCH)


def _owner(value: Json) -> Json:
    if type(value) not in (str, int, float):
        raise ValueError("`in:` wants the id of a request or the label of an entry")
    return value


def _status(value: Json) -> int | str:
    if (type(value) is int) or (type(value) is str and _signal(value)):
        return value
    raise ValueError('`exit:` wants a status (a whole number) or the name of a signal ("SIGKILL")')


_signal: Final = re.compile(r"SIG[A-Z0-9+-]+").fullmatch


def _raw_value(value: Json) -> tuple[str | bytes, int]:
    """The text of a line that is no message and, where it was too long to keep, its size."""
    if isinstance(value, str):
        return value, 0
    if isinstance(value, dict) and len(value) == 1:
        [(key, member)] = value.items()
        if key == "base64" and isinstance(member, str):
            return _decoded(member), 0
        if key == "dropped" and type(member) is int and member > 0:
            return "", member
    raise ValueError("`raw:` wants a string, or {base64: …}, or {dropped: a number of bytes}")


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"no base64: {error}") from None


def _string(value: Json) -> str:
    if type(value) is not str:
        raise ValueError("a string is wanted here")
    return value


_KINDS: Final[tuple[EntryKind, ...]] = ("client", "server", "raw", "stderr", "eof", "exit")

_COMPANY: Final[dict[str, frozenset[str]]] = {
    "client": frozenset({"server", "in", "label", "times", "optional", "delay", "match"}),
    "server": frozenset({"in"}),
    "raw": frozenset({"from"}),
    "stderr": frozenset(),
    "eof": frozenset(),
    "exit": frozenset(),
}
"""Which keys may stand beside which."""

_MATCH: Final = Table("the `match:` of an entry", {"ignore": reading(fields.pointers)})

_ENTRY: Final = Table(
    "an entry",
    {
        "client": read_said,
        "server": read_said,
        "raw": reading(_raw_value),
        "stderr": reading(_string),
        "eof": reading(fields.one_of("client", "server")),
        "exit": reading(_status),
        "from": reading(fields.one_of("client", "server")),
        "in": reading(_owner),
        "label": reading(fields.text),
        "times": reading(fields.whole_number(1)),
        "optional": reading(fields.boolean),
        "delay": reading(fields.whole_number(0)),
        "match": _read_match,
    },
    reserved=("http", "requires", "sets"),
)
