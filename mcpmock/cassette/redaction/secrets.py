"""Which secrets a cassette holds that redaction would have taken out. The values are never told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mcpmock.cassette.encoded_placeholders import encoded_placeholders
from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.cassette.placeholders import PLACEHOLDER, escape_pointer
from mcpmock.cassette.redaction.mending import redacted_http
from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.cassette.redaction.rules import NO_RULES, RedactionRules
from mcpmock.wire.message import Json, Message, Missing

__all__ = ["Finding", "find_secrets"]


class Finding(NamedTuple):
    """A secret: the `line` of its entry or session, the `pointer` to its string in there (RFC 6901), and `what` kind
    it is, as a placeholder names it (`github_token`)."""

    line: int
    pointer: str
    what: str


def find_secrets(cassette: Cassette, rules: RedactionRules = NO_RULES) -> list[Finding]:
    """The secrets in a cassette, in its order; one that stands in several places is told for each."""
    redactor = Redactor(rules=rules)
    for _ in _search(cassette, redactor):
        pass  # what is a secret by its name at the end is one at the beginning, too
    return list(_search(cassette, redactor))


def _search(cassette: Cassette, redactor: Redactor) -> Iterator[Finding]:
    for session in cassette.sessions:
        yield from _in_head(session, redactor)
        for entry in session.entries:
            for pointer, what in _in_entry(entry, redactor):
                yield Finding(entry.line, pointer, what)


def _in_head(session: Session, redactor: Redactor) -> Iterator[Finding]:
    command = redactor.command(session.command)
    for pointer, what in _differences(list(session.command), list(command), "/command"):
        yield Finding(session.line, pointer, what)
    for pointer, what in _differences(dict(session.env), dict(redactor.env(session.env)), "/env"):
        yield Finding(session.line, pointer, what)
    for pointer, what in _differences(session.url, redactor.url(session.url), "/url"):
        yield Finding(session.line, pointer, what)


def _in_entry(entry: Entry, redactor: Redactor) -> Iterator[tuple[str, str]]:
    for index, message in enumerate(entry.messages):
        within = f"/{entry.kind}/{index}" if entry.is_batch else f"/{entry.kind}"
        yield from _in_message(message, redactor, within)
    if entry.answer is not None:
        yield from _in_message(entry.answer, redactor, "/server")
    if entry.http is not None:
        clean = redacted_http(entry.http, redactor)
        for name in ("path", "headers", "sent", "body"):
            before, after = _json(getattr(entry.http, name)), _json(getattr(clean, name))
            yield from _differences(before, after, f"/http/{name}")
    if entry.text:
        text = entry.text if isinstance(entry.text, str) else entry.text.decode("latin-1")
        yield from _differences(text, redactor.text(text), f"/{entry.kind}")


def _json(value: object) -> Json:
    """A part of what HTTP says, as JSON."""
    if isinstance(value, tuple):
        return dict(value)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return None if isinstance(value, Missing) else value  # type: ignore[return-value]  # the rest is JSON


def _in_message(message: Message, redactor: Redactor, within: str) -> Iterator[tuple[str, str]]:
    clean = redactor.message(message)
    if clean is not message:
        found = list(_differences(message.body, clean.body, within))
        # what only the exact text holds (the first of two equal keys) is somewhere in there
        yield from found or [(within, what) for what in _kinds(clean.text or "")]


def _differences(before: Json, after: Json, pointer: str) -> Iterator[tuple[str, str]]:
    """The pointers to the strings that redaction changed, with what they held."""
    waiting: list[tuple[Json, Json, str]] = [(before, after, pointer)]
    while waiting:
        old, new, here = waiting.pop()
        if isinstance(old, dict) and isinstance(new, dict):
            members = list(zip(old.items(), new.items(), strict=True))
            for (key, value), (new_key, new_value) in reversed(members):
                waiting.append((value, new_value, f"{here}/{escape_pointer(new_key)}"))
                waiting.append((key, new_key, here))
        elif isinstance(old, list) and isinstance(new, list):
            pairs = list(zip(old, new, strict=True))
            waiting += [(*pairs[index], f"{here}/{index}") for index in reversed(range(len(pairs)))]
        elif isinstance(new, str) and old != new:  # a number may have been one, too
            known = _kinds(old) if isinstance(old, str) else []
            yield from ((here, what) for what in _kinds(new) if what not in known)


def _kinds(text: str) -> list[str]:
    """The kinds of the secrets that the placeholders in a text stand for, be they encoded."""
    texts = [text, *(found.text for found in encoded_placeholders(text))]
    found = [placeholder for each in texts for placeholder in PLACEHOLDER.findall(each)]
    return list(dict.fromkeys(placeholder.split(".")[1] for placeholder in found if placeholder[1] == "s"))
