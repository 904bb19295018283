"""Masking of one text, whatever it is: what is known, what a rule of the user names, what gives itself away, and all of
that in JSON within the text and in what is encoded in it.

Of what is encoded, one text is decoded, masked, and encoded again; what cannot be encoded again, or is encoded in
something that is, has one placeholder for the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from mcpmock.cassette.encoded_placeholders import encoded_placeholders
from mcpmock.cassette.placeholders import PLACEHOLDER
from mcpmock.cassette.redaction.encoded_suspicion import blob_may_hold, may_hold_encoded, said_by
from mcpmock.cassette.redaction.encodings import Encoded, accepted, encode, runs_in
from mcpmock.cassette.redaction.json_places import Place, Realm, embedded, rewrite_strings
from mcpmock.cassette.redaction.percents import percented
from mcpmock.cassette.redaction.rules import RedactionRules
from mcpmock.cassette.redaction.secret_commands import user_password
from mcpmock.cassette.redaction.secret_names import is_page_name, is_secret_name, placeholder_name, words
from mcpmock.cassette.redaction.secret_texts import Found, basic_password, cookies_in, scheme_name, secrets_in
from mcpmock.cassette.redaction.secret_values import SCHEME, is_no_secret, login_password, looks_secret
from mcpmock.cassette.redaction.suspicion import blobs_in, may_hold_secret, without_blobs
from mcpmock.cassette.redaction.token_shapes import may_hold_token, tokens_in
from mcpmock.cassette.redaction.vault import Vault

__all__ = ["TOP", "Level", "Masker", "is_secret_setting"]

_DEEPEST: Final = 5  # JSON in strings of JSON in strings …
_SHORTEST_TOKEN: Final = 6
_SHORTEST_NAME: Final = 16  # that is a secret
_SHORTEST_WEAK: Final = 8
_SHORTEST_KEY: Final = 16
_LARGE: Final = 16 * 1024
_SHORTEST_DATA: Final = 8  # of what is encoded
_WEAK_NAMES: Final = frozenset(("auth", "pat", "pass"))  # each has other meanings, too
_URL: Final = r"[a-z][a-z0-9+.-]*://"


class Level(NamedTuple):
    """How deep a text stands: within so many strings of JSON text, and whether it was encoded."""

    depth: int = 0
    is_encoded: bool = False


TOP: Final = Level()


class Masker:
    """Puts placeholders where secrets stand, those of one vault, and those that the user's rules name."""

    def __init__(self, vault: Vault, rules: RedactionRules) -> None:
        self._vault = vault
        self._rules = rules

    def may_hold_secret(self, text: str) -> bool:
        """Whether a secret may stand in a text or in JSON text; quick."""
        if self._rules.patterns or self._rules.keys:
            return True
        blobs = list(blobs_in(text)) if len(text) > _LARGE else []
        rest = without_blobs(text, blobs)
        if self._vault.may_be_in(rest) or may_hold_secret(rest) or may_hold_encoded(rest, self._vault.may_be_in_bytes):
            return True
        return self._is_in_blobs(text, blobs) or any(self._percented(rest))

    def _percented(self, text: str) -> Iterator[Found]:
        """The secrets that are looked for in what is percent-encoded more than it needs to be."""
        for run in percented(text) if self._vault.knows_any else ():
            for start, end, name, rule in self._vault.spans_in(run.text):
                yield Found(run.places[start], run.places[end], name, True, rule)

    def _may_hold_encoded(self, text: str) -> bool:
        blobs = list(blobs_in(text)) if len(text) > _LARGE else []
        is_known = self._vault.may_be_in_bytes
        return may_hold_encoded(without_blobs(text, blobs), is_known) or self._is_in_blobs(text, blobs)

    def _is_in_blobs(self, text: str, blobs: list[tuple[int, int]]) -> bool:
        is_known = self._vault.may_be_in_bytes if self._vault.knows_any else None
        return any(blob_may_hold(text, *blob, is_known) for blob in blobs)

    def text(self, text: str, level: Level = TOP) -> str:
        """A text without secrets."""
        if not self.may_hold_secret(text):
            return text
        self._vault.reserve(text)
        pieces: list[str] = []
        done = 0
        for start, end in embedded(text) if level.depth < _DEEPEST else ():
            pieces += [self._prose(text[done:start], level), self._json(text[start:end], level)]
            done = end
        return "".join([*pieces, self._prose(text[done:], level)])

    def json(self, text: str, level: Level = TOP) -> str:
        """The JSON text of a message without secrets; the same object if it holds none."""
        return self._rewritten(text, level, "protocol")

    def data(self, text: str) -> str:
        """JSON text that is no message without secrets."""
        return self._json(text, Level(-1))

    def member(self, value: str, place: Place, level: Level = TOP) -> str:
        """A string of a message, or of JSON text within a text; or a number that a rule names."""
        if not value:
            return value
        if place.rule:
            name, rule = self._rules.keys[words(place.rule)]
            return self.replace(value, [Found(0, len(value), name, looks_secret(value), rule)], level)
        if is_page_name(place.key):
            return value
        if place.is_name:
            # the name of a member is data only where no name would look like it
            is_data = len(value) >= _SHORTEST_NAME and (may_hold_token(value) or self._may_hold_encoded(value))
            return self.text(value, Level(_DEEPEST, level.is_encoded)) if is_data else value
        if place.realm == "schema":
            return self.text(value, Level(_DEEPEST, level.is_encoded))
        if place.key == "blob" and place.realm == "protocol":
            return self._decoded(value, level)
        if place.label.startswith("-") and place.realm == "data":
            return self._after_option(place.label, value, level)
        name = place.label if place.label and place.realm == "data" else place.key
        if len(value) < _SHORTEST_TOKEN and words(name).endswith("token"):
            return self.text(value, level)  # "token" is also a word of those who take texts apart
        return self.named(name, value, level)

    def _after_option(self, option: str, value: str, level: Level) -> str:
        """An element of an array, as of a command line, that stands behind an option."""
        if option in ("-u", "--user", "--proxy-user") and (span := user_password(value)):
            return self.replace(value, [Found(*span, "password")], level)
        if not value.startswith("-") and self.is_setting_secret(option, value):
            return self.masked(option, value, level)
        return self.text(value, level)

    def named(self, name: str, value: str, level: Level = TOP) -> str:
        """The value of something that has a name."""
        if rule := self._rules.key(name):
            return self.replace(value, [Found(0, len(value), rule.name, looks_secret(value), rule.rule)], level)
        return self.masked(name, value, level) if _is_secret(name, value) else self.text(value, level)

    def setting(self, name: str, value: str) -> str:
        """The value of an environment variable or of an option."""
        if self._rules.key(name) or not is_secret_setting(name, value):
            return self.named(name, value)
        return self.masked(name, value)

    def is_setting_secret(self, name: str, value: str) -> bool:
        """Whether the value of an option is a secret because of its name."""
        return self._rules.key(name) is not None or is_secret_setting(name, value)

    def masked(self, name: str, value: str, level: Level = TOP) -> str:
        """A value that is a secret because of its name."""
        if self._rules.key(name):
            return self.named(name, value, level)
        if scheme := re.fullmatch(SCHEME, value):
            found = [Found(*scheme.span(2), scheme_name(scheme[1]))]
        elif words(name).endswith("cookie"):
            found = list(cookies_in(value))
        else:
            found = []
        return self.replace(value, found or [Found(0, len(value), _kind(name, value), _is_certain(name, value))], level)

    def replace(self, text: str, secrets: Iterable[Found], level: Level = TOP) -> str:
        """The text with placeholders where these secrets stand; what is one already stays."""
        pieces: list[str] = []
        done = 0
        for start, end, name, is_certain, rule in secrets:
            secret = text[start:end]
            if not _is_masked(secret):
                if name == "basic_auth" and (password := basic_password(secret)):
                    self._vault.foresee(password, "password")
                placeholder = self._vault.placeholder(
                    secret, name, is_certain=is_certain, rule=rule, escapes=level.depth
                )
                pieces += [text[done:start], placeholder]
                done = end
        return "".join([*pieces, text[done:]])

    def _json(self, text: str, level: Level) -> str:
        return self._rewritten(text, Level(level.depth + 1, level.is_encoded), "data")

    def _rewritten(self, text: str, level: Level, realm: Realm) -> str:
        def rewrite(value: str, place: Place) -> str:
            return self.member(value, place, level)

        return rewrite_strings(text, rewrite, realm, self._rules.keys, with_numbers=True)

    def _prose(self, text: str, level: Level) -> str:
        text = self._vault.replace(text, level.depth)
        text = self.replace(text, list(self._percented(text)), level)
        for pattern in self._rules.patterns:
            spans = _free(text, pattern.spans(text))
            text = self.replace(text, (Found(*span, pattern.name, True, pattern.rule) for span in spans), level)
        text = self.replace(text, secrets_in(text), level)
        return self._decoded(text, level)

    def _decoded(self, text: str, level: Level) -> str:
        """The text with what is encoded in it masked."""
        if len(text) < _SHORTEST_DATA or not self._may_hold_encoded(text):
            return text
        if level.is_encoded:
            return self._covered(text, level)
        pieces: list[str] = []
        done = 0
        for found, digits in accepted(text, self._encoded_again):
            pieces += [text[done : found.start], digits]
            done = found.end
        return self._covered("".join([*pieces, text[done:]]), level)

    def _encoded_again(self, found: Encoded) -> str | None:
        """What a candidate is without its secrets; None if it holds none, or would not be found again."""
        inner = Level(0, is_encoded=True)
        clean = self.text(found.text, inner) if found.is_text else self._vault.replace(found.text)
        if clean == found.text and (password := login_password(clean)):
            clean = self.replace(clean, [Found(*password, "password")], inner)
        if clean == found.text:
            return None
        digits = encode(clean, found.coding)
        again = encoded_placeholders(digits)
        return digits if len(again) == 1 and again[0].text == clean else None

    def _covered(self, text: str, level: Level) -> str:
        """The text with placeholders for whole runs of digits in which secrets are left at any alignment."""
        pieces: list[str] = []
        done = 0
        masked = encoded_placeholders(text)
        for start, end in runs_in(text):
            if any(start < each.end and each.start < end for each in masked):
                continue
            is_suspicious, said = said_by(text[start:end])
            name, rule = self._vault.first_in(said)
            if name or (is_suspicious and (name := self._first_kind(said))):
                found = Found(start, end, name, True, rule)
                pieces += [
                    text[done:start],
                    self.replace(text[start:end], [found._replace(start=0, end=end - start)], level),
                ]
                done = end
        return "".join([*pieces, text[done:]])

    def _first_kind(self, said: str) -> str:
        """The kind of the first secret in what a run may say."""
        found = [one for part in said.split("\0") for one in secrets_in(part)]
        return found[0].name if found else "password" if any(map(login_password, said.split("\0"))) else ""


def is_secret_setting(name: str, value: str) -> bool:
    """Whether the value of an environment variable or an option is a secret because of its name.

    In data a key may be anything; `TAVILY_KEY` and `--key` are keys of services, if what they hold looks like one.
    """
    if _is_secret(name, value):
        return True
    is_key = words(name).rpartition("_")[2] == "key" and len(value) >= _SHORTEST_KEY and looks_secret(value)
    return is_key and not (re.match(_URL, value) or is_no_secret(value))


def _is_secret(name: str, value: str) -> bool:
    """Whether a value is a secret because of its name."""
    if words(name) in _WEAK_NAMES:
        return len(value) >= _SHORTEST_WEAK and looks_secret(value) and not re.match(_URL, value)
    return is_secret_name(name) and not (re.match(_URL, value) or is_no_secret(value))


def _is_masked(secret: str) -> bool:
    """Whether a secret is a placeholder already, or digits that encode one."""
    if PLACEHOLDER.fullmatch(secret):
        return True
    return any(found.start == 0 and found.end == len(secret) for found in encoded_placeholders(secret))


def _free(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans that touch no placeholder."""
    taken = [found.span() for found in PLACEHOLDER.finditer(text)]
    return [span for span in spans if not any(span[0] < end and start < span[1] for start, end in taken)]


def _kind(name: str, value: str) -> str:
    """The placeholder's name: by shape, where the whole value has one, else by the name that it had."""
    whole = (kind for start, end, kind in tokens_in(value) if end - start == len(value))
    return next(whole, placeholder_name(name))


def _is_certain(name: str, value: str) -> bool:
    """Whether such a value is a secret also where it stands without its name."""
    return looks_secret(value) or not (words(name).endswith("token") or value.isdigit())
