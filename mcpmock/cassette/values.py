"""JSON values out of YAML events. This is where loading spends its time."""

from __future__ import annotations

from typing import Any

from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from mcpmock.cassette.scalars import CONSTANTS, NUMBER_STARTS, resolve
from mcpmock.cassette.yaml_events import DEEPEST, Document, Next
from mcpmock.wire.message import Json, Object


def read_value(document: Document, event: Any, following: Next, depth: int = 0) -> Json:
    """The value that begins with `event`. Raises CassetteError."""
    kind = event.__class__
    if kind is ScalarEvent and event.anchor is None and event.tag is None:
        return event.value if event.style else _plain(document, event)
    if kind is MappingStartEvent and event.anchor is None and event.tag is None:
        return read_mapping(document, event, following, depth + 1)
    if kind is SequenceStartEvent and event.anchor is None and event.tag is None:
        return _read_sequence(document, event, following, depth + 1)
    return read_value(document, *document.node(event, following), depth)


def read_mapping(document: Document, start: Any, following: Next, depth: int = 1) -> Object:
    """The members that follow a mapping's `start`, up to its end."""
    if depth > DEEPEST:
        raise document.too_deep(start)
    members: Object = {}
    while True:
        event = following()
        if (
            event.__class__ is ScalarEvent
            and event.anchor is None
            and event.tag is None
            and (event.value or event.style)
        ):
            key = event.value
        elif event.__class__ is MappingEndEvent:
            return members
        else:
            key = read_key(document, event, following)
        if key in members:
            raise document.error(
                f"the key {key!r} stands here twice", event, hint="YAML readers would lose one of them"
            )
        event = following()
        if event.__class__ is not ScalarEvent or event.anchor is not None or event.tag is not None:
            members[key] = read_value(document, event, following, depth)
        elif event.style or ((text := event.value) not in CONSTANTS and text[0] not in NUMBER_STARTS):
            members[key] = event.value
        else:
            members[key] = _plain(document, event)


def _read_sequence(document: Document, start: Any, following: Next, depth: int) -> list[Json]:
    if depth > DEEPEST:
        raise document.too_deep(start)
    members: list[Json] = []
    while True:
        event = following()
        if event.__class__ is SequenceEndEvent:
            return members
        members.append(read_value(document, event, following, depth))


def read_key(document: Document, event: Any, following: Next) -> str:
    """A key, as it is spelt: `1`, `on` and `null` are strings there."""
    if event.__class__ is not ScalarEvent or event.anchor is not None or event.tag is not None:
        event, _ = document.node(event, following) if event.__class__ not in _STARTS else (event, following)
    if event.__class__ is not ScalarEvent:
        raise document.error("a key must be a string", event, hint="JSON has no other keys")
    if not event.value and not event.style:
        raise document.error("a key is missing here", event, hint='the empty key is written ""')
    text: str = event.value
    return text


_STARTS = (MappingStartEvent, SequenceStartEvent)


def _plain(document: Document, event: Any) -> Json:
    try:
        return resolve(event.value)
    except ValueError:
        hint = "write the message as a string: its exact JSON text"
        raise document.error("a number beyond what a cassette's YAML can hold", event, hint=hint) from None
