"""Keeps what is recorded: in a part file while it comes, in the cassette when the client has gone."""

from __future__ import annotations

import os
import shlex
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from mcpmock.cassette.model import Entry, HttpFact, Session
from mcpmock.cassette.part_file import PartFile
from mcpmock.cassette.redaction.remains import Remains
from mcpmock.cassette.writer import dump_entry, dump_redacted, dump_session_head, dump_timing
from mcpmock.transports.destination import Destination
from mcpmock.transports.joiner import Joiner, Kept
from mcpmock.wire.envelope import is_enveloped, is_heard

_BAD_REQUEST: Final = 400


class CassetteKeeper:
    """Keeps one session. Nothing touches the disk before there is an entry.

    All methods belong to one thread. They raise OSError and CassetteError; then the old cassette is as it was, and
    the part file holds what was kept.
    """

    def __init__(
        self,
        destination: Destination | Joiner,
        session: Session,
        say: Callable[[str], None],
        masked: Mapping[str, int] | None = None,
    ) -> None:
        """A recorder of many sessions has one joiner for all of them.

        `masked` is how often which rule has masked something by now, whenever it is looked at.
        """
        self._joiner = destination if isinstance(destination, Joiner) else Joiner(destination, session.server, say)
        self._path = self._joiner.path
        self._shown = self._joiner.shown
        self._session = session
        self._say = say
        self._masked = {} if masked is None else masked
        self._remains = Remains(session)
        self.part: PartFile | None = None
        """Where the session is kept while it is recorded, once there is something to keep."""
        self._has_message = False

    @property
    def kept_in(self) -> str:
        """The part file; empty if there is none."""
        return self.part.path if self.part is not None and os.path.exists(self.part.path) else ""

    def keep(self, finished: Sequence[Entry], growing: Entry | None) -> None:
        """Keep entries that are finished, and one that may grow until it is given again."""
        if not finished and growing is None:
            return
        if self.part is None or not self._joiner.wake(self.part):
            self.part = self._joiner.begin(dump_session_head(self._session).encode())
        text = "".join(dump_entry(self._joiner.rules.attach(entry)) for entry in finished)
        self._remains.look(finished, text)
        self.part.append(text.encode(), dump_entry(growing).encode() if growing else b"")
        self._has_message = self._has_message or any(entry.messages for entry in finished)

    def finish(self, times: Sequence[int], *, answers: int, is_last: bool) -> None:
        """Put what was kept into the cassette; `is_last`: nothing comes after this, so the part file can go."""
        if kept := self.kept(times, answers=answers):
            self._joiner.join([kept], is_last=is_last)
        if is_last:
            self.let_go(answers=answers)

    def kept(self, times: Sequence[int], *, answers: int) -> Kept | None:
        """The session as it is by now, for the joiner; None if there is nothing for a cassette."""
        if not answers or self.part is None:
            return None
        return Kept(self.part, (dump_redacted(sorted(self._masked.items())) + dump_timing(times)).encode())

    def let_go(self, *, answers: int) -> None:
        """Nothing comes any more, and what is for the cassette is in it: the part file can go."""
        if answers and self.part is not None:
            self._joiner.remove(self.part)
            self._warn()
        else:
            self._explain_nothing()

    def _warn(self) -> None:
        if warning := self._remains.warning(self._shown):
            self._say(warning)

    def _explain_nothing(self) -> None:
        """No answer was seen: the old cassette stays as it is."""
        untouched = f"{self._shown} is left as it is" if os.path.exists(self._path) else f"{self._shown} is not made"
        if self._joiner.joins:
            untouched = f"this session is not in {self._shown}"
        if self.part is None or not self._has_message:
            self._say(f"no message was seen, so {untouched}")
            if self.part is not None:
                self._joiner.remove(self.part)
            return
        self._joiner.leave(self.part)
        salvage = f"mcpmock salvage {shlex.quote(self.part.path)} -o OTHER.yaml"
        self._say(f"no answer was seen, so {untouched}; what was seen can be had by: {salvage}")


class KeptSession:
    """One session on its way to its keeper; `choose` says what of its entries is kept."""

    def __init__(self, keeper: CassetteKeeper, choose: Callable[[Iterable[Entry]], list[Entry]]) -> None:
        self.keeper: Final = keeper
        self._choose = choose
        self._times = array("I")
        self._answers = 0
        self._entries_joined = 0
        self._begins = False  # whether its client wanted to shake hands
        self._is_refused = False
        self._is_of_heads = False  # whether something was refused by the head of the request alone
        self._is_stateless = False  # whether its client did without a handshake (2026-07-28)
        self._refusals = 0  # of such a client, by a server that wants one

    @property
    def has_answers(self) -> bool:
        """Whether the server was heard: else it is no reason to write a cassette."""
        return self._answers > 0

    @property
    def is_for_company(self) -> bool:
        """Whether it is kept only where another session is: a handshake that was never answered. Left out, it would
        move all sessions that come after it to the client before; one that HTTP refused is asked for in none of them.
        Or one of refusals that are told to all who ask in the same way, whatever their session.
        """
        return not self._answers and (self._begins or self._is_of_heads) and not self._is_refused

    def keep(self, entries: Iterable[Entry]) -> None:
        """Keep what is to be kept of these."""
        kept = self._choose(entries)
        self.keeper.keep(kept, None)
        self._times.extend(entry.at or 0 for entry in kept)
        for entry in kept:
            self._answers += sum(map(is_heard, entry.messages if entry.kind == "server" else ()))
            asked = entry.messages if entry.kind == "client" else ()
            self._begins |= any(message.method == "initialize" for message in asked)
            self._is_stateless |= any(map(is_enveloped, asked))
            if (fact := entry.http) is not None:
                self._refusals += self._is_stateless and _is_wordy(fact)
                self._is_of_heads |= bool(fact.sent)
                self._is_refused |= fact.verb == "POST" and fact.status >= 300 and not fact.sent

    def news(self, *, in_company: bool = False, is_last: bool = False) -> Kept | None:
        """The session for the cassette, if that does not hold it as it is; `in_company`: others are there; `is_last`:
        none will be. Then refusals are all that the server has said, and that is an answer, too."""
        if self._entries_joined == len(self._times):
            return None
        is_all = is_last and not in_company and self._refusals > 0
        is_kept = is_all or (in_company and self.is_for_company)
        return self.keeper.kept(self._times, answers=self._answers or int(is_kept))

    def joined(self) -> None:
        """The cassette holds it as it is."""
        self._entries_joined = len(self._times)

    def finish(self) -> None:
        """Nothing comes any more: put it into the cassette, and let go."""
        self.keeper.finish(self._times, answers=self._answers, is_last=True)

    def let_go(self) -> None:
        """Nothing comes any more, and the cassette holds what it is to hold."""
        self.keeper.let_go(answers=self._answers or self._entries_joined)


def _is_wordy(fact: HttpFact) -> bool:
    """Whether it is a refusal by an error of JSON-RPC, which names no id where a server does not know its client."""
    return fact.verb == "POST" and fact.status == _BAD_REQUEST and isinstance(fact.body, dict) and "error" in fact.body
