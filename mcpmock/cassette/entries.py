"""One entry: which keys go together, and what they make of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from mcpmock.cassette import schema
from mcpmock.cassette.model import NO_RULES, Entry, EntryKind, HttpFact, Rules
from mcpmock.cassette.schema import Table
from mcpmock.cassette.tree import ENTRY, Branch
from mcpmock.errors import CassetteError
from mcpmock.wire.message import MISSING, Batch, Json, Message, Object, message_from, parse_exact


class Said(NamedTuple):
    """What stands behind `client:` or `server:`."""

    messages: tuple[Message, ...]
    is_batch: bool = False


def entry_from(branch: Branch) -> Entry:
    """The entry that a branch is. Raises CassetteError with the line of what is wrong."""
    if len(branch.members) == 1 and (entry := _plain_message(branch)):
        return entry
    values = schema.checked(branch, KEYS)
    kinds = [key for key in _KINDS if key in values]
    if len(kinds) == 1:
        if len(values) > 1:
            _check_company(branch, kinds[0])
        if kinds == ["http"] and not values["http"].is_alone:
            raise branch.error("this `http:` goes beside a message", "http", hint=_OF_ITS_OWN)
        return _entry(kinds[0], values, branch.line)
    if kinds[:2] == ["client", "server"] and kinds[2:] in ([], ["http"]):
        _check_company(branch, "client")
        return _short_form(branch, values)._replace(http=_fact_beside(branch, values))
    if kinds == ["server", "http"]:
        _check_company(branch, "server")
        return _entry("server", values, branch.line)._replace(http=_fact_beside(branch, values))
    raise _unclear(branch, kinds)


def _plain_message(branch: Branch) -> Entry | None:
    """A message and nothing else, as most entries are; None for what is not one."""
    [(key, value)] = branch.members.items()
    kind = _SIDES.get(key)
    if kind is None or type(value) is not dict or not isinstance(message := message_from(value), Message):
        return None
    return Entry(kind, (message,), line=branch.line)


def _entry(kind: EntryKind, values: dict[str, Any], line: int) -> Entry:
    value = values[kind]
    if kind == "client" or kind == "server":
        if len(values) == 1:
            return Entry(kind, value.messages, value.is_batch, line=line)
        owner, label, rules = values.get("in", MISSING), values.get("label", ""), _rules(values)
        return Entry(kind, value.messages, value.is_batch, rules=rules, owner=owner, label=label, line=line)
    if kind == "raw":
        return Entry("raw", text=value[0], size=value[1], side=values.get("from", "server"), line=line)
    if kind == "stderr":
        return Entry("stderr", text=value, line=line)
    if kind == "http":
        return Entry("http", owner=values.get("in", MISSING), label=values.get("label", ""), http=value, line=line)
    return Entry("eof", side=value, line=line) if kind == "eof" else Entry("exit", status=value, line=line)


def _rules(values: dict[str, Any]) -> Rules:
    ignore = values.get("match", {}).get("ignore", ())
    rules = Rules(values.get("times", 1), values.get("optional", False), values.get("delay", 0), ignore)
    return NO_RULES if rules == NO_RULES else rules


def _short_form(branch: Branch, values: dict[str, Any]) -> Entry:
    """A request and its answer in one entry; their ids are left out, so the request looks like a notification."""
    asked, answered = values["client"], values["server"]
    for key, said in (("client", asked), ("server", answered)):
        if said.is_batch:
            raise branch.error("a batch cannot be in the short form", key, hint=_LONG_FORM)
        if said.messages[0].id is not MISSING:
            raise branch.error("the short form has no ids", key, hint=f"leave out `id:`, or {_LONG_FORM}")
    request, answer = asked.messages[0], answered.messages[0]
    if request.kind == "response":
        raise branch.error("the short form wants a request in `client:`", "client", hint=_LONG_FORM)
    if answer.kind != "response":
        raise branch.error("the short form wants the answer in `server:`", "server", hint=_LONG_FORM)
    return _entry("client", values, branch.line)._replace(messages=(request._replace(kind="request"),), answer=answer)


_LONG_FORM: Final = "write `client:` and `server:` as two entries, each with its own `- `"


_A_DAY: Final = 86_400_000
"""In milliseconds: nobody means to wait for longer."""

_OF_ITS_OWN: Final = "an entry of its own says what happened: for example `- http: {get: 405}`"


def _fact_beside(branch: Branch, values: dict[str, Any]) -> HttpFact | None:
    """What stands beside a message of the server: how its response differs from the norm."""
    fact: HttpFact | None = values.get("http")
    if fact is not None and fact.is_alone:
        raise branch.error("this `http:` is an entry of its own", "http", hint="write it with a `- ` of its own")
    return fact


def _check_company(branch: Branch, kind: str) -> None:
    for key in branch.members:
        if key != kind and key not in COMPANY[kind]:
            owners = " or ".join(f"`{other}:`" for other, keys in COMPANY.items() if key in keys)
            raise branch.error(f"`{key}:` does not go with `{kind}:`", key, hint=f"it goes with {owners}")


def _unclear(branch: Branch, kinds: Sequence[str]) -> CassetteError:
    if not kinds:
        return branch.error(f"an entry needs one of {', '.join(f'`{kind}:`' for kind in _KINDS)}")
    hint = "write each as an entry of its own; only `client:` and the answer in `server:` may share one"
    return branch.error(f"{' and '.join(f'`{kind}:`' for kind in kinds)} do not go together", kinds[1], hint=hint)


def _said(value: Json) -> Said:
    """A message, a batch, or the exact JSON text of either."""
    if type(value) is dict:
        return Said((_from_mapping(value),))
    if type(value) is str:
        return _from_text(value)
    if type(value) is not list or not value:
        raise ValueError("wants a message: a mapping, its exact JSON text, or a list of these, which is a batch")
    return Said(tuple(map(_member, value)), is_batch=True)


def _member(value: Json) -> Message:
    said = _said(value)
    if said.is_batch:
        raise ValueError("holds a batch within a batch")
    return said.messages[0]


def _from_mapping(body: Object) -> Message:
    message = message_from(body)
    if isinstance(message, Message):
        return message
    raise ValueError(f"holds no message: {message.reason}{_meant(body)}")


def _meant(body: Object) -> str:
    """What may have been meant by a key that is nearly one of a message."""
    import difflib

    for key in () if "method" in body else body:
        if ":" in key:
            return f"; a blank is missing behind the colon of `{key}`"
        for near in difflib.get_close_matches(key, ("method", "result", "error"), 1):
            return f"; did you mean `{near}:` with `{key}:`?"
    return ""


def _from_text(text: str) -> Said:
    parsed = parse_exact(text.encode())
    if isinstance(parsed, Message):
        return Said((parsed,))
    if isinstance(parsed, Batch):
        return Said(parsed.messages, is_batch=True)
    raise ValueError(f"holds a string that is no message: {parsed.reason}; what is no message is `raw:`")


def _fact(value: Any) -> HttpFact:
    from mcpmock.cassette import http_facts  # spares what is played over stdio most of the tables

    return http_facts.fact_from(value)


def _status(value: Json) -> int | str:
    if (type(value) is int) or (type(value) is str and value.startswith("SIG") and value.isupper()):
        return value
    raise ValueError("wants a status (a whole number) or the name of a signal (SIGKILL)")


def _raw(value: Json) -> tuple[str | bytes, int]:
    """The text of a line that is no message and, where it was too long to keep, its size in bytes."""
    if type(value) is str:
        return value, 0
    if type(value) is dict and len(value) == 1:
        [(key, member)] = value.items()
        if key == "base64" and type(member) is str:
            return schema.base64(member), 0
        if key == "dropped" and type(member) is int and member > 0:
            return "", member
    raise ValueError("wants a string, {base64: …} or {dropped: the number of bytes}")


_KINDS: Final[tuple[EntryKind, ...]] = ("client", "server", "raw", "stderr", "eof", "exit", "http")

_SIDES: Final[dict[str, EntryKind]] = {"client": "client", "server": "server"}

COMPANY: Final[dict[str, frozenset[str]]] = {
    "client": frozenset({"server", "in", "label", "times", "optional", "delay", "match", "http"}),
    "server": frozenset({"in", "http"}),
    "raw": frozenset({"from"}),
    "stderr": frozenset(),
    "eof": frozenset(),
    "exit": frozenset(),
    "http": frozenset({"in", "label"}),
}
"""Which keys may stand beside which, by the key that says what an entry is."""

_MATCH: Final = Table(ENTRY.mappings["match"].what, {"ignore": schema.pointers}, reserved=("*",))

KEYS: Final = Table(
    ENTRY.what,
    {
        "client": _said,
        "server": _said,
        "raw": _raw,
        "stderr": schema.string,
        "eof": schema.one_of("client", "server"),
        "exit": _status,
        "http": _fact,
        "from": schema.one_of("client", "server"),
        "in": schema.reference,
        "label": schema.name,
        "times": schema.whole_number(1),
        "optional": schema.boolean,
        "delay": schema.whole_number(0, _A_DAY),
        "match": schema.within(_MATCH),
    },
    reserved=("requires", "sets"),
)
"""The keys of an entry."""
