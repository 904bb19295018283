"""Records a stdio server: what stands between the command line and the recorder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple, NoReturn

from mcpmock.keeping import Keeping, masks_for
from mcpmock.transports import stdio_recorder
from mcpmock.transports.destination import Destination
from mcpmock.transports.ladder import PATIENCE, Patience
from mcpmock.transports.processes import inherited_environment
from mcpmock.transports.stdio_recorder import Launch, say
from mcpmock.transports.thinker import Thinking


class RecordRequest(NamedTuple):
    """What to record.

    keeping  how it is kept
    command  the server's command, untouched
    env      what is added to our environment
    cwd      its working folder; None: ours
    """

    keeping: Keeping
    command: Sequence[str]
    env: Mapping[str, str] = {}
    cwd: str | None = None


def record(request: RecordRequest, *, patience: Patience = PATIENCE) -> NoReturn:
    """Stand where the server's command stood, and end as the server ends.

    Raises UsageError, CassetteError or CommandError before anything is moved.
    """
    request.keeping.check()
    launch = Launch(request.command, {**inherited_environment(), **request.env}, request.cwd)
    destination = request.keeping.destination  # our parent may be gone later
    stdio_recorder.record(launch, partial(_prepare, request, destination), patience=patience)


def _prepare(request: RecordRequest, destination: Destination) -> Thinking:
    # By now the server runs; these take longer to import than many a server takes to start.
    from mcpmock.cassette.model import Session
    from mcpmock.session.recording.naming import name_from_command
    from mcpmock.session.recording.stdio import Recording
    from mcpmock.transports.keeper import CassetteKeeper

    keeping = request.keeping
    session = Session(
        server=keeping.server or name_from_command(request.command),
        command=tuple(map(_printable, request.command)),
        env=tuple((name, _printable(value)) for name, value in request.env.items()),
    )
    masks = masks_for(keeping, {**os.environ, **request.env}, request.cwd)
    if masks.redactor:
        session = session._replace(command=masks.redactor.command(session.command), env=masks.redactor.env(session.env))
    recording = Recording(max_message=keeping.max_message, redactor=masks.mask)
    return Thinking(recording, CassetteKeeper(destination, masks.variables.head(session), say, masks.counts))


def _printable(word: str) -> str:
    """A word of a command line that was no UTF-8, so that it can stand in a file."""
    return os.fsencode(word).decode(errors="backslashreplace")
