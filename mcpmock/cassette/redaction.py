"""Redaction: what a recorder writes down instead of secrets. Forwarded bytes never come here.

A secret is known by the name that it has (a JSON key, a header, an option, an environment variable), by its shape, or
because it has been one elsewhere in the same recording. The same secret gets the same placeholder everywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mcpmock.cassette.json_places import Place, embedded, rewrite_strings
from mcpmock.cassette.placeholders import PLACEHOLDER
from mcpmock.cassette.secret_names import is_page_name, is_secret_name, placeholder_name, words
from mcpmock.cassette.secret_texts import SCHEME, Found, cookies_in, scheme_name, secrets_in
from mcpmock.cassette.secret_values import is_no_secret, looks_secret
from mcpmock.cassette.suspicion import may_hold_secret
from mcpmock.cassette.token_shapes import begins_key, key_line, may_hold_token, tokens_in
from mcpmock.cassette.vault import Vault
from mcpmock.wire.message import Message, dumps, parse_exact

__all__ = ["Redactor"]

_DEEPEST: Final = 4  # JSON in strings of JSON in strings …


class Redactor:
    """Replaces secrets by placeholders, for one recording.

    `environment` is what the recorder runs in: the values of variables that have the name of a secret are known from
    the start.
    """

    def __init__(self, *, environment: Mapping[str, str] | None = None) -> None:
        self._vault = Vault()
        self._is_within_key = False
        for name, value in (environment or {}).items():
            self._foresee(name, value)
        self._vault.keep()

    def message(self, message: Message) -> Message:
        """The message without secrets; the same object if it holds none."""
        text = message.text or dumps(message.body)
        if message.text is None and not self._may_hold_secret(text):
            return message  # an exact text may spell its names in ways that hide them from a quick look
        clean = rewrite_strings(text, self._rewrite, "protocol")
        if clean is text:
            return message
        if message.text is None:
            return Message(json.loads(clean), message.kind)
        parsed = parse_exact(clean.encode("utf-8", "surrogatepass"))
        return parsed if isinstance(parsed, Message) else Message({}, message.kind, clean)

    def text(self, text: str) -> str:
        """Any text without secrets: stderr, a line that is no message, a URL.

        A private key may come line by line.
        """
        if self._is_within_key or "-----BEGIN " in text:
            return self._key_line(text)
        return self._text(text, 0) if self._may_hold_secret(text) else text

    url = text

    def header(self, name: str, value: str) -> str:
        """The value of an HTTP header without secrets, by the header's name and by what it holds."""
        return self._named(name, value, 0)

    def data(self, data: bytes) -> bytes:
        """Bytes that are no text, without the secrets that can be read in them."""
        return self.text(data.decode("latin-1")).encode("latin-1")

    def command(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words of a command line without secrets: values of options, `NAME=VALUE`, headers, URLs."""
        clean: list[str] = []
        option = ""
        for word in words:
            clean.append(self._argument(option, word))
            option = word.lstrip("-") if re.fullmatch(_OPTION, word) else ""
        self._vault.keep()
        return tuple(clean)

    def env(self, pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Environment variables without secrets, by their names and by what they hold."""
        clean = tuple((name, self._setting(name, value)) for name, value in pairs)
        self._vault.keep()
        return clean

    def _foresee(self, name: str, value: str) -> None:
        if _is_secret_setting(name, value):
            self._vault.foresee(value, placeholder_name(name))
        elif may_hold_secret(value):
            for found in secrets_in(value):
                if found.is_certain:
                    self._vault.foresee(value[found.start : found.end], found.name)

    def _may_hold_secret(self, text: str) -> bool:
        return self._vault.may_be_in(text) or may_hold_secret(text)

    def _rewrite(self, value: str, place: Place, depth: int = 0) -> str:
        """A string of a message, or of JSON text within one."""
        if not value or is_page_name(place.key):
            return value
        if place.is_name:
            # the name of a member is data only where no name would look like it
            return self._text(value, _DEEPEST) if may_hold_token(value) else value
        if place.realm == "schema":
            return self._text(value, _DEEPEST)
        name = place.label if place.label and place.realm == "data" else place.key
        if len(value) < _SHORTEST_TOKEN and words(name).endswith("token"):
            return self._text(value, depth)  # "token" is also a word of those who take texts apart
        return self._named(name, value, depth)

    def _named(self, name: str, value: str, depth: int) -> str:
        """The value of something that has a name."""
        return self._masked(name, value) if _is_secret(name, value) else self._text(value, depth)

    def _setting(self, name: str, value: str) -> str:
        """The value of an environment variable or of an option."""
        return self._masked(name, value) if _is_secret_setting(name, value) else self._text(value, 0)

    def _masked(self, name: str, value: str) -> str:
        """A value that is a secret because of its name."""
        if scheme := re.fullmatch(SCHEME, value):
            found = [Found(*scheme.span(2), scheme_name(scheme[1]))]
        elif words(name).endswith("cookie"):
            found = list(cookies_in(value))
        else:
            found = []
        return self._replace(value, found or [Found(0, len(value), _kind(name, value), _is_certain(name, value))])

    def _text(self, text: str, depth: int) -> str:
        if not self._may_hold_secret(text):
            return text
        self._vault.reserve(text)
        pieces: list[str] = []
        done = 0
        for start, end in embedded(text) if depth < _DEEPEST else ():
            pieces += [self._prose(text[done:start]), self._json(text[start:end], depth + 1)]
            done = end
        return "".join([*pieces, self._prose(text[done:])])

    def _json(self, text: str, depth: int) -> str:
        return rewrite_strings(text, lambda value, place: self._rewrite(value, place, depth), "data")

    def _prose(self, text: str) -> str:
        text = self._vault.replace(text)
        return self._replace(text, secrets_in(text))

    def _key_line(self, text: str) -> str:
        """A text that a private key begins in, or goes on in from the texts before it."""
        if self._is_within_key and (span := key_line(text)):
            self._is_within_key = "-----END " not in text
            return self._replace(text, [Found(*span, "private_key", is_certain=False)])
        self._is_within_key = begins_key(text)
        return self._text(text, 0)

    def _replace(self, text: str, secrets: Sequence[Found]) -> str:
        pieces: list[str] = []
        done = 0
        for start, end, name, is_certain in secrets:
            secret = text[start:end]
            if not PLACEHOLDER.fullmatch(secret):
                pieces += [text[done:start], self._vault.placeholder(secret, name, is_certain=is_certain)]
                done = end
        return "".join([*pieces, text[done:]])

    def _argument(self, option: str, word: str) -> str:
        """A word of a command line, after an option that may take it as its value."""
        if option and not word.startswith("-") and _is_secret_setting(option, word):
            return self._masked(option, word)
        if option in _USER_OPTIONS and (user := re.fullmatch(_USER, word)):
            return self._replace(word, [Found(*user.span(1), "password")])
        if (pair := re.fullmatch(_PAIR, word)) and _is_secret_setting(pair[1], pair[2]):
            return word[: pair.start(2)] + self._masked(pair[1], pair[2])
        return self._text(word, 0)


_SHORTEST_TOKEN: Final = 6
_SHORTEST_WEAK: Final = 8
_SHORTEST_KEY: Final = 16
_WEAK_NAMES: Final = frozenset(("auth", "pat", "pass"))  # each has other meanings, too
_OPTION: Final = r"--?[A-Za-z][\w.-]*"
_PAIR: Final = r"(?s)(?:--?)?([A-Za-z_@/][\w.:/@-]*?)(?:=|:\s+)(.+)"
_USER_OPTIONS: Final = frozenset(("u", "user", "proxy-user", "userpass"))
_USER: Final = r"[^\s:]+:(?!\d+$)(\S+)"


def _is_secret(name: str, value: str) -> bool:
    """Whether a value is a secret because of its name."""
    if words(name) in _WEAK_NAMES:
        return len(value) >= _SHORTEST_WEAK and looks_secret(value) and not re.match(_URL, value)
    return is_secret_name(name) and not (re.match(_URL, value) or is_no_secret(value))


def _is_secret_setting(name: str, value: str) -> bool:
    """Whether the value of an environment variable or an option is a secret because of its name.

    In data a key may be anything; `TAVILY_KEY` and `--key` are keys of services, if what they hold looks like one.
    """
    if _is_secret(name, value):
        return True
    is_key = words(name).rpartition("_")[2] == "key" and len(value) >= _SHORTEST_KEY and looks_secret(value)
    return is_key and not (re.match(_URL, value) or is_no_secret(value))


_URL: Final = r"[a-z][a-z0-9+.-]*://"


def _kind(name: str, value: str) -> str:
    """The placeholder's name: by shape, where the whole value has one, else by the name that it had."""
    whole = (kind for start, end, kind in tokens_in(value) if end - start == len(value))
    return next(whole, placeholder_name(name))


def _is_certain(name: str, value: str) -> bool:
    """Whether such a value is a secret also where it stands without its name."""
    return looks_secret(value) or not (words(name).endswith("token") or value.isdigit())
