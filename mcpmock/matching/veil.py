"""Secrets out of what is told about a miss: it goes to terminals, to logs, and into the context of agents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final, cast

from mcpmock.cassette.placeholders import bind, has_placeholder
from mcpmock.cassette.redaction.redactor import Redactor
from mcpmock.matching.clipping import clip, windows_of
from mcpmock.matching.nearest import NAMED_BY, Difference, Near, differences, name_of, params_of
from mcpmock.wire.message import MISSING, Json, Message, Missing, Object, dumps
from mcpmock.wire.values import repeatable

_VARIABLE: Final = re.compile(r"~var\.[A-Za-z_][A-Za-z0-9_]*~")

_NOTHING: Final[Mapping[str, str]] = {}
HIDDEN: Final = "(not shown)"
"""Stands for a value that may be a secret and cannot be redacted."""


def veiled(content: Json, bound: Mapping[str, str] = _NOTHING) -> Json:
    """What is told in a report, without secrets: those that redaction knows, and what secret placeholders are `bound`
    to in live sessions."""
    redactor = Redactor()
    secrets = {placeholder: value for placeholder, value in bound.items() if placeholder.startswith("~secret.")}
    for placeholder, value in secrets.items():
        redactor.know(value, placeholder)
    try:
        content = repeatable(content)
        for _ in range(2):  # what is a secret by its name at the end is one at the beginning, too
            clean = redactor.value(content)
        return cast("Json", json.loads(conceal(dumps(clean), secrets)))
    except (ValueError, RecursionError):
        return HIDDEN


def conceal(json_text: str, bound: Mapping[str, str]) -> str:
    """JSON text in which the values of secrets stand as their placeholders again.

    Within texts, and where a whole number is one: half of a number, or of an escape, would be no JSON. What is shorter
    than a PIN is no number's secret, and none within a text: it would stand for counts and letters.
    """
    pairs = [(value, placeholder) for placeholder, value in bound.items() if placeholder.startswith("~secret.")]
    pairs.sort(key=lambda pair: -len(pair[0]))  # one may be a part of another
    secrets = [(value, dumps(value)[1:-1], placeholder) for value, placeholder in pairs]
    found = [secret for secret in secrets if secret[0] and secret[1] in json_text]
    return _TOKEN.sub(lambda token: _concealed(token[0], found), json_text) if found else json_text


_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*')
_PIN: Final = 4


def _concealed(token: str, secrets: Iterable[tuple[str, str, str]]) -> str:
    """A text or a number of JSON without these secrets: the value of each, as JSON spells it, and its placeholder."""
    if not token.startswith('"'):
        return next((f'"{name}"' for value, _, name in secrets if value == token and len(value) >= _PIN), token)
    found = [(value, name) for value, spelt, name in secrets if spelt in token]
    text = json.loads(token) if found else ""
    for value, name in found:
        text = text.replace(value, name) if len(value) >= _PIN else name if text == value else text
    return dumps(text) if found else token


def secrets_sent(live: Message, found: Iterable[Near]) -> dict[str, str]:
    """What stands in a live request where those that it was `found` to be near to have placeholders of secrets, and
    is no word: by placeholder."""
    sent: dict[str, str] = {}
    for near in found:
        waiting: list[tuple[Json | Missing, Json | Missing]] = [(near.candidate.request.params, live.params)]
        while waiting:
            recorded, here = waiting.pop()
            if isinstance(recorded, str) and isinstance(here, str):
                told = bind(recorded, here, {}) if _holds_secret(recorded) else None
                sent.update({name: value for name, value in (told or {}).items() if _is_secret(name, value)})
            elif isinstance(recorded, dict) and isinstance(here, dict):
                waiting += [(recorded[key], here[key]) for key in recorded.keys() & here.keys()]
            elif isinstance(recorded, list) and isinstance(here, list):
                waiting += zip(recorded, here, strict=False)
    return sent


def _is_secret(placeholder: str, value: str) -> bool:
    """Words are none: they would be hidden wherever they stand."""
    return placeholder.startswith("~secret.") and len(value) >= _SHORTEST and not value.isalpha()


_SHORTEST: Final = 8


def _holds_secret(recorded: str) -> bool:
    return has_placeholder(_VARIABLE.sub("", recorded))


class Veil:
    """Replaces the secrets of one miss by placeholders, the same one by the same.

    Secrets are known as the recorder knows them, and by the placeholders that were recorded in their place.
    """

    def __init__(self) -> None:
        self._redactor = Redactor()

    def request(self, live: Message, found: tuple[Near, ...] = ()) -> Message:
        """A request, with placeholders as in the recorded ones that it was `found` to be near to.

        Without its params where it cannot be told whether they hold secrets.
        """
        short = clip(live, {})
        for placeholder, value in secrets_sent(live, found).items():
            self._redactor.know(value, placeholder)  # it is told beside what it does not fit, too
        for near in found if short else ():
            short = short and _veiled(short, near.candidate.request)
        return self.named(self._redacted(short) or Message({"method": live.method}, live.kind))

    def name(self, text: str) -> str:
        """The name of a method, of a tool or of a member, or a pointer of such: a recorder keeps names as they are."""
        return self._redactor.text(text)

    def named(self, request: Message) -> Message:
        """A request that is told by its method and by what it is about; the same object if neither is a secret."""
        changed: Object = {}
        if (method := self.name(request.method)) != request.method:
            changed["method"] = method
        params, member = request.params, NAMED_BY.get(request.method, "")
        if isinstance(params, dict) and (name := name_of(request)) and (clean := self.name(name)) != name:
            changed["params"] = {**params, member: clean}
        return Message({**request.body, **changed}, request.kind) if changed else request

    def near(self, near: Near, live: Message) -> Near:
        """A recorded request and where it differs; both may hold secrets, for a recording can have kept them."""
        near = near._replace(candidate=near.candidate._replace(request=self.named(near.candidate.request)))
        if not near.differences:
            return near
        windows = windows_of(near.differences)
        recorded, sent = clip(near.candidate.request, windows), clip(live, windows)
        sent = self._redacted(_veiled(sent, recorded)) if recorded and sent else None
        recorded = self._redacted(recorded)
        told: dict[str, Difference] = {}
        if recorded and sent:
            found = differences(params_of(recorded), params_of(sent), near.candidate.mask)
            told = {difference.pointer: difference for difference in islice(found, 2 * len(near.differences))}
        shown = (told.get(each.pointer) or _hidden(each) for each in near.differences)
        return near._replace(differences=tuple(each._replace(pointer=self.name(each.pointer)) for each in shown))

    def _redacted(self, message: Message | None) -> Message | None:
        try:
            if message is not None and message.text is None:
                message = message._replace(body=cast("Object", repeatable(message.body)))
            return message and self._redactor.message(message)
        except (ValueError, RecursionError):  # nested too deeply
            return None


def _veiled(live: Message, recorded: Message) -> Message:
    """The live message with the recorded placeholders in their places."""
    if "params" not in live.body:
        return live
    try:
        params = _veiled_value(recorded.params, live.params)
    except RecursionError:  # then it cannot be redacted either
        return live
    return live._replace(body={**live.body, "params": params}, text=None) if params is not live.params else live


def _veiled_value(recorded: Json | Missing, live: Json) -> Json:
    """The same object where no placeholder of a secret was recorded; of folders it may be told."""
    if isinstance(recorded, str) and _holds_secret(recorded):
        return recorded if isinstance(live, str) and bind(recorded, live, {}) is not None else HIDDEN
    if isinstance(recorded, dict) and isinstance(live, dict):
        members = {key: _veiled_value(recorded.get(key, MISSING), member) for key, member in live.items()}
        return live if all(members[key] is live[key] for key in live) else members
    if isinstance(recorded, list) and isinstance(live, list):
        elements = [*map(_veiled_value, recorded, live), *live[len(recorded) :]]
        return live if all(map(_is, elements, live)) else elements
    return live


def _is(first: object, second: object) -> bool:
    return first is second


def _hidden(difference: Difference) -> Difference:
    sides = (value if isinstance(value, Missing) else HIDDEN for value in difference[1:])
    return Difference(difference.pointer, *sides)
