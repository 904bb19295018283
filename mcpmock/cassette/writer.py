"""The cassette as YAML text, whole or piece by piece: a file cut behind any entry is a valid cassette.

The same cassette gives the same text. `cassettes/README.md` defines the format.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Final

from mcpmock.cassette import http_facts
from mcpmock.cassette.emit import emit
from mcpmock.cassette.model import NO_RULES, NORM, Cassette, Entry, HttpFact, MatchRule, Session
from mcpmock.cassette.spelling import UnfitForYamlError
from mcpmock.wire.message import Json, Message, Missing, Object, encode

_TIMES_PER_LINE: Final = 20
_ENTRY_INDENT: Final = 4
_DEEPEST_INDENT: Final = _ENTRY_INDENT + 4
"""Where the lines of a message may begin: those of a member of a batch."""

_ENTRY_PAD: Final = " " * _ENTRY_INDENT


def dump(cassette: Cassette) -> str:
    """The whole file. `timing` is written for a session where every entry knows its time."""
    out = [dump_head(cassette)]
    for session in cassette.sessions:
        out.append(dump_session_head(session))
        out += map(dump_entry, session.entries)
        out.append(dump_redacted(session.redacted))
        times = [entry.at for entry in session.entries if entry.at is not None]
        if times and len(times) == len(session.entries):
            out.append(dump_timing(times))
    return "".join(out)


def dump_head(cassette: Cassette) -> str:
    """What stands before the first session, from `version:` to `sessions:`."""
    head: Object = {"version": cassette.version}
    if cassette.recorded_with:
        head["recorded_with"] = cassette.recorded_with
    if cassette.match:
        head["match"] = [_match_rule(rule) for rule in cassette.match]
    return _members(head, "") + "sessions:\n"


def dump_session_head(session: Session) -> str:
    """What stands before a session's first entry, from `- server:` to `entries:`."""
    head: Object = {"server": _writable(session.server)} if session.server else {}
    head["transport"] = session.transport
    if session.command:
        head["command"] = [_writable(word) for word in session.command]
    if session.env:
        head["env"] = {_writable(name): _writable(value) for name, value in session.env}
    if session.url:
        head["url"] = _writable(session.url)
    if session.http != NORM:
        head["http"] = http_facts.norm_members(session.http)
    return "- " + _members(head, "  ")[2:] + "  entries:\n"


def dump_entry(entry: Entry) -> str:
    """One entry, `- ` and all, indented as it stands below `entries:`."""
    try:
        text = _members(_entry_members(entry), _ENTRY_PAD)
    except UnfitForYamlError:
        text = _members(_entry_members(_in_words(entry)), _ENTRY_PAD)
    # Tools that tidy the end of a file would shorten a text that ends with empty lines, were it the last.
    end = "  # the text ends with empty lines\n" if text.endswith("\n\n") else ""
    return f"  - {text[_ENTRY_INDENT:]}{end}"


def dump_redacted(counts: Sequence[tuple[str, int]]) -> str:
    """What says behind a session's entries how often which rule has masked something; empty where none has."""
    return _members({"redacted": dict(counts)}, "  ") if counts else ""


def dump_timing(times: Sequence[int]) -> str:
    """The `timing:` line (lines, where there are many entries) that closes a session: milliseconds, one per entry."""
    rows = [", ".join(map(str, times[at : at + _TIMES_PER_LINE])) for at in range(0, len(times), _TIMES_PER_LINE)]
    return "  timing: [" + ",\n    ".join(rows) + "]\n"


def _members(members: Object, pad: str) -> str:
    """The members of a mapping of ours, a key a line, their values as they fit."""
    out: list[str] = []
    for key, value in members.items():
        out.append(f"{pad}{key}:")
        emit(out, value, len(pad) if isinstance(value, list) else len(pad) + 2, len(pad) + len(key) + 1)
    return "".join(out)


def _entry_members(entry: Entry) -> Object:
    if entry.kind in ("client", "server"):
        members: Object = {entry.kind: _messages(entry)}
        if entry.answer is not None:
            members["server"] = _message(entry.answer)
        if not isinstance(entry.owner, Missing):
            members["in"] = _writable(entry.owner) if isinstance(entry.owner, str) else entry.owner
        if entry.label:
            members["label"] = _writable(entry.label)
        if entry.http is not None:
            members["http"] = http_facts.fact_members(entry.http)
        return members if entry.rules is NO_RULES else {**members, **_rules(entry)}
    if entry.kind == "http":
        return _http(entry)
    if entry.kind == "raw":
        return {"raw": _raw(entry)} if entry.side == "server" else {"raw": _raw(entry), "from": entry.side}
    if entry.kind == "stderr":
        return {"stderr": _writable(entry.text)}
    return {"eof": entry.side} if entry.kind == "eof" else {"exit": entry.status}


def _http(entry: Entry) -> Object:
    members: Object = {"http": http_facts.fact_members(entry.http or HttpFact())}
    if not isinstance(entry.owner, Missing):
        members["in"] = _writable(entry.owner) if isinstance(entry.owner, str) else entry.owner
    return {**members, "label": _writable(entry.label)} if entry.label else members


def _messages(entry: Entry) -> Json:
    return [_message(message) for message in entry.messages] if entry.is_batch else _message(entry.messages[0])


def _message(message: Message) -> Json:
    return message.body if message.text is None else message.text


def _in_words(entry: Entry) -> Entry:
    """The entry with those of its messages as exact JSON text that YAML cannot hold."""
    answer = entry.answer and _as_text(entry.answer)
    fact = entry.http and http_facts.in_words(entry.http)
    return entry._replace(messages=tuple(map(_as_text, entry.messages)), answer=answer, http=fact)


def _as_text(message: Message) -> Message:
    """The message with its exact JSON text where YAML cannot hold its body."""
    try:
        emit([], message.body, _DEEPEST_INDENT, 0)
    except UnfitForYamlError:
        return message._replace(text=message.text or encode(message.body).decode("ascii"))
    return message


def _rules(entry: Entry) -> Object:
    rules, members = entry.rules, dict[str, Json]()
    if rules.times != NO_RULES.times:
        members["times"] = rules.times
    if rules.optional:
        members["optional"] = True
    if rules.delay:
        members["delay"] = rules.delay
    if rules.ignore:
        members["match"] = {"ignore": list(rules.ignore)}
    return members


def _match_rule(rule: MatchRule) -> Object:
    members: Object = {"method": rule.method} if rule.method else {}
    if rule.name:
        members["name"] = rule.name
    return {**members, "ignore": list(rule.ignore)}


def _raw(entry: Entry) -> Json:
    if entry.size:
        return {"dropped": entry.size}
    if isinstance(entry.text, bytes):
        return {"base64": base64.b64encode(entry.text).decode("ascii")}
    return _writable(entry.text)


def _writable(text: str | bytes) -> str:
    """The text with escapes for what no UTF-8 file can hold."""
    data = text if isinstance(text, bytes) else text.encode(errors="backslashreplace")
    return data.decode(errors="backslashreplace")
