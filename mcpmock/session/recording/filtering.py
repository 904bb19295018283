"""What a user's own function leaves of a recording: `before_record`, asked for every message before it is kept."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from mcpmock.cassette.model import Entry
from mcpmock.errors import UsageError
from mcpmock.wire.message import MISSING, Message, Object, dumps, message_from

__all__ = ["BeforeRecord", "RecordFilter"]

BeforeRecord: TypeAlias = Callable[[Object], Object | None]
"""Takes a message as a cassette has it (`{"id": 1, "method": …, "params": …}`, already without the secrets that are
known), and gives it as it shall be kept; None: not at all, nor its answer."""


class RecordFilter:
    """Passes the entries of one session through a function.

    A function that raises, or gives what is no message of the same kind, ends it: what it should have cleaned is not
    kept, and the error says so.
    """

    def __init__(self, before_record: BeforeRecord) -> None:
        self._ask: Final = before_record
        self._left_out: set[tuple[str, str]] = set()  # side and id of requests whose answers are not kept either

    def entries(self, entries: Iterable[Entry]) -> list[Entry]:
        """What is kept of these. Raises UsageError."""
        return [kept for entry in entries if (kept := self._entry(entry)) is not None]

    def _entry(self, entry: Entry) -> Entry | None:
        if not entry.messages:
            return entry
        kept = tuple(one for message in entry.messages if (one := self._message(message, entry.kind)) is not None)
        return entry._replace(messages=kept) if kept else None

    def _message(self, message: Message, side: str) -> Message | None:
        key = dumps(message.id) if message.id is not MISSING else ""
        asker = ("server" if side == "client" else "client", key)
        if message.kind == "response" and asker in self._left_out:
            self._left_out.discard(asker)
            return None
        told = self._told(message)
        if told is None:
            if message.kind == "request":
                self._left_out.add((side, key))
            return None
        return message if told == message.body else self._checked(message, told)

    def _told(self, message: Message) -> object:
        try:
            return self._ask(copy.deepcopy(message.body))
        except Exception as error:  # whatever the user's code raises; its text may hold what it should have masked
            raise self._fault(message, f"raised {type(error).__name__}") from None

    def _checked(self, message: Message, told: object) -> Message:
        if not isinstance(told, dict):
            raise self._fault(message, f"returned a {type(told).__name__}, not a mapping or None")
        try:
            dumps(told)
            new = message_from(told)
        except (TypeError, ValueError, RecursionError):
            raise self._fault(message, "returned what is no JSON") from None
        if not isinstance(new, Message) or new.kind != message.kind:
            raise self._fault(message, f"returned what is no {message.kind} any more")
        if new.id != message.id or new.method != message.method:
            raise self._fault(message, "changed the id or the method, and then nothing would find together")
        return new

    def _fault(self, message: Message, what: str) -> UsageError:
        code = getattr(self._ask, "__code__", None)
        place = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
        told = f"a {message.method!r}" if message.method else f"a {message.kind}"
        return UsageError(f"before_record{place} {what}, for {told}; nothing is recorded from there on")
