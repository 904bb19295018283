"""A live session: what is known of the client that a recording is played to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from mcpmock.session.interaction import Era, Step
from mcpmock.session.minted import Renames
from mcpmock.session.playing.actions import Action, Send, WriteStderr
from mcpmock.session.playing.order import Order
from mcpmock.session.playing.report import Outcome, Report
from mcpmock.session.playing.variables import Bindings
from mcpmock.wire.message import Json, Message, Object
from mcpmock.wire.methods import SERVER_QUESTIONS

if TYPE_CHECKING:
    from mcpmock.cassette.model import HttpFact
    from mcpmock.matching.ways import Ways
    from mcpmock.session.headers.oddities import Oddities
    from mcpmock.session.playing.batch import BatchAnswers
    from mcpmock.session.playing.listening import Listeners

__all__ = ["ANSWER_TIMEOUT", "Live", "Options", "Told"]


class Told(NamedTuple):
    """What a client was told last of a task; polls that were recorded up to number `since` tell nothing newer."""

    since: int
    state: Object


ANSWER_TIMEOUT: Final = 30.0
"""Seconds: longer than a model takes mostly, and less than the minute after which clients give up their own calls."""


class Options(NamedTuple):
    """How a recording is played.

    order     which of several equal requests is played (DESIGN 4)
    repeats   `allow_playback_repeats`: everything repeats its last
    delays    the recorded delays are kept, times this factor; 0 for none
    noise     recorded stdout noise and stderr are played too
    echo      the version that a client asks for is agreed on, though another one was recorded
    http      the client is spoken to over HTTP
    strict_http  over HTTP clients are asked for all that the specification wants of them, and for the recorded path
    patience  seconds that a question to the client waits for its answer; 0 for ever
    rehearses the client does what the recorded one did: the state of a task waits for its poll for ever
    vars      what variables stand for, by name
    folders   tells what this machine has in their place where neither these nor the client say it, by name
    ways      in whose words a miss says what to type next; None: those of the command line
    """

    order: Order = "stateful"
    repeats: bool = False
    delays: float = 0.0
    noise: bool = False
    echo: bool = False
    http: bool = False
    strict_http: bool = False
    patience: float = ANSWER_TIMEOUT
    rehearses: bool = False
    vars: Mapping[str, str] = {}
    folders: Callable[[], Mapping[str, str]] = dict
    ways: Ways | None = None


class Live:
    """The state that all parts of the playback machine share, for one connection.

    now           seconds on the shell's clock, as it last told
    actions       what the shell is to do, in order
    states        what the client was told last of each task, by its live id
    tasks         the client's own tasks (2025-11-25), by the ids that those of the recorded client had
    subscriptions the client's subscriptions; None where it has made none
    ticket        the exchange that the message at hand came in; None where there are none
    oddities      what is odd about the headers of that; None where there are none
    variables     what placeholders stand for in this session
    capabilities  the client's, from its `initialize`; None before
    revision      the revision that the client was answered; empty before
    agreed        the same, where it is not the recorded one: what it does not know is left out; else empty
    era           that of the latest request that shows one
    """

    __slots__ = (
        "actions",
        "agreed",
        "capabilities",
        "era",
        "now",
        "oddities",
        "options",
        "report",
        "revision",
        "states",
        "subscriptions",
        "tasks",
        "ticket",
        "variables",
    )

    def __init__(self, options: Options, report: Report) -> None:
        self.options = options
        self.report = report
        self.now = 0.0
        self.actions: list[Action] = []
        self.variables = Bindings(options.vars, options.folders)
        self.capabilities: dict[str, Json] | None = None
        self.revision = ""
        self.agreed = ""
        self.ticket: object = None
        self.oddities: Oddities | None = None
        self.subscriptions: Listeners | None = None
        self.states: dict[str, Told] = {}
        self.tasks: dict[str, str] = {}
        self.era: Era = ""

    def tell(self, text: str) -> None:
        """Tell a person something about this session: in the report, and where a server tells it."""
        self.report.notes.append(text)
        self.actions.append(WriteStderr(f"mcpmock: {text}\n"))

    def answer(self, text: str, batch: BatchAnswers | None = None, fact: HttpFact | None = None) -> None:
        """The client gets an answer, in its batch if it asked in one; `fact`: what HTTP shows of it."""
        if batch is not None:
            self.actions += batch.add(text)
        else:
            self.actions.append(Send(text, ticket=self.ticket, is_answer=True, fact=fact))

    def note_call(self, message: Message, outcome: Outcome, line: int = 0) -> None:
        """The message at hand was dealt with; see `Report.add_call`."""
        self.report.add_call(message, outcome, line, self.now)

    @property
    def listeners(self) -> Listeners:
        """The client's subscriptions (2026-07-28), for which there is a place from now on."""
        if self.subscriptions is None:
            from mcpmock.session.playing.listening import Listeners  # few sessions have any

            self.subscriptions = Listeners(self)
        return self.subscriptions

    def note_state(self, step: Step, renames: Renames) -> None:
        """The client is told, unasked, the state of a task."""
        from mcpmock.session.playing.tasks import note_step  # few sessions have tasks

        note_step(self.states, step, renames)

    def as_agreed(self, message: Message) -> Message:
        """A recorded message as a client of the agreed version may see it."""
        if not self.agreed:
            return message
        from mcpmock.session.playing.downgrading import downgraded

        return downgraded(message, self.agreed)

    def introduce(self, message: Message) -> None:
        """The client's `initialize` says what it can do."""
        params = message.params
        self.era = "legacy"
        capabilities = params.get("capabilities") if isinstance(params, dict) else None
        self.capabilities = capabilities if isinstance(capabilities, dict) else {}

    def can_be_asked(self, question: Message) -> bool:
        """Whether the client declared what a recorded question needs; an unknown client is asked."""
        row = SERVER_QUESTIONS.get(question.method)
        if self.capabilities is None or row is None or not row.capability:
            return True
        declared = self.capabilities.get(row.capability)
        if declared is None:
            return False
        params = question.params if isinstance(question.params, dict) else {}
        if row.capability == "elicitation" and params.get("mode") == "url":
            return isinstance(declared, dict) and "url" in declared  # `{}` means forms only
        return True
