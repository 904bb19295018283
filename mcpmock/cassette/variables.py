"""Variables: what a recorder writes down instead of the folders of its machine. Forwarded bytes never come here.

A folder is found at the borders of path segments only, the longest first, in plain text, in URIs and in JSON within a
text. What the protocol needs, ids and the like, stays as it is, as it does for secrets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Final, NamedTuple, Protocol

from mcpmock.cassette.model import Entry, Session
from mcpmock.cassette.placeholders import ENCODED, PLACEHOLDER, REAL, TILDE, variable_name, variable_placeholder
from mcpmock.cassette.redaction.json_places import Place, rewrite_strings, rewritten
from mcpmock.cassette.uri_paths import encode, path_in_json, spellings
from mcpmock.wire.message import Message, dumps

__all__ = ["MaskChain", "Masking", "VariableMask", "variables_in", "variables_of"]


class Masking(Protocol):
    """What takes something out of all that is kept, as secrets or folders."""

    @property
    def counts(self) -> Counter[str]:
        """How often what was taken out for being secret, by now."""

    def message(self, message: Message) -> Message:
        """The message without it."""

    def text(self, text: str) -> str:
        """The text without it."""

    def data(self, data: bytes) -> bytes:
        """What is no text, without what can be read in it."""


class MaskChain:
    """Several, one after another. Secrets come first: without its folder one would not be known any more."""

    def __init__(self, *masks: Masking) -> None:
        self._masks = masks

    @property
    def counts(self) -> Counter[str]:
        """Those of the first: only secrets are counted."""
        return self._masks[0].counts

    def message(self, message: Message) -> Message:
        """The message, masked by all."""
        return reduce(lambda message, mask: mask.message(message), self._masks, message)

    def text(self, text: str) -> str:
        """The text, masked by all."""
        return reduce(lambda text, mask: mask.text(text), self._masks, text)

    def data(self, data: bytes) -> bytes:
        """The bytes, masked by all."""
        return reduce(lambda data, mask: mask.data(data), self._masks, data)


class VariableMask:
    """Replaces texts by the placeholders of variables, for one recording.

    `values` are the texts by the names of the variables; of equal texts the first name is used. What looks like such a
    placeholder, and is none, is written so that it is not taken for one.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self.counts: Counter[str] = Counter()
        """Folders are not counted."""
        sought = [one for name, value in values.items() for one in _spellings(name, value)]
        sought.sort(key=lambda one: -len(one.text))
        self._placeholders: dict[str, str] = {}
        for one in sought:
            self._placeholders.setdefault(one.text, one.placeholder)
        self._pattern = re.compile("|".join([_LOOK_ALIKE, *(f"{re.escape(one.text)}{one.end}" for one in sought)]))
        self._marks = ("~var.", *dict.fromkeys(map(_mark, values.values())))

    def message(self, message: Message) -> Message:
        """The message with variables; the same object if there is nothing to replace."""
        text = message.text or dumps(message.body)
        if message.text is None and not self._may_be_in(text):
            return message  # an exact text may spell its characters in ways that hide them from a quick look
        names_too = message.kind == "response"  # in a request the name of a member has to be what the client sends
        new = rewrite_strings(text, self._rewrite if names_too else self._rewrite_values, "protocol")
        return message if new is text else rewritten(message, new)

    def text(self, text: str) -> str:
        """Any text with variables."""
        return self._pattern.sub(self._replacement, text) if self._may_be_in(text) else text

    def data(self, data: bytes) -> bytes:
        """Bytes that are no text, with variables."""
        return self.text(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def head(self, session: Session) -> Session:
        """A session with variables in its command and its environment."""
        return session._replace(
            command=tuple(map(self.text, session.command)),
            env=tuple((name, self.text(value)) for name, value in session.env),
        )

    def _rewrite(self, value: str, place: Place) -> str:
        return self.text(value)

    def _rewrite_values(self, value: str, place: Place) -> str:
        return value if place.is_name else self.text(value)

    def _may_be_in(self, text: str) -> bool:
        return any(mark in text for mark in self._marks)

    def _replacement(self, found: re.Match[str]) -> str:
        text = found[0]
        if text == "~":
            return TILDE
        return self._placeholders[text] if _begins(found) else text


class _Spelling(NamedTuple):
    """A text that is looked for, the placeholder for it, and a pattern that what follows it has to fit."""

    text: str
    placeholder: str
    end: str


_LOOK_ALIKE: Final = r"~(?=var\.[A-Za-z_][A-Za-z0-9_]*~)"
_PATH_ENDS: Final = r"(?![\w+@~$-]|\.[\w-]|%(?!2[Ff]|3[Aa]|22|0[Aa]|26|5[Cc]))"
"""What may follow a folder: no letter of a longer name. A full stop may be that of a sentence."""

_WORD_ENDS: Final = r"(?!\w)"
_LONGEST_LEAD: Final = 24
_LEADS: Final = re.compile(
    r"(?:^|[\s\"'=,(\[])(?:-[A-Za-z]|[ab])$"  # an option (-I/usr), a file in a patch (a/usr)
    r"|\\(?:[nrt]|u[0-9a-f]{4})$|\x1b\[[\d;]*m$|%[0-9A-Fa-f]{2}$"  # escapes of JSON, terminals and URIs
)
"""Letters that a folder may follow, although they could be the end of a name."""


def _spellings(name: str, value: str) -> Iterator[_Spelling]:
    """How a text may be written: as it is, within JSON text, in a URI, as the value of a parameter."""
    end = _PATH_ENDS if _is_path(value) else _WORD_ENDS if re.search(r"\w\Z", value) else ""
    placeholder = variable_placeholder(name)
    if not _is_path(value):
        for text in dict.fromkeys((value, *path_in_json(value))):
            yield _Spelling(text, placeholder, end)
        return
    for text in spellings(value):
        yield _Spelling(text, placeholder, end)
    encoded = variable_placeholder(name.removesuffix(REAL) + ENCODED)
    for text in (encode(value), re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), encode(value))):
        yield _Spelling(text, encoded, end)


def _is_path(value: str) -> bool:
    return value.startswith("/")


def _mark(value: str) -> str:
    """A part of a text that is spelt the same wherever the text is."""
    return max(re.findall(r"[A-Za-z0-9._-]+", value), key=len, default="")


def _begins(found: re.Match[str]) -> bool:
    """Whether what was found is no end of a longer path or word."""
    text, at = found.string, found.start()
    before = text[at - 1 : at]
    if not before or text.endswith(("file://", "file://localhost"), 0, at):
        return True
    if found[0][0].isalnum():
        return not (before.isalnum() or before == "_")
    if before.isalnum() or before in "_./\\~":
        return _LEADS.search(text[max(0, at - _LONGEST_LEAD) : at]) is not None
    return True


def variables_in(sessions: Iterable[Session]) -> list[str]:
    """The names of the variables that occur in some sessions, sorted."""
    return sorted({name for session in sessions for text in _texts(session) for name in _names(text)})


def variables_of(message: Message) -> list[str]:
    """The names of the variables in a message, in their order."""
    return _names(message.text or dumps(message.body))


def _names(text: str) -> list[str]:
    if "~var." not in text:
        return []
    return [variable_name(found) for found in PLACEHOLDER.findall(text) if found[1] == "v" and found != TILDE]


def _texts(session: Session) -> Iterator[str]:
    yield from session.command
    yield from (value for _, value in session.env)
    yield session.url
    for entry in session.entries:
        yield from _texts_of(entry)


def _texts_of(entry: Entry) -> Iterator[str]:
    messages: Sequence[Message] = (*entry.messages, *([entry.answer] if entry.answer is not None else []))
    for message in messages:
        yield message.text or dumps(message.body)
    if isinstance(entry.text, str):
        yield entry.text
