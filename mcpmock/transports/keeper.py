"""Keeps what is recorded: in a part file while it comes, in the cassette when the client has gone."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mcpmock.cassette import finishing, joining, leftovers
from mcpmock.cassette.files import PartFile
from mcpmock.cassette.finishing import Finished
from mcpmock.cassette.model import Entry, Session
from mcpmock.cassette.reader import load
from mcpmock.cassette.remains import Remains
from mcpmock.cassette.runs import Block, Memory, remembered
from mcpmock.cassette.writer import dump_entry, dump_redacted, dump_session_head, dump_timing
from mcpmock.errors import CassetteError
from mcpmock.session.rules import RuleBook, ruling_from, rulings_of
from mcpmock.transports.destination import Destination

_MAY_RULE: Final = re.compile(rb"\b(?:times|optional|delay|match)['\"]?:")


class CassetteKeeper:
    """Keeps one session. Nothing touches the disk before there is an entry.

    All methods belong to one thread. They raise OSError and CassetteError; then the old cassette is as it was, and
    the part file holds what was kept.
    """

    def __init__(
        self,
        destination: Destination,
        session: Session,
        say: Callable[[str], None],
        masked: Mapping[str, int] | None = None,
    ) -> None:
        """`masked` is how often which rule has masked something by now, whenever it is looked at."""
        self._path = os.path.realpath(destination.path)
        self._shown = destination.path
        self._run = destination.run
        self._adds = destination.adds
        self._session = session
        self._say = say
        self._masked = {} if masked is None else masked
        self._remains = Remains(session)
        self.part: PartFile | None = None
        """Where the session is kept while it is recorded, once there is something to keep."""
        self._rules = RuleBook((), session.server, {})
        self._has_message = False
        self._is_in_cassette = False

    @property
    def kept_in(self) -> str:
        """The part file; empty if there is none."""
        return self.part.path if self.part is not None and os.path.exists(self.part.path) else ""

    def keep(self, finished: Sequence[Entry], growing: Entry | None) -> None:
        """Keep entries that are finished, and one that may grow until it is given again."""
        if not finished and growing is None:
            return
        if self.part is None:
            self.part = self._begin()
        text = "".join(dump_entry(self._rules.attach(entry)) for entry in finished)
        self._remains.look(finished, text)
        self.part.append(text.encode(), dump_entry(growing).encode() if growing else b"")
        self._has_message = self._has_message or any(entry.messages for entry in finished)

    def finish(self, times: Sequence[int], *, answers: int, is_last: bool) -> None:
        """Put what was kept into the cassette; `is_last`: nothing comes after this, so the part file can go."""
        if answers and self.part is not None:
            with remembered(self._path) as memory:
                if memory.path or is_last:
                    self._put(self.part, memory, self._tail(times))
            if is_last:
                self.part.remove()
                self._warn()
        elif is_last:
            self._explain_nothing()

    def _tail(self, times: Sequence[int]) -> bytes:
        """What stands behind the entries of the session."""
        return (dump_redacted(sorted(self._masked.items())) + dump_timing(times)).encode()

    def _warn(self) -> None:
        if warning := self._remains.warning(self._shown):
            self._say(warning)

    def _begin(self) -> PartFile:
        with contextlib.ExitStack() as undo:
            part = self._make_part(undo)
            undo.pop_all()
        part.begin(joining.fresh_head(), dump_session_head(self._session).encode())
        return part

    def _make_part(self, undo: contextlib.ExitStack) -> PartFile:
        with remembered(self._path) as memory:
            part = PartFile(self._path, used={block.part for block in memory.notes.blocks})
            undo.callback(part.remove)
            notes = leftovers.without_lost(self._path, memory.notes)
            if not self._adds and self._run not in notes.runs:
                rules = tuple(self._old_rules())
                notes = notes._replace(rules=rules, seen=())
            seen = {key: number for server, key, number in notes.seen if server == self._session.server}
            self._rules = RuleBook(map(ruling_from, notes.rules), self._session.server, seen)
            memory.notes = notes._replace(blocks=(*notes.blocks, Block(os.path.basename(part.path), self._run)))
        return part

    def _old_rules(self) -> Sequence[object]:
        """The rules in the cassette that will be replaced."""
        try:
            with open(self._path, "rb") as file:
                text = file.read()
            return tuple(rulings_of(load(text))) if _MAY_RULE.search(text) else ()
        except FileNotFoundError:
            return ()
        except CassetteError as error:
            self._say(f"{self._shown} is broken, so rules in it are not carried over ({error.problem})")
            return ()

    def _put(self, part: PartFile, memory: Memory, timing: bytes) -> None:
        name = os.path.basename(part.path)
        if self._is_in_cassette and not any(block.part == name for block in memory.notes.blocks):
            self._say(f"a later run has replaced what was recorded in {self._shown}")
            return
        others = [path for path in leftovers.parts_of_run(self._path, memory.notes, self._run) if path != part.path]
        with leftovers.taken(others, memory.notes) as found:
            sessions = [left.finished for left in found]
            sessions = [left for left in sessions if not finishing.holds(self._path, memory.notes, left)]
            mine = Finished(name, self._run, (part.session, timing))
            finishing.put(self._path, memory, [*sessions, mine], adds=self._adds)
            for left in found:
                os.unlink(left.path)
        if memory.path:
            leftovers.clear_never_begun(self._path)
        self._is_in_cassette = True
        self._note_seen(memory)

    def _note_seen(self, memory: Memory) -> None:
        """Remember how often requests with rules were asked, for the recorders that come after this one."""
        server = self._session.server
        seen = [row for row in memory.notes.seen if row[0] != server]
        seen += [(server, key, number) for key, number in self._rules.seen.items()]
        memory.notes = memory.notes._replace(seen=tuple(seen))

    def _explain_nothing(self) -> None:
        """No answer was seen: the old cassette stays as it is."""
        untouched = f"{self._shown} is left as it is" if os.path.exists(self._path) else f"{self._shown} is not made"
        if self.part is None or not self._has_message:
            self._say(f"no message was seen, so {untouched}")
            if self.part is not None:
                self.part.remove()
            return
        self.part.close()
        salvage = f"mcpmock salvage {shlex.quote(self.part.path)} -o OTHER.yaml"
        self._say(f"no answer was seen, so {untouched}; what was seen can be had by: {salvage}")
