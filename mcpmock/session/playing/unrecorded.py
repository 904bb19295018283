"""What a client gets that asks for what was not recorded: an answer made up, a refusal, or a miss that explains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcpmock.cassette.model import HttpFact
from mcpmock.session.playing.answers import error_text
from mcpmock.session.playing.casting import Casting, Library
from mcpmock.session.playing.live import Live
from mcpmock.session.playing.made_up import bad_request_text, make_up, method_not_found
from mcpmock.wire.envelope import is_enveloped
from mcpmock.wire.message import Json, Message, Missing, Object
from mcpmock.wire.methods import STAYS_OPEN

if TYPE_CHECKING:
    from mcpmock.session.playing.batch import BatchAnswers
    from mcpmock.session.playing.performance import Performance

__all__ = ["Unrecorded"]

_BAD_REQUEST: Final = HttpFact(status=400, answers="json")
_ID_OPTIONAL_SINCE: Final = "2025-11-25"
_NO_HANDSHAKE: Final = (
    "what is recorded begins with a handshake, which this client does without; let the client speak {}"
)


class Unrecorded:
    """Speaks for a recorded server to one live client where the recording has nothing to say."""

    def __init__(self, library: Library, casting: Casting, live: Live) -> None:
        self._library = library
        self._story = library.story
        self._casting = casting
        self._live = live

    def request(self, message: Message, batch: BatchAnswers | None, *, is_foreign: bool, is_used_up: bool) -> None:
        """A request that no recorded one answers.

        `is_foreign`: it is stateless, and the recorded server is not; `is_used_up`: its like was recorded.
        """
        live = self._live
        if is_foreign:
            self._refuse_era(message, batch)
            self.miss(message, None, is_used_up=False, refusal=_NO_HANDSHAKE.format(self._story.revision))
        elif message.method == "server/discover" and not self._is_discovered(message):
            live.note_call(message, "made up")
            live.report.note_refused_probe(self._story.revision)
            self._refuse_era(message, batch)
        elif message.method in STAYS_OPEN and live.era == "modern":
            live.note_call(message, "made up")
            live.listeners.begin(message, live.ticket)
        elif (text := self._made_up(message)) is not None:
            live.note_call(message, "made up")
            live.answer(text, batch)
        else:
            self.miss(message, batch, is_used_up=is_used_up)

    def miss(
        self, message: Message, batch: BatchAnswers | None, *, is_used_up: bool, refusal: str = "", lacking: Json = None
    ) -> None:
        """Reports a miss, and tells the client unless it was refused, and so is told already; see `Miss`."""
        from mcpmock.session.playing.missing import Missed  # needed by nobody whose client stays on the record

        live, missed = self._live, Missed(self._library, self._casting)
        if live.options.order == "strict":
            miss = missed.out_of_order(message)
        else:
            miss = missed.like(message, is_used_up=is_used_up)
        if refusal:
            needed = lacking if isinstance(lacking, dict) else {}
            miss = miss._replace(kind="refused", refusal=refusal, lacking=needed, notification=None)
        live.report.misses.append(miss)
        live.variables.heard.update(missed.secrets_in(message, miss))
        live.note_call(message, "missed")
        if message.kind == "request" and not refusal:
            live.answer(error_text(message.id, missed.error(miss, live.options.ways)), batch)

    def refuse(self, message: Message, error: Object, batch: BatchAnswers | None) -> None:
        """A client that the recorded server cannot serve is told why; that counts as a miss, lest it be silent."""
        self._live.answer(error_text(message.id, error), batch, _BAD_REQUEST)
        data = error.get("data")
        lacking = data.get("requiredCapabilities") if isinstance(data, dict) else None
        self.miss(message, None, is_used_up=False, refusal=_reason(error), lacking=lacking)

    def cut_short(self, performance: Performance) -> None:
        """The recording ended before this request was answered; its client must not wait for ever."""
        from mcpmock.session.playing.missing import Missed

        live, missed, message = self._live, Missed(self._library, self._casting), performance.message
        assert message is not None
        miss = missed.like(message, is_used_up=False)._replace(kind="unanswered", notification=None)
        live.report.misses.append(miss)
        text = error_text(message.id, missed.error(miss, live.options.ways))
        live.ticket = performance.ticket
        live.answer(text, performance.batch)

    def refuse_input(self, code: int, reason: str, live_id: Json | Missing, batch: BatchAnswers | None = None) -> None:
        """An error for input without a readable id: without one from 2025-11-25 on, with null before (case RP-04)."""
        if isinstance(live_id, Missing) and (self._live.revision or self._story.revision) < _ID_OPTIONAL_SINCE:
            live_id = None
        self._live.answer(error_text(live_id, {"code": code, "message": reason}), batch, _BAD_REQUEST)

    def _refuse_era(self, message: Message, batch: BatchAnswers | None) -> None:
        """What servers with a handshake tell clients without one, so that they fall back (PROTOCOL 4.5)."""
        if self._live.options.http:
            self._live.answer(bad_request_text(), batch, _BAD_REQUEST)
        else:
            self._live.answer(method_not_found(message), batch)

    def _is_discovered(self, message: Message) -> bool:
        """Whether a client that asks what the server speaks is told the stateless revision."""
        if self._story.shows_stateless or not is_enveloped(message):
            return self._story.shows_stateless and not self._casting.is_to_fall_back()
        from mcpmock.session.playing.either_era import is_of_either_era

        return is_of_either_era(self._story)

    def _made_up(self, message: Message) -> str | None:
        """An answer that needs no recording; see `make_up`."""
        if self._live.era == "modern" and is_enveloped(message):
            from mcpmock.session.playing.stateless import make_up_stateless

            return make_up_stateless(message, self._story, self._casting.own_interactions())
        return make_up(message, self._live, self._casting.own_interactions(), server=self._story.server)


_LONGEST_VERSION: Final = 60


def _reason(error: Object) -> str:
    """What a person is told of an error: the client knows what it asked for, its user does not."""
    from mcpmock.matching.shown import harmless, shorten
    from mcpmock.matching.veil import veiled

    told = str(error["message"])
    data = error.get("data")
    if isinstance(data, dict):
        requested, supported = data.get("requested"), data.get("supported")
        asked = shorten(harmless(str(veiled(requested))), _LONGEST_VERSION) if isinstance(requested, str) else ""
        told += f"; this client asks for {asked}" if asked else ""
        told += f"; let the client speak {supported[0]}" if isinstance(supported, list) and supported else ""
    return told
