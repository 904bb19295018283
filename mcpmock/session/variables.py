"""Placeholders in play (DESIGN 3): what a recorded message that holds some has in common with a live one, and what they
bind. Requests are looked up by it; the client's answers to questions are compared.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcpmock.cassette.placeholders import bind, has_placeholder, pointers_of
from mcpmock.matching.keys import NO_MASK, Mask, Tree, canonical_json, comparable, compile_mask, prune
from mcpmock.wire.message import Json, Message
from mcpmock.wire.values import strings_in

__all__ = ["answer_bindings", "bindings", "content", "outline", "places_in"]

_ANY_TEXT = "~"


def places_in(message: Message) -> Mask:
    """The places in the params of a request where placeholders stand in what counts."""
    if not _has_placeholder(message.params):
        return NO_MASK
    return _places(comparable(message.method, message.params))


def outline(message: Message, mask: Mask, places: Mask) -> str:
    """What counts of a request, as one text, but for the texts at these places: any other text would do."""
    return canonical_json(_without_texts(comparable(message.method, message.params), places), mask)


def bindings(recorded: Message, live: Message, mask: Mask, bound: Mapping[str, str]) -> dict[str, str] | None:
    """What a live request with the same outline binds that is not `bound` yet; None where the two do not agree."""
    said = prune(comparable(recorded.method, recorded.params), mask.trees)
    return bind(said, prune(comparable(live.method, live.params), mask.trees), bound)


def content(answer: Message) -> Json:
    """The result or the error of an answer."""
    return answer.body.get("error") if answer.is_error else answer.body.get("result")


def answer_bindings(recorded: Message, live: Message, bound: Mapping[str, str]) -> dict[str, str] | None:
    """What a live client's answer to a question binds; None where it says something else than the recorded one."""
    if recorded.is_error is not live.is_error:
        return None
    told, tells = content(recorded), content(live)
    places = _places(told) if _has_placeholder(told) else NO_MASK
    if canonical_json(_without_texts(told, places)) != canonical_json(_without_texts(tells, places)):
        return None
    return bind(told, tells, bound) if places else {}


def _has_placeholder(value: Json) -> bool:
    return any(map(has_placeholder, strings_in(value)))


def _places(value: Json) -> Mask:
    return compile_mask([pointer for pointer in pointers_of(value) if pointer])


def _without_texts(value: Json, places: Mask) -> Json:
    for tree in places.trees:
        value = _without(value, tree)
    return value


def _without(value: Json, tree: Tree) -> Json:
    if not tree:
        return _ANY_TEXT if isinstance(value, str) else value
    if isinstance(value, dict):
        return {key: _without(one, tree[key]) if key in tree else one for key, one in value.items()}
    if isinstance(value, list):
        return [_without(one, tree[str(at)]) if str(at) in tree else one for at, one in enumerate(value)]
    return value
