"""YAML as a stream of events, from libyaml where there is one: with lines, anchors resolved, tags refused.

Events are the parser's own objects. Anchors and aliases are plain repetition: the events of an anchored node are kept
and come again for each alias, within a budget, so that a small file cannot become a huge one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeAlias

from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    ScalarEvent,
    StreamEndEvent,
)

from mcpmock.errors import CassetteError

Next: TypeAlias = Callable[[], Any]
"""Gives the next event."""

ALIAS_BUDGET: Final = 100_000
"""How many events, or hundreds of characters, the aliases of one file may stand for, all together."""

ANCHOR_COST: Final = 10
"""How many of these an anchor takes itself: to keep what stands behind it costs time, whether it is repeated or not."""

DEEPEST: Final = 256
"""How many collections may stand within each other."""

TOO_DEEP: Final = f"nested more than {DEEPEST} deep"
TOO_DEEP_HINT: Final = "write the message as a string: its exact JSON text"
"""What is said beyond that."""


class SlowYamlWarning(UserWarning):
    """PyYAML came without libyaml: cassettes load slowly, though with the same values."""


@lru_cache(1)
def best_parser() -> Callable[[bytes], Any]:
    """libyaml's parser; PyYAML's own, with a warning, where PyYAML was built without libyaml."""
    try:
        from yaml._yaml import CParser
    except ImportError:
        warnings.warn("PyYAML has no libyaml here: cassettes load slowly", SlowYamlWarning, stacklevel=4)
        return pure_parser
    return CParser


def pure_parser(data: bytes) -> Any:
    """PyYAML's parser in Python: the same events, much more slowly."""
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class PureParser(Reader, Scanner, Parser):
        def __init__(self, data: bytes) -> None:
            Reader.__init__(self, data)
            Scanner.__init__(self)
            Parser.__init__(self)

    return PureParser(data)


class Document:
    """The events of one file that must hold one document; every error knows its line."""

    def __init__(self, data: bytes, parser: Callable[[bytes], Any]) -> None:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise self.error("the file is UTF-16", hint="save it as UTF-8")
        self._anchors: dict[str, list[Any]] = {}
        self._budget = ALIAS_BUDGET
        text, self._stand_ins = _without_odd_line_ends(data)
        get_event: Next = parser(text).get_event
        self.following: Next = self._restoring(get_event) if self._stand_ins else get_event

    def error(self, problem: str, event: Any = None, *, line: int = 0, hint: str = "") -> CassetteError:
        """The error to raise for `problem`, at the line of `event` or at `line`."""
        return CassetteError(problem, line=line_of(event) if event else line, hint=hint)

    def _restoring(self, following: Next) -> Next:
        def restored() -> Any:
            event = following()
            if isinstance(event, ScalarEvent):
                event.value = event.value.translate(self._stand_ins)
            return event

        return restored

    def begin(self) -> Any:
        """The first event of the content."""
        self.following()  # the start of the stream
        if not isinstance(self.following(), DocumentStartEvent):
            raise self.error("the file is empty", hint="a cassette begins with `version: 1`")
        return self.following()

    def end(self) -> None:
        """Make sure that nothing follows the content."""
        self.following()  # the end of the document
        event = self.following()
        if not isinstance(event, StreamEndEvent):
            raise self.error("a second document begins here", event, hint="a cassette is one document: one file each")

    def node(self, event: Any, following: Next) -> tuple[Any, Next]:
        """The first event of the node that `event` stands for, and where the rest comes from.

        To be called where an event is an alias, or has an anchor or a tag: none of these is left in what comes back.
        """
        if isinstance(event, AliasEvent):
            return self._repeat(event)
        if event.tag is not None:
            hint = "a cassette holds plain JSON values: write the value without a tag"
            raise self.error(f"the tag {_spelling(event.tag)} is not allowed", event, hint=hint)
        self._spend(ANCHOR_COST, event)
        events = self._anchors[event.anchor] = self._whole(event, following)
        event.anchor = None
        rest = iter(events)
        return next(rest), rest.__next__

    def _repeat(self, event: Any) -> tuple[Any, Next]:
        events = self._anchors.get(event.anchor)
        if events is None:
            hint = f"an alias repeats what stands behind its anchor, &{event.anchor}, further up; a text goes in quotes"
            raise self.error(f"the alias *{event.anchor} has no anchor", event, hint=hint)
        texts = sum(len(each.value) for each in events if isinstance(each, ScalarEvent))
        self._spend(len(events) + texts // 100, event)
        rest = iter(events)
        return next(rest), rest.__next__

    def _spend(self, cost: int, event: Any) -> None:
        self._budget -= cost
        if self._budget < 0:
            raise self.error("the aliases of this file stand for too much", event, hint="write out what they repeat")

    def _whole(self, event: Any, following: Next) -> list[Any]:
        """All events of the node that begins with `event`."""
        events, name = [event], event.anchor
        depth = int(isinstance(event, CollectionStartEvent))
        while depth:
            event = following()
            events.append(event)
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            if isinstance(event, AliasEvent) and event.anchor == name:
                hint = "a value cannot hold itself"
                raise self.error(f"the alias *{name} stands within its own anchor", event, hint=hint)
            if depth > DEEPEST:
                raise self.too_deep(event)
        return events

    def too_deep(self, event: Any) -> CassetteError:
        """The error for content beyond `DEEPEST`."""
        return self.error(TOO_DEEP, event, hint=TOO_DEEP_HINT)


_ODD_LINE_ENDS: Final = "\x85\u2028\u2029"


def _without_odd_line_ends(data: bytes) -> tuple[bytes, dict[int, str]]:
    """The bytes with stand-ins for what ends a line in YAML 1.1 alone, and what they stand for.

    For JSON and for YAML 1.2 these are characters like any other; PyYAML and libyaml would make blanks of them.
    """
    found = [odd for odd in _ODD_LINE_ENDS if odd.encode() in data]
    if not found:
        return data, {}
    private = (chr(code) for code in range(0xE000, 0xF8FF))
    free = (character for character in private if character.encode() not in data)
    stand_ins = {}
    for odd, stand_in in zip(found, free, strict=False):
        data = data.replace(odd.encode(), stand_in.encode())
        stand_ins[ord(stand_in)] = odd
    return data, stand_ins


def line_of(event: Any) -> int:
    """The line of an event, from 1."""
    line: int = event.start_mark.line + 1
    return line


def _spelling(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!") if tag.startswith("tag:yaml.org,2002:") else tag
