"""Puts what was kept into the cassette: the sessions of one recorder, however many of them at once, in one pass."""

from __future__ import annotations

import contextlib
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from mcpmock.cassette import finishing, joining, leftovers
from mcpmock.cassette.finishing import Finished
from mcpmock.cassette.part_file import PartFile
from mcpmock.cassette.reader import load
from mcpmock.cassette.runs import Block, Memory, Notes, Recollection, remembered
from mcpmock.errors import CassetteError
from mcpmock.session.recording.rules import RuleBook, ruling_from, rulings_of
from mcpmock.transports.destination import Destination

_MAY_RULE: Final = re.compile(rb"\b(?:times|optional|delay|match)['\"]?:")
NO_LIMIT: Final = 1 << 30


class Kept(NamedTuple):
    """A session for the cassette: its part file, and what stands behind the entries."""

    part: PartFile
    tail: bytes


class Joiner:
    """Part files of one recorder, and the cassette that they will be in.

    Of its part files `most_open` are open at a time, those that were used last; the others are not locked meanwhile.
    All methods belong to one thread. They raise OSError and CassetteError; then the old cassette is as it was.
    """

    def __init__(
        self, destination: Destination, server: str, say: Callable[[str], None], *, most_open: int = NO_LIMIT
    ) -> None:
        self.path: Final = os.path.realpath(destination.path)
        self.shown: Final = destination.path
        self.joins: int = 0
        """How often the cassette was written."""
        self.size: int = 0
        """How large it was then, in bytes."""
        self._run = destination.run
        self._adds = destination.adds
        self._server = server
        self._say = say
        self._most_open = most_open
        self._recollection = Recollection()
        self._rules: RuleBook | None = None
        self._used: set[str] = set()
        self._number = 0
        self._parts: set[str] = set()  # the paths of those that are ours
        self._open: OrderedDict[PartFile, None] = OrderedDict()
        self._in_cassette: set[PartFile] = set()
        self._has_told_replaced = False

    @property
    def rules(self) -> RuleBook:
        """What people have said in the old cassette about requests; known when the first part file has begun."""
        assert self._rules is not None
        return self._rules

    # -- part files

    def begin(self, session_head: bytes) -> PartFile:
        """A part file for one more session."""
        with contextlib.ExitStack() as undo:
            part = self._make_part(undo)
            undo.pop_all()
        part.begin(joining.fresh_head(), session_head)
        self._number = part.number
        self._parts.add(part.path)
        self._opened(part)
        return part

    def wake(self, part: PartFile) -> bool:
        """Have a part file open; False if somebody has taken it in while it was not."""
        is_there = part.wake()
        if is_there:
            self._opened(part)
        return is_there

    def remove(self, part: PartFile) -> None:
        """Delete a part file, of which everything is in the cassette, or nothing is to be."""
        part.remove()
        self._parts.discard(part.path)
        self._forget(part)

    def leave(self, part: PartFile) -> None:
        """Leave a part file for people, or for the next recorder of the run."""
        part.close()
        self._forget(part)

    def _forget(self, part: PartFile) -> None:
        self._open.pop(part, None)
        self._in_cassette.discard(part)

    def _opened(self, part: PartFile) -> None:
        self._open[part] = None
        self._open.move_to_end(part)
        if len(self._open) > self._most_open:
            self._open.popitem(last=False)[0].sleep()

    def _make_part(self, undo: contextlib.ExitStack) -> PartFile:
        with remembered(self.path, self._recollection) as memory:
            if self._rules is None or not memory.is_known:
                self._learn(memory)
            part = PartFile(self.path, used=self._used, first=self._number + 1)
            undo.callback(part.remove)
            memory.begins(Block(os.path.basename(part.path), self._run))
        return part

    def _learn(self, memory: Memory) -> None:
        """See what others have done: a recorder that is alone does it once."""
        self._used = {block.part for block in memory.notes.blocks}
        notes = leftovers.without_lost(self.path, memory.notes)
        if self._rules is None:
            if not self._adds and self._run not in notes.runs:
                notes = notes._replace(rules=tuple(self._old_rules()), seen=())
            seen = {key: number for server, key, number in notes.seen if server == self._server}
            self._rules = RuleBook(map(ruling_from, notes.rules), self._server, seen)
        if notes != memory.notes:
            memory.notes = notes

    def _old_rules(self) -> Sequence[object]:
        """The rules in the cassette that will be replaced."""
        try:
            with open(self.path, "rb") as file:
                text = file.read()
            return tuple(rulings_of(load(text))) if _MAY_RULE.search(text) else ()
        except FileNotFoundError:
            return ()
        except CassetteError as error:
            self._say(f"{self.shown} is broken, so rules in it are not carried over ({error.problem})")
            return ()

    # -- the cassette

    def join(self, kept: Sequence[Kept], *, is_last: bool) -> bool:
        """Put sessions into the cassette, in place of their own earlier versions; returns whether that was done.

        Where nothing can be remembered of the cassette it is done once only: the `is_last` time.
        """
        with remembered(self.path, self._recollection) as memory:
            if not memory.path and not is_last:
                return False
            self._put(memory, kept)
        return True

    def _put(self, memory: Memory, kept: Sequence[Kept]) -> None:
        mine = self._not_replaced(memory.notes, [one for one in kept if one.part.is_there])
        if not mine:
            return
        sessions = [Finished(os.path.basename(part.path), self._run, (part.session, tail)) for part, tail in mine]
        others = [path for path in self._left(memory.notes) if path not in self._parts]
        while sessions or others:
            self._put_with(memory, others[: leftovers.AT_ONCE], sessions)
            others, sessions = others[leftovers.AT_ONCE :], []
        if memory.path:
            leftovers.clear_never_begun(self.path)
        self._in_cassette.update(one.part for one in mine)
        self._note_seen(memory)

    def _left(self, notes: Notes) -> list[str]:
        return leftovers.parts_of_run(self.path, notes, self._run)

    def _put_with(self, memory: Memory, others: Sequence[str], sessions: Sequence[Finished]) -> None:
        """Put sessions in, and with them those in part files that killed recorders of the run have left."""
        with leftovers.taken(others, memory.notes) as found:
            lost = finishing.not_held(self.path, memory.notes, [left.finished for left in found])
            if lost or sessions:
                finishing.put(self.path, memory, [*lost, *sessions], adds=self._adds)
                self.joins += 1
                self.size = memory.notes.size
            for left in found:
                os.unlink(left.path)

    def _not_replaced(self, notes: Notes, kept: Sequence[Kept]) -> list[Kept]:
        """Those which no other run has replaced since they were put in."""
        known = {block.part for block in notes.blocks}
        found = [
            one
            for one in kept
            if one.part not in self._in_cassette or os.path.basename(one.part.path) in known
        ]  # fmt: skip
        if len(found) < len(kept) and not self._has_told_replaced:
            self._has_told_replaced = True
            self._say(f"a later run has replaced what was recorded in {self.shown}")
        return found

    def _note_seen(self, memory: Memory) -> None:
        """Remember how often requests with rules were asked, for the recorders that come after this one."""
        seen = [row for row in memory.notes.seen if row[0] != self._server]
        seen += [(self._server, key, number) for key, number in self.rules.seen.items()]
        if tuple(seen) != memory.notes.seen:
            memory.notes = memory.notes._replace(seen=tuple(seen))
