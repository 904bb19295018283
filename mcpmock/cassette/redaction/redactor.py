"""Redaction: what a recorder writes down instead of secrets. Forwarded bytes never come here.

A secret is known by the name that it has (a JSON key, a header, an option, an environment variable), by its shape, by a
rule of the user, or because it has been one elsewhere in the same recording. The same secret gets the same placeholder
everywhere.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mcpmock.cassette.redaction.json_places import rewritten
from mcpmock.cassette.redaction.masking import Masker, is_secret_setting
from mcpmock.cassette.redaction.private_keys import begins_key, key_line
from mcpmock.cassette.redaction.rules import NO_RULES, RedactionRules, rewrite_at
from mcpmock.cassette.redaction.secret_names import placeholder_name
from mcpmock.cassette.redaction.secret_texts import Found, secrets_in
from mcpmock.cassette.redaction.secret_values import looks_secret
from mcpmock.cassette.redaction.suspicion import may_hold_secret
from mcpmock.cassette.redaction.vault import Vault
from mcpmock.wire.message import Json, Message, dumps

__all__ = ["Redactor"]


class Redactor:
    """Replaces secrets by placeholders, for one recording.

    `environment` is what the recorder runs in: the values of variables that have the name of a secret are known from
    the start. `rules` are the user's own.
    """

    def __init__(self, *, environment: Mapping[str, str] | None = None, rules: RedactionRules = NO_RULES) -> None:
        self._vault = Vault()
        self._rules = rules
        self._masker = Masker(self._vault, rules)
        self._is_within_key = False
        for name, value in {**rules.values, **(environment or {})}.items():
            self._foresee(name, value)
        self._vault.keep()

    @property
    def counts(self) -> Counter[str]:
        """How often what was masked, by now: by the kind of secret, or by the user's rule. Never a value."""
        return self._vault.counts

    def know(self, value: str, placeholder: str) -> None:
        """Look for a secret that has a placeholder already."""
        self._vault.know(value, placeholder)

    def message(self, message: Message) -> Message:
        """The message without secrets; the same object if it holds none."""
        for pointer in self._rules.pointers:
            body = rewrite_at(message.body, pointer, self._leaf)
            if body is not message.body and isinstance(body, dict):
                message = Message(body, message.kind)
        text = message.text or dumps(message.body)
        if message.text is None and not self._masker.may_hold_secret(text):
            return message  # an exact text may spell its names in ways that hide them from a quick look
        clean = self._masker.json(text)
        return message if clean is text else rewritten(message, clean)

    def value(self, value: Json) -> Json:
        """A JSON value that is no message, without secrets."""
        text = dumps(value)
        return json.loads(self._masker.data(text)) if self._masker.may_hold_secret(text) else value

    def text(self, text: str) -> str:
        """Any text without secrets: stderr, a line that is no message.

        A private key may come line by line.
        """
        if self._is_within_key or "-----BEGIN " in text:
            return self._key_line(text)
        return self._masker.text(text)

    def url(self, url: str) -> str:
        """A URL without secrets."""
        return self._masker.text(url)

    def header(self, name: str, value: str) -> str:
        """The value of an HTTP header without secrets, by the header's name and by what it holds."""
        return self._masker.named(name, value)

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
        clean = tuple((name, self._masker.setting(name, value)) for name, value in pairs)
        self._vault.keep()
        return clean

    def _foresee(self, name: str, value: str) -> None:
        rule = self._rules.key(name)
        if name in self._rules.variables:
            self._vault.foresee(value, placeholder_name(name), self._rules.variables[name])
        elif rule is not None:
            self._vault.foresee(value, rule.name, rule.rule)
        elif is_secret_setting(name, value):
            self._vault.foresee(value, placeholder_name(name))
        elif may_hold_secret(value):
            for found in secrets_in(value):
                if found.is_certain:
                    self._vault.foresee(value[found.start : found.end], found.name)

    def _leaf(self, value: str, name: str, rule: str) -> Json:
        return self._masker.replace(value, [Found(0, len(value), name, looks_secret(value), rule)])

    def _key_line(self, text: str) -> str:
        """A text that a private key begins in, or goes on in from the texts before it."""
        if self._is_within_key and (span := key_line(text)):
            self._is_within_key = "-----END " not in text
            return self._masker.replace(text, [Found(*span, "private_key", is_certain=False)])
        self._is_within_key = begins_key(text)
        return self._masker.text(text)

    def _argument(self, option: str, word: str) -> str:
        """A word of a command line, after an option that may take it as its value."""
        is_secret = self._masker.is_setting_secret
        if option and not word.startswith("-") and is_secret(option, word):
            return self._masker.setting(option, word)
        if option in _USER_OPTIONS and (user := re.fullmatch(_USER, word)):
            return self._masker.replace(word, [Found(*user.span(1), "password")])
        if (pair := re.fullmatch(_PAIR, word)) and is_secret(pair[1], pair[2]):
            return word[: pair.start(2)] + self._masker.setting(pair[1], pair[2])
        return self._masker.text(word)


_OPTION: Final = r"--?[A-Za-z][\w.-]*"
_PAIR: Final = r"(?s)(?:--?)?([A-Za-z_@/][\w.:/@-]*?)(?:=|:\s+)(.+)"
_USER_OPTIONS: Final = frozenset(("u", "user", "proxy-user", "userpass"))
_USER: Final = r"[^\s:]+:(?!\d+$)(\S+)"
