"""What still looks like a token in what was recorded: with `--no-redact`, or in places that are never masked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcpmock.cassette.model import Cassette, Entry, Session
from mcpmock.cassette.placeholders import escape_pointer
from mcpmock.cassette.redaction.token_shapes import may_hold_token, tokens_in
from mcpmock.wire.message import Json, Object

__all__ = ["Remains", "remains_in"]


class Remains:
    """Looks at the entries of a session, and tells at the end what remained. Values are not kept."""

    def __init__(self, session: Session) -> None:
        self._entries = 0
        self._first = ""
        self._count = 0
        head: Object = {"command": list(session.command), "env": dict(session.env), "url": session.url}
        for pointer, kind in _tokens(head, ""):
            self._found(f"{kind} in the head of the session, at {pointer}")

    @property
    def told(self) -> str:
        """Which was the first, and how many more there are; empty if nothing remained."""
        more = f", and {self._count - 1} more" if self._count > 1 else ""
        return f"{self._first}{more}"

    def look(self, entries: Iterable[Entry], text: str) -> None:
        """Look at the next entries; `text` is how they are written."""
        is_suspicious = may_hold_token(text)
        for entry in entries:
            self._entries += 1
            if is_suspicious:
                self.look_at(entry)

    def look_at(self, entry: Entry) -> None:
        """Look at one entry, whatever it seems to be."""
        place = f"line {entry.line}" if entry.line else f"entry {self._entries}"
        for pointer, kind in _tokens_of(entry):
            self._found(f"{kind} in {place}, at {pointer}")

    def warning(self, path: str) -> str:
        """What to say of it at the end; empty if nothing remained."""
        if not self._count:
            return ""
        return f"{path}: what looks like a secret remains: {self.told}; before you share it: mcpmock redact {path}"

    def _found(self, told: str) -> None:
        self._count += 1
        self._first = self._first or told


def remains_in(cassette: Cassette) -> list[str]:
    """What still looks like a token in a cassette, in words; values are not told."""
    found = [Remains(session) for session in cassette.sessions]
    for remains, session in zip(found, cassette.sessions, strict=True):
        for entry in session.entries:
            remains.look_at(entry)
    return [f"what looks like a secret remains: {remains.told}" for remains in found if remains.told]


def _tokens_of(entry: Entry) -> Iterator[tuple[str, str]]:
    for index, message in enumerate(entry.messages):
        yield from _tokens(message.body, f"/{entry.kind}/{index}" if entry.is_batch else f"/{entry.kind}")
    if entry.answer is not None:
        yield from _tokens(entry.answer.body, "/server")
    if entry.text:
        text = entry.text if isinstance(entry.text, str) else entry.text.decode("latin-1")
        yield from _tokens(text, f"/{entry.kind}")


def _tokens(value: Json, pointer: str) -> Iterator[tuple[str, str]]:
    """Where tokens of known shape stand in a value, and which kind they are. Names of members count, too."""
    waiting: list[tuple[Json, str]] = [(value, pointer)]
    while waiting:
        here, at = waiting.pop()
        if isinstance(here, str):
            yield from ((at, kind) for _, _, kind in tokens_in(here))
        elif isinstance(here, dict):
            for key, one in here.items():
                is_token = may_hold_token(key)
                waiting += [(key, at), (one, f"{at}/{'(a name)' if is_token else escape_pointer(key)}")]
        elif isinstance(here, list):
            waiting += [(one, f"{at}/{index}") for index, one in enumerate(here)]
