"""Placeholders in play (DESIGN 3): what a recorded message that holds some has in common with a live one, what they
bind, and what they stand for then. Requests are looked up by it; the client's answers to questions are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from mcpmock.cassette.placeholders import (
    PLACEHOLDER,
    TILDE,
    bind,
    has_placeholder,
    spellings_of,
    texts_with_placeholders,
    variable_name,
    variable_placeholder,
)
from mcpmock.matching.keys import NO_MASK, Mask, Tree, canonical_json, comparable, compile_mask, prune
from mcpmock.wire.message import Json, Message
from mcpmock.wire.values import strings_in

__all__ = [
    "NO_PLACES",
    "Bindings",
    "Places",
    "answer_bindings",
    "bindings",
    "content",
    "loose_bindings",
    "outline",
    "places_in",
]

_ANY_TEXT = "~"


class Bindings(Mapping[str, str]):
    """What the placeholders stand for in one live session.

    `bound` are those that are settled: by who replays (`given`, by name), or by the first live value. The others are
    filled with what is likely: another spelling of what is bound, else what this machine has in their place (`folders`
    tells it, by name, when it is needed first). `heard` are secrets of requests that missed: they are bound to nothing,
    and are never told.
    """

    def __init__(self, given: Mapping[str, str] = {}, folders: Callable[[], Mapping[str, str]] = dict) -> None:
        self.bound = {TILDE: "~", **{variable_placeholder(name): text for name, text in given.items()}}
        self.heard: dict[str, str] = {}
        self._folders = folders
        self._likely: dict[str, str] | None = None

    def bind(self, new: Mapping[str, str]) -> None:
        """From now on these placeholders stand for these texts."""
        self.bound.update(new)
        if self._likely is not None:
            self._likely.update(_other_spellings(new))

    def __getitem__(self, placeholder: str) -> str:
        return self.bound[placeholder] if placeholder in self.bound else self._all_likely()[placeholder]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._all_likely(), **self.bound})

    def __len__(self) -> int:
        return len({**self._all_likely(), **self.bound})

    def told(self) -> dict[str, Json]:
        """What is settled of the variables, by name, for reports."""
        names = {variable_name(placeholder): text for placeholder, text in self.bound.items() if placeholder != TILDE}
        return {name: text for name, text in sorted(names.items()) if name}

    def secrets(self) -> dict[str, str]:
        """What must not be told, by placeholder."""
        return {**self.heard, **{name: text for name, text in self.bound.items() if not variable_name(name)}}

    def without_secrets(self) -> dict[str, str]:
        """For what goes into logs."""
        return {placeholder: text for placeholder, text in self.items() if variable_name(placeholder)}

    def _all_likely(self) -> dict[str, str]:
        if self._likely is None:
            folders = {variable_placeholder(name): text for name, text in self._folders().items()}
            self._likely = {**_other_spellings(folders), **folders, **_other_spellings(self.bound)}
        return self._likely


def _other_spellings(bound: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for placeholder, text in bound.items():
        found.update(spellings_of(placeholder, text))
    return found


class Places(NamedTuple):
    """Where in the params of a request placeholders stand: `texts` of which any other would do, and `paths` of which
    the last segment counts, because no placeholder stands in it."""

    texts: Mask
    paths: Mask

    @property
    def pointers(self) -> tuple[str, ...]:
        """All of them."""
        return self.texts.pointers + self.paths.pointers


NO_PLACES: Final = Places(NO_MASK, NO_MASK)


def places_in(message: Message) -> Places:
    """The places in the params of a request where placeholders stand in what counts."""
    if not _has_placeholder(message.params):
        return NO_PLACES
    return _places(comparable(message.method, message.params))


def outline(message: Message, mask: Mask, places: Places) -> str:
    """What counts of a request, as one text, but for what another text would do for at these places."""
    return canonical_json(_without_texts(comparable(message.method, message.params), places), mask)


def bindings(
    recorded: Message, live: Message, mask: Mask, bound: Mapping[str, str], guesses: Mapping[str, str] = {}
) -> dict[str, str] | None:
    """What a live request with the same outline binds that is not `bound` yet; None where the two do not agree.

    With `guesses` only if the placeholders stand for these.
    """
    said = prune(comparable(recorded.method, recorded.params), mask.trees)
    found = bind(said, prune(comparable(live.method, live.params), mask.trees), {**guesses, **bound})
    if not guesses or found is None:
        return found
    named = {name for text in strings_in(said) for name in PLACEHOLDER.findall(text)}
    return {**{name: guesses[name] for name in named & guesses.keys() - bound.keys()}, **found}


def loose_bindings(recorded: Message, live: Message, bound: Mapping[str, str]) -> dict[str, str]:
    """What an answer binds all the same that says something else: a folder may have another name elsewhere."""
    found = bind(content(recorded), content(live), bound) or {}
    return {placeholder: text for placeholder, text in found.items() if "~var." in placeholder}


def content(answer: Message) -> Json:
    """The result or the error of an answer."""
    return answer.body.get("error") if answer.is_error else answer.body.get("result")


def answer_bindings(recorded: Message, live: Message, bound: Mapping[str, str]) -> dict[str, str] | None:
    """What a live client's answer to a question binds; None where it says something else than the recorded one."""
    if recorded.is_error is not live.is_error:
        return None
    told, tells = content(recorded), content(live)
    places = _places(told) if _has_placeholder(told) else NO_PLACES
    if canonical_json(_without_texts(told, places)) != canonical_json(_without_texts(tells, places)):
        return None
    return bind(told, tells, bound) if places.pointers else {}


def _has_placeholder(value: Json) -> bool:
    return any(map(has_placeholder, strings_in(value)))


def _places(value: Json) -> Places:
    found = {pointer: _has_name(text) for pointer, text in texts_with_placeholders(value) if pointer}
    texts = compile_mask([pointer for pointer, has_name in found.items() if not has_name])
    return Places(texts, compile_mask([pointer for pointer, has_name in found.items() if has_name]))


def _has_name(text: str) -> bool:
    """Whether the text is a path that ends with a name in which no placeholder stands."""
    name = text.rpartition("/")[2]
    return len(name) < len(text) and not has_placeholder(text[-len(name) - 1 :]) and "~" not in name


def _without_texts(value: Json, places: Places) -> Json:
    for tree in places.texts.trees:
        value = _without(value, tree, lambda text: _ANY_TEXT)
    for tree in places.paths.trees:
        value = _without(value, tree, lambda text: f"{_ANY_TEXT}/{text.rpartition('/')[2]}")
    return value


def _without(value: Json, tree: Tree, instead: Callable[[str], str]) -> Json:
    if not tree:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)  # some are masked, too
        return instead(str(value)) if is_number or isinstance(value, str) else value
    if isinstance(value, dict):
        return {key: _without(one, tree[key], instead) if key in tree else one for key, one in value.items()}
    if isinstance(value, list):
        return [_without(one, tree[str(at)], instead) if str(at) in tree else one for at, one in enumerate(value)]
    return value
