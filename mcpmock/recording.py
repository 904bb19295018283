"""Records a stdio server: what stands between the command line and the recorder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from mcpmock.errors import UsageError
from mcpmock.transports import stdio_recorder
from mcpmock.transports.destination import Destination, check_destination, run_named
from mcpmock.transports.ladder import PATIENCE, Patience
from mcpmock.transports.processes import inherited_environment
from mcpmock.transports.stdio_recorder import Launch, say
from mcpmock.transports.thinker import Thinking
from mcpmock.wire.framing import DEFAULT_MAX_MESSAGE

if TYPE_CHECKING:
    from mcpmock.cassette.variables import Masking, VariableMask


class RecordRequest(NamedTuple):
    """What to record, and where.

    output       the cassette's file
    command      the server's command, untouched
    server       its name in the cassette; empty: one that the command suggests
    env          what is added to our environment
    cwd          its working folder; None: ours
    run          the name of the run; empty: our parent process is the run
    appends      what earlier runs have recorded stays in the cassette
    redacts      secrets are replaced before anything reaches the disk
    redact       the user's own rules for what is one, as `cassette.redaction.rules` words them
    vars         what is recorded as a variable, by name
    folders      so are the home, the temporary and the working folder
    max_message  the longest line, in bytes, that is kept
    """

    output: str
    command: Sequence[str]
    server: str = ""
    env: Mapping[str, str] = {}
    cwd: str | None = None
    run: str = ""
    appends: bool = False
    redacts: bool = True
    redact: Sequence[str] = ()
    vars: Mapping[str, str] = {}
    folders: bool = True
    max_message: int = DEFAULT_MAX_MESSAGE


def record(request: RecordRequest, *, patience: Patience = PATIENCE) -> NoReturn:
    """Stand where the server's command stood, and end as the server ends.

    Raises UsageError, CassetteError or CommandError before anything is moved.
    """
    check_destination(request.output)
    if request.redact:
        check_rules(request.redact, redacts=request.redacts)
    launch = Launch(request.command, {**inherited_environment(), **request.env}, request.cwd)
    destination = Destination(os.path.abspath(request.output), run_named(request.run), adds=request.appends)
    stdio_recorder.record(launch, partial(_prepare, request, destination), patience=patience)


def check_rules(rules: Sequence[str], *, redacts: bool) -> None:
    """See that the user's rules for redaction make sense. Raises UsageError."""
    from mcpmock.cassette.redaction.rules import read_rules

    read_rules(rules)
    if not redacts:
        raise UsageError("--redact says what else to mask, --no-redact to mask nothing; leave one of them out")


def _prepare(request: RecordRequest, destination: Destination) -> Thinking:
    # By now the server runs; these take longer to import than many a server takes to start.
    from mcpmock.cassette.model import Session
    from mcpmock.cassette.redaction.redactor import Redactor
    from mcpmock.cassette.redaction.rules import read_rules
    from mcpmock.cassette.variables import MaskChain
    from mcpmock.session.naming import name_from_command
    from mcpmock.session.recording import Recording
    from mcpmock.transports.keeper import CassetteKeeper

    session = Session(
        server=request.server or name_from_command(request.command),
        command=tuple(map(_printable, request.command)),
        env=tuple((name, _printable(value)) for name, value in request.env.items()),
    )
    variables = _variables(request)
    mask: Masking = variables
    redactor = None
    if request.redacts:
        redactor = Redactor(environment={**os.environ, **request.env}, rules=read_rules(request.redact))
        session = session._replace(command=redactor.command(session.command), env=redactor.env(session.env))
        mask = MaskChain(redactor, variables)
    recording = Recording(max_message=request.max_message, redactor=mask)
    return Thinking(
        recording, CassetteKeeper(destination, variables.head(session), say, redactor.counts if redactor else None)
    )


def _variables(request: RecordRequest) -> VariableMask:
    from mcpmock.folders import variable_mask

    return variable_mask(request.vars, {**os.environ, **request.env}, request.cwd, folders=request.folders)


def _printable(word: str) -> str:
    """A word of a command line that was no UTF-8, so that it can stand in a file."""
    return os.fsencode(word).decode(errors="backslashreplace")
